import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { currentServer } from './current-server.js'
import { startSteps } from './steps.ts'

test('[OPS-75] a build says why it runs and each of its steps, in one line', () => {
  const written: string[] = []
  const { step, done } = startSteps('svc is built', (text) => written.push(text))
  assert.deepEqual(written, ['svc is built'])
  step('service')
  step('dashboard')
  assert.equal(written.join(''), 'svc is built: service, dashboard')
  done()
  assert.match(written.join(''), /^svc is built: service, dashboard \(\d+ s\)\n$/)
})

test('[OPS-75] what is built already is not built again, and nothing is said', async () => {
  currentServer(process.execPath)
  const program = join(import.meta.dirname, 'server-cache.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=source', program])
  assert.deepEqual([stdout, stderr], ['', ''])
})
