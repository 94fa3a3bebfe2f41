import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hasExtension } from './paths.ts'
import { retainedAfterActivation, keptIn } from './retained-files.ts'

const file = (path: string, mark = 'a') => ({ path, sha256: mark.repeat(64), size: 1 })
const kept = (path: string, until: string, mark = 'a') => ({ ...file(path, mark), until })

test('of a version that goes, what holds its hash in its name and the next one lacks is kept', () => {
  const last = [file('index.html'), file('app.3f9a2c41.js'), file('both.3f9a2c41.js'), file('plain.js')]
  const next = [file('index.html'), file('both.3f9a2c41.js')]
  assert.deepEqual(retainedAfterActivation([], { last, next, until: '2' }), [kept('app.3f9a2c41.js', '2')])
})

test('names that are hashes only beside others are kept with them', () => {
  const last = [file('a/index-BxY3_a1Q.js'), file('a/index-DqLHHUqZ.css'), file('b/index-DqLHHUqZ.css')]
  const after = retainedAfterActivation([], { last, next: [], until: '2' })
  assert.deepEqual(
    after.map(({ path }) => path),
    ['a/index-BxY3_a1Q.js', 'a/index-DqLHHUqZ.css'],
  )
})

test('what was kept before stays behind, once, until its own time', () => {
  const before = [kept('x.3f9a2c41.js', '1', 'b'), kept('y.3f9a2c41.js', '1'), kept('z.3f9a2c41.js', '1')]
  const after = retainedAfterActivation(before, {
    last: [file('x.3f9a2c41.js')],
    next: [file('z.3f9a2c41.js')],
    until: '2',
  })
  assert.deepEqual(after, [kept('x.3f9a2c41.js', '2'), kept('y.3f9a2c41.js', '1')])
  assert.deepEqual(keptIn(JSON.stringify(after), '1'), [kept('x.3f9a2c41.js', '2')])
  assert.deepEqual(keptIn(undefined, '1'), [])
})

test('ten thousand are kept and not one more, the newest', () => {
  const last = Array.from({ length: 10_000 }, (_, i) => file(`new.${i}.3f9a2c41.js`))
  const after = retainedAfterActivation([kept('old.3f9a2c41.js', '1')], { last, next: [], until: '2' })
  assert.equal(after.length, 10_000)
  assert.ok(after.every(({ until }) => until === '2'))
})

test('an extension stands in the last part of a path', () => {
  assert.deepEqual(
    ['a.b', '/x/a.b.c', 'x.y/z.png'].filter((path) => !hasExtension(path)),
    [],
  )
  assert.deepEqual(['a', '/', 'v1.2/play', '.hidden', 'x/.hidden', 'a.', 'a/'].filter(hasExtension), [])
})
