import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { findOrInstall } from '../../../../scripts/programs.ts'
import type { Credentials } from './turn-client.ts'

const RUN_TIMEOUT_MS = 60_000

/** What coturn's own test client says: two clients that talk to each other through a relay, unless flags say otherwise. */
export function runUclient(
  port: number,
  { username = '', credential = '' }: Credentials,
  ...flags: string[]
) {
  const program = join(findOrInstall('coturn')[0], '../turnutils_uclient')
  const between = flags.includes('-e') ? [] : ['-y']
  const args = [...between, '-c', '-n', '20', '-u', username, '-w', credential, ...flags]
  return new Promise<string>((resolve) => {
    const options = { timeout: RUN_TIMEOUT_MS, killSignal: 'SIGKILL' } as const
    execFile(program, [...args, '-p', String(port), '127.0.0.1'], options, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
