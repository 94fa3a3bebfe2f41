import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'

import fc from 'fast-check'

import { frameStream } from '../../../testing/frame-streams.ts'
import { type Seen, recordingReader } from '../../../testing/recording-reader.ts'
import { runs } from '../../../testing/runs.ts'

const CASES = runs(10_000, 200_000)
const PAYLOAD_BYTES_MAX = 300
/** A ping may arrive while all of a message is buffered except its last, empty fragment. */
const KEPT_BYTES_MAX = PAYLOAD_BYTES_MAX + 6 + 125

/** A second, simple implementation of the rules of RFC 6455, for a complete stream. */
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

test(`${CASES} frame streams with faults are read according to the rules, with at most ${KEPT_BYTES_MAX} bytes buffered`, (t) => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_000n)
  t.diagnostic(`seed ${seed}`)
  const received = new Map<string, number>()
  const property = fc.property(
    frameStream,
    fc.array(fc.nat(60), { minLength: 1, maxLength: 10 }),
    (stream, chunkBytes) => {
      const expected = expectedOf(stream)
      assert.deepEqual(readInChunks(stream, chunkBytes), expected)
      const [kind = 'nothing', code = ''] = expected.at(-1) ?? []
      const outcome = kind === 'fail' ? `${kind} ${code}` : String(kind)
      received.set(outcome, (received.get(outcome) ?? 0) + 1)
    },
  )
  fc.assert(property, { numRuns: CASES, seed })

  t.diagnostic([...received].map(([outcome, count]) => `${outcome}: ${count}`).join(', '))
  // The rarest of them, fail 1009, is one case of 90 on average.
  for (const outcome of ['text', 'binary', 'ping', 'pong', 'close', 'fail 1002', 'fail 1007', 'fail 1009'])
    assert.ok((received.get(outcome) ?? 0) > Math.max(50, CASES / 500), `too few cases end in ${outcome}`)
})

function readInChunks(stream: Buffer, chunkBytes: number[]): Seen[] {
  const { reader, seen } = recordingReader(PAYLOAD_BYTES_MAX)
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
