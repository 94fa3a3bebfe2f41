import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'

/** The launcher of this process. */
function launcherPid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const isLauncher = (pid: string) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('launcher-process')
  return Number(children.find(isLauncher) ?? assert.fail('there is no launcher'))
}

test('when the launcher is killed, its processes end, and the next request starts both again', async (t) => {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const running = await engine.start(specOf(codeOf(`export default { fetch: () => new Response('ok') }`)))
  assert.equal((await get(running, '/')).text, 'ok')
  const [pid = 0] = engine.pids()
  const launcher = launcherPid()
  process.kill(launcher, 'SIGKILL')
  while (existsSync(`/proc/${pid}`) || engine.pids().includes(pid)) await pause(5)

  assert.equal((await get(running, '/')).text, 'ok')
  assert.notEqual(launcherPid(), launcher)
  assert.ok(readdirSync('/proc').includes(String(engine.pids()[0])))
})

test('a process that cannot be created fails alone: those that run go on, and later ones start', async (t) => {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const code = codeOf(`export default { fetch: () => new Response('ok') }`)
  const first = await engine.start(specOf(code))
  assert.equal((await get(first, '/')).text, 'ok')
  const [pid] = engine.pids()
  const launcher = launcherPid()
  const limitFiles = (count: number) =>
    execFileSync('/usr/bin/prlimit', ['--pid', String(launcher), `--nofile=${count}:4096`])

  // Enough to open the filter, but not the pipes.
  const open = new Set(readdirSync(`/proc/${launcher}/fd`))
  let free = 0
  while (open.has(String(free))) free++
  limitFiles(free + 2)
  const second = await engine.start(specOf(code, { environmentId: 'second', dataId: 'second' }))
  await assert.rejects(get(second, '/'))
  limitFiles(4_096)
  assert.equal((await get(second, '/')).text, 'ok')
  assert.equal((await get(first, '/')).text, 'ok')
  assert.ok(engine.pids().includes(pid ?? 0))
  assert.equal(launcherPid(), launcher)
})
