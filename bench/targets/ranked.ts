import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import type { Target } from '../load.ts'
import { freshFolder, type Server } from '../processes.ts'
import { claimsOf, newSession, renewSessions, type Session } from './guests.ts'
import type { Request } from './requests.ts'
import { call, newProject, type ServiceOptions, startService } from './service.ts'
import { startOnPostgres } from './services.ts'
import { CONFIG as STATS_CONFIG } from './stats.ts'

export type RankedRequests = Record<'report' | 'kept' | 'top' | 'page' | 'me' | 'around', Request[]>

/** Enough players that none reaches 600 reports in a minute. */
const PLAYERS = 500
/** More pages than a node keeps, so that each is read from the database. */
const PAGES = 5_000
const FIRST = 500
const MEAN = 20_000

export type Ranked = Server & Target & { requests: RankedRequests; renew(): Promise<void> }

/** Starts a service with `entries` values of one stat, on a leaderboard of all time or on none. */
export async function startRanked(
  opened: AsyncDisposableStack,
  entries: number,
  leaderboard: object | undefined,
  options: ServiceOptions = {},
): Promise<Ranked & { copyDatabase(folder: string): Promise<void> }> {
  const dataDir = freshFolder()
  const first = await startService({ ...options, dataDir })
  const seeded = await seed(first.port, leaderboard)
  await first.end()

  const path = join(dataDir, 'svc.sqlite')
  const database = new DatabaseSync(path)
  database.exec('pragma synchronous = off; pragma cache_size = -2000000; begin')
  const board = await fill(async (sql) => database.prepare(sql).all(), seeded.sessions, entries)
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  database.close()

  const server = await startService({ ...options, dataDir })
  opened.defer(server.end)
  return {
    ...server,
    databases: [],
    ...readyFor(server.port, seeded, board),
    async copyDatabase(folder) {
      const source = new DatabaseSync(path, { readOnly: true })
      await backup(source, join(folder, 'svc.sqlite'), { rate: 100_000 })
      source.close()
    },
  }
}

/** The same on PostgreSQL. */
export async function startRankedOnPostgres(
  opened: AsyncDisposableStack,
  entries: number,
  leaderboard: object | undefined,
  options: ServiceOptions = {},
): Promise<Ranked> {
  const server = await startOnPostgres(opened, options)
  const seeded = await seed(server.port, leaderboard)

  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  const board = await fill(async (sql) => (await client.query(sql)).rows, seeded.sessions, entries)
  await client.query('vacuum analyze')
  await client.end()
  return { ...server, ...readyFor(server.port, seeded, board) }
}

type Seeded = { publishable: string; sessions: Session[]; reports: Request[] }

/** Players with a first report. */
async function seed(port: number, leaderboard: object | undefined): Promise<Seeded> {
  const { publishable, secret } = await newProject(port, 'Ranked')
  const stats = STATS_CONFIG.stats.map((stat) =>
    stat.key === 'games' && leaderboard ? { ...stat, leaderboard } : stat,
  )
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { ...STATS_CONFIG, stats })
  const sessions: Session[] = []
  for (let i = 0; i < PLAYERS; i++) sessions.push(await newSession(port, publishable))
  const reports = reportsOf(publishable, sessions)
  for (const { path, headers, body = '' } of reports)
    await call(port, 'POST', path, headers, JSON.parse(body) as object)
  return { publishable, sessions, reports }
}

function readyFor(port: number, { publishable, sessions, reports }: Seeded, board: Board) {
  const requests: RankedRequests = { report: reports, ...readsOf(publishable, sessions, board) }
  const renew = () => renewSessions(port, publishable, sessions, Object.values(requests).flat())
  return { requests, renew }
}

const asking = (key: string, { accessToken }: Session, path: string): Request => ({
  path,
  headers: { 'X-Svc-Key': key, Authorization: `Bearer ${accessToken}` },
  status: 200,
})

/** One of the three stats is on the board; a report moves the player by thousands of places. */
const reportsOf = (key: string, sessions: readonly Session[]): Request[] =>
  sessions.map((session, i) => ({
    ...asking(key, session, '/v1/stats'),
    method: 'POST' as const,
    body: JSON.stringify({ stats: { games: 1 + ((i * 37) % 300), points: 10 + i, best: 100 * i } }),
  }))

function readsOf(key: string, sessions: readonly Session[], { board, first }: Board) {
  const path = '/v1/x/leaderboards/games'
  const [session = { accessToken: '', refreshToken: '' }] = sessions
  const after = (value: number, tie: number, rank: number, limit = 100) => {
    const cursor = Buffer.from(JSON.stringify([board, value, tie, '', rank])).toString('base64url')
    return asking(key, session, `${path}?limit=${limit}&cursor=${cursor}`)
  }
  // Each list has another address, because the responses to equal ones are cached for a second.
  const limits = Array.from({ length: PAGES / FIRST }, (_, i) => 100 - i)
  return {
    kept: [asking(key, session, `${path}?limit=100`)],
    top: limits.flatMap((limit) => first.map(({ value, tie }, at) => after(value, tie, at + 1, limit))),
    page: Array.from({ length: PAGES }, (_, i) => after(MEAN + i, -(i + 1), 1 + i)),
    me: sessions.map((one) => asking(key, one, `${path}/me`)),
    around: sessions.map((one) => asking(key, one, `${path}/me?around=10`)),
  }
}

/** Its id, if there is one, and its best entries. */
type Board = { board: number | null; first: { value: number; tie: number }[] }

/** Inserts with SQL, because a million reports would take too long. */
async function fill(
  run: (sql: string) => Promise<object[]>,
  sessions: readonly Session[],
  entries: number,
): Promise<Board> {
  const [found] = (await run('select id from leaderboards')) as { id: number }[]
  const board = found?.id ?? null
  const numbers = `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 2 < ${entries / PLAYERS})`
  for (const [i, { aud, sub }] of sessions.map(claimsOf).entries()) {
    const offset = i * 1_777
    // The same values in every run: exponential, with ties.
    const value = `floor(-ln(1 - ((n * 7919 + ${offset}) % 1000003) / cast(1000004 as double precision)) * ${MEAN})`
    await run(`
      insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month,
        "allTime", daily, weekly, monthly, "updatedAt", "allTimeBoard", "allTimeRanked", "allTimeTie")
      ${numbers}
      select '${aud}', '${sub}-' || n, 'games', 'sum', 'UTC', '2026-01-01', '2026-W01', '2026-01',
        ${value}, 1, 1, 1, '2026-01-01T00:00:00.000Z', ${board}, ${value}, -(1800000000000000 + n * 997 + ${offset}) from numbers`)
    await run(`
      insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt")
      ${numbers}
      select '${aud}', '${sub}-' || n, 'Player ' || n, 'player ' || n, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from numbers`)
    // The players who report are everywhere on the board.
    const own = Math.floor(-Math.log(1 - i / (PLAYERS + 1)) * MEAN)
    await run(
      `update stats set "allTime" = ${own}, "allTimeRanked" = ${own} where "playerId" = '${sub}' and "environmentId" = '${aud}' and key = 'games'`,
    )
  }
  const first = await run(
    `select "allTimeRanked" as value, "allTimeTie" as tie from stats where "allTimeBoard" = ${board}
      order by "allTimeRanked" desc, "allTimeTie" desc limit ${FIRST}`,
  )
  // PostgreSQL's driver returns bigint as text.
  return {
    board: board === null ? null : Number(board),
    first: (first as Board['first']).map(({ value, tie }) => ({ value, tie: Number(tie) })),
  }
}
