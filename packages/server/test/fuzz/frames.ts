import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { engines } from '../../src/testing/service.ts'
import { type FrameReport, fuzzFrames } from './frames-run.ts'

/** node --conditions=source packages/server/test/fuzz/frames.ts --frames 50000 --seed 1 --engine sqlite */
const { values } = parseArgs({
  options: {
    frames: { type: 'string', default: '50000' },
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
  const report = await fuzzFrames({ engine, frames: Number(values.frames), seed: Number(values.seed) })
  console.log(summary(report, (performance.now() - startedAt) / 1_000))
  process.exitCode = report.problems.length > 0 ? 1 : 0
} finally {
  await services?.stop()
}

function summary(report: FrameReport, seconds: number): string {
  const list = (counts: Map<string, number>) =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ')
  return [
    `frames: ${list(report.byFrame).slice(0, 4_000)}`,
    `answers: ${list(report.byCode)}`,
    `bytes: ${list(report.byAttack)}`,
    `${report.frames} frames and ${report.attacks} byte attacks in ${seconds.toFixed(1)} s, ${report.messages} messages of good players delivered, ${report.problems.length} problems`,
    ...report.problems.slice(0, 40),
  ].join('\n')
}
