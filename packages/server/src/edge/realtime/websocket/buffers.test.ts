import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { Backlog, GrowingBuffer } from './buffers.ts'

test('a backlog returns what was appended, in order, and uses little more memory', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 50 }), (pieces) => {
      const backlog = new Backlog()
      for (const piece of pieces) backlog.append(piece)
      const whole = Buffer.concat(pieces)
      assert.equal(backlog.length, whole.length)
      assert.ok(Buffer.concat(backlog.pieces()).equals(whole))
      const memoryBytes = backlog.pieces().reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
      assert.ok(memoryBytes <= whole.length + Math.max(1_024, Math.min(whole.length, 65_536)))
    }),
  )
})

test('a backlog copies what is appended', () => {
  const backlog = new Backlog()
  const piece = Buffer.from('before')
  backlog.append(piece)
  piece.fill('x')
  assert.equal(Buffer.concat(backlog.pieces()).toString(), 'before')
})

test('an empty backlog has no pieces and no memory', () => {
  const backlog = new Backlog()
  backlog.append(Buffer.of())
  assert.deepEqual([backlog.length, backlog.pieces()], [0, []])
})

test('a growing buffer returns its pieces as one, in separate memory of at most twice their size', () => {
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
