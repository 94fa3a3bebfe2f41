import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'

import { monotonicMs } from '../src/platform/clock.ts'
import { firstIdAt } from '../src/platform/random.ts'
import { runs } from '../src/testing/runs.ts'
import { suite } from '../src/testing/suite.ts'

const ROWS = runs(200_000, 1_000_000)
/** How many other requests are answered while one of these is read. On the thread of the event loop it would be at most one. */
const OTHERS_MIN = 5

// On PostgreSQL the server counts, not this process: `postgres.test.ts` shows that a scan does not delay other queries.
suite('reads of the dashboard', { engines: ['sqlite'], features: {} }, (suite) => {
  before(async () => {
    const { service, project } = suite
    const config = { share: { links: { enabled: true }, tracking: { enabled: true } } }
    assert.equal((await project.development.server('PUT', '/v1/config', config)).status, 200)
    const environment = project.environments.find(({ name }) => name === 'development')
    fill(join(service.dataDir, 'svc.sqlite'), {
      environment: environment?.id ?? '',
      rows: ROWS,
      day: service.clock.now().toISOString().slice(0, 10),
    })
  })

  const reads: Record<string, (path: string) => string> = {
    'share statistics': (path) => `${path}/share/stats`,
    // Before the overview, which shows the same number of players.
    projects: () => '/v1/projects',
    overview: (path) => `${path}/overview`,
    activity: (path) => `${path}/activity?days=30`,
  }
  for (const [name, urlOf] of Object.entries(reads))
    test(`${name}: other requests are answered while ${ROWS} rows are read`, async (t) => {
      const { project } = suite
      const url = urlOf(project.development.path)

      let isRead = false
      const read = project.developer.call('GET', url).finally(() => (isRead = true))
      const waits = await waitsWhile(() => !isRead)

      assert.equal((await read).status, 200)
      assert.ok(waits.length - 1 >= OTHERS_MIN, `${waits.length - 1} other requests were answered meanwhile`)

      // Printed, not asserted: on a busy machine every request may take long.
      if (runs(0, 1) === 0) return
      let left = waits.length
      const alone = await waitsWhile(() => left-- > 0)
      t.diagnostic(`GET /healthz waits ${summaryOf(waits)} during the read, ${summaryOf(alone)} without it`)
    })

  /** How long each of the requests took that were sent one after the other while the condition was true. */
  async function waitsWhile(isTrue: () => boolean): Promise<number[]> {
    const waits: number[] = []
    while (isTrue()) {
      const startedAt = monotonicMs()
      assert.equal((await suite.service.call('GET', '/healthz')).status, 200)
      waits.push(monotonicMs() - startedAt)
    }
    return waits
  }
})

function summaryOf(waits: readonly number[]): string {
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${sorted.length} requests)`
}

type Filling = { environment: string; rows: number; day: string }

/** Inserts with SQL, because so many requests would take too long. */
function fill(path: string, { environment, rows, day }: Filling) {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  const at = `${day}T00:00:00.000Z`
  // Ids sort by the time of their creation, and have the same length.
  const id = `'${firstIdAt('ply', Date.parse(at)).slice(0, -8)}' || (10000000 + n)`
  const numbers = `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${rows})`
  database.exec(`
    pragma synchronous = off;
    begin;
    insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt", "leaderboardsHidden")
      ${numbers} select '${environment}', ${id}, 'Player', 'player', '${at}', '${at}', 0 from numbers;
    insert into players_days ("environmentId", day, "playerId")
      ${numbers} select '${environment}', '${day}', ${id} from numbers;
    insert into sharing_days ("environmentId", "shareId", day, visits, "newPlayers", plays)
      ${numbers} select '${environment}', 'shr_' || n, '${day}', n % 100, 0, 1 from numbers;
    commit`)
  database.close()
}
