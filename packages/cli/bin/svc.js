#!/usr/bin/env node
// `svc` for developers and CI. Plain JavaScript that old Nodes understand too.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An installed CLI runs on the Node of the game; the sources of a checkout need Node 26. */
const NODE_MIN = [20, 12]

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const installed = new URL('../dist/main.js', import.meta.url)

if (existsSync(installed)) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) await import(installed.href)
  else {
    process.stderr.write(`svc needs Node ${NODE_MIN.join('.')} or newer, this is ${process.version}.\n`)
    process.exitCode = 1
  }
} else {
  const { CHECKOUT_CACHE, node26, runOnNode26 } = await import('../../server/bin/on-node-26.js')
  const node = node26()
  if (node !== undefined) runOnNode26(node, pathOf('../src/main.ts'), { cache: CHECKOUT_CACHE })
}
