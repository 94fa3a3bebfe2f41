import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { DAY_MS } from '../../packages/server/src/platform/clock.ts'
import { firstIdAt } from '../../packages/server/src/platform/random.ts'
import type { Target } from '../load.ts'
import { freshFolder } from '../processes.ts'
import type { Request } from './requests.ts'
import { newGuest } from './saves.ts'
import { call, newProject, startService } from './service.ts'
import { startOnPostgres } from './services.ts'

/** What the dashboard reads. */
export const READS = {
  overview: 'the overview of an environment',
  activity: 'the activity of 30 days',
  'share stats': 'the statistics of share links, 30 days',
  usage: "the developer's usage of this month, with its charges",
  'players, newest': 'the newest 50 players',
  'players, last seen': '50 players by the time they were last seen',
  'players, search': 'players whose name begins with a text',
  'players, registered': 'the newest 50 players that are not guests',
  ledger: 'the last 50 entries of the ledger',
  audit: 'the last 50 entries of the audit log',
  'audit of an environment': 'the same, of one environment',
  mails: 'the last 50 mails that failed',
  'request log': 'the last 50 requests of an environment',
} as const
export type ReadName = keyof typeof READS
export type Filled = Target & { requests: Record<ReadName, Request[]> }

const DAYS = 30
/** Enough for a full request log of the smaller service. */
const LOGGED = 500

/** Starts a service on SQLite with `rows` rows of each table that the dashboard reads. */
export async function startFilled(opened: AsyncDisposableStack, rows: number): Promise<Filled> {
  const dataDir = freshFolder()
  const first = await startService({ dataDir })
  const seeded = await seed(first.port)
  await first.end()

  const database = new DatabaseSync(join(dataDir, 'svc.sqlite'))
  database.exec('pragma synchronous = off; pragma cache_size = -200000; begin')
  await fill(async (sql) => database.exec(sql), seeded, rows)
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  database.close()

  const server = await startService({ dataDir })
  opened.defer(server.end)
  return { ...server, databases: [], requests: await requestsOf(server.port, seeded) }
}

/** The same on PostgreSQL. */
export async function startFilledOnPostgres(opened: AsyncDisposableStack, rows: number): Promise<Filled> {
  const server = await startOnPostgres(opened)
  const seeded = await seed(server.port)
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  await fill((sql) => client.query(sql), seeded, rows)
  await client.query('vacuum analyze')
  await client.end()
  return { ...server, requests: await requestsOf(server.port, seeded) }
}

type Seeded = Awaited<ReturnType<typeof seed>>

async function seed(port: number) {
  const { publishable, secret, developer, projectId } = await newProject(port, 'Filled')
  const share = { links: { enabled: true }, tracking: { enabled: true } }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { share })
  const token = await newGuest(port, publishable)
  const { aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    aud: string
  }
  const { developer: account } = await call<{ developer: { id: string } }>(
    port,
    'GET',
    '/v1/developers/me',
    developer,
  )
  return { environmentId: aud, developer, developerId: account.id, projectId, secret }
}

/** Inserts with SQL, because a million requests would take too long. A day has the same number of rows as every other. */
async function fill(
  run: (sql: string) => Promise<unknown>,
  { environmentId, developerId, projectId }: Seeded,
  rows: number,
): Promise<void> {
  const perDay = Math.ceil(rows / DAYS)
  const links = Math.ceil(rows / 10)
  for (let age = DAYS - 1; age >= 0; age--) {
    const atMs = (Math.floor(Date.now() / DAY_MS) - age) * DAY_MS
    const [at, day] = [new Date(atMs).toISOString(), new Date(atMs).toISOString().slice(0, 10)]
    const begin = (DAYS - 1 - age) * perDay
    const numbers = `with recursive numbers (n) as (select cast(${begin} as bigint) union all select n + 1 from numbers where n + 1 < ${begin + perDay})`
    // Ids sort by the time of their creation. All of them have the same length.
    const player = `'${firstIdAt('ply', atMs).slice(0, -8)}' || (10000000 + n)`
    const email = `case when n % 4 = 0 then 'player' || n || '@example.com' end`
    await run(`
      insert into players ("environmentId", id, "displayName", "searchName", email, "createdAt", "lastSeenAt")
        ${numbers} select '${environmentId}', ${player}, 'Player ' || n, 'player ' || n, ${email}, '${at}', '${at}' from numbers`)
    await run(`
      insert into players_days ("environmentId", day, "playerId")
        ${numbers} select '${environmentId}', '${day}', ${player} from numbers`)
    // A few links have most of the visits.
    await run(`
      insert into sharing_days ("environmentId", "shareId", day, visits, "newPlayers", plays)
        ${numbers} select '${environmentId}', 'shr_' || (10000000 + n * 7919 % ${links}), '${day}',
          1 + 1000 / (1 + n * 7919 % ${links}), 1, 1 from numbers
        where true on conflict ("environmentId", "shareId", day) do nothing`)
    await run(`
      insert into money_transactions ("developerId", sequence, id, at, type, reference, amount, "balanceAfter", description, hash)
        ${numbers} select '${developerId}', n + 1, 'txn_' || n, '${at}', case when n % 2 = 0 then 'usage' else 'topup' end,
          'usage:x:2020-01:' || n, 0, 0, 'Usage of 2020-01', '' from numbers`)
    await run(`
      insert into audit_entries ("projectId", sequence, id, at, env, actor, action, details, hash)
        ${numbers} select '${projectId}', n + 1000, 'aud_' || n, '${at}', 'development', '{"type":"operator"}', 'x.y', '{}', ''
        from numbers`)
    await run(`
      insert into mail_outbox (id, "environmentId", recipient, subject, "textBody", "htmlBody", status, attempts, "nextAttemptAt", "createdAt")
        ${numbers} select 'eml_' || (10000000 + n), '${environmentId}', 'a@example.com', '', '', '', 'sent', 1, '${at}', '${at}' from numbers`)
  }
}

async function requestsOf(port: number, seeded: Seeded): Promise<Filled['requests']> {
  const { developer, projectId, secret } = seeded
  const environment = `/v1/projects/${projectId}/environments/production`
  const reading = (...paths: string[]): Request[] =>
    paths.map((path) => ({ path, headers: developer, status: 200 }))
  for (let i = 0; i < LOGGED; i++) await call(port, 'GET', '/v1/config', { 'x-svc-key': secret })
  return {
    overview: reading(`${environment}/overview`),
    activity: reading(`${environment}/activity?days=30`),
    'share stats': reading(`${environment}/share/stats`),
    usage: reading('/v1/money/usage'),
    'players, newest': reading(`${environment}/players`),
    'players, last seen': reading(`${environment}/players?sort=lastSeen`),
    'players, search': reading(
      ...Array.from({ length: 100 }, (_, i) => `${environment}/players?q=player%20${i}`),
    ),
    'players, registered': reading(`${environment}/players?guest=false`),
    ledger: reading('/v1/money/prepaid/ledger'),
    audit: reading(`/v1/projects/${projectId}/audit`),
    'audit of an environment': reading(`/v1/projects/${projectId}/audit?env=production`),
    mails: reading(`${environment}/mails?status=failed`),
    'request log': reading(`${environment}/requests`),
  }
}
