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

/** Counting a million players takes 90 ms, so from this number on they are counted at most every ten seconds. */
const MANY = 100_000

/** Search and details of players, for developers (DEV-14, DEV-15). */
export function createSearch(store: SearchStore, deps: SearchDeps) {
  const { players, isBanned, clock, writeActivity, ageOf, sanctionsOf, sessionsOf, presenceOf } = deps
  const { signalsOf, savesOf, statsOf, onlinePlayers, onlineAmong } = deps
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

  const lists = createPlayerLists(store, { clock, summary, onlinePlayers, onlineAmong })

  return {
    async find({ id: environmentId }: Environment, query: ListQuery): Promise<PlayerPage> {
      await writeActivity(environmentId)
      return lists.find(environmentId, query)
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
