import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import * as fc from 'fast-check'

import { runs } from '../../testing/runs.ts'
import { newSaver, type Saver } from '../../testing/saving-guest.ts'
import type { Answer, Service } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const KEYS = ['a', 'b', 'c'] as const
type Key = (typeof KEYS)[number]

/** The ifVersion of a call: none, 0, the current version, or another one. */
type Claim = 'none' | 'zero' | 'current' | 'older' | 'newer'
type Step =
  | { do: 'write'; key: Key; claim: Claim; data: unknown }
  | { do: 'read'; key: Key }
  | { do: 'delete'; key: Key; claim: Claim }

/** A very simple implementation of the specification: one entry per key that ever existed. */
type Model = Map<Key, { version: number; data: unknown; exists: boolean }>

/** As it is sent: JSON.stringify never writes -0. */
const data = fc
  .jsonValue({ stringUnit: 'grapheme' })
  .map((value) => JSON.stringify(value))
  .map((text): unknown => JSON.parse(text))
const claim = fc.constantFrom<Claim[]>('none', 'zero', 'current', 'older', 'newer')
const key = fc.constantFrom(...KEYS)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write' as const), key, claim, data }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key, claim }) },
)
/** The order of steps on different keys does not matter, so those of a turn are sent concurrently. */
const turn = fc.uniqueArray(step, { minLength: 1, maxLength: KEYS.length, selector: ({ key: one }) => one })

function claimed(model: Model, { key: one, claim: what }: { key: Key; claim: Claim }): number | undefined {
  const { version, exists } = model.get(one) ?? { version: 0, exists: false }
  if (what === 'none') return undefined
  if (what === 'zero') return 0
  if (what === 'current') return exists ? version : 0
  return what === 'older' ? Math.max(0, version - 1) : version + 1
}

/** Changes the model and returns the expected response of the service. */
function expected(model: Model, one: Step): { status: number; received: unknown } {
  const { version, data, exists } = model.get(one.key) ?? { version: 0, data: null, exists: false }
  if (one.do === 'read')
    return exists ? { status: 200, received: { version, data } } : { status: 404, received: 'save_not_found' }
  if (one.do === 'delete' && !exists) return { status: 404, received: 'save_not_found' }

  const ifVersion = claimed(model, one)
  const current = exists ? version : 0
  if (ifVersion !== undefined && ifVersion !== current) return { status: 409, received: current }
  if (one.do === 'delete') {
    model.set(one.key, { version, data: null, exists: false })
    return { status: 200, received: true }
  }
  model.set(one.key, { version: version + 1, data: one.data, exists: true })
  return { status: 200, received: version + 1 }
}

function toldBy(one: Step, { status, body }: Answer): { status: number; received: unknown } {
  if (status === 409) return { status, received: body.error.details.currentVersion }
  if (status !== 200) return { status, received: body.error.code }
  if (one.do === 'read') return { status, received: { version: body.version, data: body.data } }
  return { status, received: one.do === 'write' ? body.version : body.deleted }
}

function send({ call, write }: Saver, model: Model, one: Step): Promise<Answer> {
  if (one.do === 'read') return call('GET', `/v1/saves/${one.key}`)
  const ifVersion = claimed(model, one)
  if (one.do === 'write')
    return write(one.key, { data: one.data, ...(ifVersion !== undefined && { ifVersion }) })
  return call('DELETE', `/v1/saves/${one.key}${ifVersion === undefined ? '' : `?ifVersion=${ifVersion}`}`)
}

suite('the model of saves', {}, ({ service }) => {
  let development: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    development = (await service.newProject()).development
    await development.server('PUT', '/v1/config', { features: { saves: true } })
  })

  test('random writes, reads, deletions and lists give the same results as a simple map', async () => {
    const property = fc.asyncProperty(fc.array(turn, { maxLength: 15 }), async (turns) => {
      const saver = await newSaver(service, development)
      const model: Model = new Map()
      for (const steps of turns) {
        const before = new Map(model)
        const answers = await Promise.all(steps.map((one) => send(saver, before, one)))
        for (const [i, one] of steps.entries()) {
          assert.deepEqual(toldBy(one, answers[i] as Answer), expected(model, one), JSON.stringify(one))
        }
      }

      const { body } = await saver.call('GET', '/v1/saves')
      const listed = body.saves.map((save: { key: string; version: number }) => [save.key, save.version])
      const kept = KEYS.filter((one) => model.get(one)?.exists)
      assert.deepEqual(
        listed,
        kept.map((one) => [one, model.get(one)?.version]),
      )
    })
    await fc.assert(property, { numRuns: runs(12, 200) })
  })
})
