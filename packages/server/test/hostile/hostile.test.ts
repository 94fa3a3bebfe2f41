import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const PROGRAM = join(import.meta.dirname, 'hostile.ts')
/** The long form is `npm run test:long -- hostile/hostile.ts`. On a machine that is busy with tests, times say nothing. */
const SHORT = '--functions=10 --rooms=6 --minutes=0.25 --quiet=2 --visitors=6 --players=3 --ratio=0'

test('[FUN-15] [FUN-18] beside hostile functions and rooms an honest game has no error, and nothing of them is left', async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>()
  // In a process of its own, which gets the lowest priority.
  execFile(process.execPath, ['--conditions=source', PROGRAM, ...SHORT.split(' ')], (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, output: stdout + stderr }),
  )
  const { code, output } = await promise
  assert.equal(code, 0, output)
})
