import assert from 'node:assert/strict'
import { test } from 'node:test'

import { requestPath } from './request-path.ts'

test('the path of a request is decoded, without its query', () => {
  for (const path of ['a', 'a b/c', '100%', 'é.txt', '?#&', '日本/語', 'a+b', '~x', "it's"]) {
    const encoded = path.split('/').map(encodeURIComponent).join('/')
    assert.equal(requestPath(`/${encoded}?query`), `/${path}`)
  }
  assert.equal(requestPath('/.%61uth/verify'), '/.auth/verify')
  assert.equal(requestPath('/a%2Fb'), '/a\0b')
})

test('a path that no browser sends is rejected', () => {
  for (const url of ['a', '*', '', '/..', '/a/../b', '/%2e%2e/b', '/.', '/a%00', '/%ff', '/a%5Cb', '/a\\b'])
    assert.equal(requestPath(url), undefined, url)
})
