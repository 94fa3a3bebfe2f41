import type { AgeProfile, SanctionEntry } from '@svc/contract/moderation'
import type { PlayerSession, PlayerSummary } from '@svc/contract/players'
import type { SaveSummary } from '@svc/contract/saves'
import type { Signal } from '@svc/contract/stats'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { createCache } from '../../platform/cache.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { normalisedEmail } from '../../platform/email-address.ts'
import type { Environment } from '../../platform/environment.ts'
import { firstIdAt } from '../../platform/random.ts'
import { type Accounts, searchName, view } from './accounts.ts'
import type { FoundRow, SearchStore } from './search-store.ts'
import type { PlayerStore } from './store.ts'

export type SearchDeps = {
  players: Pick<PlayerStore, 'find' | 'identities'>
  isBanned: Accounts['isBanned']
  clock: Clock
  /** Writes the activity that this node has noted, so that the answer contains it. */
  writeActivity(environmentId: string): Promise<void>
  ageOf(environmentId: string, playerId: string): Promise<AgeProfile>
  sanctionsOf(environmentId: string, playerId: string): Promise<SanctionEntry[]>
  sessionsOf(environmentId: string, playerId: string): Promise<PlayerSession[]>
  /** The current connection, room and channels of the player. */
  presenceOf(
    environmentId: string,
    playerId: string,
  ): Promise<{ connections: number; room: { id: string; mode: string; code: string } | null }>
  signalsOf(environmentId: string, playerId: string): Promise<Signal[]>
  /** Without their data. */
  savesOf(environmentId: string, playerId: string): Promise<SaveSummary[]>
  statsOf(environmentId: string, playerId: string): Promise<Record<string, number>>
}

export type Search = ReturnType<typeof createSearch>

type Filter = { banned?: boolean; guest?: boolean }
type Query = Filter & { q?: string; cursor?: string; limit?: number }
type Place = Cursor | undefined
/** Reads at most `limit` rows after a position. */
type Source = (place: Place, limit: number) => Promise<FoundRow[]>
type Cursor = { name: string; id: string }
type Found = { players: PlayerSummary[]; nextCursor: string | null }

/** With this suffix a text sorts after all texts with the same prefix, on both databases, because both compare bytes. */
const LAST = '\u{10ffff}'

/** How many rows one filtered page reads at most. */
const SCANNED_MAX = 2_000

/** Counting a million players takes 90 ms, so from this number on they are counted at most every ten seconds. */
const MANY = 100_000

/** Search and details of players, for developers (DEV-14, DEV-15). */
export function createSearch(store: SearchStore, deps: SearchDeps) {
  const { players, isBanned, clock, writeActivity, ageOf, sanctionsOf, sessionsOf, presenceOf } = deps
  const { signalsOf, savesOf, statsOf } = deps
  const remembered = { ttlMs: 10 * SECOND_MS, entriesMax: 1_000 }
  const counted = createCache({
    ...remembered,
    read: (environmentId: string) => store.counts(environmentId, timestamp(clock)),
  })
  const totals = createCache({ ...remembered, read: store.total })
  const newByDay = createCache({
    ...remembered,
    async read(key: string) {
      const [environmentId = '', fromId = ''] = key.split(' ')
      const rows = await store.countNewByDay(environmentId, fromId)
      return new Map(rows.map(({ day, count }) => [day, count]))
    },
  })

  const summary = (row: FoundRow): PlayerSummary => ({
    id: row.id,
    displayName: row.displayName,
    isGuest: row.email === null && row.identities === 0,
    email: row.email,
    banned: isBanned(row),
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
  })

  const isWanted = ({ banned, guest }: Filter, player: PlayerSummary) =>
    (banned ?? player.banned) === player.banned && (guest ?? player.isGuest) === player.isGuest

  /**
   * The next players of the source that pass the filter. Reads at most SCANNED_MAX rows, so that a search for a rare kind of player
   * takes several short requests instead of a long one.
   */
  async function page(source: Source, filter: Filter, place: Place, limit: number): Promise<Found> {
    const isFiltered = filter.banned !== undefined || filter.guest !== undefined
    const step = isFiltered ? SCANNED_MAX / 4 : limit
    const shown: PlayerSummary[] = []
    let next = place
    for (let scanned = 0; scanned < SCANNED_MAX; scanned += step) {
      // One more row than needed shows whether there is a next page.
      const rows = await source(next, step + 1)
      for (const row of rows.slice(0, step)) {
        if (shown.length === limit) return { players: shown, nextCursor: next ? cursorAt(next) : null }
        next = { name: row.searchName, id: row.id }
        const player = summary(row)
        if (isWanted(filter, player)) shown.push(player)
      }
      if (rows.length <= step) return { players: shown, nextCursor: null }
      if (shown.length === limit) break
    }
    return { players: shown, nextCursor: next ? cursorAt(next) : null }
  }

  /** By an index where one exists for the filter. */
  function newest(environmentId: string, { banned, guest }: Filter): Source {
    return (place, limit) => {
      const wanted = { environmentId, before: place?.id ?? LAST, limit }
      if (banned === true) return store.newestBanned(wanted, timestamp(clock))
      return guest === false ? store.newestRegistered(wanted) : store.newest(wanted)
    }
  }

  return {
    /** Returns the player with exactly this id or email, otherwise all players whose name begins with the text. */
    async find(
      { id: environmentId }: Environment,
      { q = '', cursor, limit = 50, ...filter }: Query,
    ): Promise<Found> {
      await writeActivity(environmentId)
      const place = cursor === undefined ? undefined : placeAt(cursor)
      const asked = q.trim()
      if (asked === '') return page(newest(environmentId, filter), filter, place, limit)

      const exact =
        (await store.byId(environmentId, asked)) ??
        (await store.byEmail(environmentId, normalisedEmail(asked)))
      if (exact)
        return { players: [summary(exact)].filter((player) => isWanted(filter, player)), nextCursor: null }

      const begin = searchName(asked)
      const byName: Source = (behind, rows) => {
        const { name: afterName, id: afterId } = behind ?? { name: begin, id: '' }
        return store.byName({ environmentId, afterName, afterId, end: `${begin}${LAST}`, limit: rows })
      }
      return page(byName, filter, place, limit)
    },

    async detail({ id: environmentId }: Environment, playerId: string) {
      await writeActivity(environmentId)
      const found = await store.byId(environmentId, playerId)
      const row = await players.find(environmentId, playerId)
      if (!found || !row) throw new ApiError('player_not_found')
      const { identities, emailVerified } = view(row, await players.identities(environmentId, playerId))
      const age = await ageOf(environmentId, playerId)
      const sanctions = await sanctionsOf(environmentId, playerId)
      const sessions = await sessionsOf(environmentId, playerId)
      const { connections, room } = await presenceOf(environmentId, playerId)
      const [signals, saves, stats] = await Promise.all([
        signalsOf(environmentId, playerId),
        savesOf(environmentId, playerId),
        statsOf(environmentId, playerId),
      ])
      return {
        player: {
          ...summary(found),
          identities,
          emailVerified,
          age,
          sanctions,
          connections,
          sessions,
          room,
          saves,
          stats,
          signals,
        },
      }
    },

    async counts(environmentId: string) {
      const found = await counted.get(environmentId)
      if (found.total < MANY) counted.drop(environmentId)
      return found
    },

    async total(environmentId: string): Promise<number> {
      const total = await totals.get(environmentId)
      if (total < MANY) totals.drop(environmentId)
      return total
    },

    newestId: store.newestId,
    firstCreatedAt: store.firstCreatedAt,

    /** The number of players created since a time, by UTC day. */
    async newByDay(environmentId: string, sinceMs: number): Promise<Map<string, number>> {
      const key = `${environmentId} ${firstIdAt('ply', sinceMs)}`
      const found = await newByDay.get(key)
      if (sumOf(found.values()) < MANY) newByDay.drop(key)
      return found
    },
  }
}

const sumOf = (numbers: Iterable<number>) => Iterator.from(numbers).reduce((sum, number) => sum + number, 0)

const cursorAt = ({ name, id }: Cursor) => Buffer.from(JSON.stringify([name, id])).toString('base64url')

function placeAt(cursor: string): Cursor {
  try {
    const [name, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    // PostgreSQL does not accept U+0000.
    const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0')
    if (isText(name) && isText(id)) return { name, id }
  } catch {
    // Not a cursor of ours: rejected below.
  }
  throw invalidField('$.cursor', 'must be the nextCursor of the previous page')
}
