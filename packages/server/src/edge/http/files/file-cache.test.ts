import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'

import { createFileCache } from './file-cache.ts'

/** A store that has every file, and counts how often it is opened. */
function store(size: number) {
  const asked: string[] = []
  return {
    asked,
    async open(key: string) {
      asked.push(key)
      return { size, stream: Readable.from([Buffer.alloc(size)]) }
    },
  }
}

const limits = { bytesMax: 64 * 1024, fileBytesMax: 1024 }

test('concurrent requests for a file read it once, later ones take it from the cache', async () => {
  const blobs = store(100)
  const cache = createFileCache(blobs, limits)
  await Promise.all(Array.from({ length: 10 }, () => cache.read('a')))
  assert.equal(cache.find('a')?.length, 100)
  assert.deepEqual(blobs.asked, ['a'])
})

test('the cache is bounded by bytes, also for very many empty files', async () => {
  for (const size of [0, 1, 1_024]) {
    const cache = createFileCache(store(size), limits)
    const keys = Array.from({ length: 1_000 }, (_, i) => `k${i}`)
    for (const key of keys) {
      await cache.read(key)
      cache.find('k0')
    }
    const kept = keys.filter((key) => cache.find(key))
    assert.ok(kept.length > 10 && kept.length < 200, `${kept.length} of ${size} bytes`)
    assert.ok(kept.includes('k0') && kept.includes('k999'), 'recently used')
    assert.ok(!kept.includes('k1'), 'not the least recently used')
  }
})
