import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { freshFolder, type Server } from '../processes.ts'
import type { Request } from './requests.ts'
import { newGuest } from './saves.ts'
import { call, newProject, startService } from './service.ts'
import { CONFIG as STATS_CONFIG } from './stats.ts'

export type RankedRequests = Record<'report' | 'kept' | 'top' | 'page' | 'me' | 'around', Request[]>

/** Enough players that none reaches 600 reports in a minute. */
const PLAYERS = 500
/** More pages than a node keeps, so that each is read from the database. */
const PAGES = 5_000
const FIRST = 500
const MEAN = 20_000

/** Starts a service with `entries` values of one stat, on a leaderboard of all time or on none. */
export async function startRanked(
  entries: number,
  leaderboard: object | undefined,
): Promise<Server & { requests: RankedRequests }> {
  const dataDir = freshFolder()
  const first = await startService({ dataDir })
  const { publishable, secret } = await newProject(first.port, 'Ranked')
  const stats = STATS_CONFIG.stats.map((stat) =>
    stat.key === 'games' && leaderboard ? { ...stat, leaderboard } : stat,
  )
  await call(first.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { ...STATS_CONFIG, stats })
  const tokens: string[] = []
  for (let i = 0; i < PLAYERS; i++) tokens.push(await newGuest(first.port, publishable))
  const reports = reportsOf(publishable, tokens)
  for (const { path, headers, body = '' } of reports)
    await call(first.port, 'POST', path, headers, JSON.parse(body) as object)
  await first.end()

  const board = fill(join(dataDir, 'svc.sqlite'), tokens, entries)
  const server = await startService({ dataDir })
  return { ...server, requests: { report: reports, ...readsOf(publishable, tokens, board) } }
}

const asking = (key: string, token: string, path: string): Request => ({
  path,
  headers: { 'X-Svc-Key': key, Authorization: `Bearer ${token}` },
  status: 200,
})

/** One of the three stats is on the board; a report moves the player by thousands of places. */
const reportsOf = (key: string, tokens: readonly string[]): Request[] =>
  tokens.map((token, i) => ({
    ...asking(key, token, '/v1/stats'),
    method: 'POST' as const,
    body: JSON.stringify({ stats: { games: 1 + ((i * 37) % 300), points: 10 + i, best: 100 * i } }),
  }))

function readsOf(key: string, tokens: readonly string[], { board, first }: Board) {
  const path = '/v1/x/leaderboards/games'
  const [token = ''] = tokens
  const after = (value: number, tie: number, rank: number, limit = 100) => {
    const cursor = Buffer.from(JSON.stringify([board, value, tie, rank])).toString('base64url')
    return asking(key, token, `${path}?limit=${limit}&cursor=${cursor}`)
  }
  // Each list has another address, because the responses to equal ones are cached for a second.
  const limits = Array.from({ length: PAGES / FIRST }, (_, i) => 100 - i)
  return {
    kept: [asking(key, token, `${path}?limit=100`)],
    top: limits.flatMap((limit) => first.map(({ value, tie }, at) => after(value, tie, at + 1, limit))),
    page: Array.from({ length: PAGES }, (_, i) => after(MEAN + i, -(i + 1), 1 + i)),
    me: tokens.map((one) => asking(key, one, `${path}/me`)),
    around: tokens.map((one) => asking(key, one, `${path}/me?around=10`)),
  }
}

/** Its id, if there is one, and its best entries. */
type Board = { board: number | null; first: { value: number; tie: number }[] }

/** Inserts with SQL, because a million reports would take too long. */
function fill(path: string, tokens: readonly string[], entries: number): Board {
  const database = new DatabaseSync(path)
  database.exec('pragma synchronous = off; pragma cache_size = -200000; begin')
  const found = database.prepare('select id from stats_boards').get() as { id: number } | undefined
  const board = found?.id ?? null
  // The same values in every run: exponential, with ties.
  const value = `cast(-ln(1 - ((n * 7919 + :offset) % 1000003) / 1000004.0) * ${MEAN} as integer)`
  const insertStats = database.prepare(`
    insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month,
      "allTime", daily, weekly, monthly, "updatedAt", "allTimeBoard", "allTimeRanked", "allTimeTie")
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :count)
    select :aud, :sub || '-' || n, 'games', 'sum', 'UTC', '2026-01-01', '2026-W01', '2026-01',
      ${value}, 1, 1, 1, '2026-01-01T00:00:00.000Z', :board, ${value}, -(1800000000000000 + n * 997 + :offset) from numbers`)
  const insertPlayers = database.prepare(`
    insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt")
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :count)
    select :aud, :sub || '-' || n, 'Player ' || n, 'player ' || n, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from numbers`)
  const spread = database.prepare(
    `update stats set "allTime" = :value, "allTimeRanked" = :value where "playerId" = :sub and "environmentId" = :aud and key = 'games'`,
  )
  const count = entries / PLAYERS - 1
  for (const [i, { aud, sub }] of tokens.map(claimsOf).entries()) {
    insertStats.run({ aud, sub, count, board, offset: i * 1_777 })
    insertPlayers.run({ aud, sub, count })
    // The players who report are everywhere on the board.
    spread.run({ aud, sub, value: Math.floor(-Math.log(1 - i / (PLAYERS + 1)) * MEAN) })
  }
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  const first = database
    .prepare(
      `select "allTimeRanked" as value, "allTimeTie" as tie from stats where "allTimeBoard" = :board
      order by "allTimeRanked" desc, "allTimeTie" desc limit ${FIRST}`,
    )
    .all({ board }) as Board['first']
  database.close()
  return { board, first }
}

function claimsOf(token: string): { aud: string; sub: string } {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string; sub: string }
}
