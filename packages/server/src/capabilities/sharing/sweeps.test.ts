import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS } from '../../platform/clock.ts'
import { asGuest } from '../../testing/guests.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { drawnCard, EVERY_TOOL, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'
import { createOpenings } from './openings.ts'

suite('removal of old data of sharing', { start: startSharing }, ({ service }) => {
  const picturesOf = ({ environmentId }: ShareApp) =>
    Array.fromAsync(service.blobs.list(`cards/${environmentId}/`))
  const statusOf = async (app: ShareApp, id: string) =>
    (await app.public('GET', `/v1/share/links/${id}`)).status

  test('[SHR-02] [OWN-01] [OWN-03] the export has the links of a player; a deletion removes them and their pictures', async () => {
    const app = await newShareApp(service)
    const { body } = await app.public('POST', '/v1/auth/guest', { displayName: 'Canary' })
    const player = asGuest(app.public, body)
    const id = await app.newLink({ kind: 'score', score: 12, showName: true }, player.call)
    const kept = await app.newLink()
    await app.visit(id)
    await service.background.drained()
    assert.equal((await picturesOf(app)).length, 2)

    const { shareLinks } = (await player.call('GET', '/v1/players/me/export')).body
    const createdAt = service.clock.now().toISOString()
    assert.deepEqual(shareLinks, [
      {
        id,
        kind: 'score',
        score: 12,
        displayName: 'Canary',
        createdAt,
        lastVisitOn: createdAt.slice(0, 10),
        imageUrl: `http://localhost:8787${app.imageAddress(id)}`,
      },
    ])
    await player.call('DELETE', '/v1/players/me', { refreshToken: player.refreshToken })
    await service.everyHour()
    // In the database, because links are cached for a second.
    const rows = await service.db.search((q) =>
      q.selectFrom('sharing_links').select('id').where('environmentId', '=', app.environmentId),
    )
    assert.deepEqual(rows, [{ id: kept }])
    assert.deepEqual(
      (await picturesOf(app)).map((key) => key.includes(kept)),
      [true],
    )
    const { body: stats } = await app.server('GET', '/v1/admin/share/stats')
    assert.equal(stats.totals.visits, 1, 'sums contain no player and are kept')
    assert.deepEqual(
      stats.links.map(({ shareId, kind }: Record<string, unknown>) => [shareId, kind]),
      [[id, null]],
    )
  })

  test('[SHR-07] a picture without a row is removed after an hour, one with a row is kept', async () => {
    const app = await newShareApp(service)
    const id = await app.newLink()
    await service.background.drained()
    const [recorded = ''] = await picturesOf(app)
    const orphan = `cards/${app.environmentId}/${id}-0000000000000000`
    await service.blobs.put(orphan, Buffer.from('x'))
    const removeAfter = new Date(service.clock.now().getTime() + HOUR_MS).toISOString()
    await service.db.transaction((work) =>
      work.search((q) =>
        q
          .insertInto('sharing_removals')
          .values([recorded, orphan].map((blobKey) => ({ blobKey, removeAfter }))),
      ),
    )
    await service.everyHour()
    assert.equal((await picturesOf(app)).length, 2)
    service.clock.advance(HOUR_MS)
    await service.everyHour()
    assert.deepEqual(await picturesOf(app), [recorded])
    assert.deepEqual(await service.db.search((q) => q.selectFrom('sharing_removals').selectAll()), [])
  })

  test('[SHR-14] a link that is opened is kept, also where visits are not counted; nothing of the visitor is stored', async () => {
    const visit = await browserFor(service)
    const uncounted: [string, object][] = [
      ['all', { tracking: { enabled: false } }],
      ['kids', { tracking: { enabled: true } }],
      ['mixed', { tracking: { enabled: true } }],
    ]
    for (const [audience, tools] of uncounted) {
      const app = await newShareApp(
        service,
        { ...EVERY_TOOL, ...tools },
        audience === 'all' ? {} : { audience },
      )
      const ways: ((id: string) => Promise<unknown>)[] = [
        (id) => app.public('GET', `/v1/share/links/${id}`),
        (id) => visit('', app.imageAddress(id)),
        (id) => visit(app.label, `/.share/${id}`),
      ]
      const ids: string[] = []
      for (const _ of [...ways, 'nobody']) ids.push(await app.newLink())
      await service.background.drained()
      for (let days = 0; days < 420; days += 140) {
        service.clock.advance(140 * DAY_MS)
        for (const [at, open] of ways.entries()) await open(ids[at] ?? '')
        await service.everyMinute()
        await service.everyHour()
      }
      const links = await service.db.search((q) =>
        q.selectFrom('sharing_links').select('id').where('environmentId', '=', app.environmentId),
      )
      assert.deepEqual(links.map(({ id }) => id).toSorted(), ids.slice(0, -1).toSorted())
      const visitors = await service.db.search((q) =>
        q.selectFrom('sharing_visitors').selectAll().where('environmentId', '=', app.environmentId),
      )
      assert.deepEqual(visitors, [])
    }
  })

  test('[SHR-14] a link is written once a day, for all who open it', async () => {
    const app = await newShareApp(service)
    const id = await app.newLink()
    service.clock.advance(DAY_MS)
    const days: string[][] = []
    const openings = createOpenings(
      { setOpened: async (_, day, ids) => (days.push([day, ...ids]), []) },
      service.clock,
    )
    const [link] = await service.db.search((q) =>
      q.selectFrom('sharing_links').selectAll().where('id', '=', id),
    )
    assert.ok(link)
    for (let time = 0; time < 5; time++) openings.note(link)
    await openings.write()
    const today = service.clock.now().toISOString().slice(0, 10)
    openings.note({ ...link, lastVisitOn: today })
    await openings.write()
    assert.deepEqual(days, [[today, id]])
  })

  test('[SHR-02] links without a visit for 400 days are removed with their pictures; a visit keeps them', async () => {
    const app = await newShareApp(service)
    const [idle, visited] = [await app.newLink(), await app.newLink()]
    await service.background.drained()
    service.clock.advance(200 * DAY_MS)
    assert.equal((await app.visit(visited)).body.counted, true)
    service.clock.advance(200 * DAY_MS)
    await service.everyHour()
    assert.equal((await picturesOf(app)).length, 2)
    service.clock.advance(DAY_MS)
    await service.everyHour()
    const links = await service.db.search((q) =>
      q.selectFrom('sharing_links').select('id').where('environmentId', '=', app.environmentId),
    )
    assert.deepEqual(links, [{ id: visited }])
    assert.deepEqual(
      (await picturesOf(app)).map((key) => key.includes(visited)),
      [true],
    )
    assert.equal(await statusOf(app, visited), 200)
    assert.ok(idle)
  })

  test('[SHR-07] the card of an app is removed after 30 days without a request', async () => {
    const visit = await browserFor(service)
    const app = await newShareApp(service, { images: { enabled: true, title: 'One' } })
    const ask = async () => {
      const { status } = await drawnCard(service, () => visit('', app.imageAddress('card')))
      assert.equal(status, 200)
    }
    await ask()
    await app.configure({ images: { enabled: true, title: 'Two' } })
    await ask()
    assert.equal((await picturesOf(app)).length, 2)
    service.clock.advance(20 * DAY_MS)
    // The row is read again after a second, and its day written in the background.
    await service.db.transaction((work) =>
      work.search((q) =>
        q
          .updateTable('sharing_cards')
          .set({ usedOn: service.clock.now().toISOString().slice(0, 10) })
          .where('environmentId', '=', app.environmentId)
          .where('inputHash', 'in', (e) =>
            e
              .selectFrom('sharing_cards')
              .select('inputHash')
              .where('environmentId', '=', app.environmentId)
              .orderBy('inputHash')
              .limit(1),
          ),
      ),
    )
    service.clock.advance(11 * DAY_MS)
    await service.everyHour()
    assert.equal((await picturesOf(app)).length, 1)
    await ask()
  })

  test('[DEV-12] a deleted project leaves no picture and no row', async () => {
    const app = await newShareApp(service, EVERY_TOOL)
    const id = await app.newLink({ kind: 'score', score: 1 })
    await app.visit(id)
    await service.background.drained()
    assert.equal((await picturesOf(app)).length, 1)
    const deleted = await app.developer.call('DELETE', `/v1/projects/${app.id}`, {
      password: 'correct horse',
    })
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
    await service.background.drained()
    assert.deepEqual(await picturesOf(app), [])
    for (const table of ['sharing_links', 'sharing_days', 'sharing_visitors', 'sharing_cards'] as const) {
      const rows = await service.db.search((q) =>
        q.selectFrom(table).selectAll().where('environmentId', '=', app.environmentId),
      )
      assert.deepEqual(rows, [], table)
    }
  })
})
