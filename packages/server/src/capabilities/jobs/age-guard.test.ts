import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { statement } from '../../engines/database/database.ts'
import { createStoppedClock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { createAgeGuard } from '../../platform/jobs/age-guard.ts'
import { createJobs, hourly, hourlyRemoval } from '../../platform/jobs/jobs.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/databases.ts'
import { newGuest } from '../../testing/guests.ts'
import { engines, startService } from '../../testing/service.ts'
import { createJobStore } from './index.ts'

const clear = statement((q) => q.deleteFrom('jobs'))

for (const engine of engines)
  describe(`a clock that leaps, on ${engine}`, () => {
    let database: TestDatabase
    before(async () => void (database = await openTestDatabase(engine)))
    afterEach(() => database.db.run(clear, {}))
    after(() => database.close())

    /** A node with its own clock: `advance` lets time pass, `step` sets it. */
    function startNode(clock = createStoppedClock()) {
      const [removed, counted, reports]: [string[], string[], object[]] = [[], [], []]
      const runsAt = (runs: string[]) => async () => void runs.push(clock.now().toISOString())
      const store = createJobStore(database.db)
      const ageGuard = createAgeGuard({
        clock,
        report: (leap) => reports.push(leap),
      })
      const { runDue } = createJobs(
        [hourlyRemoval('test.remove', runsAt(removed)), hourly('test.count', runsAt(counted))],
        {
          // Claims go by the time of the database, which is right.
          store: { ...store, nowMs: () => store.nowMs() + clock.elapsedMs() },
          clock,
          ageGuard,
          background: { run: (work) => void work(), stopping: new AbortController().signal },
          report: ({ err }) => assert.fail(err as Error),
          reportClock: () => {},
        },
      )
      return {
        clock,
        removed,
        counted,
        reports,
        waits: () => ageGuard.waiting() !== undefined,
        /** Looks three times, because a job from the future is first discarded and then run. */
        async look() {
          for (let at = 0; at < 3; at++) await runDue()
        },
      }
    }
    const at = (ms: number) => new Date(Date.parse('2026-01-01') + ms).toISOString()

    test('[OPS-77] nothing is removed by a clock that is far ahead for a moment, and other jobs run', async () => {
      const node = startNode()
      await node.look()
      node.clock.step(426 * DAY_MS)
      await node.look()
      assert.deepEqual([node.removed, node.counted], [[at(0)], [at(0), at(426 * DAY_MS)]])
      assert.deepEqual(node.reports, [{ now: at(426 * DAY_MS), lastRunAt: at(0) }])
      assert.equal(node.waits(), true)

      node.clock.step(-426 * DAY_MS)
      assert.equal(node.waits(), false)
      node.clock.advance(HOUR_MS)
      await node.look()
      assert.deepEqual(node.removed, [at(0), at(HOUR_MS)])
    })

    test('[OPS-77] after an hour the clock counts as right: the service was off for a month', async () => {
      await startNode().look()
      const node = startNode()
      node.clock.step(30 * DAY_MS)
      await node.look()
      node.clock.advance(HOUR_MS - MINUTE_MS)
      await node.look()
      assert.deepEqual(node.removed, [])
      node.clock.advance(MINUTE_MS)
      await node.look()
      assert.deepEqual(node.removed, [at(30 * DAY_MS + HOUR_MS)])
      assert.equal(node.waits(), false)
      node.clock.advance(HOUR_MS)
      await node.look()
      assert.equal(node.removed.length, 2)
      assert.equal(node.reports.length, 1, 'it waits once')
    })

    test('[OPS-77] a day more, and time that the process saw pass, need no wait', async () => {
      const node = startNode()
      await node.look()
      node.clock.step(DAY_MS)
      await node.look()
      assert.equal(node.removed.length, 1 + 1, 'a day')
      node.clock.advance(30 * DAY_MS)
      await node.look()
      assert.equal(node.removed.length, 3, 'seen to pass')
      assert.deepEqual(node.reports, [])
    })

    test('[OPS-77] a process that has lived for long before the first run notices a leap after it', async () => {
      const node = startNode()
      node.clock.advance(60 * DAY_MS)
      await node.look()
      node.clock.step(32 * DAY_MS)
      await node.look()
      assert.equal(node.removed.length, 1)
    })

    test('[OPS-77] a node whose clock is wrong removes nothing for as long as others run the job', async () => {
      const [right, wrong] = [startNode(), startNode()]
      await right.look()
      wrong.clock.step(426 * DAY_MS)
      for (let minute = 0; minute < 5 * 60; minute += 20) {
        for (const node of [right, wrong]) {
          node.clock.advance(20 * MINUTE_MS)
          await node.look()
        }
      }
      assert.equal(right.removed.length, 6)
      assert.deepEqual(wrong.removed, [])
    })
  })

for (const engine of engines)
  test(`[OPS-77] sessions outlive a clock that was a year ahead, and the part clock says that jobs wait, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const project = await service.newProject()
    const guest = await newGuest(project.development)
    await service.jobs.runDue()

    service.clock.step(426 * DAY_MS)
    await service.jobs.runDue()
    const { state, says } = (await service.call('GET', '/readyz?parts=true')).body.parts.clock
    assert.equal(state, 'warning')
    assert.match(
      says,
      /^2027-03-03T.*, but jobs last removed what is old at 2026-01-01T00:00:00\.000Z: they wait/,
    )

    service.clock.step(-426 * DAY_MS)
    const refreshed = await project.development.public('POST', '/v1/auth/refresh', {
      refreshToken: guest.refreshToken,
    })
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
  })
