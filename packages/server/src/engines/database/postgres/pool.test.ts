import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { createPool } from './pool.ts'

const ENVIRONMENTS = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const SIZE = 10
const A_QUARTER = 2

type Connection = { lost: () => void }
type Asked = { of: string; connection?: Connection; isRefused?: boolean }
type Step = { take: string; times: number } | { release: number } | { lose: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ take: fc.constantFrom(...ENVIRONMENTS), times: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 12, arbitrary: fc.record({ release: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ lose: fc.nat() }) },
)

async function openPool() {
  const open = new Set<Connection>()
  const pool = createPool<Connection>({
    size: SIZE,
    waitMaxMs: 60_000,
    async open(lost) {
      const connection = { lost }
      open.add(connection)
      return connection
    },
    async close(connection) {
      open.delete(connection)
    },
  })
  const asked: Asked[] = []
  const take = (of: string): Asked => {
    const one: Asked = { of }
    asked.push(one)
    pool.take(of).then(
      (connection) => void (one.connection = connection),
      () => void (one.isRefused = true),
    )
    return one
  }
  const inUse = () => asked.filter(({ connection }) => connection !== undefined)
  const usedBy = (of: string) => inUse().filter((one) => one.of === of).length
  const waiting = () => asked.filter(({ connection, isRefused }) => !connection && !isRefused)
  const release = (one: Asked, isLost = false) => {
    asked.splice(asked.indexOf(one), 1)
    if (one.connection) pool.release(one.connection, isLost)
  }
  await pool.openAll()
  return { pool, open, take, inUse, usedBy, waiting, release }
}

/** What was served has its connection after this. */
const served = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('[OPS-85] an environment with less than a quarter of the connections goes first, one stays free for it, and all are served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { pool, open, take, inUse, usedBy, waiting, release } = await openPool()
      for (const one of steps) {
        const using = inUse()
        const usedBefore = new Map(ENVIRONMENTS.map((of) => [of, usedBy(of)]))
        const waitedBefore = new Set(waiting().map(({ of }) => of))
        if ('take' in one) for (let time = 0; time < one.times; time++) take(one.take)
        else if (using.length > 0) {
          const chosen = using[('release' in one ? one.release : one.lose) % using.length] as Asked
          if ('release' in one) release(chosen)
          else {
            chosen.connection?.lost()
            open.delete(chosen.connection as Connection)
            release(chosen, true)
          }
        }
        await served()

        assert.equal(pool.openCount, open.size)
        const free = open.size - inUse().length
        const quarter = Math.max(1, Math.floor(open.size / 4))
        for (const { of } of waiting()) {
          assert.ok(free < 2, 'nobody waits while two are free')
          assert.ok(free === 0 || usedBy(of) >= quarter, 'one is free for those with less than a quarter')
        }
        for (const of of ENVIRONMENTS)
          if (usedBy(of) > Math.max(quarter, usedBefore.get(of) ?? 0))
            for (const other of waitedBefore)
              assert.ok(other === of || usedBy(other) >= quarter, `${of} has more while ${other} waits`)
      }
      while (inUse().length > 0) {
        release(inUse()[0] as Asked)
        await served()
      }
      assert.deepEqual(waiting(), [])
      await pool.close()
    }),
    { numRuns: 200 },
  )
})

test('[OPS-85] an environment that asks for everything leaves a connection to the others, and gets no more than a quarter while they wait', async () => {
  const { pool, take, inUse, usedBy, release } = await openPool()
  for (let at = 0; at < 100; at++) take('crowd')
  await served()
  assert.equal(usedBy('crowd'), SIZE - 1)

  const neighbors = Array.from({ length: SIZE }, (_, at) => take(`neighbor ${at}`))
  await served()
  assert.deepEqual(
    neighbors.map(({ connection }) => connection !== undefined),
    neighbors.map((_, at) => at === 0),
  )
  for (const one of inUse().filter(({ of }) => of === 'crowd')) {
    release(one)
    await served()
  }
  assert.ok(usedBy('crowd') <= A_QUARTER, `${usedBy('crowd')} of ${SIZE}`)
  assert.equal(neighbors.filter(({ connection }) => connection).length, SIZE - usedBy('crowd'))

  for (; neighbors.length > 0; await served())
    for (const one of neighbors.filter(({ connection }) => connection)) {
      release(one)
      neighbors.splice(neighbors.indexOf(one), 1)
    }
  assert.equal(usedBy('crowd'), SIZE - 1)
  for (; inUse().length > 0; await served()) release(inUse()[0] as Asked)
  await pool.close()
})

test('[OPS-85] a full queue refuses the environment that filled it', async () => {
  const { pool, take, inUse, release } = await openPool()
  const crowd = Array.from({ length: 2_500 }, () => take('crowd'))
  const holder = Array.from({ length: A_QUARTER }, () => take('neighbor'))
  const neighbors = Array.from({ length: 20 }, () => take('neighbor'))
  await served()

  const refused = crowd.filter(({ isRefused }) => isRefused).length
  assert.equal(refused, 2_500 - (SIZE - 1) - 2_000 + neighbors.length + holder.length - 1)
  assert.equal([...holder, ...neighbors].filter(({ isRefused }) => isRefused).length, 0)
  assert.equal(pool.waitingCount, 2_000)
  for (; inUse().length > 0; await served()) for (const one of inUse()) release(one)
  assert.equal([...holder, ...neighbors].filter(({ isRefused }) => isRefused).length, 0)
  await pool.close()
})
