import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'

import { FIGURE_NAMES, FIGURES } from './figures.ts'
import type { Row, Table } from './harness.ts'

export type Circumstances = ReturnType<typeof circumstances>
export type Report = Circumstances & { tables: Table[] }

/** Whatever a reader needs to judge the figures, or to measure them again. */
export const circumstances = (run: { rounds: number; seconds: number; connections: number }) => ({
  commit: git('rev-parse', 'HEAD'),
  /** True: something was measured that is not in the commit. */
  uncommittedChanges: git('status', '--porcelain', '--', ':(top)', ':(top,exclude)bench/results') !== '',
  date: new Date().toISOString(),
  node: process.version,
  /** With the load at the start: ratios suffer, too, where others want the same cores. */
  machine: `${availableParallelism()} cores, ${process.arch}, load average ${loadavg()[0]?.toFixed(1)}`,
  ...run,
})

export function save(name: string, report: Report): string {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(folder, `${name}.md`), markdown(report))
  return join(folder, `${name}.json`)
}

export function markdown(report: Report): string {
  const { commit, uncommittedChanges, date, node, machine, rounds, seconds, connections, tables } = report
  const head =
    `Commit ${commit.slice(0, 10)}${uncommittedChanges ? ' with uncommitted changes' : ''}, ${date}, Node ${node}, ` +
    `${machine}; medians of ${rounds} rounds of ${seconds} s, ${connections} connections.`
  return [head, ...tables.map(table), ''].join('\n\n')
}

function table({ name, about, compared, against, rows }: Table): string {
  const figures = FIGURE_NAMES.filter((figure) => rows.some(({ medians }) => medians[figure] !== undefined))
  const hasGoal = rows.some(({ goals }) => goals.length > 0)

  const titles = [
    '',
    ...figures.map((figure) => FIGURES[figure].title),
    ...against.map((line) => `${FIGURES[compared].title} ÷ ${line}`),
    ...(hasGoal ? ['goals'] : []),
  ]
  const lines = rows.map((row) => [
    row.line,
    ...figures.map((figure) => number(row.medians[figure], FIGURES[figure].digits)),
    ...against.map((line) => number(row.ratios[line], digitsOf(row.ratios[line]))),
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

/** A tenth is told from a ninth. */
const digitsOf = (ratio = 1): number => (ratio < 0.5 ? 3 : 2)

function goal(goal: Row['goals'][number]): string {
  const bound = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${round(goal.atMost)}`
  const subject = 'figure' in goal ? FIGURES[goal.figure].title : `÷ ${goal.against}`
  return `${goal.met ? 'met' : '**missed**'}: ${subject} ${bound} (goal ${goal.number})`
}

const round = (value: number): number => Number(value.toFixed(3))

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
