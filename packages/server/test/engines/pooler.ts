import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import pg from 'pg'

import { startPooler } from '../../../../scripts/pooler.ts'
import { startServices } from '../../../../scripts/services.ts'

/**
 * node --conditions=source packages/server/test/engines/pooler.ts --mode=transaction
 *
 * Runs tests whose databases are behind PgBouncer: the engine's, and those of capabilities with transactions, locks and scans.
 */
const { values, positionals } = parseArgs({
  options: { mode: { type: 'string', default: 'session' } },
  allowPositionals: true,
})
const FILES = [
  'packages/server/src/engines/database/database.test.ts',
  'packages/server/src/engines/database/migrate.test.ts',
  'packages/server/src/capabilities/{saves,stats,jobs,audit,revocations}/**/*.test.ts',
]

const mode = values.mode === 'transaction' ? 'transaction' : 'session'
const root = resolve(import.meta.dirname, '../../../..')

const services = await startServices({ sync: false })
const admin = new pg.Client({ connectionString: services.postgresUrl })
await admin.connect()
await admin.query('alter role postgres set synchronous_commit = on')
await admin.end()
const pooler = await startPooler({ postgresPort: Number(new URL(services.postgresUrl).port), mode })

const tests = spawn(
  process.execPath,
  ['--conditions=source', 'scripts/test.ts', ...(positionals.length > 0 ? positionals : FILES)],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_POSTGRES_URL: services.postgresUrl,
      TEST_REDIS_URL: services.redisUrl,
      TEST_POOLER_PORT: String(pooler.port),
      TEST_POOLER_MODE: mode,
    },
  },
)
const [code] = await once(tests, 'close')
await pooler.stop()
await services.stop()
console.log(`PgBouncer in ${mode} mode: ${code === 0 ? 'all tests pass' : 'tests fail'}`)
process.exit(code)
