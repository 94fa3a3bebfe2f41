import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.candidates = []
  const Real = RTCPeerConnection
  globalThis.RTCPeerConnection = class extends Real {
    constructor(configuration) {
      super(configuration)
      globalThis.last = this
      this.addEventListener('icecandidate', ({ candidate }) => candidate && candidates.push(candidate.candidate))
    }
  }
  globalThis.ready = connect().then(async (svc) => {
    await svc.auth.declareAge('adult')
    globalThis.svc = svc
    return true
  })
  globalThis.play = async (room) => {
    Object.assign(globalThis, { room, heard: [], opened: [] })
    globalThis.mesh = await svc.p2p.open(room)
    mesh.on('message', (type, data, from) => heard.push([type, data, from.id]))
    mesh.on('peer_open', (player) => opened.push(player.id))
    return true
  }
</script>`

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
before(async () => {
  fixtures = await startFixtures({
    features: { multiplayer: true },
    multiplayer: {
      modes: [
        { key: 'mesh', minPlayers: 2, maxPlayers: 4, transport: 'p2p' },
        { key: 'plain', minPlayers: 2, maxPlayers: 4 },
      ],
    },
  })
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await site.stop()
  await fixtures.stop()
})

const until = (page: Page, expression: string) => page.until(expression)

async function openPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.open(site.url)
  await page.read('ready')
  return page
}

test('[P2P-02] [P2P-03] players of a peer-to-peer room exchange messages directly, through a relay only, also after a restart', async () => {
  const [one, two, three] = [await openPage(), await openPage(), await openPage()]
  const code = await one.read(
    `svc.rooms.create({ mode: 'mesh' }).then(async (room) => { await play(room); return room.code })`,
  )
  for (const page of [two, three]) await page.read(`svc.rooms.join({ code: '${String(code)}' }).then(play)`)
  for (const page of [one, two, three]) await until(page, 'mesh.players.length === 2')

  await one.read(`mesh.send('pos', { x: 1 })`)
  for (const page of [two, three]) await until(page, 'heard.length === 1')
  assert.deepEqual(await two.read('heard'), [['pos', { x: 1 }, await one.read('svc.player.id')]])
  await two.read(`mesh.send('only', 1, { to: ['${String(await one.read('svc.player.id'))}'], fast: true })`)
  await until(one, 'heard.length === 1')
  assert.equal(await three.read('heard.length'), 1)

  const candidates = (await Promise.all([one, two, three].map((page) => page.read('candidates')))).flat()
  assert.ok(candidates.length > 0)
  for (const candidate of candidates) assert.match(String(candidate), / typ relay /)

  // ICE restart: the data channels stay open.
  await one.read('last.restartIce()')
  await one.read(`mesh.send('after', 2)`)
  for (const page of [two, three]) await until(page, `heard.some(([type]) => type === 'after')`)

  for (const page of [one, three])
    await page.read(`globalThis.apart = []; mesh.on('peer_closed', ({ id }) => apart.push(id))`)
  const threesId = await three.read('svc.player.id')
  await three.read('room.leave()')
  for (const page of [one, two]) await until(page, 'mesh.players.length === 1')
  assert.deepEqual(await one.read('apart'), [threesId])
  await until(three, 'apart.length === 2')
  await one.close()
  await two.close()
  await three.close()
})

test('a player who reloads the page is connected again', async () => {
  const [one, two] = [await openPage(), await openPage()]
  const code = await one.read(
    `svc.rooms.create({ mode: 'mesh' }).then(async (room) => { await play(room); return room.code })`,
  )
  await two.read(`svc.rooms.join({ code: '${String(code)}' }).then(play)`)
  for (const page of [one, two]) await until(page, 'mesh.players.length === 1')

  for (const [reloading, other] of [
    [two, one],
    [one, two],
  ] as const) {
    await reloading.open(site.url)
    await reloading.read('ready')
    await reloading.read('svc.rooms.resume().then(play)')
    await until(reloading, 'mesh.players.length === 1')
    await until(other, 'mesh.players.length === 1')
    await other.read('heard.length = 0')
    await reloading.read(`mesh.send('back', true)`)
    await until(other, 'heard.length === 1')
  }
  await one.close()
  await two.close()
})

test('it fails in a room without peer-to-peer, and without WebRTC', async () => {
  const page = await openPage()
  const opening = `svc.p2p.open(room).catch(({ code }) => code)`
  await page.read(`svc.rooms.create({ mode: 'plain' }).then((room) => { globalThis.room = room })`)
  assert.equal(await page.read(opening), 'not_p2p_room')
  await page.read('globalThis.RTCPeerConnection = undefined')
  assert.equal(await page.read(opening), 'not_available')
  await page.close()
})
