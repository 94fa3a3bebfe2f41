#!/usr/bin/env node
// `svc` for developers and CI. Plain JavaScript that old Nodes understand too.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** An installed CLI runs on the Node of the game; the sources of a checkout need Node 26. */
const NODE_MIN = [20, 12]

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const built = new URL('../dist/main.js', import.meta.url)

/**
 * The CLI in `node_modules` of this folder or a parent folder: a game keeps the version of its service, whichever version is installed on
 * the machine. Code that another account has put there is not run.
 */
function programOfFolder() {
  try {
    for (let folder = process.cwd(); ; folder = dirname(folder)) {
      const path = join(folder, 'node_modules/@svc/cli/bin/svc.js')
      if (existsSync(path)) return isTrusted(path) ? realpathSync(path) : undefined
      if (dirname(folder) === folder) return undefined
    }
  } catch {
    return undefined // The current folder no longer exists, or a folder cannot be read.
  }
}

function isTrusted(path) {
  return process.getuid === undefined || [0, process.getuid()].includes(statSync(path).uid)
}

async function runThisOne() {
  if (existsSync(built)) {
    const [major, minor] = process.versions.node.split('.').map(Number)
    if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return import(built.href)
    process.stderr.write(`svc needs Node ${NODE_MIN.join('.')} or newer, this is ${process.version}.\n`)
    process.exitCode = 1
    return undefined
  }
  const { CHECKOUT_CACHE, node26, runOnNode26 } = await import('../../server/bin/on-node-26.js')
  const node = node26()
  if (node !== undefined) runOnNode26(node, pathOf('../src/main.ts'), { cache: CHECKOUT_CACHE })
  return undefined
}

// The other program finds itself here, so this happens once.
const other = programOfFolder()
if (other === undefined || other === realpathSync(pathOf('svc.js'))) await runThisOne()
else await import(pathToFileURL(other).href)
