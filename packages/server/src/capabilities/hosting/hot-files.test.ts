import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'

import { createHotFiles } from './hot-files.ts'

/** A store that knows everything, and counts how often it is asked. */
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

test('files that were asked for lately are read once, whoever waits', async () => {
  const blobs = store(100)
  const hot = createHotFiles(blobs, limits)
  await Promise.all(Array.from({ length: 10 }, () => hot.read('a')))
  assert.equal(hot.known('a')?.length, 100)
  assert.deepEqual(blobs.asked, ['a'])
})

test('memory is bounded, by bytes and also for very many files of no bytes at all', async () => {
  for (const size of [0, 1, 1_024]) {
    const hot = createHotFiles(store(size), limits)
    const keys = Array.from({ length: 1_000 }, (_, i) => `k${i}`)
    for (const key of keys) {
      await hot.read(key)
      hot.known('k0')
    }
    const kept = keys.filter((key) => hot.known(key))
    assert.ok(kept.length > 10 && kept.length < 200, `${kept.length} of ${size} bytes`)
    assert.ok(kept.includes('k0') && kept.includes('k999'), 'the ones asked for lately')
    assert.ok(!kept.includes('k1'), 'not the one asked for longest ago')
  }
})
