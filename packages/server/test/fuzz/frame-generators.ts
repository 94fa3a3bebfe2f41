import type { Frame } from '@svc/contract/frame'
import { FRAMES } from '@svc/contract/frames'
import * as fc from 'fast-check'

import { BODIES } from './hostile.ts'
import { nearValid, ODD_TEXTS, valid } from './values.ts'

/** A frame for a connection that has been welcomed, as the text it is sent as. */
export type Made = { t: string; rid: unknown; text: string }

/** Field name → values that mean something in this service. */
export type Familiar = Readonly<Record<string, readonly unknown[]>>

/** A second auth frame ends the connection, unless it is right: it has attacks of its own. */
const REQUESTS = FRAMES.filter(({ t }) => t !== 'auth')
const FRAME_BYTES_MAX = 60_000

const WRONG = [null, true, 0, -1, 1.5, 1e21, '', 'x', '__proto__', [], {}, [[]], ['x'], { length: 1 }]

const made = (t: string, rid: unknown, fields: object): Made => ({
  t,
  rid,
  text: JSON.stringify({ t, ...(rid !== undefined && { rid }), ...fields }),
})

/** So that what follows finds rooms and channels to do harm in. */
export const opening = (turn: number): Made[] => {
  const mode = turn % 2 ? 'mesh' : 'default'
  return [
    made('channelCreate', 1, { channel: '@own', join: 'everyone' }),
    made('channelJoin', 2, { channel: '@own' }),
    made('create', 3, { mode, code: `FUZZ${mode}`, maxPlayers: 8 }),
    made('join', 4, { code: `FUZZ${mode}` }),
  ]
}

/** Every field of every frame, once with each of the wrong values and once missing; the others are as they should be. */
export function everyFieldWrong(seed: number): Made[] {
  return REQUESTS.flatMap((frame) =>
    Object.keys(frame.fields.properties).flatMap((name) =>
      [...WRONG, undefined].map((value, i) => {
        const [fields] = fc.sample(valid(frame.fields), { numRuns: 1, seed: seed + i }) as object[]
        return made(frame.t, i, { ...fields, [name]: value })
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

function requestOf(frame: Frame, familiar: Familiar): fc.Arbitrary<Made> {
  const fields = fc.oneof(valid(frame.fields), nearValid(frame.fields)) as fc.Arbitrary<object>
  return fc
    .tuple(fc.oneof({ weight: 30, arbitrary: rids }, { weight: 1, arbitrary: wrongRids }), fields, fc.nat())
    .map(([rid, values, chance]) => made(frame.t, rid, withFamiliar(values, familiar, chance)))
}

/** Three times out of four a value that means something stands where one is known. */
function withFamiliar(fields: object, familiar: Familiar, chance: number): object {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {}
  const known = Object.keys(fields).filter((name) => name in familiar && chance % 4 !== 0)
  return {
    ...fields,
    ...Object.fromEntries(known.map((name) => [name, familiar[name]?.[chance % familiar[name].length]])),
  }
}

const unknownTypes: fc.Arbitrary<Made> = fc
  .tuple(fc.constantFrom(...ODD_TEXTS, 'reply', 'welcome', 'Create', 'channel_joined'), rids)
  .map(([t, rid]) => made(t, rid, {}))

/** Not a frame at all, or one that says something twice. */
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
const oddFrames: fc.Arbitrary<Made> = fc
  .constantFrom(...ODD_FRAMES)
  .map((text) => ({ t: tOf(text), rid: ridOf(text), text }))

/** Whatever a client may send after its welcome. */
export const frames = (familiar: Familiar): fc.Arbitrary<Made> =>
  fc
    .oneof(
      { weight: 40, arbitrary: fc.constantFrom(...REQUESTS).chain((frame) => requestOf(frame, familiar)) },
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
