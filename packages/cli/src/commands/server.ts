import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'

const PROGRAM = join(import.meta.dirname, '../../../server/bin/svc-server.js')
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The variables of the CLI mean nothing to the server, which would say so. */
const OWN_VARIABLES = ['SVC_URL', 'SVC_KEY', 'SVC_PROJECT']

/** Runs a command of the server program, in its own words, and ends as it ends. */
async function serverCommand({ machine }: Context, args: readonly string[]) {
  const variables = Object.entries(machine.variables).filter(([name]) => !OWN_VARIABLES.includes(name))
  const server = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: 'inherit',
    cwd: machine.folder,
    env: Object.fromEntries(variables),
  })
  for (const signal of FORWARDED) process.on(signal, () => server.kill(signal))
  const [code] = await once(server, 'exit')
  if (code !== 0)
    throw new Failure('failed', `svc-server ${args.join(' ')} has failed.`, { code: 'server_failed' })
}

export const startServer = (context: Context) => serverCommand(context, ['start'])
export const backUp = (context: Context, _options: object, file: string) =>
  serverCommand(context, ['backup', file])
export const restore = (context: Context, _options: object, file: string) =>
  serverCommand(context, ['restore', file])
