import type { AgeProfile, SanctionEntry } from '@svc/contract/moderation'
import type { PlayerPlay, PlayerSession, PlayerSummary } from '@svc/contract/players'
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
import { createPlayerLists, type ListDeps, type ListQuery } from './player-lists.ts'
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
  /** How many connections the player has now. */
  connectionsOf(environmentId: string, playerId: string): Promise<number>
  roomOf(environmentId: string, playerId: string): Promise<{ id: string; mode: string; code: string } | null>
  signalsOf(environmentId: string, playerId: string): Promise<Signal[]>
  /** The saves of the player, without their data. */
  savesOf(environmentId: string, playerId: string): Promise<SaveSummary[]>
  statsOf(environmentId: string, playerId: string): Promise<Record<string, number>>
  /** The first stat of the config with its values, by player; undefined if the config has none. */
  firstStatAmong(
    environmentId: string,
    playerIds: string[],
  ): Promise<{ key: string; values: Map<string, number> } | undefined>
}

export type Search = ReturnType<typeof createSearch>

/** Search and details of players, for developers (DEV-14, DEV-15). */
export function createSearch(store: SearchStore, deps: SearchDeps) {
  const { players, isBanned, clock, writeActivity, ageOf, sanctionsOf, sessionsOf, connectionsOf, roomOf } =
    deps
  const { signalsOf, savesOf, statsOf, firstStatAmong, onlinePlayers, onlineAmong, counts } = deps

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

  async function withPlay(environmentId: string, listed: PlayerSummary[]) {
    const ids = listed.map(({ id }) => id)
    const [online, stat] = await Promise.all([
      onlineAmong(environmentId, ids),
      firstStatAmong(environmentId, ids),
    ])
    const playOf = async (id: string): Promise<PlayerPlay> => {
      const room = online.has(id) ? await roomOf(environmentId, id) : null
      return {
        online: online.has(id),
        room: room && { id: room.id, mode: room.mode },
        stat: stat ? { key: stat.key, value: stat.values.get(id) ?? null } : null,
      }
    }
    return Promise.all(listed.map(async (player) => ({ ...player, play: await playOf(player.id) })))
  }

  return {
    /** One page of players, in the order and with the filters of the query. */
    async find(
      { id: environmentId }: Environment,
      { play = false, ...query }: ListQuery & { play?: boolean },
    ) {
      await writeActivity(environmentId)
      const { players: listed, nextCursor } = await lists.find(environmentId, query)
      return { players: play ? await withPlay(environmentId, listed) : listed, nextCursor }
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
      const connections = await connectionsOf(environmentId, playerId)
      const room = await roomOf(environmentId, playerId)
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
