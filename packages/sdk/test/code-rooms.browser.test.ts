import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { deployRooms } from '../../server/src/testing/code-rooms.ts'
import { CONFIG, eventually, type Fixtures, startFixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const CODE = `
export class Arena extends Room {
  static tickRate = 20
  state = { balls: {} }
  onJoin({ id }) { this.state.balls[id] = { x: 0 } }
  messages = {
    move: ({ id }, by) => { this.state.balls[id].x += by },
    where: ({ id }) => this.state.balls[id],
  }
}`

const HTML = `<!doctype html><meta charset="utf-8"><title>Arena</title>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.loaded = () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('sdk-rooms.js')).length
  globalThis.ready = connect().then((svc) => Object.assign(globalThis, { svc }) && true)
</script>`

const ROOMS_FILE = '/.svc/sdk-rooms.js'

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
before(async () => {
  const modes = [
    { key: 'arena', minPlayers: 2, maxPlayers: 8, room: { class: 'Arena' } },
    { key: 'relay', minPlayers: 2, maxPlayers: 8 },
  ]
  fixtures = await startFixtures({ ...CONFIG, multiplayer: { modes } }, { SVC_BILLING: 'off' })
  await deployRooms(fixtures.development, CODE)
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await site.stop()
  await fixtures.stop()
})

async function openPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.open(site.url)
  await page.read('ready')
  return page
}

test('[RWC-67] a page loads the file with the first room with code, and predicts and smooths in it', async () => {
  const page = await openPage()
  await page.read(`svc.rooms.create({ mode: 'relay' }).then((room) => room.leave())`)
  assert.equal(await page.read('loaded()'), 0)

  await page.read(`svc.rooms.create({ mode: 'arena' }).then((room) => {
    const step = (state, id, by) => { state.balls[id].x += by }
    const me = room.predict({ step, type: 'move' })
    const xs = []
    room.on('sync', () => xs.push(me.state.balls[room.me.id].x))
    Object.assign(globalThis, { room, me, xs })
    for (let sent = 0; sent < 10; sent++) me.send(1)
  })`)
  assert.equal(await page.read('loaded()'), 1)
  assert.equal(await page.read('me.state.balls[room.me.id].x'), 10)
  await eventually(async () => {
    fixtures.service.clock.advance(50)
    return (await page.read('room.state.balls[room.me.id].x')) === 10
  }, 'the answer of the room')
  assert.deepEqual(await page.read('xs.filter((x) => x !== 10)'), [])
  assert.deepEqual(await page.read(`Object.keys(room.smooth('balls'))`), [await page.read('room.me.id')])
  await page.read(`void room.call('where').then((reply) => Object.assign(globalThis, { reply }))`)
  await eventually(async () => {
    fixtures.service.clock.advance(50)
    return await page.read(`'reply' in globalThis`)
  }, 'the reply')
  assert.deepEqual(await page.read('reply'), { x: 10 })
  await page.close()
})

test('[RWC-67] if the file cannot be loaded, the join fails and the seat is free again', async () => {
  const file = site.files.get(ROOMS_FILE)
  assert.ok(file)
  site.files.delete(ROOMS_FILE)
  const page = await openPage()
  const code = await page.read(`svc.rooms.create({ mode: 'arena' }).catch(({ code }) => code)`)
  assert.equal(code, 'network_error')
  assert.equal(await page.read('svc.rooms.current === undefined'), true)
  assert.equal(await page.read(`svc.rooms.create({ mode: 'relay' }).then(({ mode }) => mode)`), 'relay')
  site.files.set(ROOMS_FILE, file)
  await page.close()
})
