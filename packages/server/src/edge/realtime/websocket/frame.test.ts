import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { serverFrames } from '../../../testing/raw-websocket.ts'
import { closeFrame, pingFrame, pongFrame, textFrame } from './frame.ts'

describe('frames that the server sends', () => {
  for (const [bytes, header] of [
    [0, '8100'],
    [125, '817d'],
    [126, '817e007e'],
    [65_535, '817effff'],
    [65_536, '817f0000000000010000'],
  ] as const) {
    test(`a text of ${bytes} bytes has the shortest length encoding, no mask, and is final`, () => {
      const frame = textFrame('a'.repeat(bytes))
      assert.equal(frame.toString('hex', 0, header.length / 2), header)
      assert.equal(frame.toString('utf8', header.length / 2), 'a'.repeat(bytes))
    })
  }

  test('the length counts UTF-8 bytes, not characters', () => {
    for (const text of ['ü'.repeat(63), '€'.repeat(21_846), '🎲'.repeat(40), 'a\u0000b']) {
      const { frames, rest } = serverFrames(textFrame(text))
      assert.deepEqual(
        frames.map(({ opcode, payload }) => [opcode, payload.toString()]),
        [[1, text]],
      )
      assert.equal(rest.length, 0)
    }
  })

  test('an unpaired surrogate becomes U+FFFD, so the frame is always valid UTF-8', () => {
    assert.equal(textFrame('a\ud83d').toString('utf8', 2), 'a\ufffd')
  })

  test('a ping is empty; a pong has the payload of the ping', () => {
    assert.equal(pingFrame.toString('hex'), '8900')
    assert.equal(pongFrame(Buffer.from('hello')).toString('hex'), '8a0568656c6c6f')
    assert.equal(pongFrame(Buffer.alloc(125)).length, 127)
  })

  test('a close frame has code and reason; for 1005 it is empty', () => {
    assert.equal(closeFrame(4001, 'no').toString('hex'), '88040fa16e6f')
    assert.equal(closeFrame(1000, '').toString('hex'), '880203e8')
    assert.equal(closeFrame(1005, '').toString('hex'), '8800')
  })

  for (const character of ['a', 'ü', '€', '🎲']) {
    test(`[WSK-05] a close reason is truncated to 123 bytes, never within a character: ${character}`, () => {
      for (const lead of ['', 'x', 'xx', 'xxx']) {
        const reason = lead + character.repeat(124)
        const sent = closeFrame(4001, reason).subarray(4).toString()
        const size = Buffer.byteLength(character)
        assert.ok(reason.startsWith(sent))
        assert.equal(Buffer.byteLength(sent), lead.length + Math.floor((123 - lead.length) / size) * size)
      }
    })
  }
})
