import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
      ? [...readFileSync(file, 'utf8').matchAll(/"(\/.*\.test\.ts)"\)*$/gm)].map(([, path = '']) =>
          relative(root, path),
        )
      : [file],
  )

  assert.deepEqual(run.toSorted(), files.toSorted())
})

test('hooks of a file run for its own tests only, also in a group', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const own = join(folder, 'packages/contract/src')
  mkdirSync(own, { recursive: true })
  for (const name of ['one', 'two'])
    writeFileSync(
      join(own, `${name}.test.ts`),
      `import { afterEach, before, test } from 'node:test'
before(() => console.log('${name} starts'))
afterEach(() => console.log('after a test of ${name}'))
test('a test', (t) => t.diagnostic('runs'))
`,
    )

  const files = ['one', 'two'].map((name) => `packages/contract/src/${name}.test.ts`)
  const [group = ''] = groupFiles(folder, folder, files)
  const { stdout } = spawnSync(process.execPath, [group], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })

  const hooks = stdout.split('\n').filter((line) => /^(one|two|after)/.test(line))
  assert.deepEqual(hooks, ['one starts', 'after a test of one', 'two starts', 'after a test of two'])
})
