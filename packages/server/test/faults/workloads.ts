import type { ParseArgsOptionsConfig } from 'node:util'

import type { Workload } from './writers.ts'

/** Single rows and counters, straight into the database engine. An answer is `<id>`, or `<counter> <value>`. */
const rows: Workload = {
  script: 'writer.ts',
  lost(database, answers) {
    const ids = new Set(
      database
        .prepare('select id from secrets')
        .all()
        .map(({ id }) => id),
    )
    const heads = database.prepare('select "projectId", sequence from audit_heads').all()
    const counters = new Map(heads.map(({ projectId, sequence }) => [projectId, Number(sequence)]))
    return answers.filter((answer) => {
      const [name = '', sequence] = answer.split(' ')
      return sequence === undefined ? !ids.has(name) : (counters.get(name) ?? 0) < Number(sequence)
    }).length
  },
}

/**
 * Saves through the whole service. An answer is `<player> <key> <version> <data>`, with `deleted` for the data of one that is gone,
 * and `deleted?` while that is being asked for.
 */
const saves: Workload = {
  script: 'saver.ts',
  lost(database, answers) {
    const find = database.prepare('select version, data from saves where "playerId" = ? and key = ?')
    return [...lastOfEach(answers)].filter(([save, [version, data]]) => {
      const row = find.get(...save.split(' '))
      // One more may have been written whose answer never came.
      if (!row || Number(row['version']) < version) return true
      if (Number(row['version']) > version || data === 'deleted?') return false
      return row['data'] !== (data === 'deleted' ? null : data)
    }).length
  },
}

function lastOfEach(answers: readonly string[]): Map<string, [number, string]> {
  const last = new Map<string, [number, string]>()
  for (const answer of answers) {
    const [playerId, key, version, data = ''] = answer.split(' ')
    last.set(`${playerId} ${key}`, [Number(version), data])
  }
  return last
}

/** Of each player at once, so that reports of one row meet in one commit. */
export const REPORTERS = 3

/** What a reporter's report number `count` says, beside adding `count` to the sum: never the same twice, and ever more. */
export const reportedValue = (reporter: number, count: number): number => count * REPORTERS + reporter

/**
 * Stats through the whole service. An answer is `<player> <reporter> <count>`. A reporter asks for one thing at a time, so beside
 * what was answered there is at most one more of each.
 */
const stats: Workload = {
  script: 'reporter.ts',
  lost(database, answers) {
    const find = database.prepare('select "allTime" from stats where "playerId" = ? and key = ?')
    const found = (playerId: string, key: string) => Number(find.get(playerId, key)?.['allTime'])

    return [...lastReports(answers)].filter(([playerId, counts]) => {
      const answered = total(counts.map((count) => (count * (count + 1)) / 2))
      const inFlight = total(counts.map((count) => count + 1))
      const [points, best] = [found(playerId, 'points'), found(playerId, 'best')]
      const values = counts.map((count, reporter) => reportedValue(reporter, count))
      const possible = [...values, ...counts.map((count, reporter) => reportedValue(reporter, count + 1))]
      const isKept =
        points >= answered &&
        points <= answered + inFlight &&
        best >= Math.max(...values) &&
        possible.includes(best) &&
        possible.includes(found(playerId, 'level'))
      return !isKept
    }).length
  },
}

/** How many of each reporter were answered, by player. */
function lastReports(answers: readonly string[]): Map<string, number[]> {
  const last = new Map<string, number[]>()
  for (const answer of answers) {
    const [playerId = '', reporter, count] = answer.split(' ')
    const counts = last.get(playerId) ?? Array.from({ length: REPORTERS }, () => 0)
    counts[Number(reporter)] = Number(count)
    last.set(playerId, counts)
  }
  return last
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

export const WORKLOADS = { rows, saves, stats }

/** `--of saves`, `--of stats` */
export const workloadOption = { of: { type: 'string', default: 'rows' } } satisfies ParseArgsOptionsConfig

/** `--sync each` */
export const syncOption = { sync: { type: 'string', default: 'group' } } satisfies ParseArgsOptionsConfig

export const syncModeOf = ({ sync }: { sync: string }) => (sync === 'each' ? 'each' : 'group')

export function workloadOf({ of }: { of: string }): Workload {
  const workload = (WORKLOADS as Record<string, Workload>)[of]
  if (!workload) throw new Error(`--of must be ${Object.keys(WORKLOADS).join(' or ')}`)
  return workload
}
