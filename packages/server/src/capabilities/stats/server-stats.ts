import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { Submitted } from '@svc/contract/stats'

import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { PlayerStatus } from '../../platform/player.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import { HIDDEN_BY, type Rankings } from '../../platform/ports/ranking.ts'
import { createPeriods } from '../../platform/time/periods.ts'
import { createIntegrity, type StatsConfig } from './integrity.ts'
import type { Queries, StatStore, Transaction } from './store.ts'

type ServerStatsDeps = {
  clock: Clock
  config: { current(environmentId: string): Awaitable<{ config: StatsConfig }> }
  leaderboards: Rankings<StatsConfig, Queries>
  audit: Audit<Transaction>
  /** A transaction that excludes other changes of this player. */
  changePlayer<T>(
    environmentId: string,
    playerId: string,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>
  /** Undefined if there is no such player. */
  findStatus(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
  ): Promise<PlayerStatus | undefined>
  isBanned(status: PlayerStatus): boolean
}
export type ServerStats = ReturnType<typeof createServerStats>

/**
 * Values that the developer's server reports (STA-04): the rules of the config apply. There is nobody else to ask, so they count as
 * approved; a server is trusted, so there is no limit per minute and a rejected value is not a signal about the player.
 */
export function createServerStats(store: StatStore, deps: ServerStatsDeps) {
  const { clock, config: configs, leaderboards, audit, changePlayer, findStatus, isBanned } = deps
  const check = createIntegrity()
  const periodsAt = createPeriods()

  return {
    async submit(
      environment: Environment,
      actor: Actor,
      playerId: string,
      { stats }: { stats: Record<string, unknown> },
    ): Promise<Submitted> {
      const { id: environmentId } = environment
      const reported = Object.entries(stats)
      if (reported.length > LIMITS.statsPerSubmitMax) throw new ApiError('too_many_stats')
      const submittedAt = clock.now()
      const { config } = await configs.current(environmentId)
      const { accepted, rejected } = check(config, reported, 'server')
      const periods = periodsAt(config.resetTimeZone, submittedAt)
      // Before the transaction: it may open boards.
      const ranking = await leaderboards.rankingOf(environmentId, config, accepted, periods, {
        hidden: null,
        isVerified: true,
      })
      const values = await changePlayer(environmentId, playerId, async (transaction) => {
        const status = await findStatus(transaction, environmentId, playerId)
        if (!status) throw new ApiError('player_not_found')
        if (accepted.length === 0) return []
        const details = { keys: accepted.map(({ key }) => key) }
        await audit.record(transaction, changeIn(environment, actor, 'stats.write', playerId, details))
        return store
          .in(transaction)
          .of(environmentId, playerId)
          .combine(
            accepted,
            periods,
            submittedAt.toISOString(),
            ranking && { ...ranking, hidden: whyHidden(status) },
          )
      })
      if (ranking?.stored) await ranking.stored()
      return { stats: Object.fromEntries(values), rejected, unlocked: [] }
    },
  }

  function whyHidden(status: PlayerStatus): number | null {
    if (isBanned(status)) return HIDDEN_BY.ban
    return status.leaderboardsHidden ? HIDDEN_BY.choice : null
  }
}
