import type { ParseArgsOptionsConfig } from 'node:util'

import type { Workload } from './writers.ts'

/** Writes single rows and counters directly to the database engine. A recorded response is `<id>`, or `<counter> <value>`. */
const rows: Workload = {
  script: 'writer-process.ts',
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
 * Writes saves through the whole service. A recorded response is `<player> <key> <version> <data>`. The data of a deleted save is
 * `deleted`, or `deleted?` while its deletion has no response.
 */
const saves: Workload = {
  script: 'save-workload.ts',
  lost(database, answers) {
    const find = database.prepare('select version, data from saves where "playerId" = ? and key = ?')
    return [...lastOfEach(answers)].filter(([save, [version, data]]) => {
      const row = find.get(...save.split(' '))
      // One more write may have happened without a response.
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

/** Concurrent reporters per player, so that reports of one row meet in one commit. */
export const REPORTERS = 3

/**
 * The value of a reporter's report number `count`, in addition to adding `count` to the sum. The values are distinct and
 * increase.
 */
export const reportedValue = (reporter: number, count: number): number => count * REPORTERS + reporter

/**
 * Reports stats through the whole service. A recorded response is `<player> <reporter> <count>`. A reporter sends one report at a
 * time, so at most one more report per reporter was made without a response.
 */
const stats: Workload = {
  script: 'stats-workload.ts',
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

/** Player → number of acknowledged reports of each reporter. */
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
