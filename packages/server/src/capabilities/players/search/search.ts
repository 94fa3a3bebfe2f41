import type { AgeProfile, SanctionEntry } from '@svc/contract/moderation'
import type { PlayerSession, PlayerSummary } from '@svc/contract/players'
import type { SaveSummary } from '@svc/contract/saves'
import type { Signal } from '@svc/contract/stats'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, SECOND_MS, timestamp } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import { createCache } from '../../../platform/memory/cache.ts'
import { firstIdAt } from '../../../platform/random.ts'
import { type Accounts, view } from '../accounts.ts'
import type { PlayerStore } from '../store.ts'
import { createPlayerLists, type ListDeps, type ListQuery, type PlayerPage } from './player-lists.ts'
import type { FoundRow, SearchStore } from './store.ts'

export type SearchDeps = Pick<ListDeps, 'onlinePlayers' | 'onlineAmong'> & {
  players: Pick<PlayerStore, 'find' | 'identities'>
  isBanned: Accounts['isBanned']
  clock: Clock
  /** Writes the activity of players that this node has in memory (`lastSeenAt`), so that the answer contains it. */
  writeActivity(environmentId: string): Promise<void>
  ageOf(environmentId: string, playerId: string): Promise<AgeProfile>
  sanctionsOf(environmentId: string, playerId: string): Promise<SanctionEntry[]>
  sessionsOf(environmentId: string, playerId: string): Promise<PlayerSession[]>
  /** How many connections the player has now, and in which room they are. */
  presenceOf(
    environmentId: string,
    playerId: string,
  ): Promise<{ connections: number; room: { id: string; mode: string; code: string } | null }>
  signalsOf(environmentId: string, playerId: string): Promise<Signal[]>
  /** The saves of the player, without their data. */
  savesOf(environmentId: string, playerId: string): Promise<SaveSummary[]>
  statsOf(environmentId: string, playerId: string): Promise<Record<string, number>>
}

export type Search = ReturnType<typeof createSearch>

/** Search and details of players, for developers (DEV-14, DEV-15). */
export function createSearch(store: SearchStore, deps: SearchDeps) {
  const { players, isBanned, clock, writeActivity, ageOf, sanctionsOf, sessionsOf, presenceOf } = deps
  const { signalsOf, savesOf, statsOf, onlinePlayers, onlineAmong } = deps

  const summary = (row: FoundRow): PlayerSummary => ({
    id: row.id,
    displayName: row.displayName,
    isGuest: row.email === null && row.identities === 0,
    email: row.email,
    banned: isBanned(row),
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
  })

  const lists = createPlayerLists(store, { clock, summary, onlinePlayers, onlineAmong })

  /** The key is the id of the environment, a space, and the first id that is counted. */
  const countNewByDay = cachedIfMany(
    async (key) => {
      const [environmentId = '', fromId = ''] = key.split(' ')
      const rows = await store.countNewByDay(environmentId, fromId)
      return new Map(rows.map(({ day, count }) => [day, count]))
    },
    (byDay) => sumOf(byDay.values()),
  )

  return {
    /** One page of players, in the order and with the filters of the query. */
    async find({ id: environmentId }: Environment, query: ListQuery): Promise<PlayerPage> {
      await writeActivity(environmentId)
      return lists.find(environmentId, query)
    },

    /** Everything that the page of one player shows. */
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

    /** The numbers of all players, guests and banned players. */
    counts: cachedIfMany(
      (environmentId) => store.counts(environmentId, timestamp(clock)),
      ({ total }) => total,
    ),
    total: cachedIfMany(store.total, (total) => total),
    newestId: store.newestId,
    firstCreatedAt: store.firstCreatedAt,

    /** The number of players created since a time, by UTC day. */
    newByDay: (environmentId: string, sinceMs: number): Promise<Map<string, number>> =>
      // Ids of players sort by the time of their creation.
      countNewByDay(`${environmentId} ${firstIdAt('ply', sinceMs)}`),
  }
}

/** Counting a million players takes 90 ms: from this number on the answer is cached. */
const CACHED_FROM_PLAYERS = 100_000

/**
 * Reads numbers of players. The answer for a key is kept for ten seconds if it counts very many players; a smaller one is read again
 * each time.
 */
function cachedIfMany<T>(read: (key: string) => Promise<T>, playersIn: (answer: T) => number) {
  const cache = createCache({ read, ttlMs: 10 * SECOND_MS, entriesMax: 1_000 })

  return async (key: string): Promise<T> => {
    const answer = await cache.get(key)
    if (playersIn(answer) < CACHED_FROM_PLAYERS) cache.drop(key)
    return answer
  }
}

const sumOf = (numbers: Iterable<number>) => Iterator.from(numbers).reduce((sum, number) => sum + number, 0)
