import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { AgeBand, AgeSignal } from '@svc/contract/moderation'
import fc from 'fast-check'

import {
  type Age,
  bandFor,
  capabilitiesFor,
  correctedTo,
  isLooser,
  mayDeclare,
  UNKNOWN,
  withSignal,
} from './age-bands.ts'

const BANDS = ['child', 'teen', 'adult'] as const
const AUDIENCES = ['general', 'mixed', 'kids'] as const

test('[AGE-02] [AGE-07] the band is the strictest of declared or default, signal and audience', () => {
  //                declared, signalled → general, mixed, kids
  const table: [AgeBand | null, AgeBand | null, AgeBand, AgeBand][] = [
    [null, null, 'adult', 'child'],
    [null, 'child', 'child', 'child'],
    [null, 'teen', 'teen', 'child'],
    ['child', null, 'child', 'child'],
    ['child', 'teen', 'child', 'child'],
    ['teen', null, 'teen', 'teen'],
    ['teen', 'child', 'child', 'child'],
    ['teen', 'teen', 'teen', 'teen'],
    ['adult', null, 'adult', 'adult'],
    ['adult', 'child', 'child', 'child'],
    ['adult', 'teen', 'teen', 'teen'],
  ]
  for (const [declared, signalled, general, mixed] of table) {
    const bands = AUDIENCES.map((audience) => bandFor({ declared, signalled }, audience))
    assert.deepEqual(bands, [general, mixed, 'child'], `${declared} ${signalled}`)
  }
})

test('[AGE-03] [AGE-04] the first declaration may be any band, later ones the same or a stricter band', () => {
  const allowed = (declared: AgeBand | null) =>
    BANDS.filter((band) => mayDeclare({ declared, signalled: null }, band))
  assert.deepEqual(allowed(null), ['child', 'teen', 'adult'])
  assert.deepEqual(allowed('adult'), ['child', 'teen', 'adult'])
  assert.deepEqual(allowed('teen'), ['child', 'teen'])
  assert.deepEqual(allowed('child'), ['child'])
})

test('[AGE-05] [AGE-06] age bands of signals', () => {
  const table: [Partial<AgeSignal>, AgeBand | null][] = [
    [{}, null],
    [{ upperBound: 0 }, 'child'],
    [{ upperBound: 12 }, 'child'],
    [{ upperBound: 13 }, 'teen'],
    [{ upperBound: 17 }, 'teen'],
    [{ upperBound: 18 }, null],
    [{ upperBound: 150 }, null],
    [{ lowerBound: 0 }, null],
    [{ lowerBound: 18 }, null],
    [{ lowerBound: 13, upperBound: 15 }, 'teen'],
    [{ lowerBound: 0, upperBound: 12 }, 'child'],
    [{ supervised: true }, 'child'],
    [{ supervised: false }, null],
    [{ supervised: true, lowerBound: 13 }, null],
    [{ supervised: true, upperBound: 17 }, 'teen'],
    [{ supervised: true, lowerBound: 18, upperBound: 150 }, null],
  ]
  for (const [signal, band] of table) {
    const { signalled } = withSignal(UNKNOWN, { platform: 'ios', status: 'sharing', ...signal })
    assert.equal(signalled, band, JSON.stringify(signal))
  }
})

test('[AGE-09] a child has no direct peer, no public X profile and no news; voice is allowed at every age', () => {
  const all = { directPeer: true, voice: true, publicXProfile: true, newsOptIn: true }
  assert.deepEqual(BANDS.map(capabilitiesFor), [
    { directPeer: false, voice: true, publicXProfile: false, newsOptIn: false },
    all,
    all,
  ])
})

type Event =
  | { by: 'player'; declare: AgeBand }
  | { by: 'player'; signal: AgeSignal }
  | { by: 'developer'; correct: AgeBand }
  | { by: 'developer'; audience: string }

const band = fc.constantFrom(...BANDS)
const bound = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined })
const signal = fc
  .record({ lowerBound: bound, upperBound: bound, supervised: fc.boolean() })
  .map(({ lowerBound, upperBound, supervised }): AgeSignal => ({
    platform: 'android',
    status: 'VERIFIED',
    supervised,
    ...(lowerBound !== undefined && { lowerBound }),
    ...(upperBound !== undefined && { upperBound }),
  }))
const event: fc.Arbitrary<Event> = fc.oneof(
  band.map((declare): Event => ({ by: 'player', declare })),
  signal.map((input): Event => ({ by: 'player', signal: input })),
  band.map((correct): Event => ({ by: 'developer', correct })),
  fc.constantFrom(...AUDIENCES).map((audience): Event => ({ by: 'developer', audience })),
)

function after(age: Age, happened: Event): Age {
  if ('declare' in happened)
    return mayDeclare(age, happened.declare) ? { ...age, declared: happened.declare } : age
  if ('signal' in happened) return withSignal(age, happened.signal)
  return 'correct' in happened ? correctedTo(happened.correct) : age
}

test('[AGE-03] [AGE-05] [AGE-07] in every order of events a player’s own actions never make the band looser, except the first declaration in mixed', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let age = UNKNOWN
      let audience = 'general'
      for (const happened of events) {
        const before = bandFor(age, audience)
        const isFirstInMixed = age.declared === null && 'declare' in happened && audience === 'mixed'
        age = after(age, happened)
        if ('audience' in happened) audience = happened.audience
        const now = bandFor(age, audience)

        if (happened.by === 'player' && !isFirstInMixed) assert.ok(!isLooser(now, before))
        if (audience === 'kids') assert.equal(now, 'child')
        if ('correct' in happened && audience !== 'kids') assert.equal(now, happened.correct)
        if (age.signalled !== null) assert.ok(!isLooser(now, age.signalled))
        if (age.declared !== null) assert.ok(!isLooser(now, age.declared))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('[AGE-05] the order of signals does not matter', () => {
  fc.assert(
    fc.property(fc.array(signal), (signals) => {
      assert.deepEqual(signals.reduce(withSignal, UNKNOWN), signals.toReversed().reduce(withSignal, UNKNOWN))
    }),
  )
})
