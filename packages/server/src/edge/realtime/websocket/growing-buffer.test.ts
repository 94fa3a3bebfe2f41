import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { GrowingBuffer } from './growing-buffer.ts'

test('pieces come out as one, in memory of their own at most twice as large', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const growing = new GrowingBuffer()
      for (const part of parts) {
        growing.append(part)
        assert.ok(growing.bytes.buffer.byteLength <= 2 * growing.length)
      }
      assert.deepEqual(growing.bytes, Buffer.concat(parts))
      assert.equal(growing.length, growing.bytes.length)
    }),
  )
})
