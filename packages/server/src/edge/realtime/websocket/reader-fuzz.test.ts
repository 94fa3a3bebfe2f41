import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'

import fc from 'fast-check'

import { clientClose, clientFrame } from '../../../testing/raw-websocket.ts'
import { type Seen, watchedReader } from '../../../testing/watched-reader.ts'

const CASES = 20_000
const PAYLOAD_BYTES_MAX = 300
/** A ping may come while a whole message but its last, empty fragment is kept. */
const KEPT_BYTES_MAX = PAYLOAD_BYTES_MAX + 6 + 125

/** The rules of RFC 6455 once more, as plainly as they can be said of a stream that is there from beginning to end. */
function expectedOf(stream: Buffer): Seen[] {
  const seen: Seen[] = []
  let message: { opcode: number; parts: Buffer[] } | undefined
  for (let rest = stream; rest.length >= 2;) {
    const [first = 0, second = 0] = rest
    const [isFinal, opcode, length] = [first >= 128, first % 16, second % 128]
    if (first % 128 >= 16 || ![0, 1, 2, 8, 9, 10].includes(opcode) || second < 128)
      return [...seen, ['fail', 1002]]
    if (opcode >= 8 && (!isFinal || length > 125)) return [...seen, ['fail', 1002]]
    if (opcode < 8 && (opcode === 0) !== (message !== undefined)) return [...seen, ['fail', 1002]]
    const lengthBytes = length === 127 ? 8 : length === 126 ? 2 : 0
    const headerBytes = 2 + lengthBytes + 4
    if (rest.length < headerBytes) return seen
    const hex = rest.toString('hex', 2, 2 + lengthBytes)
    const payloadBytes = lengthBytes === 0 ? BigInt(length) : BigInt(`0x${hex}`)
    const shorterFormMax = { 0: -1n, 2: 125n, 8: 65_535n }[lengthBytes]
    if (payloadBytes <= shorterFormMax || payloadBytes >= 2n ** 63n) return [...seen, ['fail', 1002]]
    const before = message?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0
    if (opcode < 8 && BigInt(before) + payloadBytes > PAYLOAD_BYTES_MAX) return [...seen, ['fail', 1009]]
    const frameBytes = headerBytes + Number(payloadBytes)
    if (rest.length < frameBytes) return seen
    const mask = rest.subarray(headerBytes - 4, headerBytes)
    const payload = rest
      .subarray(headerBytes, frameBytes)
      .map((byte, at) => byte ^ (mask[at % 4] ?? 0)) as Buffer
    rest = rest.subarray(frameBytes)

    if (opcode === 9) seen.push(['ping', payload.toString('latin1')])
    if (opcode === 10) seen.push(['pong'])
    if (opcode === 8) return [...seen, closeOf(payload)]
    if (opcode > 2) continue
    message ??= { opcode, parts: [] }
    message.parts.push(payload)
    if (!isFinal) continue
    const whole = Buffer.concat(message.parts)
    if (message.opcode === 1 && !isUtf8(whole)) return [...seen, ['fail', 1007]]
    seen.push(message.opcode === 1 ? ['text', whole.toString()] : ['binary'])
    message = undefined
  }
  return seen
}

function closeOf(payload: Buffer): Seen {
  if (payload.length === 0) return ['close', 1005, '']
  if (payload.length === 1) return ['fail', 1002]
  const code = payload.readUInt16BE()
  const isOfTheRfc = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)
  if (!isOfTheRfc && (code < 3000 || code > 4999)) return ['fail', 1002]
  return isUtf8(payload.subarray(2)) ? ['close', code, payload.toString('utf8', 2)] : ['fail', 1007]
}

const payload = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.integer({ min: 90, max: 160 }).map((length) => Buffer.alloc(length, 'a')) },
)
const mask = fc.uint8Array({ minLength: 4, maxLength: 4 })
const control = fc
  .record({ opcode: fc.constantFrom(9, 10), payload: fc.string({ maxLength: 125 }), mask })
  .map((frame) => [clientFrame(frame)])
const close = fc.integer({ min: 990, max: 1_020 }).map((code) => [clientClose(code, 'a')])
const message = fc
  .record({
    opcode: fc.constantFrom(1, 1, 2),
    fragments: fc.array(payload, { minLength: 1, maxLength: 3 }),
    mask,
  })
  .map(({ opcode, fragments, mask }) =>
    fragments.map((fragment, index) =>
      clientFrame({
        opcode: index === 0 ? opcode : 0,
        payload: fragment,
        isFinal: index === fragments.length - 1,
        mask,
      }),
    ),
  )
const frames = fc.oneof(
  { weight: 12, arbitrary: message },
  { weight: 6, arbitrary: control },
  { weight: 1, arbitrary: close },
)
const mutation = fc.record({
  kind: fc.constantFrom('flip', 'set', 'insert', 'remove', 'repeat', 'truncate'),
  at: fc.nat(2_000),
  value: fc.oneof(fc.nat(255), fc.constantFrom(0, 125, 126, 127, 0x80, 0xfe, 0xff)),
})

function mutated(stream: Buffer, { kind, at, value }: { kind: string; at: number; value: number }): Buffer {
  const place = at % (stream.length + 1)
  const [before, after] = [stream.subarray(0, place), stream.subarray(place)]
  const [byte = 0] = after
  if (kind === 'flip') return Buffer.concat([before, Buffer.of(byte ^ (1 << (value % 8))), after.subarray(1)])
  if (kind === 'set') return Buffer.concat([before, Buffer.of(value), after.subarray(1)])
  if (kind === 'insert') return Buffer.concat([before, Buffer.of(value), after])
  if (kind === 'remove') return Buffer.concat([before, after.subarray(1)])
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, value), after])
  return before
}

test(`${CASES} streams of frames with faults are read as the rules say, keeping ${KEPT_BYTES_MAX} bytes at most`, (t) => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_000n)
  t.diagnostic(`seed ${seed}`)
  const told = new Map<string, number>()
  const property = fc.property(
    fc.array(frames, { minLength: 1, maxLength: 6 }),
    fc.array(mutation, { maxLength: 2 }),
    fc.array(fc.nat(60), { minLength: 1, maxLength: 10 }),
    (groups, mutations, chunkBytes) => {
      const stream = mutations.reduce(mutated, Buffer.concat(groups.flat()))
      const expected = expectedOf(stream)
      assert.deepEqual(readInChunks(stream, chunkBytes), expected)
      const [kind = 'nothing', code = ''] = expected.at(-1) ?? []
      const outcome = kind === 'fail' ? `${kind} ${code}` : String(kind)
      told.set(outcome, (told.get(outcome) ?? 0) + 1)
    },
  )
  fc.assert(property, { numRuns: CASES, seed })

  t.diagnostic([...told].map(([outcome, count]) => `${outcome}: ${count}`).join(', '))
  for (const outcome of ['text', 'binary', 'ping', 'pong', 'close', 'fail 1002', 'fail 1007', 'fail 1009'])
    assert.ok((told.get(outcome) ?? 0) > 50, `too few cases end in ${outcome}`)
})

function readInChunks(stream: Buffer, chunkBytes: number[]): Seen[] {
  const { reader, seen } = watchedReader(PAYLOAD_BYTES_MAX)
  let at = 0
  for (let turn = 0; at < stream.length; turn++) {
    const end = at + 1 + (chunkBytes[turn % chunkBytes.length] ?? 0)
    const chunk = Buffer.from(stream.subarray(at, end))
    assert.equal(reader.read(chunk), chunk.length)
    assert.ok(reader.keptBytes <= KEPT_BYTES_MAX, `${reader.keptBytes} bytes are kept`)
    at = end
  }
  return seen
}
