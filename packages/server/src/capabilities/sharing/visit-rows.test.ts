import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { BROWSER, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const TRACKING = { links: { enabled: true }, tracking: { enabled: true } }
const VISITS = 1_000
const AT_ONCE = 50
/** PostgreSQL connections of a node that write single statements, also through a pooler. */
const LANES_MAX = 8

suite('visitors of one link', { start: startSharing }, ({ service, engine }) => {
  let app: ShareApp
  before(async () => void (app = await newShareApp(service, TRACKING)))

  const visitFrom = (id: string, address: number, more: object = {}) =>
    app.visit(id, { headers: { 'user-agent': `${BROWSER} ${address}` }, ...more })

  test('[SHR-15] 1,000 visits take no lock and no transaction of the pool', async (t) => {
    const links = await Promise.all(Array.from({ length: VISITS / AT_ONCE }, () => app.newLink()))
    const guests = await Promise.all(Array.from({ length: AT_ONCE }, () => app.guest()))
    // What is read of players is cached, by transactions of others.
    for (const { call } of guests) await app.visit(links[0] ?? '', { call })
    const calls = (['transaction', 'exclusively'] as const).map(
      (name) => t.mock.method(service.db, name).mock,
    )
    for (const id of links) {
      const answers = await Promise.all(
        guests.map(({ call }, at) => (at % 2 === 0 ? app.visit(id, { call }) : visitFrom(id, at))),
      )
      for (const { status } of answers) assert.equal(status, 200)
    }
    assert.deepEqual(
      calls.map((call) => call.callCount()),
      [0, 0],
    )
  })

  if (engine === 'postgres')
    test('[SHR-15] a visitor whose transaction is open delays no other visitor, also behind the same address', async () => {
      const id = await app.newLink()
      await visitFrom(id, 0)
      const [row] = await service.db.search((q) =>
        q.selectFrom('sharing_visitors').selectAll().where('shareId', '=', id),
      )
      assert.ok(row)
      await service.db.transaction(async (open) => {
        await open.lock(`sharing:visits:${row.environmentId}:${id}:${row.addressHash}`)
        await open.search((q) =>
          q.insertInto('sharing_visitors').values({ ...row, visitor: 'not committed yet', newPlayers: 0 }),
        )
        const day = { environmentId: row.environmentId, shareId: id, day: row.day }
        await open.search((q) =>
          q
            .insertInto('sharing_days')
            .values({ ...day, visits: 0, newPlayers: 0, plays: 0 })
            .onConflict((conflict) =>
              conflict.columns(['environmentId', 'shareId', 'day']).doUpdateSet({ plays: 0 }),
            ),
        )
        const guests = await Promise.all(Array.from({ length: 5 }, () => app.guest()))
        const answers = await Promise.all([
          ...guests.map(({ call }) => app.visit(id, { call })),
          ...guests.map((_, at) => visitFrom(id, at + 1)),
        ])
        for (const { body } of answers) assert.deepEqual(body, { counted: true })
      })
      const { body } = await app.server('GET', `/v1/admin/share/stats?shareId=${id}`)
      assert.deepEqual(body.totals, { visits: 12, newPlayers: 5, plays: 0 })
    })

  test('[SHR-15] of concurrent visits from one address at most as many more than 50 count as connections write', async () => {
    const id = await app.newLink()
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => visitFrom(id, at)))
    const counted = answers.filter(({ body }) => body.counted).length
    const max = engine === 'sqlite' ? 50 : 50 + LANES_MAX - 1
    assert.ok(counted >= 50 && counted <= max, `${counted} counted`)
    assert.equal((await visitFrom(id, 100)).body.counted, false)
    assert.equal((await visitFrom(id, 100, { landed: false })).body.counted, true)
  })

  test('[SHR-15] a new player who opens many links together counts as new once', async () => {
    const own = await newShareApp(service, TRACKING)
    const author = await own.guest()
    const links = await Promise.all(
      Array.from({ length: 10 }, () => own.newLink({ kind: 'plain' }, author.call)),
    )
    const guests = [await own.guest(), await own.guest()]
    const answers = await Promise.all(
      guests.flatMap(({ call }) => [...links, ...links].map((id) => own.visit(id, { call }))),
    )
    assert.equal(answers.filter(({ body }) => body.counted).length, 20)
    const { body } = await own.server('GET', '/v1/admin/share/stats')
    assert.deepEqual(body.totals, { visits: 20, newPlayers: 2, plays: 0 })
    const { links: listed } = body as { links: { newPlayers: number }[] }
    assert.equal(
      listed.reduce((sum, { newPlayers }) => sum + newPlayers, 0),
      2,
    )
  })
})
