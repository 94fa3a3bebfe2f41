import { LIMITS } from '@svc/contract/common/limits'
import type {
  ChosenEntry,
  ClosedPeriod,
  Leaderboard,
  LeaderboardEntry,
  OwnEntry,
  Period,
} from '@svc/contract/leaderboards'

import { invalidField } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { RawJson, withEtag } from '../../platform/http/raw-json.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Player } from '../../platform/player.ts'
import { createPeriods } from '../../platform/time/periods.ts'
import type { BoardRegistry } from './board-registry.ts'
import {
  type BoardRule,
  type LeaderboardConfig,
  periodOfLabel,
  requireBoard,
  requirePeriod,
} from './board-rules.ts'
import type { Board, BoardStore } from './boards-store.ts'
import type { ClosedBoards } from './closed-boards.ts'
import type { Entry, EntryStore, Position, ProfileColumns } from './entries-store.ts'
import type { EntryChangeStore } from './entry-changes-store.ts'
import { cursorAfter, type PagePosition, positionIn } from './page-cursors.ts'
import type { Ranks } from './ranks.ts'
import { reachedAtOf } from './ties.ts'

/** The public part of a player. */
export type Profile = { displayName: string; isBanned: boolean; hasLeft: boolean; isChild: boolean }
export type Profiles = {
  /** Returns a function that reads the profile from an entry, undefined if there is no such player. */
  reader(environmentId: string): Promise<(entry: ProfileColumns) => Profile | undefined>
}

export type LeaderboardDeps = {
  clock: Clock
  config: { current(environmentId: string): Awaitable<{ config: LeaderboardConfig }> }
  store: BoardStore
  registry: BoardRegistry
  closed: ClosedBoards
  entries: EntryStore
  changes: EntryChangeStore
  ranks: Ranks
  profiles: Profiles
}
export type Leaderboards = ReturnType<typeof createLeaderboards>

export type ListQuery = { period?: Period; at?: string; cursor?: string; limit?: number }
/** An entry with the columns of its player. */
type EntryOfPlayer = Entry & ProfileColumns
/** `firstRank` is the rank of the first row; each of the others is one rank worse than the row before it. */
type Ranked = { rows: readonly EntryOfPlayer[]; firstRank: number }
export type Page = Omit<Leaderboard, 'entries'> & Ranked

/** By then the job has counted the winners again, if a node has run it. */
const READ_SETTLES_MS = MINUTE_MS
const LISTS_MAX = 1_000
const ENVIRONMENTS_MAX = 5_000

/** Reads leaderboards (LDB-02 … LDB-08). */
export function createLeaderboards(deps: LeaderboardDeps) {
  const { clock, config: configs, store, registry, closed, entries, changes, ranks, profiles } = deps
  const periodsAt = createPeriods()

  /** Boards, their counts and their lists are the same for all players: each node reads them once per second. */
  const perSecond = { ttlMs: SECOND_MS, entriesMax: LISTS_MAX, now: () => clock.elapsedMs() }
  const byId = createCache<Board | undefined>({ read: (name) => store.read(namedBy(name)[1]), ...perSecond })
  const counts = createCache<number>({
    read: async (name) => {
      const board = await byId.get(name)
      return board ? ranks.count(board) : 0
    },
    ...perSecond,
  })
  const lists = createCache<RawJson>({
    read: (name) => readList(...namedBy(name)),
    ...perSecond,
  })

  /** Part of all names, so that a change drops what is cached of its environment alone. */
  const versions = new Map<string, number>()
  let version = 0
  registry.onDrop((environmentId) => {
    version++
    if (environmentId !== '') return setBounded(versions, environmentId, version, ENVIRONMENTS_MAX)
    for (const cache of [byId, counts, lists]) cache.clear()
  })
  const nameOf = (environmentId: string, boardId: number, cursor = '', limit = 0) =>
    JSON.stringify([environmentId, boardId, cursor, limit, versions.get(environmentId) ?? 0])
  const countOf = ({ environmentId, id }: Board) => counts.get(nameOf(environmentId, id))

  async function ruleOf(environmentId: string, key: string): Promise<{ rule: BoardRule; zone: string }> {
    const { config } = await configs.current(environmentId)
    return { rule: requireBoard(config, key), zone: config.resetTimeZone }
  }

  async function current(environmentId: string, key: string, period: Period | undefined): Promise<Board> {
    const { rule, zone } = await ruleOf(environmentId, key)
    return registry.current(environmentId, rule, requirePeriod(rule, period), periodsAt(zone, clock.now()))
  }

  /** The current board, or a closed one. */
  async function boardOf(environmentId: string, key: string, { period, at }: ListQuery): Promise<Board> {
    if (at === undefined) return current(environmentId, key, period)
    const { rule } = await ruleOf(environmentId, key)
    const chosen = requirePeriod(rule, period ?? periodOfLabel(at))
    await registry.endAll(environmentId, key)
    const board =
      chosen === periodOfLabel(at)
        ? await store.findClosed({ environmentId, key, period: chosen, label: at })
        : undefined
    if (!board) throw invalidField('$.at', 'is not a closed period of this leaderboard')
    return settled(board)
  }

  async function settled(board: Board): Promise<Board> {
    if (board.settledAt === null && (board.closedAt ?? '') <= timestamp(clock, -READ_SETTLES_MS))
      await closed.settle(board)
    return board
  }

  async function page(board: Board, cursor: PagePosition | undefined, limit: number): Promise<Page> {
    const { environmentId, key, period, label, direction, startsAt, endsAt } = board
    const from = cursor?.rank ?? 0
    const found = board.closedAt === null ? await openPage() : await closedPage()
    const rows = found.slice(0, limit)
    const [last, next] = [rows.at(-1), found[limit]]
    return {
      key,
      period,
      label: label === '' ? null : label,
      order: direction,
      startsAt,
      endsAt,
      count: await countOf(board),
      rows,
      firstRank: from + 1,
      nextCursor: last && next ? cursorAfter(board, { ...last, rank: from + rows.length }, next) : null,
    }

    function openPage() {
      return cursor ? entries.after(board, cursor, limit + 1) : entries.top(board, limit + 1)
    }
    async function closedPage() {
      const winners = await entries.winners(environmentId, key, label)
      const ids = winners.map(({ playerId }) => playerId)
      const hidden = new Set(
        (await changes.hiddenAmong(environmentId, key, ids)).map(({ playerId }) => playerId),
      )
      return winners.filter(({ playerId }) => !hidden.has(playerId)).slice(from, from + limit + 1)
    }
  }

  /** Adds the names of players that may be shown. */
  async function named(
    environmentId: string,
    { rows, firstRank }: Ranked,
    own?: string,
  ): Promise<LeaderboardEntry[]> {
    const profileOf = await profiles.reader(environmentId)
    const shown: LeaderboardEntry[] = []
    for (const [at, entry] of rows.entries()) {
      const { playerId, value, tie } = entry
      const profile = profileOf(entry)
      if (!profile || profile.isBanned || profile.hasLeft) continue
      const isNamed = !profile.isChild || playerId === own
      shown.push({
        rank: firstRank + at,
        playerId: isNamed ? playerId : null,
        displayName: isNamed ? profile.displayName : null,
        value,
        reachedAt: reachedAtOf(tie),
      })
    }
    return shown
  }

  async function readList(environmentId: string, boardId: number, cursor: string, limit: number) {
    const board = await byId.get(nameOf(environmentId, boardId))
    // The board was just replaced: the next request finds the new one.
    if (!board) throw invalidField('$.cursor', 'must be the value that the previous page returned')
    const { rows, firstRank, nextCursor, ...rest } = await page(board, positionIn(cursor, boardId), limit)
    const entries = await named(environmentId, { rows, firstRank })
    const list: Leaderboard = { ...rest, entries, nextCursor }
    return withEtag(new RawJson(JSON.stringify(list)))
  }

  return {
    current,
    boardOf,
    page,
    countOf,

    async list({ id }: Environment, key: string, query: ListQuery): Promise<RawJson> {
      const board = await boardOf(id, key, query)
      const { cursor = '', limit = 25 } = query
      positionIn(cursor, board.id)
      return lists.get(nameOf(id, board.id, cursor, limit))
    },

    async own(
      { environmentId, id: playerId }: Player,
      key: string,
      { period, around = 0 }: { period?: Period; around?: number },
    ): Promise<{ entry: OwnEntry | null; count: number; around: LeaderboardEntry[] }> {
      const board = await current(environmentId, key, period)
      const count = await countOf(board)
      const of = { environmentId, playerId, key }
      if (around === 0) {
        const mine = await entries.position(board, of)
        if (!mine) return { entry: null, count, around: [] }
        const entry = ownEntry(mine, await ranks.rankOf(board, mine, count))
        return { entry, count: Math.max(count, 1), around: [] }
      }
      const mine = await entries.find(board, of)
      if (!mine) return { entry: null, count, around: [] }
      const [place, before, worse] = await Promise.all([
        ranks.rankOf(board, mine, count),
        entries.before(board, mine, around),
        entries.after(board, mine, around),
      ])
      const { rank } = place
      // The rank may be older than the entries before it.
      const better = before.slice(0, rank - 1)
      const ranked = {
        rows: [...better.toReversed(), mine, ...worse],
        firstRank: rank - better.length,
      }
      return {
        entry: ownEntry(mine, place),
        count: Math.max(count, 1),
        around: await named(environmentId, ranked, playerId),
      }
    },

    async players(
      { environmentId }: Player,
      key: string,
      { ids = '', period }: { ids?: string; period?: Period },
    ): Promise<{ entries: ChosenEntry[] }> {
      const board = await current(environmentId, key, period)
      const playerIds = [...new Set(ids.split(',').map((id) => id.trim()))].filter((id) => id !== '')
      if (playerIds.length === 0) throw invalidField('$.ids', 'must contain at least one player')
      if (playerIds.length > LIMITS.leaderboardPlayersMax)
        throw invalidField('$.ids', `must contain at most ${LIMITS.leaderboardPlayersMax} players`)
      const found = await entries.chosen(board, environmentId, key, playerIds)
      const profileOf = await profiles.reader(environmentId)
      const shown = found.flatMap(({ playerId, value, tie, ...columns }) => {
        const profile = profileOf(columns)
        if (!profile || profile.isBanned || profile.hasLeft || profile.isChild) return []
        return [{ playerId, displayName: profile.displayName, value, reachedAt: reachedAtOf(tie) }]
      })
      return { entries: shown.map((entry, at) => ({ place: at + 1, ...entry })) }
    },

    async periods({ id: environmentId }: Environment, key: string): Promise<{ periods: ClosedPeriod[] }> {
      const { rule } = await ruleOf(environmentId, key)
      await registry.endAll(environmentId, key)
      const closed = await store.closed(environmentId, key)
      return {
        periods: closed
          .filter(({ period }) => rule.periods.includes(period))
          .map(({ period, label, startsAt, endsAt, count }) => ({
            period,
            label,
            startsAt: startsAt ?? '',
            endsAt: endsAt ?? '',
            count: count ?? 0,
          })),
      }
    },
  }
}

const namedBy = (name: string) => JSON.parse(name) as [string, number, string, number]

const ownEntry = ({ value, tie }: Position, { rank, exact }: { rank: number; exact: boolean }): OwnEntry => ({
  rank,
  exact,
  value,
  reachedAt: reachedAtOf(tie),
})
