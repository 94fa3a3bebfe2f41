import { LIMITS } from '@svc/contract/common/limits'
import type { PeriodValues, Submitted } from '@svc/contract/stats'

import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { Player, PlayerRef, PlayerStatus } from '../../platform/player.ts'
import { HIDDEN_BY, type Rankings } from '../../platform/ports/ranking.ts'
import { createPeriods, type Periods } from '../../platform/time/periods.ts'
import type { SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { type CheckResult, createIntegrity, createSubmitCap, type StatsConfig } from './integrity.ts'
import type { Signals } from './signals.ts'
import type { Queries, StatStore } from './store.ts'
import type { VerificationWebhook } from './verification-webhook.ts'

type StatsDeps = {
  clock: Clock
  counters: SlidingCounters
  config: { current(environmentId: string): Awaitable<{ config: StatsConfig }> }
  webhook: VerificationWebhook
  signals: Signals
  leaderboards: Rankings<StatsConfig, Queries>
  requireMayWrite(player: Player): Promise<PlayerStatus>
  findPlayer(environmentId: string, playerId: string): Promise<{ displayName: string } | undefined>
}

type Report = {
  stats: Record<string, unknown>
  status?: PlayerStatus | undefined
  /** Of a report that may be sent again. */
  idempotencyKey?: string | undefined
}
type Verified = CheckResult & { isVerified: boolean; status: PlayerStatus }

export type Stats = ReturnType<typeof createStats>

/** Reported values of players: checked, verified, and combined per period (STA-01 … STA-11). */
export function createStats(store: StatStore, deps: StatsDeps) {
  const {
    clock,
    counters,
    config: configs,
    webhook,
    signals,
    leaderboards,
    requireMayWrite,
    findPlayer,
  } = deps
  const check = createIntegrity()
  const requireWithinCap = createSubmitCap(counters)
  const periodsAt = createPeriods()

  /** Only values that passed the rules are sent to the developer's server (STA-15). */
  async function verify(
    environment: Environment,
    player: Player,
    config: StatsConfig,
    { accepted, rejected }: CheckResult,
    submittedAt: Date,
  ): Promise<Verified> {
    const stats = Object.fromEntries(accepted.map(({ key, value }) => [key, value]))
    const report = { playerId: player.id, stats, submittedAt: submittedAt.toISOString() }
    const { isAnswered, reasonAgainst } = await webhook.verify(
      environment,
      config.integrity.stats.webhook,
      report,
    )
    // The verification may have taken seconds, so the player may have been banned or deleted.
    const status = await requireMayWrite(player)

    const verified: Verified = { accepted: [], rejected: [...rejected], isVerified: isAnswered, status }
    for (const one of accepted) {
      const reason = reasonAgainst(one.key)
      if (reason) verified.rejected.push({ key: one.key, value: one.value, reason })
      else verified.accepted.push(one)
    }
    return verified
  }

  /** Leaves out values from before a reset of their leaderboard. */
  async function countingRows(environmentId: string, playerId: string) {
    const rows = await store.of(environmentId, playerId).list()
    const { config } = await configs.current(environmentId)
    const resetAt = await leaderboards.resetAt(environmentId, config)
    return rows.filter(({ key, updatedAt }) => updatedAt > (resetAt(key) ?? ''))
  }

  return {
    async read({ environmentId, id }: PlayerRef): Promise<{ stats: Record<string, number> }> {
      const rows = await countingRows(environmentId, id)
      return { stats: Object.fromEntries(rows.map(({ key, allTime }) => [key, allTime])) }
    },

    /** For lists of players: the all-time values of these players in the first stat of the config. */
    async firstStatAmong(environmentId: string, playerIds: string[]) {
      const { config } = await configs.current(environmentId)
      const key = config.stats[0]?.key
      if (key === undefined) return undefined
      const resetAt = (await leaderboards.resetAt(environmentId, config))(key) ?? ''
      const rows = await store.valuesAmong(environmentId, key, playerIds)
      const counting = rows.filter(({ updatedAt }) => updatedAt > resetAt)
      return { key, values: new Map(counting.map(({ playerId, allTime }) => [playerId, allTime])) }
    },

    /** For developers: the values of the current periods, in the config's time zone. */
    async byPeriod(environmentId: string, playerId: string) {
      if (!(await findPlayer(environmentId, playerId))) throw new ApiError('player_not_found')
      const { config } = await configs.current(environmentId)
      const now = periodsAt(config.resetTimeZone, clock.now())
      const rows = await countingRows(environmentId, playerId)
      return {
        stats: rows.map((row) => ({
          key: row.key,
          ...valuesIn(row, now),
          aggregation: row.aggregation,
          updatedAt: row.updatedAt,
        })),
      }
    },

    async submit(
      environment: Environment,
      player: Player,
      { stats: input, status, idempotencyKey }: Report,
    ): Promise<Submitted> {
      const submittedAt = clock.now()
      const reported = Object.entries(input)
      if (reported.length > LIMITS.statsPerSubmitMax) throw new ApiError('too_many_stats')

      const { config } = await configs.current(environment.id)
      await requireWithinCap(environment.id, player.id, config.integrity.stats.maxSubmitsPerMinute)

      const checked = check(config, reported, 'player')
      const asks = config.features.statsVerification && config.integrity.stats.webhook.url !== null
      const verified =
        asks && checked.accepted.length > 0
          ? await verify(environment, player, config, checked, submittedAt)
          : undefined
      const { accepted, rejected } = verified ?? checked

      // Before the values: if this fails the caller retries, and values must not count twice.
      await signals.record(environment.id, player.id, rejected)
      const periods = periodsAt(config.resetTimeZone, submittedAt)
      // The verification may have taken seconds: a leaderboard that was changed since must not be replaced by the one before.
      const current = verified ? (await configs.current(environment.id)).config : config
      const ranked = leaderboards.rankingOf(environment.id, current, accepted, periods, {
        hidden: (verified?.status ?? status)?.leaderboardsHidden ? HIDDEN_BY.choice : null,
        isVerified: verified?.isVerified ?? false,
      })
      const ranking = ranked && (await ranked)
      const values = await store
        .of(environment.id, player.id)
        .combine(accepted, periods, submittedAt.toISOString(), ranking, idempotencyKey)
      if (ranking?.stored) await ranking.stored()
      const stats = Object.fromEntries(values)
      if (values.length < accepted.length)
        for (const row of await countingRows(environment.id, player.id))
          if (accepted.some(({ key }) => key === row.key)) stats[row.key] ??= valuesIn(row, periods)
      return { stats, rejected, unlocked: [] }
    },
  }
}

/** The values of a row in the current periods: 0 where it has none. */
function valuesIn(row: Periods & PeriodValues, now: Periods): PeriodValues {
  const isSameZone = row.zone === now.zone
  return {
    allTime: row.allTime,
    daily: isSameZone && row.day === now.day ? row.daily : 0,
    weekly: isSameZone && row.week === now.week ? row.weekly : 0,
    monthly: isSameZone && row.month === now.month ? row.monthly : 0,
  }
}
