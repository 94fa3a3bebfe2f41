import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const SETUP = join(import.meta.dirname, 'test-setup.ts')

for (const [title, line] of [
  ['an uncaught error', `setTimeout(() => { throw new Error('uncaught') })`],
  ['an unhandled rejection', `void Promise.reject(new Error('unhandled'))`],
] as const)
  test(`${title} after the first await of a test fails the file`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-setup-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'one.test.mjs')
    writeFileSync(
      file,
      `import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
test('a test', async () => {
  await wait(1)
  ${line}
  await wait(20)
})
`,
    )

    const { status } = spawnSync(process.execPath, [`--import=${SETUP}`, '--test', file], {
      env: { PATH: process.env['PATH'] },
    })

    assert.equal(status, 1)
  })
