import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { startServices } from './services.ts'
import { takesTurns } from './test-turns.ts'

/**
 * npm run test:long [-- <parts of command lines>]
 *
 *     npm run test:long -- fuzz models
 *
 * What `npm test` runs in a short form or not after every commit: hours in all, one after the other, each with a summary. Ends with 1 if one of them failed.
 */
const PROGRAMS = [
  'fuzz/fuzz.ts --requests=20000 --engine=sqlite',
  'fuzz/fuzz.ts --requests=20000 --engine=postgres',
  'fuzz/frames.ts --frames=50000 --engine=sqlite',
  'fuzz/frames.ts --frames=50000 --engine=postgres',
  'realtime/faults.ts --rounds=40',
  'realtime/models.ts --runs=20 --kills=2',
  'realtime/matches.ts --kills=20',
  'realtime/load.ts',
  'faults/kill.ts --cycles=20',
  'faults/kill.ts --cycles=20 --of=saves',
  'faults/kill.ts --cycles=20 --of=stats',
  'faults/power-cut.ts --runs=20',
  'faults/power-cut.ts --runs=20 --of=saves',
  'faults/power-cut.ts --runs=20 --of=stats',
  'faults/deploy-kill.ts --kills=40',
  'faults/deploy-kill.ts --kills=40 --database=postgres --blobs=files',
  'faults/deploy-kill.ts --kills=40 --database=postgres --blobs=s3',
  'faults/refresh-rounds.ts --rounds=1000 --engine=sqlite',
  'faults/refresh-rounds.ts --rounds=1000 --engine=postgres',
  'faults/rolling.ts --replacements=20',
  'faults/fresh-connections.ts --rounds=500',
  'faults/fresh-connections.ts --rounds=500 --load=10',
  'faults/stalled-refreshes.ts --rounds=1000',
  'faults/login-timing.ts',
  'engines/promotions.ts --promotions=10',
  'engines/redis-failovers.ts --failovers=10',
  'engines/balanced.ts',
  'engines/pooler.ts --mode=session',
  'engines/pooler.ts --mode=transaction',
  'proof/chaos.ts --minutes=60',
  'proof/soak.ts --minutes=120',
  'hostile/hostile.ts --functions=200 --rooms=24 --minutes=20',
  'faults/backup-load.ts --rate=1000 --seconds=180 --megabytes=200',
  'deploy/image.ts',
  'faults/forgot-timing.ts --engine=sqlite',
  'faults/forgot-timing.ts --engine=postgres',
]
  .map((line) => `packages/server/test/${line}`)
  .concat('packages/sdk/test/lives/lives.ts --players=10 --minutes=30')

const root = resolve(import.meta.dirname, '..')
const hasLongForm = (file: string) => readFileSync(resolve(root, file), 'utf8').includes("/testing/runs.ts'")
const testFiles = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root })
  .filter((file) => hasLongForm(file) || takesTurns(file))
  .toSorted()
  .map((file) => `scripts/test.ts --test-timeout=3600000 ${file}`)
const parts = process.argv.slice(2)
const chosen = [...testFiles, ...PROGRAMS].filter(
  (line) => parts.length === 0 || parts.some((part) => line.includes(part)),
)
if (chosen.length === 0) throw new Error(`no long program has ${parts.join(' or ')} in its line`)

const services = await startServices({ sync: false })
const env = {
  ...process.env,
  TEST_LONG: 'on',
  TEST_POSTGRES_URL: services.postgresUrl,
  TEST_REDIS_URL: services.redisUrl,
}
const failed: string[] = []
for (const line of chosen) {
  console.log(`\n── ${line}`)
  const program = spawn(process.execPath, ['--conditions=source', ...line.split(' ')], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  const [code] = await once(program, 'close')
  if (code !== 0) failed.push(line)
}
await services.stop()
for (const line of failed) console.log(`failed: ${line}`)
process.exit(failed.length > 0 ? 1 : 0)
