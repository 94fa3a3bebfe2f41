import type { AgeProfile, SanctionEntry } from '@svc/contract/moderation'
import type { PlayerSession, PlayerSummary } from '@svc/contract/players'
import type { SaveSummary } from '@svc/contract/saves'
import type { Signal } from '@svc/contract/stats'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import { createCache } from '../../../platform/memory/cache.ts'
import { scanTtlMs } from '../../../platform/memory/scan-ttl.ts'
import { createDaySums } from '../../../platform/time/day-sums.ts'
import { type Accounts, view } from '../accounts.ts'
import { MICROS_PER_PLAYER, type PlayerCounts } from '../counts.ts'
import type { PlayerStore } from '../store.ts'
import { createPlayerLists, type ListDeps, type ListQuery, type PlayerPage } from './player-lists.ts'
import type { FoundRow, SearchStore } from './store.ts'

export type SearchDeps = Pick<ListDeps, 'onlinePlayers' | 'onlineAmong'> & {
  players: Pick<PlayerStore, 'find' | 'identities'>
  isBanned: Accounts['isBanned']
  clock: Clock
  counts: PlayerCounts
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
  const { signalsOf, savesOf, statsOf, onlinePlayers, onlineAmong, counts } = deps

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

  const newSums = createDaySums({ ...store.newSums, rowsIn: ({ players }) => players }, { players: 0 }, clock)

  /** From an index of banned players. */
  const banned = createCache({
    read: (environmentId) => store.banned(environmentId, timestamp(clock)),
    ttlMs: (count) => scanTtlMs(count, MICROS_PER_PLAYER),
    entriesMax: 1_000,
  })

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
    async counts(environmentId: string) {
      const [{ players: total, registered }, bannedNow] = await Promise.all([
        counts.read(environmentId),
        banned.get(environmentId),
      ])
      return { total, guests: total - registered, banned: bannedNow }
    },
    total: async (environmentId: string) => (await counts.read(environmentId)).players,
    newestId: store.newestId,
    firstCreatedAt: store.firstCreatedAt,

    /** The number of players created on each of these UTC days. */
    async newByDay(environmentId: string, days: readonly string[]): Promise<Map<string, number>> {
      const sums = await newSums(environmentId, days)
      return new Map(sums.map(({ day, players }) => [day, players]))
    },
  }
}
