// better-auth on node:http, with anonymous sign-in and email log-in. Rate limits, logs and telemetry are off.
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { anonymous } from 'better-auth/plugins'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

const { values } = parseArgs({
  options: { port: { type: 'string' }, postgres: { type: 'string' }, sqlite: { type: 'string' } },
})
const port = Number(values.port)

const options = {
  database: values.postgres ? new pg.Pool({ connectionString: values.postgres, max: 10 }) : openSqlite(),
  secret: 'bench-secret-bench-secret-bench-secret-1',
  baseURL: `http://127.0.0.1:${port}`,
  trustedOrigins: ['http://127.0.0.1'],
  plugins: [anonymous()],
  emailAndPassword: { enabled: true },
  session: { cookieCache: { enabled: true, maxAge: 900 } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
}
await (await getMigrations(options)).runMigrations()
const answer = toNodeHandler(betterAuth(options))
createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1')

/** The same durability as the service. */
function openSqlite() {
  const database = new Sqlite(values.sqlite)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  return database
}
