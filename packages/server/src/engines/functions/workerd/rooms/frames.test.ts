import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { seededNumbers } from '../../../../testing/hostile-connections.ts'
import { FrameReader, MESSAGE_BYTES_MAX, pingFrame, textFrame } from './frames.ts'

/** What a process sends: not masked. */
function frameOf(first: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length <= 0xffff ? 4 : 10)
  head[0] = first
  if (head.length === 2) head[1] = length
  else if (head.length === 4) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return Buffer.concat([head, payload])
}

const TEXT = 0x81
const PONG = 0x8a

function open() {
  const events: (string | number)[] = []
  const reader = new FrameReader({
    onText: (bytes) => events.push(bytes.length < 1_000 ? bytes.toString() : bytes.length),
    onPong: () => events.push('pong'),
    onBroken: () => events.push('broken'),
  })
  return { events, reader }
}

describe('frames of a process of rooms', () => {
  test('[RWC-11] messages of every length arrive whole and in order, however the bytes are cut', () => {
    const lengths = [0, 1, 125, 126, 127, 999, 0xffff, 0x10000, 200_000]
    const bytes = Buffer.concat([
      ...lengths.map((length) => frameOf(TEXT, Buffer.alloc(length, 'a'))),
      frameOf(PONG, Buffer.from('x')),
      frameOf(TEXT, Buffer.from('last')),
    ])
    const expected = lengths.map((length) => (length < 1_000 ? 'a'.repeat(length) : length))
    for (let round = 0; round < 20; round++) {
      const number = seededNumbers(round + 1)
      const { events, reader } = open()
      for (let at = 0; at < bytes.length;) {
        const end = at + 1 + number(number(3) === 0 ? 20 : 70_000)
        reader.read(bytes.subarray(at, end))
        at = end
      }
      assert.deepEqual(events, [...expected, 'pong', 'last'])
    }
    const { events, reader } = open()
    for (const byte of bytes.subarray(0, 700)) reader.read(Buffer.of(byte))
    assert.deepEqual(events, expected.slice(0, 5))
  })

  test('[RWC-11] a message has at most 8 MiB', () => {
    for (const [length, expected] of [
      [MESSAGE_BYTES_MAX, [MESSAGE_BYTES_MAX]],
      [MESSAGE_BYTES_MAX + 1, ['broken']],
    ] as const) {
      const { events, reader } = open()
      reader.read(frameOf(TEXT, Buffer.alloc(length, 'a')))
      assert.deepEqual(events, expected)
    }
  })

  test('[RWC-12] what no healthy process sends is refused once, and nothing is read after it', () => {
    const broken: Record<string, Buffer> = {
      binary: frameOf(0x82, Buffer.from('a')),
      'the first part of a message': frameOf(0x01, Buffer.from('a')),
      'the rest of a message': frameOf(0x80, Buffer.from('a')),
      ping: frameOf(0x89, Buffer.alloc(0)),
      close: frameOf(0x88, Buffer.of(3, 232)),
      'an unknown opcode': frameOf(0x83, Buffer.from('a')),
      'a reserved bit': frameOf(0xc1, Buffer.from('a')),
      'a mask': Buffer.of(TEXT, 0x81, 0, 0, 0, 0, 97),
      'a long pong': frameOf(PONG, Buffer.alloc(126)),
      'a part of a pong': frameOf(0x0a, Buffer.alloc(0)),
      'text that is not UTF-8': frameOf(TEXT, Buffer.of(0xff)),
      'half a surrogate': frameOf(TEXT, Buffer.of(0xed, 0xa0, 0x80)),
      'a length of 2 ** 63': Buffer.of(TEXT, 127, 0x80, 0, 0, 0, 0, 0, 0, 0, 97),
      'a length of 2 ** 32': Buffer.of(TEXT, 127, 0, 0, 0, 1, 0, 0, 0, 0, 97),
    }
    for (const [what, bytes] of Object.entries(broken)) {
      const { events, reader } = open()
      reader.read(
        Buffer.concat([frameOf(TEXT, Buffer.from('first')), bytes, frameOf(TEXT, Buffer.from('next'))]),
      )
      reader.read(frameOf(TEXT, Buffer.from('later')))
      assert.deepEqual(events, ['first', 'broken'], what)
    }
  })

  test('[RWC-12] memory grows with what arrives, not with the length that was promised', () => {
    const { events, reader } = open()
    reader.read(frameOf(TEXT, Buffer.from('a'), MESSAGE_BYTES_MAX))
    assert.ok(reader.keptBytes <= 65_536)
    reader.read(Buffer.alloc(100_000, 'a'))
    assert.ok(reader.keptBytes <= 4 * 100_001)
    assert.deepEqual(events, [])
  })

  test('random bytes never throw', () => {
    for (let round = 1; round <= 300; round++) {
      const number = seededNumbers(round)
      const { events, reader } = open()
      for (let chunk = 0; chunk < 5; chunk++)
        reader.read(
          Buffer.from(Array.from({ length: number(40) }, () => (number(3) === 0 ? TEXT : number(256)))),
        )
      assert.ok(events.indexOf('broken') === -1 || events.indexOf('broken') === events.length - 1)
    }
  })

  test('a frame to the process has a mask of zeros and the shortest form of its length', () => {
    for (const length of [0, 125, 126, 0xffff, 0x10000]) {
      const frame = textFrame('a'.repeat(length))
      const headBytes = length < 126 ? 2 : length <= 0xffff ? 4 : 10
      const expected = frameOf(TEXT, Buffer.alloc(length, 'a'))
      expected[1] = (expected[1] ?? 0) | 0x80
      assert.deepEqual(frame.subarray(0, headBytes), expected.subarray(0, headBytes))
      assert.deepEqual(frame.subarray(headBytes, headBytes + 4), Buffer.alloc(4))
      assert.ok(frame.subarray(headBytes + 4).equals(expected.subarray(headBytes)))
    }
    assert.deepEqual(pingFrame, Buffer.of(0x89, 0x80, 0, 0, 0, 0))
  })
})
