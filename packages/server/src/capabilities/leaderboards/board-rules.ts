import type { Config } from '@svc/contract/config/defaults'
import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Periods } from '../../platform/time/periods.ts'

/** The part of the config that leaderboards read. */
export type LeaderboardConfig = Pick<Config, 'resetTimeZone' | 'stats'>

/** The leaderboard of a stat in the config. */
export type BoardRule = {
  key: string
  aggregation: LeaderboardConfig['stats'][number]['aggregation']
  order: 'desc' | 'asc'
  periods: readonly LeaderboardPeriod[]
  verifiedOnly: boolean
}
export type BoardRules = ReadonlyMap<string, BoardRule>

const known = new WeakMap<LeaderboardConfig, BoardRules>()
const NONE: BoardRules = new Map()

/** Empty if no stat has a leaderboard. A config object never changes, so its rules are computed once. */
export function boardRulesOf(config: LeaderboardConfig): BoardRules {
  const found = known.get(config)
  if (found) return found
  const rules = new Map<string, BoardRule>()
  for (const { key, aggregation, leaderboard } of config.stats)
    if (leaderboard) rules.set(key, { key, aggregation, ...leaderboard })
  known.set(config, rules.size === 0 ? NONE : rules)
  return rules
}

export function requireBoard(config: LeaderboardConfig, key: string): BoardRule {
  const rules = boardRulesOf(config)
  const rule = rules.get(key)
  if (!rule) throw new ApiError('leaderboard_not_found', undefined, { message: unknownBoard(rules) })
  return rule
}

const NAMED_MAX = 20

/** Names the leaderboards that exist, because a key is often mistyped. The same for every key (GEN-23). */
function unknownBoard(rules: BoardRules): string {
  const sentence = 'There is no leaderboard with this key.'
  const keys = [...rules.keys()]
  if (keys.length === 0) return `${sentence} No stat of this environment has a leaderboard in the config.`
  const more = keys.length > NAMED_MAX ? ', …' : ''
  return `${sentence} This environment has: ${keys.slice(0, NAMED_MAX).join(', ')}${more}.`
}

/** The requested period, or the first one. */
export function requirePeriod(
  { periods }: BoardRule,
  requested: LeaderboardPeriod | undefined,
): LeaderboardPeriod {
  const [first] = periods
  const period = requested ?? first
  if (period === undefined || !periods.includes(period))
    throw invalidField('$.period', `must be a period of this leaderboard: ${periods.join(', ')}`)
  return period
}

/** If the signature changes, a new board replaces the old one. */
export const signatureOf = (
  { order, aggregation, verifiedOnly }: BoardRule,
  period: LeaderboardPeriod,
  zone: string,
): string =>
  `${order} ${aggregation} ${verifiedOnly ? 'approved' : 'all'} ${period === 'allTime' ? '' : zone}`.trimEnd()

/** The label is empty for all time. */
export function labelOf(period: LeaderboardPeriod, { day, week, month }: Periods): string {
  return { allTime: '', daily: day, weekly: week, monthly: month }[period]
}

/** The kind of period of a label. */
export function periodOfLabel(label: string): 'daily' | 'weekly' | 'monthly' {
  if (label.includes('W')) return 'weekly'
  return label.length > '2026-11'.length ? 'daily' : 'monthly'
}
