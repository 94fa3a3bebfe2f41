import type { Frame } from '@svc/contract/common/frame'
import { FRAMES } from '@svc/contract/common/frames'
import * as fc from 'fast-check'

import { BODIES } from './hostile.ts'
import { nearValid, ODD_TEXTS, valid } from './values.ts'

/** A frame for an authenticated connection, with the text that is sent. */
export type GeneratedFrame = { t: string; rid: unknown; text: string }

/** Field name → values that exist in this service. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>

/**
 * A second auth frame closes the connection unless it is valid, so auth frames are tested by separate attacks. A ping is answered before
 * earlier requests, and answers are told apart by their order.
 */
export const REQUESTS = FRAMES.filter(({ t }) => t !== 'auth' && t !== 'ping')
const FRAME_BYTES_MAX = 60_000

const WRONG = [null, true, 0, -1, 1.5, 1e21, '', 'x', '__proto__', [], {}, [[]], ['x'], { length: 1 }]

const frameOf = (t: string, rid: unknown, fields: object): GeneratedFrame => ({
  t,
  rid,
  text: JSON.stringify({ t, ...(rid !== undefined && { rid }), ...fields }),
})

/** Creates rooms and channels for the frames that follow. */
export const opening = (turn: number): GeneratedFrame[] => {
  const mode = turn % 2 ? 'mesh' : 'default'
  return [
    frameOf('channelCreate', 1, { channel: '@own', join: 'everyone' }),
    frameOf('channelJoin', 2, { channel: '@own' }),
    frameOf('create', 3, { mode, code: `FUZZ${mode}`, maxPlayers: 8 }),
    frameOf('join', 4, { code: `FUZZ${mode}` }),
  ]
}

/** Every field of every frame, once with each wrong value and once missing. All other fields are valid. */
export function everyFieldWrong(seed: number): GeneratedFrame[] {
  return REQUESTS.flatMap((frame) =>
    Object.keys(frame.fields.properties).flatMap((name) =>
      [...WRONG, undefined].map((value, i) => {
        const [fields] = fc.sample(valid(frame.fields), { numRuns: 1, seed: seed + i }) as object[]
        return frameOf(frame.t, i, { ...fields, [name]: value })
      }),
    ),
  )
}

const rids = fc.oneof(
  fc.string({ maxLength: 64 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(undefined, undefined, '', 0, -0, 2 ** 53, 'x'.repeat(64)),
)
const wrongRids = fc.constantFrom(null, true, {}, [], 'x'.repeat(65), '\ud800', '\0', 'x'.repeat(50_000))

function requestOf(frame: Frame, knownValues: KnownValues): fc.Arbitrary<GeneratedFrame> {
  const fields = fc.oneof(valid(frame.fields), nearValid(frame.fields)) as fc.Arbitrary<object>
  return fc
    .tuple(fc.oneof({ weight: 30, arbitrary: rids }, { weight: 1, arbitrary: wrongRids }), fields, fc.nat())
    .map(([rid, values, chance]) => frameOf(frame.t, rid, withKnownValues(values, knownValues, chance)))
}

/** Uses a known value for a field in three of four cases, if there is one. */
function withKnownValues(fields: object, knownValues: KnownValues, chance: number): object {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {}
  const known = Object.keys(fields).filter((name) => name in knownValues && chance % 4 !== 0)
  return {
    ...fields,
    ...Object.fromEntries(
      known.map((name) => [name, knownValues[name]?.[chance % knownValues[name].length]]),
    ),
  }
}

const unknownTypes: fc.Arbitrary<GeneratedFrame> = fc
  .tuple(fc.constantFrom(...ODD_TEXTS, 'reply', 'welcome', 'Create', 'channel_joined'), rids)
  .map(([t, rid]) => frameOf(t, rid, {}))

/** Not a frame, or a frame with a duplicate field. */
const ODD_FRAMES = [
  ...BODIES.map(String).filter((text) => Buffer.byteLength(text) < FRAME_BYTES_MAX),
  '{"t":1}',
  '{"t":null}',
  '{"t":["leave"]}',
  '{"t":{"toString":"leave"}}',
  '{"T":"leave"}',
  '[{"t":"leave"}]',
  '{"t":"leave","t":"nothing","rid":1}',
  '{"rid":1,"t":"nothing","rid":2}',
  ' \n{"t":"nothing"}\n ',
  '{"t":"setState","rid":1,"patch":{"__proto__":{"admin":true}}}',
  '{"t":"setState","rid":1,"patch":{"constructor":{"prototype":{"admin":true}},"toString":1}}',
  '{"t":"setMyState","rid":1,"patch":{"hasOwnProperty":null,"valueOf":1}}',
  `{"t":"send","type":"a","data":${'['.repeat(25_000)}${']'.repeat(25_000)}}`,
  `{"t":"setState","patch":{"a":${'{"a":'.repeat(62)}1${'}'.repeat(62)}}}`,
]
const oddFrames: fc.Arbitrary<GeneratedFrame> = fc
  .constantFrom(...ODD_FRAMES)
  .map((text) => ({ t: tOf(text), rid: ridOf(text), text }))

/** Any frame that a client may send after `welcome`. */
export const frames = (knownValues: KnownValues): fc.Arbitrary<GeneratedFrame> =>
  fc
    .oneof(
      { weight: 40, arbitrary: fc.constantFrom(...REQUESTS).chain((frame) => requestOf(frame, knownValues)) },
      { weight: 2, arbitrary: unknownTypes },
      { weight: 1, arbitrary: oddFrames },
    )
    .filter(({ text }) => Buffer.byteLength(text) < FRAME_BYTES_MAX)

const memberOf = (text: string, name: string): unknown => {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name]
  } catch {
    return undefined
  }
}
const ridOf = (text: string) => memberOf(text, 'rid')
const tOf = (text: string) => {
  const t = memberOf(text, 't')
  return typeof t === 'string' ? t : ''
}
