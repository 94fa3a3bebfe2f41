import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type P2pPages, startP2pPages } from './p2p-pages.ts'

let pages: P2pPages
before(async () => {
  pages = await startP2pPages()
})
after(() => pages.stop())

test('[P2P-02] [P2P-03] players of a peer-to-peer room exchange messages directly, through a relay only, also after a restart', async () => {
  const [one, two, three] = [await pages.open(), await pages.open(), await pages.open()]
  const code = await one.read(
    `svc.rooms.create({ mode: 'mesh' }).then(async (room) => { await play(room); return room.code })`,
  )
  for (const page of [two, three]) await page.read(`svc.rooms.join({ code: '${String(code)}' }).then(play)`)
  for (const page of [one, two, three]) await page.until('mesh.players.length === 2')

  await one.read(`mesh.send('pos', { x: 1 })`)
  for (const page of [two, three]) await page.until('heard.length === 1')
  assert.deepEqual(await two.read('heard'), [['pos', { x: 1 }, await one.read('svc.player.id')]])
  await two.read(`mesh.send('only', 1, { to: ['${String(await one.read('svc.player.id'))}'], fast: true })`)
  await one.until('heard.length === 1')
  assert.equal(await three.read('heard.length'), 1)

  const candidates = (await Promise.all([one, two, three].map((page) => page.read('candidates')))).flat()
  assert.ok(candidates.length > 0)
  for (const candidate of candidates) assert.match(String(candidate), / typ relay /)

  // ICE restart: the data channels stay open.
  await one.read('connections.at(-1).restartIce()')
  await one.read(`mesh.send('after', 2)`)
  for (const page of [two, three]) await page.until(`heard.some(([type]) => type === 'after')`)

  for (const page of [one, three])
    await page.read(`globalThis.apart = []; mesh.on('peer_closed', ({ id }) => apart.push(id))`)
  const threesId = await three.read('svc.player.id')
  await three.read('room.leave()')
  for (const page of [one, two]) await page.until('mesh.players.length === 1')
  assert.deepEqual(await one.read('apart'), [threesId])
  await three.until('apart.length === 2')
  await one.close()
  await two.close()
  await three.close()
})

test('a player who reloads the page is connected again', async () => {
  const [one, two] = [await pages.open(), await pages.open()]
  const code = await one.read(
    `svc.rooms.create({ mode: 'mesh' }).then(async (room) => { await play(room); return room.code })`,
  )
  await two.read(`svc.rooms.join({ code: '${String(code)}' }).then(play)`)
  for (const page of [one, two]) await page.until('mesh.players.length === 1')

  for (const [reloading, other] of [
    [two, one],
    [one, two],
  ] as const) {
    await pages.reload(reloading)
    await reloading.read('svc.rooms.resume().then(play)')
    await reloading.until('mesh.players.length === 1')
    await other.until('mesh.players.length === 1')
    await other.read('heard.length = 0')
    await reloading.read(`mesh.send('back', true)`)
    await other.until('heard.length === 1')
  }
  await one.close()
  await two.close()
})

test('it fails in a room without peer-to-peer, and without WebRTC', async () => {
  const page = await pages.open()
  const opening = `svc.p2p.open(room).catch(({ code }) => code)`
  await page.read(`svc.rooms.create({ mode: 'plain' }).then((room) => { globalThis.room = room })`)
  assert.equal(await page.read(opening), 'not_p2p_room')
  await page.read('globalThis.RTCPeerConnection = undefined')
  assert.equal(await page.read(opening), 'not_available')
  await page.close()
})
