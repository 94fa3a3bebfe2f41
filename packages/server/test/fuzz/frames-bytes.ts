import { LIMITS } from '@svc/contract/common/limits'
import { auth } from '@svc/contract/realtime/realtime'
import * as fc from 'fast-check'

import { clientClose, clientFrame, clientText } from '../../src/testing/raw-websocket.ts'
import { frames } from './frame-generators.ts'
import { BROKEN_UTF8 } from './hostile.ts'
import { nearValid } from './values.ts'

/**
 * Bytes for a connection, in pieces, and how the connection must end: with a close code; `open`: a later request is answered;
 * `cut`: the client disconnects in the middle, and may or may not receive a close frame; `abuse`: with the code for too many
 * frames, before or after authentication.
 */
export type Attack = { name: string; pieces: Buffer[]; end: number | 'open' | 'cut' | 'abuse' }

const REQUEST = JSON.stringify({ t: 'channelJoin', channel: 'fuzz', rid: 'x' })
const TEXT = 1
const BINARY = 2
const PING = 9
const PONG = 10
const PROTOCOL_ERROR = 1002
const NOT_UTF8 = 1007
const TOO_BIG = 1009
const POLICY_VIOLATION = 1008
const AUTH_BYTES_MAX = LIMITS.authFrameBytesMax
const FRAME_BYTES_MAX = LIMITS.frameBytesMax

const attack = (name: string, end: Attack['end'], ...pieces: Buffer[]): Attack => ({ name, pieces, end })
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte))

/** Only the header of a text frame, which announces `payloadBytes` bytes. */
function promise(payloadBytes: bigint): Buffer {
  const header = Buffer.alloc(14)
  header[0] = 0x81
  header[1] = 0xff
  header.writeBigUInt64BE(payloadBytes, 2)
  return header
}

const fragments = (text: string): Buffer[] =>
  bytes(text).map((payload, i, all) =>
    clientFrame({ opcode: i === 0 ? TEXT : 0, payload, isFinal: i === all.length - 1 }),
  )

const FIXED: Attack[] = [
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) =>
    attack('a bad opcode', PROTOCOL_ERROR, clientFrame({ opcode, payload: REQUEST })),
  ),
  ...[0x10, 0x20, 0x40, 0x70].map((reserved) =>
    attack('an RSV bit', PROTOCOL_ERROR, clientFrame({ opcode: TEXT, reserved, payload: REQUEST })),
  ),
  attack('unmasked', PROTOCOL_ERROR, clientFrame({ opcode: TEXT, mask: null, payload: REQUEST })),
  attack('an unmasked ping', PROTOCOL_ERROR, clientFrame({ opcode: PING, mask: null })),
  attack('a fragmented ping', PROTOCOL_ERROR, clientFrame({ opcode: PING, isFinal: false })),
  attack('a long ping', PROTOCOL_ERROR, clientFrame({ opcode: PING, payload: 'x'.repeat(126) })),
  attack('a continuation of nothing', PROTOCOL_ERROR, clientFrame({ opcode: 0, payload: REQUEST })),
  attack(
    'a text within a text',
    PROTOCOL_ERROR,
    clientFrame({ opcode: TEXT, isFinal: false, payload: '{"t"' }),
    clientText(REQUEST),
  ),
  ...([2, 8] as const).map((lengthBytes) =>
    attack('a length longer than needed', PROTOCOL_ERROR, clientFrame({ opcode: TEXT, lengthBytes })),
  ),
  ...BROKEN_UTF8.map((payload) => attack('not UTF-8', NOT_UTF8, clientFrame({ opcode: TEXT, payload }))),
  attack('one byte too many', TOO_BIG, clientText(`"${'x'.repeat(FRAME_BYTES_MAX - 1)}"`)),
  attack('a promise of one byte too many', TOO_BIG, promise(BigInt(FRAME_BYTES_MAX + 1))),
  attack('a promise of 2^62 bytes', TOO_BIG, promise(2n ** 62n)),
  attack('a promise of 2^63 bytes', PROTOCOL_ERROR, promise(2n ** 63n)),
  attack(
    'fragments that become too big',
    TOO_BIG,
    clientFrame({ opcode: TEXT, isFinal: false, payload: 'x'.repeat(60_000) }),
    clientFrame({ opcode: 0, payload: 'x'.repeat(10_000) }),
  ),
  attack('half a close code', PROTOCOL_ERROR, clientFrame({ opcode: 8, payload: 'x' })),
  ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000].map((code) =>
    attack('a close code that may not travel', PROTOCOL_ERROR, clientClose(code)),
  ),
  ...[1000, 1001, 1011, 3000, 4999].map((code) => attack('a close', code, clientClose(code, 'bye'))),
  attack(
    'a close reason that is not UTF-8',
    NOT_UTF8,
    clientFrame({ opcode: 8, payload: Buffer.of(3, 232, 0xff) }),
  ),
  attack('three broken frames', 4001, ...Array.from({ length: 3 }, () => clientText('{'))),
  attack('three binary frames', 4001, ...Array.from({ length: 3 }, () => clientFrame({ opcode: BINARY }))),
  attack('auth without a key', 4001, clientText('{"t":"auth"}')),
  attack('auth with unknown credentials', 4001, clientText('{"t":"auth","key":"pk_dev_x","token":"x"}')),
  attack('one-byte fragments', 'open', ...fragments(REQUEST)),
  attack(
    'pings between fragments',
    'open',
    ...fragments('{"t":"x"}').flatMap((fragment) => [fragment, clientFrame({ opcode: PING, payload: 'x' })]),
  ),
  attack('one byte at a time', 'open', ...[...clientText(REQUEST)].map((byte) => Buffer.of(byte))),
  ...[PING, PONG].flatMap((opcode) => [
    attack('many control frames', 'open', ...Array.from({ length: 50 }, () => clientFrame({ opcode }))),
    attack(
      'a flood of control frames',
      'abuse',
      ...Array.from({ length: 300 }, () => clientFrame({ opcode })),
    ),
  ]),
  attack('a flood of fragments', 'abuse', ...fragments('x'.repeat(300))),
  attack('unsolicited pongs', 'open', clientFrame({ opcode: PONG, payload: 'x' })),
  attack('empty texts', 'open', clientText(''), clientFrame({ opcode: TEXT, payload: ' ' })),
  attack('half a frame', 'cut', clientText(REQUEST).subarray(0, 20)),
  attack('half a header', 'cut', clientText(REQUEST).subarray(0, 1)),
  attack('half a message', 'cut', ...fragments(REQUEST).slice(0, 9)),
  attack('a request, and gone', 'cut', clientText(REQUEST)),
]

const noise: fc.Arbitrary<Attack> = fc
  .array(fc.uint8Array({ minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 4 })
  .map((pieces) => attack('noise', 'cut', ...pieces.map((piece) => Buffer.from(piece))))

/** A valid request with some bytes changed. */
const scratched: fc.Arbitrary<Attack> = fc
  .array(fc.tuple(fc.nat(REQUEST.length + 5), fc.nat(255)), { minLength: 1, maxLength: 4 })
  .map((scratches) => {
    const frame = clientText(REQUEST)
    for (const [at, byte] of scratches) frame[at] = byte
    return attack('scratched', 'cut', frame)
  })

export const attacks: fc.Arbitrary<Attack> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FIXED) },
  { weight: 1, arbitrary: noise },
  { weight: 1, arbitrary: scratched },
)

/** The first frame must be a valid auth frame. Any other first frame closes the connection. */
export const firstFrames: fc.Arbitrary<Attack> = fc
  .oneof(
    { weight: 2, arbitrary: frames({}).map(({ text }) => text) },
    {
      weight: 1,
      arbitrary: nearValid(auth.fields).map((fields) => JSON.stringify({ t: 'auth', ...Object(fields) })),
    },
  )
  .filter((text) => Buffer.byteLength(text) <= FRAME_BYTES_MAX)
  .map((text) => clientText(text))
  .map((frame) =>
    attack('a wrong first frame', frame.length > AUTH_BYTES_MAX ? POLICY_VIOLATION : 4001, frame),
  )

/** Whether a connection that got random bytes may end with this code. */
export const isEndOfNoise = (code: number | null | undefined): boolean =>
  code === undefined || code === null || [PROTOCOL_ERROR, NOT_UTF8, TOO_BIG, 4001].includes(code)
