import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newSaver, type SaverAt } from '../../testing/saving-guest.ts'
import { type Service, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const received = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

suite('races of saves', {}, ({ service }) => {
  let development: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    development = (await service.newProject()).development
    await development.server('PUT', '/v1/config', { features: { saves: true } })
  })

  const someone = () => newSaver(service, development)

  test('[SAV-11] 50 concurrent writes with the same ifVersion: exactly one succeeds', async () => {
    const { write, call } = await someone()
    for (const version of [0, 1, 2]) {
      const writers = Array.from({ length: 50 }, (_, i) => write('slot1', { data: i, ifVersion: version }))
      const answers = await Promise.all(writers)

      assert.deepEqual(received(answers), [200, ...Array(49).fill(409)])
      for (const { status, body } of answers) {
        if (status === 409) assert.deepEqual(body.error.details, { currentVersion: version + 1 })
      }
      const winner = answers.findIndex(({ status }) => status === 200)
      const { body } = await call('GET', '/v1/saves/slot1')
      assert.deepEqual([body.version, body.data], [version + 1, winner])
    }
  })

  test('[SAV-11] 50 concurrent writes without ifVersion create 50 versions, also for a new save', async () => {
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

  test('[SAV-10] [SAV-11] concurrent deletes, creates and writes never use a version twice', async () => {
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

  test('[SAV-08] 50 concurrent first writes do not exceed the limit', async () => {
    const { write, call } = await someone()
    for (let i = 0; i < 90; i++) await write(`before${i}`, { data: i })

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => write(`slot${i}`, { data: i, ...(i % 2 && { ifVersion: 0 }) })),
    )

    assert.deepEqual(received(answers), [...Array(10).fill(200), ...Array(40).fill(409)])
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 100)
  })

  test('[SAV-08] 50 concurrent first writes with deletions never exceed the limit, in any read', async () => {
    const { write, call } = await someone()
    for (let i = 0; i < 95; i++) await write(`before${i}`, { data: i })

    const [created, deleted, looks] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, (_, i) => write(`slot${i}`, { data: i }))),
      Promise.all(Array.from({ length: 20 }, (_, i) => call('DELETE', `/v1/saves/before${i}`))),
      Promise.all(Array.from({ length: 20 }, () => call('GET', '/v1/saves'))),
    ])

    assert.deepEqual(received(deleted), Array(20).fill(200))
    const taken = created.filter(({ status }) => status === 200).length
    assert.ok(taken >= 5 && taken <= 25, `${taken} new saves`)
    for (const { status, body } of created)
      if (status !== 200) assert.equal(body.error.code, 'too_many_saves')
    for (const { body } of looks) assert.ok(body.saves.length <= 100, `${body.saves.length} saves`)
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 95 - 20 + taken)
  })

  test('a read during writes returns one complete version, never older than the last acknowledged one', async () => {
    const one = await someone()
    const read = await writeAndRead([one, one])
    assert.equal(read.length, 100)
  })

  test('deleting a player during concurrent writes leaves no save', async () => {
    for (let round = 0; round < 3; round++) {
      const { write, call, playerId } = await someone()
      await write('slot0', { data: 0 })
      // Overwrites an existing save, and creates new ones.
      const writes = (from: number) =>
        Array.from({ length: 30 }, (_, i) => write(`slot${i % 5 ? from + i : 0}`, { data: i }))
      const answers = await Promise.all([...writes(0), call('DELETE', '/v1/players/me'), ...writes(30)])

      for (const { status } of answers) assert.ok(status === 200 || status === 401, String(status))
      assert.equal((await write('slot0', { data: 'late' })).status, 401)
      const rows = await service.db.search((q) =>
        q.selectFrom('saves').select('key').where('playerId', '=', playerId),
      )
      assert.deepEqual(rows, [])
    }
  })
})

/** Ten clients write five times each and read immediately afterwards, on the same node and on the other. Returns what they read. */
async function writeAndRead([here, there]: [SaverAt, SaverAt]) {
  const dataOf = new Map<number, unknown>()
  const read: { version: number; size: number; data: unknown }[] = []
  let acknowledged = 0

  async function oneOf(writer: number) {
    for (let round = 0; round < 5; round++) {
      const data = { writer, round, text: 'x'.repeat(100 * writer * round) }
      const { version } = (await here.write('slot1', { data })).body
      dataOf.set(version, data)
      acknowledged = Math.max(acknowledged, version)
      const before = acknowledged
      for (const { call } of [here, there]) {
        const { body } = await call('GET', '/v1/saves/slot1')
        assert.ok(body.version >= before, `version ${body.version} after ${before}`)
        read.push(body)
      }
    }
  }
  await Promise.all(Array.from({ length: 10 }, (_, writer) => oneOf(writer)))

  for (const { version, size, data } of read) {
    assert.deepEqual(data, dataOf.get(version))
    assert.equal(size, JSON.stringify(data).length)
  }
  return read
}

describe('saves on two nodes', () => {
  let nodes: Service[]
  let savers: SaverAt[]
  before(async () => {
    const first = await startService('postgres')
    nodes = [first, await startService('postgres', { clusterOf: first })]
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

  test('[SAV-11] 50 concurrent writes with the same ifVersion: exactly one succeeds', async () => {
    for (const ifVersion of [0, 1, 2]) {
      const answers = await everywhere(({ write }, i) => write('slot1', { data: i, ifVersion }))
      assert.deepEqual(received(answers), [200, ...Array(49).fill(409)])
    }
  })

  test('a write acknowledged by one node is read by the other', async () => {
    await writeAndRead(savers as [SaverAt, SaverAt])
  })

  test('[SAV-08] 50 concurrent first writes do not exceed the limit', async () => {
    const [{ write, call }] = savers as [SaverAt]
    for (let i = 0; i < 89; i++) await write(`before${i}`, { data: i })
    const answers = await everywhere((saver, i) => saver.write(`new${i}`, { data: i }))
    assert.deepEqual(received(answers), [...Array(10).fill(200), ...Array(40).fill(409)])
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 100)
  })

  test('[SAV-10] concurrent deletes, creates and writes never use a version twice', async () => {
    const answers = await everywhere(({ write, call }, i) =>
      i % 5 === 0 ? call('DELETE', '/v1/saves/before1') : write('before1', { data: i }),
    )
    const versions = answers.map(({ body }) => body.version as number).filter((one) => one > 0)
    assert.equal(new Set(versions).size, versions.length)
  })
})
