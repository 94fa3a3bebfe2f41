import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

import { watchCpu } from './cpu-watch.ts'

/** Answers each line after 2 ms of CPU time. */
const CHILD = `process.stdin.on('data', () => {
  for (const { user } = process.cpuUsage(); process.cpuUsage().user - user < 2_000;);
  process.stdout.write('done')
})`

test('a process that is idle is not pinged because of the CPU time of pings', async () => {
  const child = spawn(process.execPath, ['-e', CHILD], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ask = () => {
    child.stdin.write('.')
    return once(child.stdout, 'data')
  }
  await ask()
  let pings = 0
  let ticks = 0
  const isOver = Promise.withResolvers<void>()
  const watch = watchCpu({
    pid: child.pid ?? 0,
    // A request that only waits: the process is watched closely.
    work: new Map([
      ['waiting', { cpuNs: 0, cpuLimitNs: 1e12, subRequests: 0, answerDueAt: Infinity, cancel() {} }],
    ]),
    ping() {
      pings++
      return ask()
    },
    collect: () => Promise.resolve(),
    onExceeded: isOver.reject,
    onTick() {
      if (++ticks === 40) isOver.resolve()
    },
  })
  // An event, so that at least one ping follows.
  await ask()
  const keepAlive = setInterval(() => {}, 1_000)
  await isOver.promise
  watch.stop()
  clearInterval(keepAlive)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(pings > 0 && pings < 20, `${pings} pings in ${ticks} ticks`)
})
