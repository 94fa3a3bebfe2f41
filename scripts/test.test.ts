import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')

test('a run of the tests that is ended by SIGTERM leaves no test running', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ended-run-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'endless.test.ts')
  writeFileSync(
    file,
    `import { test } from 'node:test'
     test('endless', () => { process.stdout.write('PID ' + process.pid + '\\n'); setInterval(() => {}, 1000); return new Promise(() => {}) })`,
  )
  // It starts its own servers, as a developer's run does.
  const { TEST_POSTGRES_URL: _, TEST_REDIS_URL: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  const run = spawn(process.execPath, ['--conditions=source', 'scripts/test.ts', relative(root, file)], {
    cwd: root,
    env,
  })
  run.stderr.resume()
  const ended = once(run, 'exit')
  const pid = await pidIn(run.stdout)
  assert.ok(isRunning(pid))

  run.kill('SIGTERM')

  assert.deepEqual(await ended, [143, null])
  for (const endsAt = performance.now() + 20_000; isRunning(pid);)
    assert.ok(performance.now() < endsAt, 'the test still runs')
})

async function pidIn(output: AsyncIterable<Buffer>): Promise<number> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const [, pid] = /PID (\d+)/.exec(text) ?? []
    if (pid !== undefined) return Number(pid)
  }
  return assert.fail(text)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
