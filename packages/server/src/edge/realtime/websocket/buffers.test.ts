import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { Backlog } from './backlog.ts'

test('a backlog is what was appended, in order, in memory for hardly more', () => {
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

test('what is appended is copied', () => {
  const backlog = new Backlog()
  const piece = Buffer.from('before')
  backlog.append(piece)
  piece.fill('x')
  assert.equal(Buffer.concat(backlog.pieces()).toString(), 'before')
})

test('an empty one has no pieces and no memory', () => {
  const backlog = new Backlog()
  backlog.append(Buffer.of())
  assert.deepEqual([backlog.length, backlog.pieces()], [0, []])
})
