import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { createInstalledProject } from '../../sdk/test/installed-project.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('[RWC-70] the template arena has no type errors, in the page and in the room', async (t) => {
  const project = await createInstalledProject()
  t.after(() => project.remove())
  await cp(join(ROOT, 'examples/arena'), project.folder, { recursive: true })
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project.folder], { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [0, ''])
})
