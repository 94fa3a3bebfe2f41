import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { dayAt } from '../../platform/time/periods.ts'
import { runs } from '../../testing/runs.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { suite } from '../../testing/suite.ts'

const AGGREGATIONS = { total: 'sum', best: 'max', fastest: 'min', level: 'latest' } as const
type Key = keyof typeof AGGREGATIONS
const KEYS = Object.keys(AGGREGATIONS) as Key[]
const CONFIG = {
  features: { stats: true },
  stats: KEYS.map((key) => ({ key, aggregation: AGGREGATIONS[key] })),
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

type Report = Partial<Record<Key, number>>
type Step = { report: Report } | { atOnce: Report[] } | { advanceMs: number } | { zone: string }

const doubles = fc.double({ min: -1e6, max: 1e6, noNaN: true })
/** Quarters: their sum is exact in any order. */
const quarters = fc.integer({ min: -4_000, max: 4_000 }).map((whole) => whole / 4)
const values = fc.oneof(quarters, doubles)

const reportsOf = (total: fc.Arbitrary<number>) =>
  fc.record({ total, best: values, fastest: values, level: values }, { requiredKeys: [] })
/** Stats for which the order of reports does not matter. */
const orderless = fc.record({ total: quarters, best: values, fastest: values }, { requiredKeys: [] })

const advances = fc.record({ advanceMs: fc.integer({ min: 1, max: 10 * 86_400_000 }) })
const zones = fc.record({ zone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Havana') })
const length = { minLength: 4, maxLength: 14 }
const inARow = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ report: reportsOf(values) }) },
    { weight: 3, arbitrary: advances },
    { weight: 1, arbitrary: zones },
  ),
  length,
)
const sometimesAtOnce = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ report: reportsOf(quarters) }) },
    { weight: 2, arbitrary: fc.record({ atOnce: fc.array(orderless, { minLength: 2, maxLength: 8 }) }) },
    { weight: 3, arbitrary: advances },
    { weight: 1, arbitrary: zones },
  ),
  length,
)
const scripts = fc.oneof({ weight: 1, arbitrary: inARow }, { weight: 2, arbitrary: sometimesAtOnce })

/** A very simple implementation of stats: all accepted reports of a stat, and a fold over those of a period. */
function createModel() {
  const accepted: Record<Key, { value: number; zone: string; atMs: number }[]> = {
    total: [],
    best: [],
    fastest: [],
    level: [],
  }

  function fold(key: Key, isOfPeriod: (zone: string, atMs: number) => boolean): number {
    const reports = accepted[key]
    const firstOf = reports.findLastIndex(({ zone, atMs }) => !isOfPeriod(zone, atMs)) + 1
    const [first = 0, ...others] = reports.slice(firstOf).map(({ value }) => value)
    return others.reduce(FOLDS[AGGREGATIONS[key]], first)
  }

  return {
    report(report: Report, zone: string, atMs: number) {
      for (const [key, value] of Object.entries(report)) accepted[key as Key].push({ value, zone, atMs })
    },
    allTime: () =>
      Object.fromEntries(
        KEYS.filter((key) => accepted[key].length > 0).map((key) => [key, fold(key, () => true)]),
      ),
    periodsOf(key: Key, zone: string, atMs: number) {
      const now = dayAt(zone, atMs)
      const within = (period: 'day' | 'week' | 'month') =>
        fold(key, (itsZone, itsMs) => itsZone === zone && dayAt(zone, itsMs)[period] === now[period])
      return {
        allTime: fold(key, () => true),
        daily: within('day'),
        weekly: within('week'),
        monthly: within('month'),
      }
    },
  }
}

const FOLDS = {
  sum: (before: number, value: number) => before + value,
  max: (before: number, value: number) => Math.max(before, value),
  min: (before: number, value: number) => Math.min(before, value),
  latest: (_: number, value: number) => value,
}

suite('stats compared with a simple model', {}, ({ service }) => {
  async function follow(script: Step[]) {
    // A day later, so that repeated runs of fast-check do not reach the limit of sign-ups.
    service.clock.advance(86_400_000)
    const { development } = await service.newProject()
    const push = (resetTimeZone: string) =>
      development.server('PUT', '/v1/config', { ...CONFIG, resetTimeZone })
    await push('UTC')
    const player = await newStatsPlayer(development)
    const model = createModel()
    let zone = 'UTC'

    for (const step of script) {
      const atMs = service.clock.now().getTime()
      if ('advanceMs' in step) {
        service.clock.advance(step.advanceMs)
        await player.renew()
      } else if ('zone' in step) {
        await push(step.zone)
        zone = step.zone
      } else if ('atOnce' in step) {
        await Promise.all(step.atOnce.map((report) => player.submit(report)))
        for (const report of step.atOnce) model.report(report, zone, atMs)
      } else {
        const { body } = await player.submit(step.report)
        model.report(step.report, zone, atMs)
        const keys = Object.keys(step.report) as Key[]
        const expected = Object.fromEntries(keys.map((key) => [key, model.periodsOf(key, zone, atMs)]))
        assert.deepEqual(asSent(body.stats), asSent(expected))
      }
    }
    assert.deepEqual(asSent(await player.read()), asSent(model.allTime()))
  }

  test('every value is the fold of the accepted reports of its period', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, (script) => follow(script as Step[])),
      { numRuns: runs(10, 200) },
    )
  })
})

/** JSON has no -0. */
const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
