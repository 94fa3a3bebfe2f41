import type { RequestEntry } from '@svc/contract/requests'

import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, millisecondsOf } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { RequestRecord, RequestRing } from './ring.ts'

type RequestDeps = {
  clock: Clock
  queries: Pick<Queries, 'define'>
  ring: RequestRing
  displayNamesOf(environmentId: string, playerIds: readonly string[]): Promise<Map<string, string | null>>
}

export type Requests = ReturnType<typeof createRequests>

type Filter = { status?: string; route?: string; keyId?: string; playerId?: string }
type Query = Filter & { cursor?: string; limit?: number }
/** The position after which a page begins. */
type Place = { atMs: number; id: string }
type Question = { environmentId: string; filter: Filter; place: Place | null; limit: number }
type Found = Omit<RequestRecord, 'environmentId'>
/** The counts of one node for a minute. */
type Minute = { minute: number; refused: number; failed: number; durations: number[] }
type Series = { oldestMs: number | null; minutes: Minute[] }

/** The request log of an environment, from all nodes. A node that does not answer in time is left out. */
export function createRequests({ clock, queries, ring, displayNamesOf }: RequestDeps) {
  const find = queries.define('requests.find', (question: Question): Found[] => findHere(ring, question))
  const one = queries.define(
    'requests.one',
    ({ environmentId, id }: { environmentId: string; id: string }): Found | undefined => {
      const found = ring.newest(environmentId).find((record) => record.id === id)
      return found && copyOf(found)
    },
  )
  const series = queries.define(
    'requests.series',
    ({ environmentId, sinceMinute }: { environmentId: string; sinceMinute: number }): Series =>
      seriesHere(ring, environmentId, sinceMinute),
  )

  async function entriesOf(environmentId: string, found: readonly Found[]): Promise<RequestEntry[]> {
    const names = await displayNamesOf(environmentId, [
      ...new Set(found.flatMap(({ playerId }) => playerId ?? [])),
    ])
    return found.map(({ atMs, ms, ...request }) => ({
      ...request,
      at: new Date(atMs).toISOString(),
      ms: Math.round(ms * 100) / 100,
      playerName: (request.playerId && names.get(request.playerId)) || null,
    }))
  }

  return {
    async list({ id: environmentId }: Environment, { cursor, limit = 50, ...filter }: Query) {
      const place = cursor === undefined ? null : placeIn(cursor)
      const found = (await find({ environmentId, filter, place, limit: limit + 1 })).flat().sort(newestFirst)
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      return {
        requests: await entriesOf(environmentId, shown),
        nextCursor: last ? `${last.atMs}-${last.id}` : null,
      }
    },

    async read({ id: environmentId }: Environment, id: string): Promise<{ request: RequestEntry }> {
      const [request] = await entriesOf(environmentId, (await one({ environmentId, id })).slice(0, 1))
      if (!request) throw new ApiError('not_found')
      return { request }
    },

    async series({ id: environmentId }: Environment, { minutes = 60 }: { minutes?: number }) {
      const nowMinute = Math.floor(millisecondsOf(clock) / MINUTE_MS)
      const sinceMinute = nowMinute + 1 - minutes
      const known = await series({ environmentId, sinceMinute })
      const oldest = known.flatMap(({ oldestMs }) => oldestMs ?? [])
      return {
        since: oldest.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
        minutes: Array.from({ length: minutes }, (_, index) => sinceMinute + index).map((minute) =>
          figuresOf(
            minute,
            known.flatMap((node) => node.minutes.filter((one) => one.minute === minute)),
          ),
        ),
      }
    },
  }
}

function findHere(ring: RequestRing, { environmentId, filter, place, limit }: Question): Found[] {
  const found: Found[] = []
  for (const record of ring.newest(environmentId)) {
    if (!fits(record, filter) || (place && !isBehind(record, place))) continue
    // All requests of one millisecond are read, so that their order is the same on every page.
    if (found.length >= limit && record.atMs < (found.at(-1)?.atMs ?? 0)) break
    found.push(copyOf(record))
  }
  return found.sort(newestFirst).slice(0, limit)
}

function seriesHere(ring: RequestRing, environmentId: string, sinceMinute: number): Series {
  const minutes = new Map<number, Minute>()
  let oldestMs: number | null = null
  for (const { atMs, status, ms } of ring.newest(environmentId)) {
    oldestMs = atMs
    const number = Math.floor(atMs / MINUTE_MS)
    if (number < sinceMinute) continue
    const minute = minutes.get(number) ?? { minute: number, refused: 0, failed: 0, durations: [] }
    minutes.set(number, minute)
    if (status >= 500) minute.failed++
    else if (status >= 400) minute.refused++
    minute.durations.push(ms)
  }
  return { oldestMs, minutes: [...minutes.values()] }
}

function figuresOf(minute: number, parts: readonly Minute[]) {
  const durations = parts.flatMap((part) => part.durations).sort((a, b) => a - b)
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    at: new Date(minute * MINUTE_MS).toISOString(),
    requests: durations.length,
    refused: sum(parts.map(({ refused }) => refused)),
    failed: sum(parts.map(({ failed }) => failed)),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  }
}

const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null

const fits = (record: RequestRecord, { status, route, keyId, playerId }: Filter) =>
  (status === undefined || isStatus(record.status, status)) &&
  (route ?? record.route) === record.route &&
  (keyId ?? record.keyId) === record.keyId &&
  (playerId === undefined || playerId === record.playerId)

const isStatus = (status: number, wanted: string) =>
  wanted.endsWith('xx') ? String(status).startsWith(wanted.charAt(0)) : String(status) === wanted

/** Ids of one node contain a counter, so the longer one is newer. */
const newestFirst = (a: Place, b: Place) =>
  b.atMs - a.atMs || b.id.length - a.id.length || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1)
const isBehind = (record: Place, place: Place) => newestFirst(place, record) < 0

function placeIn(cursor: string): Place {
  const at = cursor.indexOf('-')
  return { atMs: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) }
}

const copyOf = ({ id, atMs, method, route, status, code, ms, keyId, playerId }: RequestRecord): Found => ({
  id,
  atMs,
  method,
  route,
  status,
  code,
  ms,
  keyId,
  playerId,
})
