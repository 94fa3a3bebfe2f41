import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { createPriority } from './priority.ts'

const SPEC = specOf(
  codeOf(`export default { async fetch(request) {
    if (!request.url.endsWith('/work')) return new Response('ok')
    for (let turn = 0; turn < 40; turn++) { for (let i = 0; i < 2e7; i++); await scheduler.wait(0) }
    return new Response('done')
  } }`),
  { limits: { cpuMs: 30_000, subRequests: 50 } },
)

const LOWERED = Math.min(getPriority() + 10, 19)
/** Only root can raise the priority of a process again, so others do not lower it further. */
const BUSY = process.getuid?.() === 0 ? 19 : LOWERED
const OVERDUE = process.getuid?.() === 0 ? getPriority() : LOWERED

async function until(condition: () => boolean) {
  while (!condition()) await pause(5)
}

for (const level of ['bubblewrap', 'uid', 'plain'] as const)
  test(`every thread of a process has a lower priority than the service: ${level}`, async (t) => {
    const { engine, close } = await openTestFunctions({ level })
    t.after(close)
    const running = await engine.start(SPEC)
    assert.equal((await get(running, '/')).text, 'ok')
    const [pid = 0] = engine.pids()
    for (const thread of readdirSync(`/proc/${pid}/task`))
      await until(() => getPriority(Number(thread)) === LOWERED)
  })

test('a process that wants a CPU without pause gets what others leave, until it sleeps', async (t) => {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const running = await engine.start(SPEC)
  await get(running, '/')
  const [pid = 0] = engine.pids()
  await until(() => getPriority(pid) === LOWERED)
  const answer = get(running, '/work')
  await until(() => getPriority(pid) === BUSY)
  assert.equal((await answer).text, 'done')
  await until(() => getPriority(pid) === LOWERED)
})

test('a process that wants a CPU without pause, and gets little of it, stays at the lowest priority', (t) => {
  const program = spawn('/bin/sleep', ['60'])
  t.after(() => program.kill())
  const { pid = 0 } = program
  const priority = createPriority(pid)
  const second = (usedMs: number, waitedMs: number, isOverdue?: boolean) => {
    for (let tick = 0; tick < 40; tick++) priority.update(usedMs * 25_000, waitedMs * 25_000, 25e6, isOverdue)
    return getPriority(pid)
  }
  assert.equal(second(500, 500), BUSY)
  assert.equal(second(50, 950), BUSY)
  assert.equal(second(50, 950), BUSY)
  // It has not answered for long: its limit must come soon. When it answers, it is as busy as before.
  assert.equal(second(50, 950, true), OVERDUE)
  assert.equal(second(50, 950), BUSY)
  // It sleeps most of the time, and waits as long as it works.
  assert.equal(second(50, 50), LOWERED)
})
