import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { comesTrue } from '../src/testing/in-time.ts'
import { startServer } from './server-process.ts'

/** Bugs that a signal causes: an event handler throws, and a promise is rejected that nobody awaits. */
const PLANTED = `process.on('SIGUSR2', () => {
  setImmediate(() => { throw new Error('planted') })
  setImmediate(() => { void Promise.reject(new Error('planted')) })
})`

test('an error that no code catches is logged and counted, and the service goes on', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-escaped-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startServer({
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PLANTED)}`,
  })
  t.after(() => server.signal('SIGKILL'))
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()

  server.signal('SIGUSR2')
  await comesTrue('both errors are counted', async () =>
    (await read('/metrics')).includes('svc_escaped_errors_total{source="service"} 2'),
  )
  assert.equal(await read('/healthz'), '{"status":"ok"}')

  server.signal('SIGTERM')
  const { code, output } = await server.ended
  assert.equal(code, 0)
  assert.equal(output.match(/an error escaped/g)?.length, 2)
})
