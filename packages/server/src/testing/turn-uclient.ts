import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { findOrInstall } from '../../../../scripts/programs.ts'
import type { Credentials } from './turn-client.ts'

const RUN_TIMEOUT_MS = 60_000

/** The output of coturn's test client: by default, two clients that exchange data through a relay. */
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
