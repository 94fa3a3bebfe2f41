import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hasExtension } from './paths.ts'
import { retainedAfterActivation, keptIn } from './retained-files.ts'

const file = (path: string, mark = 'a') => ({ path, sha256: mark.repeat(64), size: 1 })
const kept = (path: string, until: string, mark = 'a') => ({ ...file(path, mark), until })

test('files of a replaced version are retained if their name contains a hash and the next version lacks them', () => {
  const last = [file('index.html'), file('app.3f9a2c41.js'), file('both.3f9a2c41.js'), file('plain.js')]
  const next = [file('index.html'), file('both.3f9a2c41.js')]
  assert.deepEqual(retainedAfterActivation([], { last, next, until: '2' }), [kept('app.3f9a2c41.js', '2')])
})

test('files whose hash counts only next to a certain one are retained with it', () => {
  const last = [file('a/index-BxY3_a1Q.js'), file('a/index-DqLHHUqZ.css'), file('b/index-DqLHHUqZ.css')]
  const after = retainedAfterActivation([], { last, next: [], until: '2' })
  assert.deepEqual(
    after.map(({ path }) => path),
    ['a/index-BxY3_a1Q.js', 'a/index-DqLHHUqZ.css'],
  )
})

test('files that are already retained stay once, until their own expiry', () => {
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

test('at most 10,000 files are retained, the newest ones', () => {
  const last = Array.from({ length: 10_000 }, (_, i) => file(`new.${i}.3f9a2c41.js`))
  const after = retainedAfterActivation([kept('old.3f9a2c41.js', '1')], { last, next: [], until: '2' })
  assert.equal(after.length, 10_000)
  assert.ok(after.every(({ until }) => until === '2'))
})

test('an extension is in the last segment of a path', () => {
  assert.deepEqual(
    ['a.b', '/x/a.b.c', 'x.y/z.png'].filter((path) => !hasExtension(path)),
    [],
  )
  assert.deepEqual(['a', '/', 'v1.2/play', '.hidden', 'x/.hidden', 'a.', 'a/'].filter(hasExtension), [])
})
