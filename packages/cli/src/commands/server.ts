import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { OWN_FILES, ownVersion } from '../own-files.ts'

/** Adds `svc start`. */
export function addStartCommand(program: CommandGroup) {
  program.command('start', 'start the service on this machine', startServer).alias('dev')
}

/** Adds `svc backup` and `svc restore`. */
export function addBackupCommands(program: CommandGroup) {
  program.command(
    'backup <file>',
    'back up the local service to a file and verify it; works while the service runs',
    backUp,
    { incomplete: flag('--incomplete', 'even if a file or a functions database is missing or damaged') },
  )
  program.command(
    'restore <file>',
    'restore a data folder from a backup; never overwrites an existing one',
    restore,
    { check: flag('--check', 'only report its contents, and whether it can be restored') },
  )
}

const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Variables of the CLI are removed, because the server warns about unknown ones. */
const OWN_VARIABLES = ['SVC_URL', 'SVC_KEY', 'SVC_PROJECT']

/** Games install the CLI without the service, which is a hundred times larger. */
function requireServer() {
  if (existsSync(OWN_FILES.serverProgram)) return
  throw new Failure('failed', 'The service is not installed in this folder.', {
    code: 'server_not_installed',
    fix: `Run it in the svc folder, or install your release’s file: npm install svc-server-${ownVersion()}.tgz`,
  })
}

const start = ({ system }: Context, args: readonly string[], output: 'inherit' | 'pipe' | 2) =>
  spawn(process.execPath, [OWN_FILES.serverProgram, ...args], {
    stdio: ['inherit', output, output === 'pipe' ? 'pipe' : 'inherit'],
    cwd: system.folder,
    env: Object.fromEntries(
      Object.entries(system.variables).filter(([name]) => !OWN_VARIABLES.includes(name)),
    ),
  })

/** Runs the server with its own output until it exits. With --json the output goes to stderr. */
async function startServer(context: Context) {
  requireServer()
  const server = start(context, ['start'], context.out.isJson ? 2 : 'inherit')
  for (const signal of FORWARDED) context.system.signals.on(signal, () => server.kill(signal))
  const [code] = await once(server, 'exit')
  if (code !== 0) throw new Failure('failed', 'The service exited with an error.', { code: 'server_failed' })
}

async function serverCommand(
  context: Context,
  command: 'backup' | 'restore',
  file: string,
  ...options: string[]
) {
  requireServer()
  const server = start(context, [command, file, ...options], 'pipe')
  if (!server.stdout || !server.stderr) throw new Error('The server program has no output.')
  const [[code], output, errors] = await Promise.all([
    once(server, 'exit'),
    text(server.stdout),
    text(server.stderr),
  ])
  if (code !== 0) {
    throw new Failure('failed', errors.trim() || `The ${command} failed.`, { code: 'server_failed' })
  }
  const [first = '', ...more] = output.trim().split('\n')
  context.out.done(first)
  for (const line of more) context.out.warn(line)
  return { file, notes: more }
}

const backUp = (context: Context, { incomplete }: { incomplete?: boolean }, file: string) =>
  serverCommand(context, 'backup', file, ...(incomplete ? ['--incomplete'] : []))
const restore = (context: Context, { check }: { check?: boolean }, file: string) =>
  serverCommand(context, 'restore', file, ...(check ? ['--check'] : []))
