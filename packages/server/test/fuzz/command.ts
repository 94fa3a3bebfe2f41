import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { type Engine, engines } from '../../src/testing/service.ts'

export type LongRun = { engine: Engine; count: number; seed: number }
type Outcome = { problems: readonly unknown[] }

/**
 * Runs the long form of a fuzz test from the command line, with --seed, --engine and a count. Exits with 1 if there were
 * problems.
 */
export async function runByCommand<Report extends Outcome>(
  what: { name: string; byDefault: number },
  run: (options: LongRun) => Promise<Report>,
  summary: (report: Report, seconds: number) => string,
) {
  const { values } = parseArgs({
    options: {
      [what.name]: { type: 'string', default: String(what.byDefault) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      engine: { type: 'string', default: 'sqlite' },
    },
  })
  const engine = engines.find((name) => name === values['engine'])
  if (!engine) throw new Error(`--engine is one of ${engines.join(', ')}`)
  const [count, seed] = [Number(values[what.name]), Number(values['seed'])]

  const needsServices = engine === 'postgres' && !process.env['TEST_POSTGRES_URL']
  const services = needsServices ? await startServices({ sync: false }) : undefined
  if (services)
    Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })

  try {
    console.log(`engine ${engine}, seed ${seed}`)
    const startedAt = performance.now()
    const report = await run({ engine, count, seed })
    console.log(summary(report, (performance.now() - startedAt) / 1_000))
    process.exitCode = report.problems.length > 0 ? 1 : 0
  } finally {
    await services?.stop()
  }
}
