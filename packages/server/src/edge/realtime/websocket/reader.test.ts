import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { anyCharacter } from '../../../testing/any-character.ts'
import { clientClose, clientFrame, clientText } from '../../../testing/raw-websocket.ts'
import { type Seen, recordingReader } from '../../../testing/recording-reader.ts'

const watch = (payloadBytesMax = 65_536) => recordingReader(payloadBytesMax)

function read(stream: Buffer, payloadBytesMax?: number): Seen[] {
  const { reader, seen } = watch(payloadBytesMax)
  reader.read(Buffer.from(stream))
  return seen
}

function readByteByByte(stream: Buffer, payloadBytesMax?: number): Seen[] {
  const { reader, seen } = watch(payloadBytesMax)
  for (const byte of stream) reader.read(Buffer.of(byte))
  return seen
}

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10] as const
const part = (opcode: number, payload: string) => clientFrame({ opcode, payload, isFinal: false })
const bytes = (hex: string) => Buffer.from(hex, 'hex')

describe('valid frames', () => {
  const cases: [name: string, stream: Buffer, expected: Seen[]][] = [
    ['a text', clientText('hello'), [['text', 'hello']]],
    ['an empty text', clientText(''), [['text', '']]],
    ['a binary message', clientFrame({ opcode: BINARY, payload: bytes('ff00') }), [['binary']]],
    ['a ping', clientFrame({ opcode: PING, payload: 'x'.repeat(125) }), [['ping', 'x'.repeat(125)]]],
    ['a pong', clientFrame({ opcode: PONG, payload: 'y' }), [['pong']]],
    ['a close without a code', clientClose(), [['close', 1005, '']]],
    ['a close with a code', clientClose(1000), [['close', 1000, '']]],
    ['a close with a reason', clientClose(4999, 'späť'), [['close', 4999, 'späť']]],
    [
      'a text in fragments, with control frames between them',
      Buffer.concat([
        part(TEXT, 'a'),
        clientFrame({ opcode: PING, payload: '1' }),
        part(CONTINUATION, ''),
        clientFrame({ opcode: PONG }),
        clientFrame({ opcode: CONTINUATION, payload: 'b' }),
      ]),
      [['ping', '1'], ['pong'], ['text', 'ab']],
    ],
    [
      'a character cut by fragments',
      Buffer.concat([
        clientFrame({ opcode: TEXT, payload: bytes('e282'), isFinal: false }),
        clientFrame({ opcode: CONTINUATION, payload: bytes('ac') }),
      ]),
      [['text', '€']],
    ],
    [
      'a binary message in fragments, then a text in fragments',
      Buffer.concat([
        part(BINARY, 'a'),
        clientFrame({ opcode: CONTINUATION }),
        part(TEXT, 'b'),
        clientFrame({ opcode: CONTINUATION, payload: 'c' }),
      ]),
      [['binary'], ['text', 'bc']],
    ],
    [
      'a fragmented text of nothing',
      Buffer.concat([part(TEXT, ''), clientFrame({ opcode: 0 })]),
      [['text', '']],
    ],
    [
      'a mask of zeros',
      clientFrame({ opcode: TEXT, payload: 'plain', mask: Buffer.alloc(4) }),
      [['text', 'plain']],
    ],
  ]
  for (const [name, stream, expected] of cases) {
    test(`${name}, in one chunk and byte by byte`, () => {
      assert.deepEqual(read(stream), expected)
      assert.deepEqual(readByteByByte(stream), expected)
    })
  }

  for (const length of [125, 126, 127, 65_535, 65_536]) {
    test(`a text of ${length} bytes, at an edge of the length encodings`, () => {
      assert.deepEqual(read(clientText('a'.repeat(length))), [['text', 'a'.repeat(length)]])
    })
  }

  for (const code of [
    1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
  ]) {
    test(`close code ${code}`, () => assert.deepEqual(read(clientClose(code)), [['close', code, '']]))
  }
})

describe('invalid frames', () => {
  const cases: [name: string, code: number, stream: Buffer][] = [
    ...[0x40, 0x20, 0x10].map((reserved): [string, number, Buffer] => [
      `reserved bit ${reserved}`,
      1002,
      clientFrame({ opcode: TEXT, payload: 'a', reserved }),
    ]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, number, Buffer] => [
      `unknown opcode ${opcode}`,
      1002,
      clientFrame({ opcode }),
    ]),
    ...[TEXT, PING, CLOSE].map((opcode): [string, number, Buffer] => [
      `a frame without a mask, opcode ${opcode}`,
      1002,
      clientFrame({ opcode, mask: null }),
    ]),
    ...[CLOSE, PING, PONG].flatMap((opcode): [string, number, Buffer][] => [
      [`a fragmented control frame, opcode ${opcode}`, 1002, clientFrame({ opcode, isFinal: false })],
      [
        `a control frame of 126 bytes, opcode ${opcode}`,
        1002,
        clientFrame({ opcode, payload: Buffer.alloc(126) }),
      ],
      [
        `a control frame with its length in 64 bits, opcode ${opcode}`,
        1002,
        clientFrame({ opcode, payload: 'a', lengthBytes: 8 }),
      ],
    ]),
    ['a continuation of nothing', 1002, clientFrame({ opcode: CONTINUATION, payload: 'a' })],
    ['a continuation of a whole message', 1002, Buffer.concat([clientText('a'), part(CONTINUATION, 'b')])],
    ['a text within a text', 1002, Buffer.concat([part(TEXT, 'a'), clientText('b')])],
    ['a binary message within a text', 1002, Buffer.concat([part(TEXT, 'a'), part(BINARY, 'b')])],
    ['a text within an empty fragment', 1002, Buffer.concat([part(TEXT, ''), part(TEXT, '')])],
    [
      'a length of 125 in 16 bits',
      1002,
      clientFrame({ opcode: TEXT, payload: Buffer.alloc(125), lengthBytes: 2 }),
    ],
    [
      'a length of 65,535 in 64 bits',
      1002,
      clientFrame({ opcode: TEXT, payload: Buffer.alloc(65_535), lengthBytes: 8 }),
    ],
    ['a length with the top bit', 1002, bytes('81ff800000000000000012345678')],
    ['the largest length there is', 1009, bytes('81ff7fffffffffffffff12345678')],
    ['half a close code', 1002, clientFrame({ opcode: CLOSE, payload: 'x' })],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map(
      (code): [string, number, Buffer] => [`close code ${code}`, 1002, clientClose(code)],
    ),
    ['a close reason that is not UTF-8', 1007, clientFrame({ opcode: CLOSE, payload: bytes('03e8ff') })],
    ...['ff', 'c0af', 'e282', 'eda080', 'f4908080', '61f09f8e'].map((hex): [string, number, Buffer] => [
      `text ${hex}`,
      1007,
      clientFrame({ opcode: TEXT, payload: bytes(hex) }),
    ]),
    [
      'a text whose fragments together are not UTF-8',
      1007,
      Buffer.concat([
        clientFrame({ opcode: TEXT, payload: bytes('e282'), isFinal: false }),
        clientFrame({ opcode: CONTINUATION, payload: 'a' }),
      ]),
    ],
  ]
  for (const [name, code, stream] of cases) {
    test(`${name}: ${code}, and reading stops`, () => {
      const followed = Buffer.concat([stream, clientText('after'), clientClose(1000)])
      for (const seen of [read(followed), readByteByByte(followed)]) {
        assert.deepEqual(seen.at(-1), ['fail', code])
        assert.ok(!seen.some(([, text]) => text === 'after'))
      }
    })
  }

  test('reading stops after a close frame, too', () => {
    assert.deepEqual(read(Buffer.concat([clientClose(1000), clientText('after'), clientClose(1000)])), [
      ['close', 1000, ''],
    ])
  })
})

describe('[WSK-10] a message over the limit: 1009', () => {
  test('a message of exactly the limit is read, one byte more is not', () => {
    assert.deepEqual(read(clientText('a'.repeat(1_000)), 1_000), [['text', 'a'.repeat(1_000)]])
    assert.deepEqual(read(clientText('a'.repeat(1_001)), 1_000), [['fail', 1009]])
  })

  test('the header is enough, before any payload has arrived', () => {
    for (const opcode of [TEXT, BINARY]) {
      const { reader, seen } = watch(1_000)
      reader.read(clientFrame({ opcode, payload: Buffer.alloc(1_001) }).subarray(0, 8))
      assert.deepEqual(seen, [['fail', 1009]])
      assert.equal(reader.keptBytes, 0)
    }
  })

  test('the sizes of fragments are added, for text and binary messages', () => {
    for (const opcode of [TEXT, BINARY]) {
      const begin = Buffer.concat([part(opcode, 'a'.repeat(600)), part(CONTINUATION, 'a'.repeat(400))])
      assert.deepEqual(read(Buffer.concat([begin, part(CONTINUATION, 'a')]), 1_000), [['fail', 1009]])
      const whole = read(Buffer.concat([begin, clientFrame({ opcode: CONTINUATION })]), 1_000)
      assert.deepEqual(whole, [opcode === TEXT ? ['text', 'a'.repeat(1_000)] : ['binary']])
    }
  })

  test('control frames have a separate limit', () => {
    assert.deepEqual(read(clientFrame({ opcode: PING, payload: 'x'.repeat(125) }), 10), [
      ['ping', 'x'.repeat(125)],
    ])
  })

  test('the size limit starts from zero for each message', () => {
    const messages = Buffer.concat([
      part(TEXT, 'a'),
      clientFrame({ opcode: CONTINUATION }),
      clientText('b'.repeat(10)),
    ])
    assert.deepEqual(read(messages, 10), [
      ['text', 'a'],
      ['text', 'b'.repeat(10)],
    ])
  })
})

describe('memory', () => {
  test('frames that are complete in one chunk are unmasked in place', () => {
    const chunk = Buffer.concat([clientText('first'), clientText('second')])
    const { reader, seen } = watch()
    assert.equal(reader.read(chunk), chunk.length)
    assert.deepEqual(seen, [
      ['text', 'first'],
      ['text', 'second'],
    ])
    assert.ok(chunk.includes('first') && chunk.includes('second'))
    assert.equal(reader.keptBytes, 0)
  })

  test('100,000 fragments of one byte and of no bytes use only the memory of their bytes, and none afterwards', () => {
    const { reader, seen } = watch(50_000)
    reader.read(part(TEXT, ''))
    for (let count = 0; count < 50_000; count++) {
      reader.read(part(CONTINUATION, 'a'))
      reader.read(part(CONTINUATION, ''))
    }
    assert.equal(reader.keptBytes, 50_000)
    reader.read(clientFrame({ opcode: CONTINUATION }))
    assert.deepEqual(seen, [['text', 'a'.repeat(50_000)]])
    assert.equal(reader.keptBytes, 0)
  })

  test('while paused nothing is read, and the reader reports its position', () => {
    const { reader, seen } = watch()
    const chunk = Buffer.concat([clientText('a'), clientText('b')])
    reader.isPaused = true
    assert.equal(reader.read(chunk), 0)
    reader.isPaused = false
    assert.equal(reader.read(chunk), chunk.length)
    assert.deepEqual(seen, [
      ['text', 'a'],
      ['text', 'b'],
    ])
  })
})

describe('random messages', () => {
  const payload = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.nat(70_000).map((length) => 'ü'.repeat(length / 2)),
    fc.constantFrom(124, 125, 126, 127, 128).map((length) => 'x'.repeat(length)),
  )
  const mask = fc.uint8Array({ minLength: 4, maxLength: 4 })
  const control = fc.record({
    opcode: fc.constantFrom(PING, PONG),
    payload: fc.string({ unit: anyCharacter, maxLength: 30 }),
    mask,
  })
  const message = fc.record({
    opcode: fc.constantFrom(TEXT, TEXT, TEXT, BINARY),
    payload,
    mask,
    cuts: fc.array(fc.nat(100_000), { maxLength: 4 }),
    between: fc.array(control, { maxLength: 2 }),
  })

  test('split into frames and chunks at any position are read back unchanged', () => {
    const property = fc.property(
      fc.array(message, { maxLength: 6 }),
      fc.array(fc.nat(200_000), { maxLength: 12 }),
      (messages, cuts) => {
        const { stream, expected } = framed(messages)
        const { reader, seen } = watch(100_000)
        for (const chunk of pieces(stream, cuts)) reader.read(chunk)
        assert.deepEqual(seen, expected)
        assert.equal(reader.keptBytes, 0)
      },
    )
    fc.assert(property, { numRuns: 1_000 })
  })

  function framed(messages: (typeof message extends fc.Arbitrary<infer T> ? T : never)[]) {
    const expected: Seen[] = []
    const stream = messages.flatMap(({ opcode, payload, mask, cuts, between }) => {
      const fragments = pieces(Buffer.from(payload), cuts)
      const frames = fragments.flatMap((fragment, index) => {
        const isFinal = index === fragments.length - 1
        const frame = clientFrame({
          opcode: index === 0 ? opcode : CONTINUATION,
          payload: fragment,
          isFinal,
          mask,
        })
        return isFinal ? [frame] : [frame, ...between.map((one) => clientFrame(one))]
      })
      const controls = between.map((one): Seen =>
        one.opcode === PING ? ['ping', Buffer.from(one.payload).toString('latin1')] : ['pong'],
      )
      expected.push(...fragments.slice(1).flatMap(() => controls))
      expected.push(opcode === TEXT ? ['text', payload] : ['binary'])
      return frames
    })
    return { stream: Buffer.concat(stream), expected }
  }

  function pieces(whole: Buffer, cuts: number[]): Buffer[] {
    const at = cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b)
    return [0, ...at].map((from, index) => Buffer.from(whole.subarray(from, at[index] ?? whole.length)))
  }
})
