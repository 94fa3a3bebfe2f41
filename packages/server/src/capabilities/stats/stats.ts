import { LIMITS } from '@svc/contract/limits'
import type { Submitted } from '@svc/contract/stats'

import { ApiError } from '../../platform/api-error.ts'
import type { Awaitable } from '../../platform/awaitable.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { SlidingCounters } from '../../platform/sliding-limit.ts'
import { type CheckResult, createIntegrity, createSubmitCap, type StatsConfig } from './integrity.ts'
import { createPeriods } from './periods.ts'
import type { Signals } from './signals.ts'
import type { StatStore } from './store.ts'
import type { VerificationWebhook } from './verification-webhook.ts'

export type StatsDeps = {
  clock: Clock
  counters: SlidingCounters
  config: { current(environmentId: string): Awaitable<{ config: StatsConfig }> }
  webhook: VerificationWebhook
  signals: Signals
  requireMayWrite(player: Player): Promise<void>
  findPlayer(environmentId: string, playerId: string): Promise<{ displayName: string } | undefined>
}

export type Stats = ReturnType<typeof createStats>

/** A player's reported values: checked, verified, and combined per period (STA-01 … STA-11). */
export function createStats(store: StatStore, deps: StatsDeps) {
  const { clock, counters, config: configs, webhook, signals, requireMayWrite, findPlayer } = deps
  const check = createIntegrity()
  const requireWithinCap = createSubmitCap(counters)
  const periodsAt = createPeriods()

  /** Only what passed the rules is sent to the developer's server (STA-15). */
  async function verify(
    environment: Environment,
    player: Player,
    config: StatsConfig,
    { accepted, rejected }: CheckResult,
    submittedAt: Date,
  ): Promise<CheckResult> {
    const stats = Object.fromEntries(accepted.map(({ key, value }) => [key, value]))
    const report = { playerId: player.id, stats, submittedAt: submittedAt.toISOString() }
    const reasonAgainst = await webhook.verify(environment, config.integrity.stats.webhook, report)
    // That may have taken seconds, in which the player may have been banned or deleted.
    await requireMayWrite(player)

    const verified: CheckResult = { accepted: [], rejected: [...rejected] }
    for (const one of accepted) {
      const reason = reasonAgainst(one.key)
      if (reason) verified.rejected.push({ key: one.key, value: one.value, reason })
      else verified.accepted.push(one)
    }
    return verified
  }

  return {
    async read({ environmentId, id }: Player): Promise<{ stats: Record<string, number> }> {
      const values = await store.of(environmentId, id).list()
      return { stats: Object.fromEntries(values.map(({ key, allTime }) => [key, allTime])) }
    },

    /** For developers: by period as of now, in the config's time zone. */
    async byPeriod(environmentId: string, playerId: string) {
      if (!(await findPlayer(environmentId, playerId))) throw new ApiError('player_not_found')
      const { config } = await configs.current(environmentId)
      const now = periodsAt(config.resetTimeZone, clock.now())
      const rows = await store.of(environmentId, playerId).list()
      return {
        stats: rows.map((row) => {
          const isSameZone = row.zone === now.zone
          return {
            key: row.key,
            allTime: row.allTime,
            daily: isSameZone && row.day === now.day ? row.daily : 0,
            weekly: isSameZone && row.week === now.week ? row.weekly : 0,
            monthly: isSameZone && row.month === now.month ? row.monthly : 0,
            aggregation: row.aggregation,
            updatedAt: row.updatedAt,
          }
        }),
      }
    },

    async submit(
      environment: Environment,
      player: Player,
      { stats: input }: { stats: Record<string, unknown> },
    ): Promise<Submitted> {
      const submittedAt = clock.now()
      const reported = Object.entries(input)
      if (reported.length > LIMITS.statsPerSubmitMax) throw new ApiError('too_many_stats')

      const { config } = await configs.current(environment.id)
      await requireWithinCap(environment.id, player.id, config.integrity.stats.maxSubmitsPerMinute)

      const checked = check(config, reported)
      const asks = config.features.statsVerification && config.integrity.stats.webhook.url !== null
      const { accepted, rejected } =
        asks && checked.accepted.length > 0
          ? await verify(environment, player, config, checked, submittedAt)
          : checked

      // Before the values: if this fails the caller tries again, and values must not count twice.
      await signals.record(environment.id, player.id, rejected)
      const values = await store
        .of(environment.id, player.id)
        .combine(accepted, periodsAt(config.resetTimeZone, submittedAt), submittedAt.toISOString())
      return { stats: Object.fromEntries(values), rejected, unlocked: [] }
    },
  }
}
