import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'

import type { Row, Table } from './harness.ts'
import { METRIC_NAMES, METRICS } from './metrics.ts'

export type RunConditions = ReturnType<typeof runConditions>
export type BenchReport = RunConditions & { tables: Table[] }

/** The information that a reader needs to judge or repeat the measurement. */
export const runConditions = (run: { rounds: number; seconds: number; connections: number }) => ({
  commit: git('rev-parse', 'HEAD'),
  /** True if the measured code differs from the commit. */
  uncommittedChanges: git('status', '--porcelain', '--', ':(top)', ':(top,exclude)bench/results') !== '',
  date: new Date().toISOString(),
  node: process.version,
  /** Includes the load average at the start: other processes on the same cores affect even the ratios. */
  machine: `${availableParallelism()} cores, ${process.arch}, load average ${loadavg()[0]?.toFixed(1)}`,
  ...run,
})

export function save(name: string, report: BenchReport): string {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(folder, `${name}.md`), markdown(report))
  return join(folder, `${name}.json`)
}

export function markdown(report: BenchReport): string {
  const { commit, uncommittedChanges, date, node, machine, rounds, seconds, connections, tables } = report
  const head =
    `Commit ${commit.slice(0, 10)}${uncommittedChanges ? ' with uncommitted changes' : ''}, ${date}, Node ${node}, ` +
    `${machine}; medians of ${rounds} rounds of ${seconds} s, ${connections} connections.`
  return [head, ...tables.map(table), ''].join('\n\n')
}

function table({ name, about, comparedMetric, baselines, rows }: Table): string {
  const metrics = METRIC_NAMES.filter((metric) => rows.some(({ medians }) => medians[metric] !== undefined))
  const hasGoal = rows.some(({ goals }) => goals.length > 0)

  const titles = [
    '',
    ...metrics.map((metric) => METRICS[metric].title),
    ...baselines.map((line) => `${METRICS[comparedMetric].title} ÷ ${line}`),
    ...(hasGoal ? ['goals'] : []),
  ]
  const lines = rows.map((row) => [
    row.line,
    ...metrics.map((metric) => number(row.medians[metric], METRICS[metric].digits)),
    ...baselines.map((line) => number(row.ratios[line], digitsOf(row.ratios[line]))),
    ...(hasGoal ? [row.goals.map(goal).join('; ')] : []),
  ])
  const rule = titles.map((_, column) => (column === 0 ? '---' : '--:'))
  return [
    `## ${name}`,
    about,
    [titles, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  ].join('\n\n')
}

const number = (value: number | undefined, digits: number): string =>
  value === undefined
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Enough digits to distinguish 1/10 from 1/9. */
const digitsOf = (ratio = 1): number => (ratio < 0.5 ? 3 : 2)

function goal(goal: Row['goals'][number]): string {
  const bound = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${round(goal.atMost)}`
  const subject = 'metric' in goal ? METRICS[goal.metric].title : `÷ ${goal.baseline}`
  return `${goal.met ? 'met' : '**missed**'}: ${subject} ${bound} (goal ${goal.number})`
}

const round = (value: number): number => Number(value.toFixed(3))

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
