import fc from 'fast-check'

import { anyCharacter } from './any-character.ts'
import { clientClose, clientFrame } from './raw-websocket.ts'

const payload = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => Buffer.from(text)) },
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

/** Up to six messages, control frames and closes of a client, with up to two faults. Payloads are at most 160 bytes. */
export const frameStream: fc.Arbitrary<Buffer> = fc
  .tuple(fc.array(frames, { minLength: 1, maxLength: 6 }), fc.array(mutation, { maxLength: 2 }))
  .map(([groups, mutations]) => mutations.reduce(mutated, Buffer.concat(groups.flat())))
