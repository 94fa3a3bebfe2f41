import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mock, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { privateBytes } from '../process/proc.ts'
import { watchCpu } from './cpu-watch.ts'
import { type CancelCode, newWork, type Work } from './work.ts'

/** Lines of `<CPU time in ms> <bytes>`: each is answered after that much CPU time, with that much more memory. */
const CHILD = `const kept = []
const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1_000 }
process.stdin.on('data', (line) => {
  const [ms, bytes] = String(line).split(' ').map(Number)
  kept.push(Buffer.alloc(bytes, 1))
  for (const until = usedMs() + ms; usedMs() < until;);
  process.stdout.write('done')
})`
const TICK_MS = 25
const QUIET_TICK_MS = 500
const MS_NS = 1e6
const COUNTS = { rowsRead: 0, rowsWritten: 0, deliveries: 0 }

async function startChild(t: TestContext) {
  const child = spawn(process.execPath, ['-e', CHILD], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const use = async (ms: number, bytes = 0) => {
    child.stdin.write(`${ms} ${bytes}`)
    await once(child.stdout, 'data')
  }
  await use(1)
  return { pid: child.pid ?? 0, use }
}

/** A watch whose ticks are those of the test, and work with a CPU limit of 20 ms. */
async function startWatch(t: TestContext, collect = () => Promise.resolve()) {
  const { pid, use } = await startChild(t)
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const work = new Map<string, Work>()
  const traffic: { state: 'none' | 'silent' | 'passing' } = { state: 'none' }
  const holds: boolean[] = []
  const cancelled: [string, CancelCode][] = []
  const exceeded: CancelCode[] = []
  const watch = watchCpu({
    pid,
    work,
    takeTraffic: () => traffic.state,
    isAlarmDue: () => false,
    ping: () => Promise.resolve(COUNTS),
    collect,
    onHold: (isHeld) => holds.push(isHeld),
    onExceeded: (code) => exceeded.push(code),
    onUnknownExceeded() {},
    onTick() {},
  })
  t.after(watch.stop)
  return {
    pid,
    use,
    traffic,
    holds,
    cancelled,
    exceeded,
    begin(id: string) {
      watch.noteWork()
      const cancel = (code: CancelCode) => {
        work.delete(id)
        cancelled.push([id, code])
      }
      work.set(id, newWork(20 * MS_NS, Infinity, cancel))
    },
    end: (id: string) => work.delete(id),
    /** Pings and collections are answered before and after it. */
    async tick(ms = TICK_MS) {
      await nextTurn()
      mock.timers.tick(ms)
      await nextTurn()
    },
  }
}

test('a process that is idle is not pinged because of the CPU time of pings', async (t) => {
  const { pid, use } = await startChild(t)
  let pings = 0
  let ticks = 0
  const isOver = Promise.withResolvers<void>()
  const watch = watchCpu({
    pid,
    // A request that only waits: the process is watched closely.
    work: new Map([['waiting', newWork(1e12, Infinity, () => {})]]),
    takeTraffic: () => 'none',
    isAlarmDue: () => false,
    async ping() {
      pings++
      await use(2)
      return COUNTS
    },
    collect: () => Promise.resolve(),
    onHold() {},
    onExceeded: isOver.reject,
    onUnknownExceeded() {},
    onTick() {
      if (++ticks === 40) isOver.resolve()
    },
  })
  // An event, so that at least one ping follows.
  await use(2)
  const keepAlive = setInterval(() => {}, 1_000)
  await isOver.promise
  watch.stop()
  clearInterval(keepAlive)
  assert.ok(pings > 0 && pings < 20, `${pings} pings in ${ticks} ticks`)
})

test('[FUN-12] the last of several requests is not charged for those that have ended', async (t) => {
  const { begin, end, use, tick, cancelled } = await startWatch(t)
  const others = Array.from({ length: 19 }, (_, i) => `other ${i}`)
  for (const id of ['last', ...others]) begin(id)
  await use(100)
  for (const id of others) end(id)
  await tick()
  assert.deepEqual(cancelled, [])
  // Its share is 5 ms; alone it reaches the limit.
  await use(10)
  await tick()
  assert.deepEqual(cancelled, [])
  await use(15)
  await tick()
  assert.deepEqual(cancelled, [['last', 'cpu_limit_exceeded']])
})

test('[FUN-12] a request that was charged for others is not cancelled when it is alone', async (t) => {
  const { begin, end, use, tick, cancelled } = await startWatch(t)
  for (const id of ['one', 'other']) begin(id)
  await use(60)
  await tick()
  end('other')
  await use(5)
  // In this tick the other was still there.
  await tick()
  await use(10)
  await tick()
  assert.deepEqual(cancelled, [])
  await use(15)
  await tick()
  assert.deepEqual(cancelled, [['one', 'cpu_limit_exceeded']])
})

test('[FUN-12] beside others a request may use 200 ms more than its limit', async (t) => {
  const { begin, use, tick, cancelled, holds } = await startWatch(t)
  for (const id of ['one', 'other']) begin(id)
  for (let ms = 0; ms < 400; ms += 50) {
    await use(50)
    await tick()
  }
  assert.deepEqual([cancelled, holds], [[], []])
  for (let ms = 0; ms < 400; ms += 50) {
    await use(50)
    await tick()
  }
  assert.deepEqual(
    cancelled.map(([, code]) => code),
    ['cpu_limit_exceeded', 'cpu_limit_exceeded'],
  )
  assert.deepEqual(holds, [true, false], 'in the meantime nothing new was sent')
})

test('[FUN-12] a request that waits is not cancelled for others: the process sleeps when nothing new is sent', async (t) => {
  const { begin, end, use, tick, cancelled, holds } = await startWatch(t)
  begin('waiting')
  for (let i = 0; i < 40; i++) {
    const isHeld = holds.length % 2 === 1
    if (!isHeld) begin(`other ${i}`)
    if (!isHeld) await use(50)
    end(`other ${i}`)
    await tick()
  }
  assert.deepEqual(cancelled, [])
  assert.ok(holds.length >= 2)
})

test('[FUN-12] no request is charged for a collection of garbage', async (t) => {
  const collection = Promise.withResolvers<void>()
  let collections = 0
  const { pid, begin, use, tick, cancelled, exceeded } = await startWatch(t, () => {
    collections++
    return collection.promise
  })
  // Between 28 and 64 MB, where a collection begins after some CPU time.
  await use(500, Math.max(0, 45 * 1024 * 1024 - privateBytes(pid)))
  for (let i = 0; i < 4; i++) await tick(QUIET_TICK_MS)
  assert.equal(collections, 1)

  begin('request')
  for (let ms = 0; ms < 200; ms += 50) {
    await use(50)
    await tick()
  }
  assert.deepEqual([cancelled, exceeded], [[], []])
  collection.resolve()
  await tick()
  await use(30)
  await tick()
  assert.deepEqual([cancelled, exceeded], [[['request', 'cpu_limit_exceeded']], []])
})

test('[FUN-12] a request that is answered slowly is not cancelled for many others', async (t) => {
  const { begin, end, use, tick, cancelled } = await startWatch(t)
  begin('stream')
  await tick()
  const others = Array.from({ length: 10 }, (_, i) => `other ${i}`)
  // Its share is 1.8 ms each time, 225 ms in all.
  for (let ms = 0; ms < 2_500; ms += 20) {
    others.forEach(begin)
    await use(20)
    others.forEach(end)
    await tick()
  }
  assert.deepEqual(cancelled, [])
})

test('[FUN-12] a request shares CPU time with the messages of WebSockets', async (t) => {
  const { begin, use, tick, traffic, cancelled } = await startWatch(t)
  begin('stream')
  traffic.state = 'passing'
  for (let ms = 0; ms < 200; ms += 50) {
    await use(50)
    await tick()
  }
  assert.equal(cancelled.length, 0)
})

for (const state of ['silent', 'passing'] as const)
  test(`[FUN-12] a request of many turns is cancelled beside WebSockets, too (${state})`, async (t) => {
    const { begin, use, tick, traffic, cancelled } = await startWatch(t)
    begin('turns')
    traffic.state = state
    for (let ms = 0; ms < 1_500 && cancelled.length === 0; ms += 50) {
      await use(50)
      await tick()
    }
    assert.deepEqual(cancelled, [['turns', 'cpu_limit_exceeded']])
  })

test('[FUN-12] a request that waits is not cancelled for what WebSockets do without messages', async (t) => {
  const { begin, use, tick, traffic, cancelled, holds } = await startWatch(t)
  begin('waiting')
  traffic.state = 'silent'
  for (let i = 0; i < 20; i++) {
    if (holds.length % 2 === 0) await use(50)
    await tick()
  }
  assert.deepEqual(cancelled, [])
  assert.ok(holds.length >= 2)
})
