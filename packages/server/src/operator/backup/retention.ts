import { LIMITS } from '@svc/contract/common/limits'

import { DAY_MS } from '../../platform/clock.ts'
import type { BackupKeep } from '../../platform/setting-parsers.ts'
import type { Stored } from './places/place.ts'

/**
 * The backups to remove. Kept are the newest verified one of each of the last so many days, weeks and months that have one, those of
 * the last 24 hours (one from before a change should not be removed by the next one), and always the newest verified one.
 */
export function toRemove(stored: readonly Stored[], keep: BackupKeep, nowMs: number): Stored[] {
  const newestFirst = stored.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  const verified = newestFirst.filter(({ report }) => report?.verifiedAt != null)
  const kept = new Set<Stored>([
    ...verified.slice(0, 1),
    ...newestFirst
      .filter(({ createdAt }) => nowMs - Date.parse(createdAt) < DAY_MS)
      .slice(0, LIMITS.backupsKeptMax),
    ...newestOfEach(verified, keep.days, ({ createdAt }) => createdAt.slice(0, 10)),
    ...newestOfEach(verified, keep.weeks, ({ createdAt }) => weekOf(createdAt)),
    ...newestOfEach(verified, keep.months, ({ createdAt }) => createdAt.slice(0, 7)),
  ])
  return newestFirst.filter((one) => !kept.has(one))
}

function newestOfEach(
  newestFirst: readonly Stored[],
  countMax: number,
  periodOf: (one: Stored) => string,
): Stored[] {
  const periods = new Map<string, Stored>()
  for (const one of newestFirst) if (!periods.has(periodOf(one))) periods.set(periodOf(one), one)
  return [...periods.values()].slice(0, countMax)
}

/** The number of weeks since a Monday, so that a week does not end with its year. */
const weekOf = (createdAt: string) => String(Math.floor((Date.parse(createdAt) / DAY_MS + 3) / 7))
