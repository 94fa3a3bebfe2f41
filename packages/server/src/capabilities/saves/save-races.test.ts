import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newSaver, type SaverAt } from '../../testing/saver.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const told = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b)

for (const engine of engines) {
  describe(`races of saves on ${engine}`, () => {
    let service: Service
    let development: Awaited<ReturnType<Service['newProject']>>['development']
    before(async () => {
      service = await startService(engine)
      development = (await service.newProject()).development
      await development.server('PUT', '/v1/config', { features: { saves: true } })
    })
    after(() => service.stop())

    const someone = () => newSaver(service, development)

    test('[SAV-11] of 50 writers with the same ifVersion exactly one wins', async () => {
      const { write, call } = await someone()
      for (const version of [0, 1, 2]) {
        const writers = Array.from({ length: 50 }, (_, i) => write('slot1', { data: i, ifVersion: version }))
        const answers = await Promise.all(writers)

        assert.deepEqual(told(answers), [200, ...Array(49).fill(409)])
        for (const { status, body } of answers) {
          if (status === 409) assert.deepEqual(body.error.details, { currentVersion: version + 1 })
        }
        const winner = answers.findIndex(({ status }) => status === 200)
        const { body } = await call('GET', '/v1/saves/slot1')
        assert.deepEqual([body.version, body.data], [version + 1, winner])
      }
    })

    test('[SAV-11] 50 writers without ifVersion take 50 versions, also when none was there before', async () => {
      const { write } = await someone()
      for (const base of [0, 50]) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => write('slot1', { data: i })))
        const versions = answers.map(({ body }) => body.version as number).toSorted((a, b) => a - b)
        assert.deepEqual(
          versions,
          Array.from({ length: 50 }, (_, i) => base + i + 1),
        )
      }
    })

    test('[SAV-10] [SAV-11] deleting, making and writing at once never gives a version twice', async () => {
      const { write, call } = await someone()
      const versions: number[] = []
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          Array.from({ length: 30 }, (_, i) =>
            i % 3 === 0 ? call('DELETE', '/v1/saves/slot1') : write('slot1', { data: i }),
          ),
        )
        versions.push(...answers.map(({ body }) => body.version as number).filter((one) => one > 0))
      }
      assert.equal(versions.length, 100)
      assert.deepEqual(
        versions.toSorted((a, b) => a - b),
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
    })

    test('[SAV-08] the limit holds under 50 parallel first writes', async () => {
      const { write, call } = await someone()
      for (let i = 0; i < 90; i++) await write(`before${i}`, { data: i })

      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => write(`slot${i}`, { data: i, ...(i % 2 && { ifVersion: 0 }) })),
      )

      assert.deepEqual(told(answers), [...Array(10).fill(200), ...Array(40).fill(409)])
      assert.equal((await call('GET', '/v1/saves')).body.saves.length, 100)
    })
  })
}

describe('saves on two nodes', () => {
  let nodes: Service[]
  let savers: SaverAt[]
  before(async () => {
    const first = await startService('postgres')
    nodes = [first, await startService('postgres', { beside: first })]
    const { development } = await first.newProject()
    await development.server('PUT', '/v1/config', { features: { saves: true } })
    const one = await newSaver(first, development)
    savers = nodes.map((node) => one.at(node))
  })
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })

  const everywhere = <T>(work: (saver: SaverAt, i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 50 }, (_, i) => work(savers[i % 2] as SaverAt, i)))

  test('[SAV-11] of 50 writers with the same ifVersion exactly one wins', async () => {
    for (const ifVersion of [0, 1, 2]) {
      const answers = await everywhere(({ write }, i) => write('slot1', { data: i, ifVersion }))
      assert.deepEqual(told(answers), [200, ...Array(49).fill(409)])
    }
  })

  test('[SAV-08] the limit holds under 50 parallel first writes', async () => {
    const [{ write, call }] = savers as [SaverAt]
    for (let i = 0; i < 89; i++) await write(`before${i}`, { data: i })
    const answers = await everywhere((saver, i) => saver.write(`new${i}`, { data: i }))
    assert.deepEqual(told(answers), [...Array(10).fill(200), ...Array(40).fill(409)])
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 100)
  })

  test('[SAV-10] deleting, making and writing at once never gives a version twice', async () => {
    const answers = await everywhere(({ write, call }, i) =>
      i % 5 === 0 ? call('DELETE', '/v1/saves/before1') : write('before1', { data: i }),
    )
    const versions = answers.map(({ body }) => body.version as number).filter((one) => one > 0)
    assert.equal(new Set(versions).size, versions.length)
  })
})
