import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { Failure } from '../output/failure.ts'
import { writeAtomically } from '../project/atomic-write.ts'
import { sameService } from '../service/address.ts'
import type { System } from '../system.ts'

/** The session at a service. The password is stored only for local accounts, for which the CLI generated it. */
export type Credential = { email: string; token: string; password?: string }

export type Credentials = ReturnType<typeof openCredentials>

/** The credentials file, which only the user may read. */
export function openCredentials({ variables, home, randomText }: System) {
  const path = join(variables['XDG_CONFIG_HOME'] || join(home, '.config'), 'svc', 'credentials.json')

  function readAll(): Record<string, Credential> {
    if (!existsSync(path)) return {}
    if (process.platform !== 'win32' && statSync(path).mode & 0o077) {
      throw new Failure('failed', `Other users of this machine can read ${path}.`, {
        fix: `Run: chmod 600 ${path}`,
      })
    }
    try {
      return JSON.parse(readFileSync(path, 'utf8')).services ?? {}
    } catch {
      throw new Failure('failed', `${path} is not JSON.`, { fix: 'Remove it and run: svc login' })
    }
  }

  async function writeAll(services: Record<string, Credential>) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const text = `${JSON.stringify({ services }, null, 2)}\n`
    await writeAtomically(path, { content: text, randomText: randomText(), mode: 0o600 })
  }

  return {
    path,
    find: (url: string): Credential | undefined => readAll()[sameService(url)],
    save: (url: string, credential: Credential) => writeAll({ ...readAll(), [sameService(url)]: credential }),
    async remove(url: string) {
      const { [sameService(url)]: _, ...others } = readAll()
      await writeAll(others)
    },
  }
}
