import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { ApiError } from './api-error.ts'
import { createBackground, logFailures } from './background.ts'
import { runSequentially } from './jobs/run-sequentially.ts'
import { systemRandom } from './random.ts'

const PROGRAM = join(import.meta.dirname, '../testing/throwing-process.ts')

test('[OPS-62] a request or frame whose handling throws ends neither the others of its tick nor their connections', async () => {
  const options = { timeout: 60_000 }
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', PROGRAM], options)
  assert.deepEqual(JSON.parse(stdout), {
    begun: ['first', 'last'],
    escaped: ['a request', 'a frame'],
    closed: [[1006, '']],
  })
})

test('[OPS-62] periodic and background work that throws before its first await does not stop the rest', async () => {
  const done: string[] = []
  const throwing = (): Promise<unknown> => {
    throw new Error('at once')
  }
  await assert.rejects(runSequentially([throwing, async () => done.push('second')]), /1 of 2 failed/)
  assert.deepEqual(done, ['second'])

  const failures: unknown[] = []
  const background = createBackground((error) => failures.push(error), systemRandom)
  background.run(throwing)
  await background.drained()
  assert.equal(String(failures), 'Error: at once')
})

test('[OPS-62] background work that is refused, because what it was about is gone, is not logged as an error', () => {
  const logged: string[] = []
  const level = (name: string) => (_about: object, message: string) => void logged.push(`${name}: ${message}`)
  const log = logFailures({ debug: level('debug'), error: level('error') })
  log(new ApiError('share_link_not_found'))
  log(new ApiError('service_unavailable'))
  log(new TypeError('a bug'))
  assert.deepEqual(logged, [
    'debug: background work was refused',
    'error: background work failed',
    'error: background work failed',
  ])
})
