import type { PlayerSort, PlayerSummary } from '@svc/contract/players'

import { invalidField } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import { normalisedEmail } from '../../../platform/mail/address.ts'
import { searchName } from '../accounts.ts'
import { type FoundRow, LAST, type NewestPage, type SearchStore } from './store.ts'

export type ListDeps = {
  clock: Clock
  summary(row: FoundRow): PlayerSummary
  /** Ids of players who are online, on all nodes; about `max` of them if there are more. */
  onlinePlayers(environmentId: string, max: number): Promise<string[]>
  /** Which of these players are online. */
  onlineAmong(environmentId: string, playerIds: string[]): Promise<Set<string>>
}

type Filter = { banned?: boolean; guest?: boolean; online?: boolean }
export type ListQuery = Filter & { q?: string; cursor?: string; limit?: number; sort?: PlayerSort }
export type PlayerPage = { players: PlayerSummary[]; nextCursor: string | null }
/** A position in a list: the text by which it is sorted, and the id among equal texts. */
type Place = { text: string; id: string }
/** Reads at most `limit` rows after a position. */
type Source = (place: Place | undefined, limit: number) => Promise<FoundRow[]>
type List = { environmentId: string; sort: PlayerSort; filter: Filter; source: Source }

/** How many rows one filtered page reads at most. */
const SCANNED_MAX = 2_000

/** Lists of players in an order, with filters, page by page (DEV-15). */
export function createPlayerLists(store: SearchStore, deps: ListDeps) {
  const { clock, summary, onlinePlayers, onlineAmong } = deps

  async function wantedOf({ environmentId, filter }: List, rows: FoundRow[]): Promise<Set<FoundRow>> {
    const { banned, guest, online } = filter
    const ids = rows.map(({ id }) => id)
    const isOnline = online === undefined ? undefined : await onlineAmong(environmentId, ids)
    const isWanted = (row: FoundRow) => {
      const player = summary(row)
      return (
        (banned ?? player.banned) === player.banned &&
        (guest ?? player.isGuest) === player.isGuest &&
        isOnline?.has(row.id) === online
      )
    }
    return new Set(rows.filter(isWanted))
  }

  /**
   * The next players of the source that pass the filter. Reads at most SCANNED_MAX rows, so that a search for a rare kind of player
   * takes several short requests instead of a long one.
   */
  async function page(list: List, place: Place | undefined, limit: number): Promise<PlayerPage> {
    const isFiltered = Object.values(list.filter).some((value) => value !== undefined)
    const step = isFiltered ? SCANNED_MAX / 4 : limit
    const shown: PlayerSummary[] = []
    let next = place
    const more = () => ({ players: shown, nextCursor: next ? cursorAt(list.sort, next) : null })
    for (let scanned = 0; scanned < SCANNED_MAX; scanned += step) {
      // One more row than needed shows whether there is a next page.
      const rows = await list.source(next, step + 1)
      const wanted = await wantedOf(list, rows)
      for (const row of rows.slice(0, step)) {
        if (shown.length === limit) return more()
        next = placeOf(list.sort, row)
        if (wanted.has(row)) shown.push(summary(row))
      }
      if (rows.length <= step) return { players: shown, nextCursor: null }
      if (shown.length === limit) break
    }
    return more()
  }

  /** By an index where one exists for the filter; what it does not filter is left in `filter`. */
  function sourceOf(
    environmentId: string,
    sort: PlayerSort,
    filter: Filter,
  ): { source: Source; filter: Filter } {
    if (sort === 'name') return { source: byName(environmentId, ''), filter }
    if (sort === 'lastSeen') {
      const source: Source = (place, limit) =>
        store.lastSeen({ environmentId, beforeAt: place?.text ?? LAST, before: place?.id ?? LAST, limit })
      return { source, filter }
    }
    const { banned, guest, ...rest } = filter
    const newest =
      (read: (page: NewestPage) => Promise<FoundRow[]>): Source =>
      (place, limit) =>
        read({ environmentId, before: place?.id ?? LAST, limit })
    if (banned === true)
      return {
        source: newest((page) => store.newestBanned(page, timestamp(clock))),
        filter: { ...rest, ...(guest !== undefined && { guest }) },
      }
    if (guest === false)
      return {
        source: newest(store.newestRegistered),
        filter: { ...rest, ...(banned !== undefined && { banned }) },
      }
    return { source: newest(store.newest), filter }
  }

  const byName =
    (environmentId: string, begin: string): Source =>
    (place, limit) => {
      const { text: afterName, id: afterId } = place ?? { text: begin, id: '' }
      return store.byName({ environmentId, afterName, afterId, end: `${begin}${LAST}`, limit })
    }

  /** By id or email, if the text can be one. */
  async function exactly(environmentId: string, text: string): Promise<FoundRow | undefined> {
    const byId = text.startsWith('ply_') ? await store.byId(environmentId, text) : undefined
    if (byId || !text.includes('@')) return byId
    return store.byEmail(environmentId, normalisedEmail(text))
  }

  /** A few online players among very many are read by their ids; undefined if they are not few. */
  async function onlineSource(environmentId: string, sort: PlayerSort): Promise<Source | undefined> {
    const ids = await onlinePlayers(environmentId, SCANNED_MAX + 1)
    if (ids.length > SCANNED_MAX) return undefined
    const rows = (await store.byIds(environmentId, ids)).sort((a, b) =>
      compare(sort, placeOf(sort, a), placeOf(sort, b)),
    )
    return async (place, limit) =>
      rows.filter((row) => !place || compare(sort, place, placeOf(sort, row)) < 0).slice(0, limit)
  }

  return {
    /** Returns the player with exactly this id or email, otherwise all players whose name begins with the text. */
    async find(
      environmentId: string,
      { q = '', cursor, limit = 50, sort: wantedSort = 'newest', ...filter }: ListQuery,
    ): Promise<PlayerPage> {
      const searchText = q.trim()
      const sort = searchText === '' ? wantedSort : 'name'
      const place = cursor === undefined ? undefined : placeAt(cursor, sort)
      if (searchText === '') {
        const online = filter.online === true ? await onlineSource(environmentId, sort) : undefined
        const list = online ? { source: online, filter } : sourceOf(environmentId, sort, filter)
        return page({ environmentId, sort, ...list }, place, limit)
      }

      const exact = await exactly(environmentId, searchText)
      const source = exact ? async () => [exact] : byName(environmentId, searchName(searchText))
      return page({ environmentId, sort, filter, source }, place, limit)
    },
  }
}

function placeOf(sort: PlayerSort, { id, searchName: name, lastSeenAt }: FoundRow): Place {
  return { text: { name, lastSeen: lastSeenAt, newest: '' }[sort], id }
}

/** As the databases sort: by bytes, names upwards, times and ids downwards. */
function compare(sort: PlayerSort, a: Place, b: Place): number {
  const order =
    Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)) || (a.id < b.id ? -1 : Number(a.id > b.id))
  return sort === 'name' ? order : -order
}

const cursorAt = (sort: PlayerSort, { text, id }: Place) =>
  Buffer.from(JSON.stringify([text, id, sort])).toString('base64url')

function placeAt(cursor: string, sort: PlayerSort): Place {
  try {
    // A cursor of an earlier version has no sort.
    const [text, id, its = sort] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    // PostgreSQL does not accept U+0000.
    const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0')
    if (isText(text) && isText(id) && its === sort) return { text, id }
  } catch {
    // Not a cursor of ours: rejected below.
  }
  throw invalidField('$.cursor', 'must be the nextCursor of the previous page, with the same sort')
}
