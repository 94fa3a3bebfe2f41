import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createBackground } from '../../platform/background.ts'
import { createStoppedClock, HOUR_MS } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { createBackups } from './backups.ts'

type Result = { failures?: string[]; error?: string }

/** The schedule of one service whose archives are only counted; `restart` is another process on the same database. */
function scheduled(everyHours: number) {
  const clock = createStoppedClock()
  const background = createBackground(() => {}, systemRandom)
  const created: string[] = []
  const reported: string[] = []
  let stored: string | undefined
  let next: Result = {}
  const start = () =>
    createBackups({
      clock,
      background,
      archives: {
        where: 'folder',
        isSealed: false,
        everyHours,
        isAvailable: async () => true,
        list: async () => [],
        async create({ name, createdAt }) {
          if (next.error !== undefined) throw new Error(next.error)
          created.push(createdAt)
          const failures = next.failures ?? []
          return {
            name,
            bytes: 5,
            report: { verifiedAt: failures.length > 0 ? null : createdAt, failures, notices: [] },
          }
        },
        readState: async () => stored,
        writeState: async (state) => (stored = state),
      },
      recordBegun: async () => {},
      reportDone: () => reported.push('done'),
      reportNotice: () => {},
      reportFailure: () => reported.push('failed'),
    })
  let backups = start()
  return {
    created,
    reported,
    results: (result: Result) => void (next = result),
    state: () => backups.state(),
    list: () => backups.list(),
    restart: () => void (backups = start()),
    /** Moves the clock to each of the next hours and runs the job, as the jobs of the service do. */
    async hours(count: number) {
      for (let hour = 0; hour < count; hour++) {
        const slotAtMs = Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS
        await backups.createIfDue(slotAtMs).catch(() => {})
        clock.advance(HOUR_MS)
      }
    },
  }
}

test('[OPS-15] the first backup is written an hour after the first start, then one every 24 hours', async () => {
  const service = scheduled(24)
  await service.hours(1)
  assert.deepEqual(service.created, [])
  await service.hours(1)
  assert.equal(service.created.length, 1)
  await service.hours(23)
  assert.equal(service.created.length, 1)
  assert.equal(
    (await service.list()).nextAt,
    new Date(Date.parse(service.created[0] ?? '') + 24 * HOUR_MS).toISOString(),
  )
  await service.hours(1)
  assert.equal(service.created.length, 2)
})

test('[OPS-15] a restart does not change when the next backup is due; 0 hours is off', async () => {
  const service = scheduled(3)
  for (let hour = 0; hour < 8; hour++) {
    await service.hours(1)
    service.restart()
  }
  assert.equal(service.created.length, 3)
  const off = scheduled(0)
  await off.hours(50)
  assert.deepEqual([off.created, off.state(), (await off.list()).nextAt], [[], undefined, null])
})

test('[OPS-20] a backup that fails is tried again with the next hour; one that is not verified does not count', async () => {
  const service = scheduled(24)
  await service.hours(1)
  service.results({ error: 'the disk is full' })
  await service.hours(2)
  assert.deepEqual(
    [service.created, service.state()?.failure, service.reported],
    [[], 'the disk is full', ['failed', 'failed']],
  )
  assert.deepEqual(
    (await service.list()).backups.map(({ status, error }) => [status, error]),
    [['failed', 'the disk is full']],
  )
  service.results({})
  await service.hours(1)
  const verified = service.state()?.verified
  assert.deepEqual([verified?.at, service.state()?.failure], [service.created[0], null])
  service.results({ failures: ['a table has 1 row, not 2'] })
  await service.hours(24)
  assert.equal(service.created.length, 2)
  assert.deepEqual([service.state()?.verified, service.state()?.writtenAt], [verified, service.created[1]])
  assert.match(service.state()?.failure ?? '', /1 row, not 2/)
})
