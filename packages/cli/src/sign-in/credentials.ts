import { sameService } from '../service/address.ts'
import type { System } from '../system.ts'
import { openPrivateFile } from './private-file.ts'

/** The session at a service. The password is stored only for local accounts, for which the CLI generated it. */
export type Credential = { email: string; token: string; password?: string }

export type Credentials = ReturnType<typeof openCredentials>

/** The credentials file, which only the user may read. */
export function openCredentials(system: System) {
  const { path, readAll, writeAll } = openPrivateFile<Credential>(system, {
    name: 'credentials.json',
    member: 'services',
    command: 'svc login',
  })

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
