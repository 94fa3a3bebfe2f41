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

export const WORKLOADS = { rows, saves }

/** `--of saves` */
export const workloadOption = { of: { type: 'string', default: 'rows' } } satisfies ParseArgsOptionsConfig

export function workloadOf({ of }: { of: string }): Workload {
  const workload = (WORKLOADS as Record<string, Workload>)[of]
  if (!workload) throw new Error(`--of must be ${Object.keys(WORKLOADS).join(' or ')}`)
  return workload
}
