import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { DAY_MS } from '../../packages/server/src/platform/clock.ts'
import { firstIdAt } from '../../packages/server/src/platform/random.ts'
import type { Target } from '../load.ts'
import { freshFolder, type Server } from '../processes.ts'
import { claimsOf, newSession } from './guests.ts'
import type { Request } from './requests.ts'
import { call, newProject, type ServiceOptions, startService } from './service.ts'
import { startOnPostgres } from './services.ts'

/** Tables that can be filled. */
type Table =
  | 'players'
  | 'players_days'
  | 'sharing_days'
  | 'money_transactions'
  | 'audit_entries'
  | 'mail_outbox'

/** What the dashboard reads, and the tables that it is read from. */
export const READS = {
  overview: { about: 'the overview of an environment', from: ['players', 'players_days', 'mail_outbox'] },
  activity: { about: 'the activity of 30 days', from: ['players', 'players_days'] },
  'share stats': { about: 'the statistics of share links, 30 days', from: ['sharing_days'] },
  usage: { about: "the developer's usage of this month, with its charges", from: ['money_transactions'] },
  'players, newest': { about: 'the newest 50 players', from: ['players'] },
  'players, last seen': { about: '50 players by the time they were last seen', from: ['players'] },
  'players, search': { about: 'players whose name begins with a text', from: ['players'] },
  'players, registered': { about: 'the newest 50 players that are not guests', from: ['players'] },
  ledger: { about: 'the last 50 entries of the ledger', from: ['money_transactions'] },
  audit: { about: 'the last 50 entries of the audit log', from: ['audit_entries'] },
  'audit of an environment': { about: 'the same, of one environment', from: ['audit_entries'] },
  mails: { about: 'the last 50 mails that failed', from: ['mail_outbox'] },
  'request log': { about: 'the last 50 requests of an environment', from: [] },
} satisfies Record<string, { about: string; from: Table[] }>
export type ReadName = keyof typeof READS
export type Filled = Server & Target & { requests: Record<ReadName, Request[]> }

/** The tables of some reads. */
export const tablesOf = (reads: readonly ReadName[]): Table[] => [
  ...new Set(reads.flatMap((read): Table[] => READS[read].from)),
]

const DAYS = 30
/** Enough for a full request log of the smaller service. */
const LOGGED = 500

/** Starts a service on SQLite with `rows` rows of each of the tables. */
export async function startFilled(
  opened: AsyncDisposableStack,
  rows: number,
  tables: readonly Table[],
  options: ServiceOptions = {},
): Promise<Filled> {
  const dataDir = freshFolder()
  const first = await startService({ ...options, dataDir })
  const seeded = await seed(first.port)
  await first.end()

  const database = new DatabaseSync(join(dataDir, 'svc.sqlite'))
  database.exec('pragma synchronous = off; pragma cache_size = -2000000')
  await fill(async (sql) => database.exec(sql), seeded, rows, tables)
  database.exec('analyze; pragma wal_checkpoint(truncate)')
  database.close()

  const server = await startService({ ...options, dataDir })
  opened.defer(server.end)
  return { ...server, databases: [], requests: await requestsOf(server.port, seeded) }
}

/** The same on PostgreSQL. */
export async function startFilledOnPostgres(
  opened: AsyncDisposableStack,
  rows: number,
  tables: readonly Table[],
  options: ServiceOptions = {},
): Promise<Filled> {
  const server = await startOnPostgres(opened, options)
  const seeded = await seed(server.port)
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  try {
    await fill((sql) => client.query(sql), seeded, rows, tables)
    await client.query('vacuum analyze')
    // So that the checkpoint of the filled rows does not happen during the measurement.
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
  return { ...server, requests: await requestsOf(server.port, seeded) }
}

type Seeded = Awaited<ReturnType<typeof seed>>

async function seed(port: number) {
  const { publishable, secret, developer, projectId } = await newProject(port, 'Filled')
  const share = { links: { enabled: true }, tracking: { enabled: true } }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { share })
  const { aud } = claimsOf(await newSession(port, publishable))
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
  tables: readonly Table[],
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
    const inserts: Record<Table, string> = {
      players: `
        insert into players ("environmentId", id, "displayName", "searchName", email, "createdAt", "lastSeenAt")
          ${numbers} select '${environmentId}', ${player}, 'Player ' || n, 'player ' || n, ${email}, '${at}', '${at}' from numbers`,
      players_days: `
        insert into players_days ("environmentId", day, "playerId")
          ${numbers} select '${environmentId}', '${day}', ${player} from numbers`,
      // A few links have most of the visits.
      sharing_days: `
        insert into sharing_days ("environmentId", "shareId", day, visits, "newPlayers", plays)
          ${numbers} select '${environmentId}', 'shr_' || (10000000 + n * 7919 % ${links}), '${day}',
            1 + 1000 / (1 + n * 7919 % ${links}), 1, 1 from numbers
          where true on conflict ("environmentId", "shareId", day) do nothing`,
      money_transactions: `
        insert into money_transactions ("developerId", sequence, id, at, type, reference, amount, "balanceAfter", description, hash)
          ${numbers} select '${developerId}', n + 1, 'txn_' || n, '${at}', case when n % 2 = 0 then 'usage' else 'topup' end,
            'usage:x:2020-01:' || n, 0, 0, 'Usage of 2020-01', '' from numbers`,
      audit_entries: `
        insert into audit_entries ("projectId", sequence, id, at, env, actor, action, details, hash)
          ${numbers} select '${projectId}', n + 1000, 'aud_' || n, '${at}', 'development', '{"type":"operator"}', 'x.y', '{}', ''
          from numbers`,
      mail_outbox: `
        insert into mail_outbox (id, "environmentId", recipient, subject, "textBody", "htmlBody", status, attempts, "nextAttemptAt", "createdAt")
          ${numbers} select 'eml_' || (10000000 + n), '${environmentId}', 'a@example.com', '', '', '', 'sent', 1, '${at}', '${at}' from numbers`,
    }
    for (const table of tables) await run(inserts[table])
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
    // Each finds a full page, also among a thousand players.
    'players, search': reading(
      ...Array.from({ length: 9 }, (_, i) => `${environment}/players?q=player%20${i + 1}`),
    ),
    'players, registered': reading(`${environment}/players?guest=false`),
    ledger: reading('/v1/money/prepaid/ledger'),
    audit: reading(`/v1/projects/${projectId}/audit`),
    'audit of an environment': reading(`/v1/projects/${projectId}/audit?env=production`),
    mails: reading(`${environment}/mails?status=failed`),
    'request log': reading(`${environment}/requests`),
  }
}
