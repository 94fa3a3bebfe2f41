import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Cards } from '../../engines/cards/cards.ts'
import { openTakumi } from '../../engines/cards/takumi.ts'
import { newGuest } from '../../testing/guests.ts'
import { browserFor, deploy, type Visited } from '../../testing/hosted-apps.ts'
import { hugePng } from '../../testing/png.ts'
import { type Engine, startService } from '../../testing/service.ts'
import { newShareApp, pngSize, type ShareApp } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const IMAGES = { images: { enabled: true, title: 'Late' }, links: { enabled: true } }
const LINKS_ONLY = { images: { title: 'Late' }, links: { enabled: true } }

/** A service whose cards can be kept waiting, or be drawn by an engine that allows little CPU time. */
async function startWithLateCards(engine: Engine) {
  const slow = openTakumi({ log() {}, limits: { drawCpuMsMax: 150 } })
  const control = { isSlow: false, gate: Promise.resolve(), drawings: 0 }
  const watchCards = (cards: Cards): Cards => ({
    ...cards,
    async draw(card) {
      control.drawings++
      await control.gate
      return (control.isSlow ? slow : cards).draw(card)
    },
    async close() {
      await slow.close()
      await cards.close()
    },
  })
  return { ...(await startService(engine, { watchCards })), control }
}

suite('cards that are not drawn yet', { start: startWithLateCards }, ({ service }) => {
  const image = async (app: ShareApp, name: string): Promise<Visited> =>
    (await browserFor(service))('', app.imageAddress(name))
  const shown = ({ status, headers, bytes }: Visited) => [status, headers['cache-control'], pngSize(bytes)]
  const PLAIN = [200, 'no-store', '1200x600']
  const CARD = [200, 'public, max-age=86400', '1200x600']
  const storedBy = async ({ environmentId }: ShareApp) =>
    (await Array.fromAsync(service.blobs.list(`cards/${environmentId}/`))).length
  const problemsOf = async (app: ShareApp) => {
    const { body } = await app.server('GET', '/v1/admin/features')
    return body.features.find(({ key }: { key: string }) => key === 'share.images').problems
  }
  /** The drawings from now on wait until the returned function is called. */
  function holdDrawings() {
    const { promise, resolve } = Promise.withResolvers<void>()
    service.control.gate = promise
    return resolve
  }
  after(() => void (service.control.isSlow = false))

  test('[SHR-07] a request that waits for a drawing gets the plain card, and the drawing is stored for the next one', async () => {
    const app = await newShareApp(service, LINKS_ONLY)
    const id = await app.newLink({ kind: 'score', score: 5 })
    await app.configure(IMAGES)
    const release = holdDrawings()
    const before = service.control.drawings
    for (const name of [id, 'card']) assert.deepEqual(shown(await image(app, name)), PLAIN)
    assert.equal(await storedBy(app), 0)
    release()
    await service.background.drained()
    assert.equal(await storedBy(app), 2)
    for (const name of [id, 'card']) assert.deepEqual(shown(await image(app, name)), CARD)
    assert.equal(service.control.drawings - before, 2)
  })

  test('[SHR-09] after a timeout nothing is stored, and the list of features forgets the problem once the card is drawn', async () => {
    const images = { enabled: true, title: 'Late', background: 'back.png' }
    const app = await newShareApp(service, { ...LINKS_ONLY, images: { ...images, enabled: false } })
    await deploy(service, app, { 'index.html': 'home', 'back.png': hugePng() })
    const [first, second] = [await app.newLink(), await app.newLink()]
    await app.configure({ ...IMAGES, images })

    service.control.isSlow = true
    assert.deepEqual(shown(await image(app, first)), PLAIN)
    await service.background.drained()
    assert.deepEqual(shown(await image(app, first)), PLAIN)
    assert.equal(await storedBy(app), 0)
    assert.deepEqual(await problemsOf(app), ['share.images.background: back.png takes too long to draw'])

    service.control.isSlow = false
    await image(app, second)
    await service.background.drained()
    assert.deepEqual(shown(await image(app, second)), CARD)
    assert.equal(await problemsOf(app), undefined)
    assert.equal(await storedBy(app), 1)
  })

  test('[SHR-07] 200 first requests for different links: each link is drawn once, and its next request gets the card', async () => {
    const app = await newShareApp(service, LINKS_ONLY)
    const players = await Promise.all(Array.from({ length: 10 }, () => newGuest(app)))
    const ids: string[] = []
    for (const player of players)
      for (let count = 0; count < 20; count++)
        ids.push(await app.newLink({ kind: 'score', score: ids.length }, player.call))
    await app.configure(IMAGES)
    const before = service.control.drawings

    const first = await Promise.all(ids.map((id) => image(app, id)))
    assert.ok(first.every(({ status }) => status === 200))
    await service.background.drained()
    const next = await Promise.all(ids.map((id) => image(app, id)))
    assert.equal(next.filter(({ headers }) => headers['cache-control'] === 'no-store').length, 0)
    assert.equal(service.control.drawings - before, 200)
    assert.equal(await storedBy(app), 200)
  })
})
