import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { codeOf, get, openTestFunctions, specOf } from '../../../testing/functions.ts'

const SPEC = specOf(
  codeOf(`export default { async fetch(request) {
    if (!request.url.endsWith('/work')) return new Response('ok')
    for (let turn = 0; turn < 40; turn++) { for (let i = 0; i < 2e7; i++); await scheduler.wait(0) }
    return new Response('done')
  } }`),
  { limits: { cpuMs: 30_000, subRequests: 50 } },
)

/** How the kernel shares CPUs out: the 41st number of `stat`. */
const NORMAL = 0
const IDLE = 5
function classOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program may contain any character.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])
}

/** Nanoseconds for which the main thread had a CPU, and waited for one. */
function timesOf(pid: number): [number, number] {
  const [used, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  return [used ?? 0, waited ?? 0]
}

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
    const lower = Math.min(getPriority() + 10, 19)
    for (const thread of readdirSync(`/proc/${pid}/task`)) assert.equal(getPriority(Number(thread)), lower)
    await until(() => classOf(pid) === NORMAL)
  })

test('a process that wants a CPU without pause gets what others leave, until it sleeps', async (t) => {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const running = await engine.start(SPEC)
  await get(running, '/')
  const [pid = 0] = engine.pids()
  await until(() => classOf(pid) === NORMAL)
  const answer = get(running, '/work')
  await until(() => classOf(pid) === IDLE)
  assert.equal((await answer).text, 'done')
  // Only an account with the right to do so can raise it again.
  if (process.getuid?.() === 0) await until(() => classOf(pid) === NORMAL)
})

test('a process that wants a CPU without pause, and gets little of it, gets no more than others leave', async (t) => {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const running = await engine.start(SPEC)
  await get(running, '/')
  const [pid = 0] = engine.pids()
  await until(() => classOf(pid) === NORMAL)
  const answer = get(running, '/work')
  await until(() => classOf(pid) === IDLE)
  const loops = Array.from({ length: availableParallelism() * 2 }, () =>
    spawn('/bin/sh', ['-c', 'while :; do :; done']),
  )
  t.after(() => loops.forEach((loop) => loop.kill('SIGKILL')))
  const [, waitedNs] = timesOf(pid)
  await until(() => timesOf(pid)[1] > waitedNs + 5e9)
  assert.equal(classOf(pid), IDLE)
  loops.forEach((loop) => loop.kill('SIGKILL'))
  assert.equal((await answer).text, 'done')
})
