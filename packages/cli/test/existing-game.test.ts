import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { apply, diffsOf } from './page-diffs.ts'

const ROOT = join(import.meta.dirname, '../../..')
const GAMES = join(ROOT, 'examples/existing-game')
const page = readFileSync(join(ROOT, 'docs/guide/existing-game.md'), 'utf8')
const [html = '', vite = ''] = page.split('\n## With Vite')

const read = (...path: string[]) => readFileSync(join(GAMES, ...path), 'utf8')
const filesOf = (...path: string[]) =>
  readdirSync(join(GAMES, ...path), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(join(GAMES, ...path).length + 1))
    .toSorted()

describe('the page "Add svc to an existing game"', () => {
  test('its diffs turn the plain game into the one with svc; no other file differs', () => {
    const diffs = diffsOf(html)
    assert.deepEqual([...diffs.keys()], ['index.html'])
    for (const file of filesOf('html', 'before'))
      assert.equal(apply(diffs.get(file) ?? [], read('html/before', file)), read('html/after', file), file)
    assert.deepEqual(filesOf('html', 'after'), [...filesOf('html', 'before'), 'svc.config.json'].toSorted())
  })

  test('its diffs of the modules do the same; the page and its styles differ as in the plain game', () => {
    const diffs = diffsOf(vite)
    assert.deepEqual([...diffs.keys()], ['src/main.ts', 'src/save.ts'])
    const added = linesAdded('html', 'index.html')
    for (const file of filesOf('vite', 'before')) {
      const isSame = read('vite/before', file) === read('vite/after', file)
      if (file === 'index.html' || file === 'src/style.css')
        for (const line of linesAdded('vite', file)) assert.ok(added.includes(line), `${file}: ${line}`)
      else if (diffs.has(file) || !isSame)
        assert.equal(apply(diffs.get(file) ?? [], read('vite/before', file)), read('vite/after', file), file)
    }
    const more = ['src/cloud.ts', 'svc.config.json']
    assert.deepEqual(filesOf('vite', 'after'), [...filesOf('vite', 'before'), ...more].toSorted())
  })

  test('its code for Vite is from the game', () => {
    const code = /^```ts cloud\.ts\n([\s\S]*?)^```$/m.exec(vite)?.[1] ?? ''
    const cloud = read('vite/after/src/cloud.ts')
    const parts = code.match(/^const (?:env|url|key) = .*$|await connect\(.*\)$/gm) ?? []
    assert.equal(parts.length, 4)
    for (const part of parts) assert.ok(cloud.includes(part), part)
  })

  test('a planted fault is found: a change that is missing, unclear or elsewhere', () => {
    const diff = (...lines: string[]) =>
      diffsOf(['```diff', '+++ a.js', ...lines, '```'].join('\n')).get('a.js') ?? []
    const file = '  one()\n  two()\n  two()\n'
    assert.equal(apply(diff(' one()', '+half()'), file), '  one()\n  half()\n  two()\n  two()\n')
    assert.equal(
      apply(diff('-one()', '@@', ' two()', ' two()', '+three()'), file),
      '  two()\n  two()\n  three()\n',
    )
    assert.throws(() => apply(diff(' two()', '+three()'), file), /not clear where/)
    assert.throws(() => apply(diff(' three()', '+four()'), file), /does not contain/)
  })
})

/** Lines that only the game with svc has, without their indentation. */
function linesAdded(form: string, file: string): string[] {
  const trimmed = (folder: string) =>
    read(form, folder, file)
      .split('\n')
      .map((line) => line.trim())
  const before = new Set(trimmed('before'))
  return trimmed('after').filter((line) => !before.has(line))
}
