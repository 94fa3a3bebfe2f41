import { runByCommand } from './command.ts'
import { type FuzzReport, fuzz } from './fuzz-run.ts'

/** node --conditions=source packages/server/test/fuzz/fuzz.ts --requests 20000 --seed 1 --engine sqlite */
await runByCommand(
  { name: 'requests', byDefault: 20000 },
  ({ count: requests, ...options }) => fuzz({ requests, ...options }),
  summary,
)

function summary({ requests, byTarget, byCode, problems, slowestMs }: FuzzReport, seconds: number): string {
  const classes = [...new Set(byTarget.flatMap(({ byClass }) => Object.keys(byClass)))].toSorted()
  const row = (name: string, cells: (string | number)[]) =>
    [name.padEnd(46), ...cells.map((cell) => String(cell).padStart(8))].join('')
  const total = (name: string) => byTarget.reduce((sum, { byClass }) => sum + (byClass[name] ?? 0), 0)
  const codes = [...byCode].toSorted(([, a], [, b]) => b - a)
  return [
    row('', ['requests', ...classes]),
    ...byTarget.map(({ target, requests: count, byClass }) =>
      row(target, [count, ...classes.map((name) => byClass[name] ?? 0)]),
    ),
    row('all', [requests, ...classes.map(total)]),
    '',
    codes.map(([code, count]) => `${code} ${count}`).join(', '),
    '',
    `${requests} requests in ${seconds.toFixed(1)} s, at least ${Math.min(...byTarget.map((tally) => tally.requests))} to each, slowest ${Math.round(slowestMs)} ms, ${problems.length} problems`,
    ...problems.slice(0, 40),
  ].join('\n')
}
