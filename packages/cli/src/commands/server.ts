import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'

const PROGRAM = join(import.meta.dirname, '../../../server/bin/svc-server.js')
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The variables of the CLI mean nothing to the server, which would say so. */
const OWN_VARIABLES = ['SVC_URL', 'SVC_KEY', 'SVC_PROJECT']

const start = ({ machine }: Context, args: readonly string[], output: 'inherit' | 'pipe' | 2) =>
  spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['inherit', output, output === 'pipe' ? 'pipe' : 'inherit'],
    cwd: machine.folder,
    env: Object.fromEntries(
      Object.entries(machine.variables).filter(([name]) => !OWN_VARIABLES.includes(name)),
    ),
  })

/** In the server's own words, until it ends. With --json they go to the error output. */
export async function startServer(context: Context) {
  const server = start(context, ['start'], context.out.isJson ? 2 : 'inherit')
  for (const signal of FORWARDED) process.on(signal, () => server.kill(signal))
  const [code] = await once(server, 'exit')
  if (code !== 0) throw new Failure('failed', 'The service exited with an error.', { code: 'server_failed' })
}

async function serverCommand(context: Context, command: 'backup' | 'restore', file: string) {
  const server = start(context, [command, file], 'pipe')
  if (!server.stdout || !server.stderr) throw new Error('The server program has no output.')
  const [[code], said, complaint] = await Promise.all([
    once(server, 'exit'),
    text(server.stdout),
    text(server.stderr),
  ])
  if (code !== 0) {
    throw new Failure('failed', complaint.trim() || `The ${command} has failed.`, { code: 'server_failed' })
  }
  const [first = '', ...more] = said.trim().split('\n')
  context.out.done(first)
  for (const line of more) context.out.warn(line)
  return { file, notes: more }
}

export const backUp = (context: Context, _options: object, file: string) =>
  serverCommand(context, 'backup', file)
export const restore = (context: Context, _options: object, file: string) =>
  serverCommand(context, 'restore', file)
