import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'

import { statement } from '../../../packages/server/src/engines/database/database.ts'
import { openDatabase } from '../../../packages/server/src/engines/database/open.ts'
import { systemClock } from '../../../packages/server/src/platform/clock.ts'
import { BARE_KEY, bareToken } from '../stats.ts'
import { batchPerTick } from './tick-batch.ts'

/**
 * The minimal cost of a report on node:http: keys and tokens in a map, requests batched per tick like in the service, no rules, only
 * the current periods, and one upsert that adds three values in three rows. Acknowledged when the same engine has made it durable.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string', default: '' },
    players: { type: 'string', default: '0' },
  },
})
const HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const KEEP_ALIVE_MS = 72_000
const STATS = ['games', 'points', 'best'] as const
const environmentId = 'env_'.padEnd(30, '0')

const keys = new Map([[BARE_KEY, environmentId]])
const tokens = new Map(
  Array.from({ length: Number(values.players) }, (_, i) => [
    `Bearer ${bareToken(i)}`,
    `ply_${i}`.padEnd(30, '0'),
  ]),
)

type StatsReport = { playerId: string; updatedAt: string; games: number; points: number; best: number }

const upsert = statement((q, report: StatsReport) =>
  q
    .insertInto('stats')
    .values(
      STATS.map((key) => ({
        environmentId,
        playerId: report.playerId,
        key,
        aggregation: 'sum',
        zone: 'UTC',
        day: '2026-11-15',
        week: '2026-W46',
        month: '2026-11',
        allTime: report[key],
        daily: report[key],
        weekly: report[key],
        monthly: report[key],
        updatedAt: report.updatedAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['environmentId', 'playerId', 'key']).doUpdateSet((e) => ({
        allTime: e('stats.allTime', '+', e.ref('excluded.allTime')),
        daily: e('stats.daily', '+', e.ref('excluded.daily')),
        weekly: e('stats.weekly', '+', e.ref('excluded.weekly')),
        monthly: e('stats.monthly', '+', e.ref('excluded.monthly')),
        updatedAt: e.ref('excluded.updatedAt'),
      })),
    )
    .returning(['key', 'allTime', 'daily', 'weekly', 'monthly']),
)
const list = statement((q, { playerId }: { playerId: string }) =>
  q
    .selectFrom('stats')
    .select(['key', 'allTime'])
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId),
)

const db = await openDatabase({ dataDir: values.data, clock: systemClock, log: () => {} })
for (const playerId of tokens.values())
  await db.run(upsert, { playerId, updatedAt: '', games: 1, points: 1, best: 1 })

const runAtEndOfTick = batchPerTick()
createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
  runAtEndOfTick(() => void respond(request, response)),
).listen(Number(values.port), '127.0.0.1')

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request
  const environment = keys.get(String(headers['x-svc-key']))
  const playerId = tokens.get(headers.authorization ?? '')
  if (!environment || !playerId) return void response.writeHead(401).end()

  const text = JSON.stringify(method === 'POST' ? await submit(playerId, request) : await read(playerId))
  response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(text) }).end(text)
}

async function submit(playerId: string, request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { stats } = JSON.parse(Buffer.concat(chunks).toString()) as {
    stats: Omit<StatsReport, 'playerId' | 'updatedAt'>
  }
  const rows = await db.all(upsert, { ...stats, playerId, updatedAt: new Date().toISOString() })
  return {
    stats: Object.fromEntries(rows.map(({ key, ...periods }) => [key, periods])),
    rejected: [],
    unlocked: [],
  }
}

async function read(playerId: string) {
  const rows = await db.all(list, { playerId })
  return { stats: Object.fromEntries(rows.map(({ key, allTime }) => [key, allTime])) }
}
