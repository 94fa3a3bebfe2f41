import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { codeOf, get, openTestFunctions, specOf } from '../../../testing/functions.ts'

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
