import { LIMITS } from '@svc/contract/common/limits'
import type { ShareKind, ShareStats } from '@svc/contract/sharing'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, dayOf, millisecondsOf, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { scanTtlMs } from '../../platform/memory/scan-ttl.ts'
import { createDaySums } from '../../platform/time/day-sums.ts'
import type { StatStore } from './stats-store.ts'

export type Stats = ReturnType<typeof createStats>

type Query = { from?: string; to?: string; shareId?: string; limit?: number }
type Sums = { visits: number; newPlayers: number; plays: number }
/** `visitors` are those who are not in the sums of links yet. */
type DaySum = Sums & { links: number; visitors: number }
type MostVisited = { environmentId: string; from: string; to: string; limit: number }
type OfLink = { environmentId: string; from: string; to: string; shareId: string }
type Named = { shareId: string; label: string | null; kind: string | null }

const DAYS_BY_DEFAULT = 30
const LINKS_BY_DEFAULT = 100
/** Of a list: it groups the rows by link and sorts the links. */
const MICROS_PER_ROW = 1
const NONE: Sums = { visits: 0, newPlayers: 0, plays: 0 }

/** Sums of visits, by UTC days, both ends included (SHR-05), also of the day in progress. */
export function createStats(store: StatStore, clock: Clock) {
  const sums = createDaySums<DaySum>({ ...store.sums, rowsIn }, { ...NONE, links: 0, visitors: 0 }, clock)
  /** No index has the sums of links over a range of days: a list for which very many rows were read is cached. */
  const mostVisited = createCache({
    async read(key) {
      const { rows, ...range } = JSON.parse(key) as MostVisited & { rows: number }
      return { rows, links: await store.links(range) }
    },
    ttlMs: ({ rows }) => scanTtlMs(rows, MICROS_PER_ROW),
    entriesMax: 100,
  })
  /** The visitors of one link may be very many, too. */
  const daysOfLink = createCache({
    read: (key) => store.daysOf(JSON.parse(key) as OfLink),
    ttlMs: (days) =>
      scanTtlMs(
        sumOf(days, ({ visitors }) => visitors),
        MICROS_PER_ROW,
      ),
    entriesMax: 100,
  })

  async function ofAll(range: MostVisited, count: number) {
    const { limit } = range
    // Rounded up, so that the next visit does not change the key.
    const rows = 2 ** Math.ceil(Math.log2(count + 1))
    const visited = await mostVisited.get(JSON.stringify({ ...range, rows }))
    const links = visited.links.map((link) => rowOf(link, link))
    if (links.length >= limit) return links
    // Tracked links are listed before their first visit, too: there is no other list of them.
    const ids = new Set(links.map(({ shareId }) => shareId))
    const tracked = await store.tracked(range.environmentId, LIMITS.trackedLinksMax)
    const unvisited = tracked.filter(({ shareId }) => !ids.has(shareId))
    return [...links, ...unvisited.map((link) => rowOf(link, NONE))].slice(0, limit)
  }

  return {
    /** Sums that a clock that was ahead has kept. */
    forgetFutureSums: () => store.forgetSumsAfter(timestamp(clock)),

    async read({ id: environmentId }: Environment, query: Query): Promise<ShareStats> {
      const { from, to, days } = windowOf(query, clock)
      const { shareId, limit = LINKS_BY_DEFAULT } = query
      const range = { environmentId, from, to }

      if (shareId !== undefined) {
        const link = await store.find(environmentId, shareId)
        if (!link) throw new ApiError('share_link_not_found')
        const totals = totalsOf(await daysOfLink.get(JSON.stringify({ ...range, shareId })), days)
        return { from, to, ...totals, links: [rowOf(link, totals.totals)] }
      }
      const rows = await sums(environmentId, days)
      const count = sumOf(rows, rowsIn)
      return { from, to, ...totalsOf(rows, days), links: await ofAll({ ...range, limit }, count) }
    },
  }
}

/** How many rows are read for the sum of a day. */
const rowsIn = ({ links, visitors }: DaySum) => links + visitors

const sumOf = <T>(all: readonly T[], valueOf: (one: T) => number) =>
  all.reduce((sum, one) => sum + valueOf(one), 0)

const rowOf = ({ shareId, label, kind }: Named, sums: Sums) => ({
  shareId,
  label,
  kind: kind as ShareKind | null,
  ...sumsOf(sums),
})

const sumsOf = ({ visits, newPlayers, plays }: Sums): Sums => ({ visits, newPlayers, plays })

function totalsOf(rows: readonly ({ day: string } & Sums)[], days: readonly string[]) {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const totals = {
    visits: sumOf(rows, ({ visits }) => visits),
    newPlayers: sumOf(rows, ({ newPlayers }) => newPlayers),
    plays: sumOf(rows, ({ plays }) => plays),
  }
  return { totals, days: days.map((date) => ({ date, ...sumsOf(byDay.get(date) ?? NONE) })) }
}

function windowOf({ from, to }: Query, clock: Clock) {
  const toMs = to === undefined ? midnight(millisecondsOf(clock)) : startOf('$.to', to)
  const fromMs = from === undefined ? toMs - (DAYS_BY_DEFAULT - 1) * DAY_MS : startOf('$.from', from)
  if (fromMs > toMs) throw invalidField('$.from', 'must not be after to')
  const count = (toMs - fromMs) / DAY_MS + 1
  const limit = LIMITS.shareStatsDaysMax
  if (count > limit) throw new ApiError('range_too_long', { limit })
  const days = Array.from({ length: count }, (_, at) => dayOf(fromMs + at * DAY_MS))
  return { from: dayOf(fromMs), to: dayOf(toMs), days }
}

/** The contract has checked the format, but 2026-02-30 is not a day. */
function startOf(path: string, text: string): number {
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(ms) || dayOf(ms) !== text) throw invalidField(path, 'must be a day of the calendar')
  return ms
}

const midnight = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS
