import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { INCOMING, openSpool } from './spool.ts'

const HOUR_MS = 3_600_000

test('files that a killed process left just before the start are removed an hour later', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-spool-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  t.mock.timers.enable({ apis: ['setInterval'] })
  const before = await openSpool(folder)
  before.close()
  const [left, fresh] = ['left', 'fresh'].map((name) => join(folder, INCOMING, name)) as [string, string]
  await writeFile(left, 'half')
  const spool = await openSpool(folder)
  assert.deepEqual(await readdir(join(folder, INCOMING)), ['left'])

  await utimes(left, 0, 0)
  await writeFile(fresh, 'half')
  t.mock.timers.tick(HOUR_MS)
  while ((await readdir(join(folder, INCOMING))).length > 1) await new Promise(setImmediate)
  assert.deepEqual(await readdir(join(folder, INCOMING)), ['fresh'])
  spool.close()
})
