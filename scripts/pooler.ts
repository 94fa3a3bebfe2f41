import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findOrInstall } from './programs.ts'
import { inFreshFolder, postgresUser, type Server, startOnFreePort } from './services.ts'

/** PgBouncer in front of all databases of a PostgreSQL server. */
export async function startPooler({
  postgresPort,
  mode,
}: {
  postgresPort: number
  mode: 'session' | 'transaction'
}): Promise<Server> {
  const [program] = findOrInstall('pgbouncer')
  const user = await postgresUser()
  return inFreshFolder(join(tmpdir(), 'svc-pooler-'), user, (folder) =>
    startOnFreePort((port) => {
      const file = join(folder, 'pgbouncer.ini')
      const lines = [
        '[databases]',
        `* = host=127.0.0.1 port=${postgresPort} user=postgres`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        `pool_mode = ${mode}`,
        'max_client_conn = 1000',
        'default_pool_size = 20',
      ]
      writeFileSync(file, lines.join('\n'))
      return {
        program,
        args: [file],
        url: `postgres://postgres@127.0.0.1:${port}/postgres`,
        readyLine: 'process up: PgBouncer',
        abortSignal: 'SIGKILL',
        folder,
        user,
      }
    }),
  )
}
