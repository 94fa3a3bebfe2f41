import type { Actor } from '@svc/contract/common/schemas'
import type { AdminEntry, AdminLeaderboard, LeaderboardSummary } from '@svc/contract/leaderboards'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { Audit } from '../../platform/ports/audit.ts'
import { HIDDEN_BY } from '../../platform/ports/ranking.ts'
import { createPeriods } from '../../platform/time/periods.ts'
import type { BoardRegistry } from './board-registry.ts'
import { type BoardRule, boardRulesOf, type LeaderboardConfig, requireBoard } from './board-rules.ts'
import type { BoardStore, Transaction } from './boards-store.ts'
import type { EntryStore, ProfileColumns } from './entries-store.ts'
import type { EntryChangeStore } from './entry-changes-store.ts'
import type { Leaderboards, ListQuery, Profiles } from './leaderboards.ts'
import type { LeftStore } from './left-store.ts'
import { positionIn } from './page-cursors.ts'
import { reachedAtOf, tieAt } from './ties.ts'

export type LeaderboardAdminDeps = {
  clock: Clock
  audit: Audit<Transaction>
  config: { current(environmentId: string): Awaitable<{ config: LeaderboardConfig }> }
  store: BoardStore
  registry: BoardRegistry
  entries: EntryStore
  changes: EntryChangeStore
  left: LeftStore
  leaderboards: Leaderboards
  profiles: Profiles
  background: Pick<Background, 'run'>
  work(): Promise<unknown>
  /** A transaction that excludes other changes of this player. */
  changePlayer<T>(
    environmentId: string,
    playerId: string,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>
  playerExists(transaction: Transaction, environmentId: string, playerId: string): Promise<boolean>
  /** Records the change for nodes that do not receive the bus message. */
  recordChanged(transaction: Transaction, environmentId: string): Promise<void>
}
export type LeaderboardAdmin = ReturnType<typeof createLeaderboardAdmin>

const NOT_SHOWN_MAX = 1_000

/** The operations of developers on leaderboards (LDB-14 … LDB-16). */
export function createLeaderboardAdmin(deps: LeaderboardAdminDeps) {
  const {
    clock,
    audit,
    config: configs,
    store,
    registry,
    entries,
    changes,
    left,
    leaderboards,
    profiles,
  } = deps
  const periodsAt = createPeriods()

  async function ruleOf(environmentId: string, key: string): Promise<BoardRule> {
    return requireBoard((await configs.current(environmentId)).config, key)
  }

  async function changeEntry(
    environment: Environment,
    key: string,
    playerId: string,
    work: (transaction: Transaction, rule: BoardRule) => Promise<unknown>,
    entry: { actor: Actor; action: 'leaderboard.hide' | 'leaderboard.show' | 'leaderboard.remove' },
  ): Promise<void> {
    const { id: environmentId, projectId, name: env } = environment
    const rule = await ruleOf(environmentId, key)
    await deps.changePlayer(environmentId, playerId, async (transaction) => {
      if (!(await deps.playerExists(transaction, environmentId, playerId)))
        throw new ApiError('player_not_found')
      await work(transaction, rule)
      await deps.recordChanged(transaction, environmentId)
      await audit.record(transaction, { projectId, env, ...entry, target: playerId, details: { key } })
    })
    await registry.announce(environmentId)
  }

  return {
    async summaries({ id }: Environment): Promise<{ leaderboards: LeaderboardSummary[] }> {
      const { config } = await configs.current(id)
      const found: LeaderboardSummary[] = []
      for (const { key, order, verifiedOnly, periods } of boardRulesOf(config).values()) {
        const open = await Promise.all(
          periods.map(async (period) => {
            const board = await leaderboards.current(id, key, period)
            return { period, label: board.label || null, count: await leaderboards.countOf(board) }
          }),
        )
        found.push({ key, order, verifiedOnly, periods: open })
      }
      return { leaderboards: found }
    },

    async list({ id }: Environment, key: string, query: ListQuery): Promise<AdminLeaderboard> {
      const board = await leaderboards.boardOf(id, key, query)
      const { cursor = '', limit = 100 } = query
      const {
        rows: shown,
        firstRank,
        ...page
      } = await leaderboards.page(board, positionIn(cursor, board.id), limit)
      const { period } = board
      const isFirst = board.closedAt === null && cursor === ''
      const rows = isFirst ? await entries.notShown(id, key, NOT_SHOWN_MAX) : []
      const withValues = rows.filter(
        (row) => period === 'allTime' || labelIn(row, period) === board.label || row.updatedAt === '',
      )
      const profileOf = await profiles.reader(id)
      const entryOf = (rank: number | null, entry: AnyEntry, rest: Rest): AdminEntry => {
        const profile = profileOf(entry)
        return {
          rank,
          playerId: entry.playerId,
          displayName: profile?.displayName ?? null,
          value: rest.value,
          reachedAt: rest.reachedAt,
          hidden: rest.isHidden,
          banned: profile?.isBanned ?? false,
          optedOut: profile?.hasLeft ?? false,
        }
      }
      return {
        ...page,
        entries: shown.map((entry, at) =>
          entryOf(firstRank + at, entry, {
            value: entry.value,
            reachedAt: reachedAtOf(entry.tie),
            isHidden: false,
          }),
        ),
        notShown: withValues
          .map((row) =>
            entryOf(null, row, {
              value: row.updatedAt === '' ? 0 : row[period],
              reachedAt: reachedAtOf(row[`${period}Tie`] ?? tieAt(Date.parse(row.updatedAt || EPOCH))),
              isHidden: row.hidden === HIDDEN_BY.developer,
            }),
          )
          .sort(
            (a, b) => (board.direction === 'desc' ? b.value - a.value : a.value - b.value) || byPlayer(a, b),
          ),
      }
    },

    async hide(
      environment: Environment,
      actor: Actor,
      { key, playerId }: { key: string; playerId: string },
      { hidden }: { hidden: boolean },
    ) {
      const of = { environmentId: environment.id, playerId, key }
      await changeEntry(
        environment,
        key,
        playerId,
        (transaction, { aggregation }) =>
          hidden ? changes.hide(transaction, of, aggregation) : changes.show(transaction, of),
        { actor, action: hidden ? 'leaderboard.hide' : 'leaderboard.show' },
      )
      return { playerId, hidden }
    },

    async remove(
      environment: Environment,
      actor: Actor,
      { key, playerId }: { key: string; playerId: string },
    ): Promise<{ deleted: true }> {
      const of = { environmentId: environment.id, playerId, key }
      await changeEntry(
        environment,
        key,
        playerId,
        async (transaction) => {
          // Winners that are being counted may be those that were read before.
          await store.excludeChanges(transaction, environment.id, key)
          await changes.remove(transaction, of)
          await store.in(transaction).removeWinner(environment.id, key, playerId)
          await left.in(transaction).remove(environment.id, key, playerId)
        },
        { actor, action: 'leaderboard.remove' },
      )
      return { deleted: true }
    },

    async reset(environment: Environment, actor: Actor, key: string): Promise<Record<never, never>> {
      const { id: environmentId, projectId, name: env } = environment
      const { config } = await configs.current(environmentId)
      const rule = requireBoard(config, key)
      await store.opening(environmentId, key, async (transaction) => {
        await registry.reset(transaction, environmentId, rule, periodsAt(config.resetTimeZone, clock.now()))
        await deps.recordChanged(transaction, environmentId)
        const entry = { projectId, env, actor, action: 'leaderboard.reset', target: key, details: {} }
        await audit.record(transaction, entry)
      })
      await registry.announce(environmentId)
      deps.background.run(deps.work)
      return {}
    },
  }
}

type AnyEntry = { playerId: string } & ProfileColumns
type Rest = { value: number; reachedAt: string; isHidden: boolean }
const EPOCH = '1970-01-01T00:00:00.000Z'

const labelIn = (
  { day, week, month }: { day: string; week: string; month: string },
  period: 'daily' | 'weekly' | 'monthly',
) => ({ daily: day, weekly: week, monthly: month })[period]

const byPlayer = (a: AdminEntry, b: AdminEntry): number => (a.playerId < b.playerId ? -1 : 1)
