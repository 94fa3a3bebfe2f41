import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { browserFor, sha256Of } from '../../testing/hosted-apps.ts'
import { drawnCard, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const IMAGES = {
  images: { enabled: true, title: 'Names' },
  links: { enabled: true },
  tracking: { enabled: true },
}

suite('names on links and cards', { start: startSharing }, ({ service }) => {
  let app: ShareApp
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => {
    app = await newShareApp(service, IMAGES)
    visit = await browserFor(service)
  })

  const nameOf = async (id: string) =>
    (await app.public('GET', `/v1/share/links/${id}`)).body.link.displayName
  const card = (id: string) => drawnCard(service, () => visit('', app.imageAddress(id)))
  const correctTo = async (playerId: string, band: string) => {
    const { status } = await app.server('PUT', `/v1/admin/players/${playerId}/age`, { band })
    assert.equal(status, 200)
  }
  const named = { kind: 'score', score: 7, showName: true }

  test('[SHR-02] [SHR-07] the name of a player who becomes a child is no longer shown, and the card is drawn again', async () => {
    const [ada, bob] = [await app.guest(), await app.guest()]
    const id = await app.newLink(named, ada.call)
    const others = await app.newLink(named, bob.call)
    const [withName, ofBob] = [await card(id), await card(others)]
    assert.equal(await nameOf(id), ada.displayName)

    await correctTo(ada.id, 'child')
    assert.equal(await nameOf(id), null)
    const unnamed = await card(id)
    assert.equal(unnamed.headers['cache-control'], 'public, max-age=86400')
    const plainId = await app.newLink({ kind: 'score', score: 7 }, bob.call)
    assert.equal(
      unnamed.headers['etag'],
      (await card(plainId)).headers['etag'],
      'it is the card without a name',
    )
    assert.deepEqual((await card(id)).bytes, unnamed.bytes)
    assert.equal(await nameOf(others), bob.displayName)
    assert.deepEqual((await card(others)).bytes, ofBob.bytes)

    await service.everyHour()
    const stored = await Array.fromAsync(service.blobs.list(`cards/${app.environmentId}/${id}`))
    assert.equal(stored.length, 1, 'the picture with the name is removed')
    const drawn = service.drawn.filter(({ displayName }) => displayName === ada.displayName)
    assert.equal(drawn.length, 1)

    await correctTo(ada.id, 'adult')
    assert.equal(await nameOf(id), ada.displayName)
    assert.equal((await card(id)).headers['etag'], withName.headers['etag'])
  })

  test('[SHR-02] names are not shown while the audience is kids', async () => {
    const guest = await app.guest()
    const id = await app.newLink(named, guest.call)
    const before = await card(id)
    await app.configure(IMAGES, { audience: 'kids' })
    assert.equal(await nameOf(id), null)
    assert.notEqual((await card(id)).headers['etag'], before.headers['etag'])
    await app.configure(IMAGES, {})
    assert.equal(await nameOf(id), guest.displayName)
    assert.equal(sha256Of((await card(id)).bytes), sha256Of(before.bytes))
  })

  test('[OWN-03] links, cards and pages of a deleted player are gone immediately', async () => {
    const guest = await app.guest()
    const id = await app.newLink(named, guest.call)
    await app.newLink(named, guest.call)
    const page = () => visit(app.label, `/.share/${id}`)
    assert.deepEqual([(await card(id)).status, (await page()).status], [200, 200])
    assert.equal(await nameOf(id), guest.displayName)

    assert.deepEqual((await guest.call('DELETE', '/v1/players/me')).body, { deleted: true })
    const answers = [
      await app.public('GET', `/v1/share/links/${id}`),
      await service.call('GET', app.imageAddress(id)),
      await app.visit(id),
    ]
    for (const { status, body } of answers)
      assert.deepEqual([status, body.error.code], [404, 'share_link_not_found'])
    assert.equal((await visit(app.label, `/.card/${id}.png`)).status, 404)
    assert.equal((await page()).status, 302)
  })
})
