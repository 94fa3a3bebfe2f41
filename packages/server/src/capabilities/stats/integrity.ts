import type { Config } from '@svc/contract/config/defaults'
import type { Rejected, RejectedReason } from '@svc/contract/stats'

import { MINUTE_MS } from '../../platform/clock.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'

export type StatsConfig = Pick<Config, 'resetTimeZone' | 'stats' | 'integrity'> & {
  features: Pick<Config['features'], 'statsVerification'>
}
type Aggregation = StatsConfig['stats'][number]['aggregation']
export type AcceptedStat = { key: string; value: number; aggregation: Aggregation }
export type CheckResult = { accepted: AcceptedStat[]; rejected: Rejected[] }

type Rule = { aggregation: Aggregation; serverOnly: boolean; maxPerSubmit: number; min: number; max: number }

/** Checks reported values against the config (STA-01, STA-07): the maximum always, the other rules while verification is on. */
export function createIntegrity() {
  const known = new WeakMap<StatsConfig, ReadonlyMap<string, Rule>>()

  function rulesOf(config: StatsConfig): ReadonlyMap<string, Rule> {
    const rules = known.get(config) ?? new Map(config.stats.map((stat) => [stat.key, ruleOf(stat, config)]))
    known.set(config, rules)
    return rules
  }

  /** A rejected value does not affect the others (STA-08). */
  return function check(
    config: StatsConfig,
    reported: readonly [key: string, value: unknown][],
    reporter: 'player' | 'server',
  ): CheckResult {
    const rules = rulesOf(config)
    const checked: CheckResult = { accepted: [], rejected: [] }
    for (const [key, value] of reported) {
      const rule = rules.get(key)
      if (!rule) checked.rejected.push({ key, value, reason: 'unknown_stat' })
      else if (rule.serverOnly && reporter === 'player')
        checked.rejected.push({ key, value, reason: 'server_only' })
      else if (!isFinite(value)) checked.rejected.push({ key, value, reason: 'invalid_value' })
      else {
        const reason = reasonAgainst(rule, value)
        if (reason) checked.rejected.push({ key, value, reason })
        else checked.accepted.push({ key, value, aggregation: rule.aggregation })
      }
    }
    return checked
  }
}

function ruleOf(stat: StatsConfig['stats'][number], { features, integrity }: StatsConfig): Rule {
  const active = features.statsVerification ? integrity.stats.rules : []
  const { min = -Infinity, max = Infinity } = active.find((rule) => rule.stat === stat.key) ?? {}
  const { aggregation, source, maxPerSubmit = Infinity } = stat
  return { aggregation, serverOnly: source === 'server', maxPerSubmit, min, max }
}

const isFinite = (value: unknown): value is number => Number.isFinite(value)

function reasonAgainst({ maxPerSubmit, min, max }: Rule, value: number): RejectedReason | undefined {
  if (value > maxPerSubmit) return 'above_max_per_submit'
  if (value < min) return 'below_min'
  if (value > max) return 'above_max'
  return undefined
}

/** STA-11: counted on all nodes together. If the counters are down, reports are not limited; the rules still apply. */
export function createSubmitCap(counters: SlidingCounters) {
  return async (environmentId: string, playerId: string, perMinuteMax: number): Promise<void> => {
    const admission = await counters
      .admit(`stats:${environmentId}:${playerId}`, MINUTE_MS, perMinuteMax)
      .catch(() => ({ isAdmitted: true, retryInMs: 0 }))
    requireAdmitted(admission)
  }
}
