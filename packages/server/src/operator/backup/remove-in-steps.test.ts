import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { removeInSteps } from './remove-in-steps.ts'

test('removes files and folders, and nothing that a link points to', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-steps-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [file, copies, outside] = ['file', 'copies', 'outside'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(file, Buffer.alloc(3_500_000))
  writeFileSync(outside, Buffer.alloc(2_500_000, 'a'))
  mkdirSync(join(copies, 'inner'), { recursive: true })
  writeFileSync(join(copies, 'inner', 'large'), Buffer.alloc(2_500_000))
  writeFileSync(join(copies, 'empty'), '')
  symlinkSync(outside, join(copies, 'link'))
  symlinkSync(folder, join(copies, 'folder-link'))

  await removeInSteps(file)
  await removeInSteps(copies)
  await removeInSteps(join(folder, 'never-there'))
  assert.deepEqual(
    [file, copies, outside].map((path) => existsSync(path)),
    [false, false, true],
  )
})
