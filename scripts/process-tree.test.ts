import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'

import { killTree } from './process-tree.ts'

test('a process is killed with everything that it has started, also in another group', async () => {
  const script = `
    const { spawn } = require('node:child_process')
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const child = Number(String(line))
  assert.ok(existsSync(`/proc/${child}`))

  const ended = once(parent, 'exit')
  killTree(parent.pid ?? 0)
  await ended

  // The child may stay as a zombie until its new parent has noticed.
  for (const endsAt = performance.now() + 20_000; isRunning(child);)
    assert.ok(performance.now() < endsAt, 'the child was not killed')
})

const isRunning = (pid: number) => existsSync(`/proc/${pid}/exe`) && existsSync(`/proc/${pid}/fd/0`)
