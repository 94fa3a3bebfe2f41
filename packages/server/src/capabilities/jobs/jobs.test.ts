import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'

import { statement } from '../../engines/database/database.ts'
import {
  createStoppedClock,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type MovableClock,
  SECOND_MS,
} from '../../platform/clock.ts'
import { createAgeGuard } from '../../platform/jobs/age-guard.ts'
import { CLAIM_MS, createJobs, hourly, RETRY_AFTER_MS } from '../../platform/jobs/jobs.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/databases.ts'
import { engines, startService } from '../../testing/service.ts'
import { createJobStore } from './index.ts'

const clear = statement((q) => q.deleteFrom('jobs'))
const NAME = 'test.job'

for (const engine of engines) {
  describe(`scheduled jobs on ${engine}`, () => {
    let database: TestDatabase
    before(async () => void (database = await openTestDatabase(engine)))
    afterEach(() => database.db.run(clear, {}))
    after(() => database.close())

    type Shared = { clock: MovableClock; time: { addedMs: number } }
    const newService = (): Shared => ({ clock: createStoppedClock(), time: { addedMs: 0 } })

    /** A node of a service; `time` is added to the database's clock on all its nodes. */
    function startNode(
      { clock, time }: Shared,
      run: (slotAtMs: number, stopping: AbortSignal) => Promise<unknown>,
    ) {
      const store = createJobStore(database.db)
      const stop = new AbortController()
      const clocks: object[] = []
      const reported: { attempts: number; givenUp: boolean }[] = []
      const { runDue, metric } = createJobs([{ name: NAME, everyMs: HOUR_MS, run }], {
        store: { ...store, nowMs: () => store.nowMs() + time.addedMs },
        clock,
        ageGuard: createAgeGuard({ clock, report: () => assert.fail() }),
        background: { run: (work) => void work(), stopping: stop.signal },
        report: ({ attempts, givenUp }) => reported.push({ attempts, givenUp }),
        reportClock: (discarded) => clocks.push(discarded),
      })
      return { look: runDue, metric, reported, clocks, stop: () => stop.abort() }
    }

    test('exactly one of two nodes runs a job, once per slot', async () => {
      const service = newService()
      const runs: number[] = []
      const nodes = [1, 2].map(() => startNode(service, async (slotAtMs) => runs.push(slotAtMs)))
      const slots = [0, 1, 2].map((hour) => service.clock.now().getTime() + hour * HOUR_MS)
      for (const _ of slots) {
        await Promise.all(nodes.map(({ look }) => look()))
        for (const { look } of nodes) await look()
        service.clock.advance(HOUR_MS)
      }
      assert.deepEqual(runs, slots)
    })

    test('a job that is running is started neither again nor on another node', async () => {
      const service = newService()
      const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let runs = 0
      const run = async () => {
        runs++
        started.resolve()
        await ended.promise
      }
      const [one, other] = [startNode(service, run), startNode(service, run)]
      const running = one.look()
      await started.promise
      await one.look()
      await other.look()
      service.clock.advance(HOUR_MS)
      await other.look()
      assert.equal(runs, 1)
      ended.resolve()
      await running
    })

    test('slots that the clock was moved over are skipped', async () => {
      const service = newService()
      const runs: number[] = []
      const node = startNode(service, async (slotAtMs) => runs.push(slotAtMs))
      await node.look()
      service.clock.advance(5 * HOUR_MS + 10 * MINUTE_MS)
      await node.look()
      await node.look()
      const [first = 0] = runs
      assert.deepEqual(runs, [first, first + 5 * HOUR_MS])
    })

    test('a node whose clock is behind does not run an earlier slot again', async () => {
      const [ahead, behind] = [newService(), newService()]
      ahead.clock.advance(HOUR_MS)
      let runs = 0
      await startNode(ahead, async () => runs++).look()
      await startNode(behind, async () => runs++).look()
      assert.equal(runs, 1)
    })

    for (const isRestarted of [false, true])
      test(`after the clock was a year ahead, jobs run again by the right time, ${isRestarted ? 'with' : 'without'} a restart`, async () => {
        const [ahead, service] = [newService(), newService()]
        ahead.clock.advance(365 * DAY_MS)
        const runs: number[] = []
        const run = async (slotAtMs: number) => runs.push(slotAtMs)
        let current = ahead
        // One node: its clock is set right while it runs.
        const clock: MovableClock = { ...service.clock, now: () => current.clock.now() }
        const node = startNode({ ...service, clock }, run)
        await node.look()
        current = service
        const next = isRestarted ? startNode(service, run) : node
        for (let hour = 0; hour < 3; hour++) {
          for (let look = 0; look < 3; look++) await next.look()
          service.clock.advance(HOUR_MS)
        }
        const first = ahead.clock.now().getTime()
        const right = service.clock.now().getTime() - 3 * HOUR_MS
        assert.deepEqual(runs, [first, right, right + HOUR_MS, right + 2 * HOUR_MS])
        assert.deepEqual(next.clocks, [{ job: NAME, slotAt: new Date(first).toISOString() }])
      })

    test('a claim that a node made while its clock was a year ahead, and did not end, blocks nobody', async () => {
      const service = newService()
      const ahead = newService()
      ahead.clock.advance(365 * DAY_MS)
      ahead.time.addedMs = 365 * DAY_MS
      const started = Promise.withResolvers<void>()
      void startNode(ahead, () => {
        started.resolve()
        return new Promise(() => {})
      }).look()
      await started.promise
      let runs = 0
      const node = startNode(service, async () => runs++)
      for (let look = 0; look < 3; look++) await node.look()
      assert.equal(runs, 1)
    })

    test('[OPS-82] a failed job is repeated after growing pauses, on any node, and then given up until the next slot', async () => {
      const service = newService()
      let runs = 0
      const fail = async () => {
        runs++
        throw new Error('planted')
      }
      const nodes = [startNode(service, fail), startNode(service, fail)] as const
      for (const [index, retryAfterMs] of RETRY_AFTER_MS.entries()) {
        const [node, other] = index % 2 === 0 ? nodes : [nodes[1], nodes[0]]
        await node.look()
        await other.look()
        assert.equal(runs, index + 1)
        service.time.addedMs += retryAfterMs - SECOND_MS
        for (const { look } of nodes) await look()
        assert.equal(runs, index + 1, 'it ran before the end of the pause')
        service.time.addedMs += SECOND_MS
      }
      await nodes[0].look()
      const attempts = RETRY_AFTER_MS.length + 1
      assert.equal(runs, attempts)
      assert.deepEqual(nodes[0].reported.at(-1), { attempts, givenUp: true })

      service.time.addedMs += HOUR_MS
      for (const { look } of nodes) await look()
      assert.equal(runs, attempts, 'given up')
      assert.equal(
        nodes.flatMap(({ metric }) => metric.read()).reduce((sum, [, count]) => sum + count, 0),
        1,
      )
      service.clock.advance(HOUR_MS)
      await nodes[1].look()
      assert.equal(runs, attempts + 1)
    })

    test('a job that succeeds after a failure is done', async () => {
      const service = newService()
      let runs = 0
      const node = startNode(service, async () => {
        if (++runs === 1) throw new Error('planted')
      })
      await node.look()
      service.time.addedMs += RETRY_AFTER_MS[0] ?? 0
      await node.look()
      service.time.addedMs += HOUR_MS
      await node.look()
      assert.equal(runs, 2)
    })

    test('a node whose claim expired while it was stopped does not change the slot of the next one', async () => {
      const service = newService()
      const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const late = startNode(service, async () => {
        started.resolve()
        await ended.promise
        throw new Error('planted')
      })
      const running = late.look()
      await started.promise
      service.time.addedMs += CLAIM_MS
      let runs = 0
      const next = startNode(service, async () => runs++)
      await next.look()
      ended.resolve()
      await running
      service.time.addedMs += HOUR_MS
      await next.look()
      assert.equal(runs, 1)
    })

    test('a job that ends because its node stops is run again immediately, and is not reported as failed', async () => {
      const service = newService()
      const started = Promise.withResolvers<void>()
      const stopped = startNode(service, async (_, stopping) => {
        started.resolve()
        await once(stopping, 'abort')
        stopping.throwIfAborted()
      })
      const running = stopped.look()
      await started.promise
      stopped.stop()
      await running
      assert.deepEqual(stopped.reported, [])
      const runs: number[] = []
      await startNode(service, async (slotAtMs) => runs.push(slotAtMs)).look()
      assert.deepEqual(runs, [service.clock.now().getTime()])
    })

    test('the steps of an hourly job that are left when its node stops are not begun', async () => {
      const service = newService()
      const done: string[] = []
      const job = hourly(
        NAME,
        async () => void done.push('first'),
        async () => {
          done.push('second')
          node.stop()
        },
        async () => void done.push('third'),
      )
      const node = startNode(service, job.run)
      await node.look()
      assert.deepEqual(done, ['first', 'second'])
      const next = startNode(service, job.run)
      await next.look()
      assert.deepEqual(done, ['first', 'second', 'first', 'second', 'third'])
    })

    if (engine === 'sqlite') return
    test('a job whose node is killed is run by another node when the claim has expired', async () => {
      const service = newService()
      const path = join(import.meta.dirname, '../../testing/job-node.ts')
      const node = fork(path, [database.url ?? '', database.dataDir], { execArgv: ['--conditions=source'] })
      await once(node, 'message')
      let runs = 0
      const other = startNode(service, async () => runs++)
      await other.look()
      assert.equal(runs, 0, 'while the node runs')
      node.kill('SIGKILL')
      await once(node, 'exit')
      await other.look()
      assert.equal(runs, 0, 'while the claim is valid')
      service.time.addedMs += CLAIM_MS
      await other.look()
      await other.look()
      assert.equal(runs, 1)
    })

    test('two nodes of a service run each of its jobs once per slot', async () => {
      const one = await startService(engine)
      const other = await startService(engine, { clusterOf: one })
      const rows = () => one.db.search((q) => q.selectFrom('jobs').selectAll().orderBy('name'))
      await Promise.all([one.jobs.runDue(), other.jobs.runDue()])
      const first = await rows()
      assert.ok(first.length > 5)
      assert.ok(first.every(({ isDone, attempts, lastError }) => isDone && attempts === 1 && !lastError))
      // Some jobs run once an hour, others once a day.
      one.clock.advance(DAY_MS)
      await Promise.all([one.jobs.runDue(), other.jobs.runDue()])
      assert.deepEqual(
        (await rows()).map(({ slotAtMs }) => slotAtMs),
        first.map(({ slotAtMs }) => slotAtMs + DAY_MS),
      )
      await other.stop()
      await one.stop()
    })
  })
}
