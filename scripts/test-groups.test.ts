import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { test } from 'node:test'

import { engineOf } from './test-engines.ts'
import { groupFiles } from './test-groups.ts'

const root = resolve(import.meta.dirname, '..')

test('every test file runs once, by itself or in a group, on its engine', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root })
  const engineOfFile = (file: string) => engineOf(file, 'a commit')

  const run = groupFiles(root, folder, files, engineOfFile).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const [, engine] = /TEST_ENGINE = '(\w+)'/.exec(text) ?? []
    return [...text.matchAll(/"(\/.*\.test\.ts)"\)*$/gm)].map(([, path = '']) => [
      relative(root, path),
      engine,
    ])
  })

  const lines = (list: (string | undefined)[][]) => list.map((each) => each.join(' on ')).sort()
  assert.deepEqual(lines(run), lines(files.map((file) => [file, engineOfFile(file)])))
})

test('processes that compute and processes that wait begin at the same time, short ones at the end', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root })
  const modules = groupFiles(root, folder, files, (file) => engineOf(file, 'a commit'))
  assert.deepEqual(modules, modules.toSorted(), '`node --test` sorts them by name')
  const at = (name: RegExp) => modules.findIndex((module) => name.test(module))
  const last = (name: RegExp) => modules.findLastIndex((module) => name.test(module))
  const first = [/ server-/, / browser-/, / programs-/, / parts-/, / cli-/, / sdk-/, / guide\./].map(at)
  assert.deepEqual(
    first,
    first.toSorted((a, b) => a - b),
  )
  for (const name of [/ browser-/, / programs-/, / cli-/, / installed\./])
    assert.ok(last(name) < last(/ server-/), String(name))
  assert.ok(last(/ server-/) < at(/ packages server test npm-start/))
})

test('the engine of a file changes with commits; code of an engine runs on both', () => {
  const commits = Array.from({ length: 20 }, (_, commit) => String(commit))
  const enginesOf = (file: string) => new Set(commits.map((commit) => engineOf(file, commit)))
  const ofSaves = enginesOf('packages/server/src/capabilities/saves/saves.test.ts')
  assert.deepEqual(ofSaves, new Set(['postgres', 'sqlite']))
  for (const file of ['engines/database/sqlite/sqlite.test.ts', 'capabilities/saves/store.test.ts'])
    assert.deepEqual([...enginesOf(`packages/server/src/${file}`)], [undefined])
})

test('a file in a group sees its engine when it is loaded', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const own = 'packages/contract/src'
  mkdirSync(join(folder, own), { recursive: true })
  writeFileSync(join(folder, own, 'one.test.ts'), `console.log('loaded for', process.env['TEST_ENGINE'])`)
  const [group = ''] = groupFiles(folder, folder, [`${own}/one.test.ts`], () => 'postgres')
  const { stdout } = spawnSync(process.execPath, [group], { encoding: 'utf8' })
  assert.match(stdout, /^loaded for postgres$/m)
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
  const [group = ''] = groupFiles(folder, folder, files, () => undefined)
  const { stdout } = spawnSync(process.execPath, [group], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })

  const hooks = stdout.split('\n').filter((line) => /^(one|two|after)/.test(line))
  assert.deepEqual(hooks, ['one starts', 'after a test of one', 'two starts', 'after a test of two'])
})
