import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { engines } from '../../src/testing/service.ts'
import { fuzz, type Report } from './fuzz-run.ts'

/** node --conditions=source packages/server/test/fuzz/fuzz.ts --requests 20000 --seed 1 --engine sqlite */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const engine = engines.find((name) => name === values.engine)
if (!engine) throw new Error(`--engine is one of ${engines.join(', ')}`)

const needsServices = engine === 'postgres' && !process.env['TEST_POSTGRES_URL']
const services = needsServices ? await startServices({ sync: false }) : undefined
if (services)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })

try {
  console.log(`engine ${engine}, seed ${values.seed}`)
  const startedAt = performance.now()
  const report = await fuzz({ engine, requests: Number(values.requests), seed: Number(values.seed) })
  console.log(summary(report, (performance.now() - startedAt) / 1_000))
  process.exitCode = report.problems.length > 0 ? 1 : 0
} finally {
  await services?.stop()
}

function summary({ requests, byTarget, byCode, problems, slowestMs }: Report, seconds: number): string {
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
