import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { test } from 'node:test'

import { groupFiles } from './test-groups.ts'

const root = resolve(import.meta.dirname, '..')

test('every test file runs once, by itself or in a group', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root })

  const run = groupFiles(root, folder, files).flatMap((file) =>
    file.startsWith(folder)
      ? [...readFileSync(file, 'utf8').matchAll(/^import "(.*)"$/gm)].map(([, path = '']) =>
          relative(root, path),
        )
      : [file],
  )

  assert.deepEqual(run.toSorted(), files.toSorted())
})
