import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'

import { sql } from 'kysely'

import { statement, type Tables } from '../../../packages/server/src/engines/database/database.ts'
import { openDatabase } from '../../../packages/server/src/engines/database/open.ts'
import { systemClock } from '../../../packages/server/src/platform/clock.ts'
import type { BareSaves } from '../saves.ts'
import { batchPerTick } from './tick-batch.ts'

/**
 * The work of a save on node:http: keys and tokens in a map, the same table, and requests batched per tick like in the service. A
 * read is one prepared statement whose text is inserted into the response. A write is parsed, and acknowledged when the same engine
 * has made it durable.
 */
const { values } = parseArgs({
  options: { port: { type: 'string' }, data: { type: 'string', default: '' }, saves: { type: 'string' } },
})
const { key, players, slot, data } = JSON.parse(values.saves ?? '{}') as BareSaves
const HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const KEEP_ALIVE_MS = 72_000
const environmentId = 'env'

const keys = new Map([[key, environmentId]])
const tokens = new Map(players.map((token, i) => [`Bearer ${token}`, `ply_${i}`]))
const update = statement(
  (q, save: Pick<Tables['saves'], 'playerId' | 'key' | 'size' | 'updatedAt' | 'data'>) =>
    q
      .updateTable('saves')
      .set((e) => ({
        version: e('version', '+', sql.lit(1)),
        size: save.size,
        updatedAt: save.updatedAt,
        data: save.data,
      }))
      .where('environmentId', '=', environmentId)
      .where('playerId', '=', save.playerId)
      .where('key', '=', save.key)
      .returning('version'),
)

const db = await openDatabase({ dataDir: values.data, clock: systemClock, log: () => {} })
const reader = new DatabaseSync(join(values.data, 'svc.sqlite'))
const insert = reader.prepare('insert into saves values (?, ?, ?, 1, ?, ?, ?)')
for (const playerId of tokens.values()) insert.run(environmentId, playerId, slot, data.length, '', data)
const find = reader.prepare(
  'select version, size, "updatedAt", data from saves where "environmentId" = ? and "playerId" = ? and key = ?',
)
find.setReturnArrays(true)

async function respond(request: IncomingMessage, response: ServerResponse) {
  const { url = '', method, headers } = request
  const environment = keys.get(String(headers['x-svc-key']))
  const playerId = tokens.get(headers.authorization ?? '')
  const name = url.slice('/v1/saves/'.length)
  if (!environment || !playerId) return void response.writeHead(401).end()

  const text = method === 'PUT' ? await write(playerId, name, request) : read(environment, playerId, name)
  response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(text) }).end(text)
}

const runAtEndOfTick = batchPerTick()
createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
  runAtEndOfTick(() => void respond(request, response)),
).listen(Number(values.port), '127.0.0.1')

function read(environment: string, playerId: string, name: string): string {
  const [version, size, updatedAt, text] = find.get(environment, playerId, name) as unknown as string[]
  return `{"key":"${name}","version":${version},"size":${size},"updatedAt":"${updatedAt}","data":${text}}`
}

async function write(playerId: string, name: string, request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { data: unknown }
  const text = JSON.stringify(body.data)
  const save = { size: Buffer.byteLength(text), updatedAt: new Date().toISOString(), data: text }
  const row = await db.first(update, { playerId, key: name, ...save })
  return JSON.stringify({ key: name, version: row?.version, size: save.size, updatedAt: save.updatedAt })
}
