import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import type { Server } from '../processes.ts'
import { newGuest } from '../targets/guests.ts'
import { call, metricOf, newProject } from '../targets/service.ts'
import { type Finding, load, type Sent, type Situation, startCloudNodes } from './situation.ts'

const STATS = 8
const PLAYERS = 200
const RATES = [500, 800]
/** The midnight that begins a Monday and a month: all periods end. The next one ends only a day. */
const MIDNIGHT = Date.parse('2027-02-01T00:00:00Z')
const MINUTE_MS = 60_000
/** A load goes on for so long before and after midnight. */
const SECONDS_BEFORE = 10
const SECONDS_AFTER = 15
/** By then every node has heard that the clock was moved, and has run the jobs of the minute. */
const MOVED_MS = 3_000

const CONFIG = {
  features: { stats: true },
  stats: Array.from({ length: STATS }, (_, at) => ({
    key: `stat_${at}`,
    aggregation: 'max',
    leaderboard: { periods: ['daily', ...(at < 3 ? ['weekly'] : []), ...(at < 2 ? ['monthly'] : [])] },
  })),
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

/** All who play report while a day, a week and a month end, and at the next midnight again, faster. */
export const midnight: Situation = {
  name: 'midnight',
  async run(opened, { checkout, scale, log }) {
    const { nodes, databaseUrl } = await startCloudNodes(opened, {
      checkout,
      settings: { SVC_TEST_CLOCK: 'on' },
    })
    const game = await startGame(nodes)
    const findings: Finding[] = []
    for (const [day, rate] of RATES.entries()) {
      const perSecond = Math.round(rate * scale)
      const result = await pass(game, nodes, MIDNIGHT + day * 24 * 60 * MINUTE_MS, perSecond)
      const boards = await boardsAt(databaseUrl, result.at)
      const each = result.locks / boards
      log(
        `${perSecond} reports a second: ${result.answers.toString()}; ${result.locks} locks for ${boards} new boards`,
      )
      const { refused, count } = result.answers
      findings.push(
        {
          what: `midnight, ${STATS} ranked stats, ${perSecond} reports a second: refused`,
          measured: `${refused} of ${count}`,
          goal: '0',
          isMet: refused === 0,
        },
        {
          what: 'transactions with a lock for each new board',
          measured: each.toFixed(1),
          goal: '≤ 10',
          isMet: each <= 10,
        },
      )
    }
    return findings
  },
}

type Game = { publishable: string; moveTo(ms: number): Promise<void> }

async function startGame([first]: readonly Server[]): Promise<Game> {
  const { port } = first as Server
  const { publishable, secret } = await newProject(port, 'Midnight', 'development')
  const server = { 'x-svc-key': secret }
  await call(port, 'PUT', '/v1/config', server, CONFIG)
  return {
    publishable,
    async moveTo(ms) {
      const move = (advanceMs: number) =>
        call<{ now: string }>(port, 'POST', '/v1/dev/clock', server, { advanceMs })
      await move(Math.max(0, ms - Date.parse((await move(0)).now)))
      await sleep(MOVED_MS)
    },
  }
}

async function pass({ publishable, moveTo }: Game, nodes: readonly Server[], at: number, perSecond: number) {
  const { port } = nodes[0] as Server
  await moveTo(at - 11 * MINUTE_MS)
  const players: string[] = []
  for (let i = 0; i < PLAYERS; i++) players.push(await newGuest(port, publishable))
  const report = (index: number): Sent => ({
    method: 'POST',
    path: '/v1/stats',
    headers: { 'x-svc-key': publishable, authorization: `Bearer ${players[index % PLAYERS]}` },
    body: { stats: Object.fromEntries(CONFIG.stats.map(({ key }) => [key, index])) },
  })
  await load(nodes, { perSecond: PLAYERS / 4, seconds: 4, next: report })
  for (let minute = 10; minute >= 1; minute--) await moveTo(at - minute * MINUTE_MS)

  await moveTo(at - SECONDS_BEFORE * 1_000 - MOVED_MS)
  const before = await locksOf(nodes)
  const answers = await load(nodes, { perSecond, seconds: SECONDS_BEFORE + SECONDS_AFTER, next: report })
  return { at, answers, locks: (await locksOf(nodes)) - before }
}

async function locksOf(nodes: readonly Server[]): Promise<number> {
  const counts = await Promise.all(nodes.map(({ port }) => metricOf(port, 'svc_lock_wait_seconds_count')))
  return counts.reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0)
}

async function boardsAt(url: string, at: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    'select count(*)::int as count from leaderboards where "startsAt" = $1 and "replacedAt" is null',
    [new Date(at).toISOString()],
  )
  await client.end()
  return (rows as [{ count: number }])[0].count
}
