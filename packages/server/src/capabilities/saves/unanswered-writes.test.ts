import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newSaver } from '../../testing/saving-guest.ts'
import { suite } from '../../testing/suite.ts'
import { dataHash } from './data-hash.ts'

suite('saves after lost responses', { features: { saves: true } }, ({ service, project }) => {
  /** The data of the versions before, the oldest first; the device has seen the first one and sent `own` since. */
  const cases: { what: string; before: unknown[]; own: unknown[]; status: number; version: number }[] = [
    { what: 'the own write has arrived', before: [0, 1], own: [1], status: 200, version: 3 },
    { what: 'the own write has not arrived', before: [0], own: [1], status: 200, version: 2 },
    { what: 'the second of two has arrived', before: [0, 2], own: [1, 2], status: 200, version: 3 },
    { what: 'both have arrived', before: [0, 1, 2], own: [1, 2], status: 200, version: 4 },
    { what: 'another device wrote', before: [0, 9], own: [1], status: 409, version: 2 },
    { what: 'another device wrote afterwards', before: [0, 1, 9], own: [1], status: 409, version: 3 },
    { what: 'another device wrote, then the same', before: [0, 9, 1], own: [1], status: 409, version: 3 },
  ]
  for (const { what, before, own, status, version } of cases)
    test(`[SAV-16] a write names the unanswered writes of its device: ${what}`, async () => {
      const { write } = await newSaver(service, project.development)
      const textOf = (each: unknown) => ({ level: each, name: 'Ü' })
      for (const each of before) await write('slot', { data: textOf(each) })
      const unanswered = own.map((each) => dataHash(JSON.stringify(textOf(each))))

      const answer = await write('slot', { data: 'new', ifVersion: 1, unanswered })

      assert.equal(answer.status, status)
      assert.equal(answer.body.version ?? answer.body.error.details.currentVersion, version)
    })

  test('[SAV-16] of two devices that follow the same unanswered write one succeeds', async () => {
    const { write } = await newSaver(service, project.development)
    await write('slot', { data: 0 })
    await write('slot', { data: 1 })
    const unanswered = [dataHash('1')]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => write('slot', { data: `new ${at}`, ifVersion: 1, unanswered })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })
})
