import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from '../../server/src/testing/browser.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { startLossyProxy } from '../../server/src/testing/lossy-proxy.ts'
import { type P2pPages, startP2pPages } from './p2p-pages.ts'

let pages: P2pPages
let one: Page
let two: Page
let proxy: Awaited<ReturnType<typeof startLossyProxy>>
before(async () => {
  pages = await startP2pPages()
  one = await pages.open()
  two = await pages.open()
  const room = `svc.rooms.create({ mode: 'mesh' }).then(async (room) => { globalThis.room = room; return room.code })`
  const code = String(await one.read(room))
  await two.read(`svc.rooms.join({ code: '${code}' }).then((room) => { globalThis.room = room })`)
  const [server] = (await one.read(
    'room.iceServers().then(({ iceServers }) => iceServers[0].urls)',
  )) as string[]
  proxy = await startLossyProxy({ lost: 0, toPort: Number(/:(\d+)\?/.exec(server ?? '')?.[1]) })
})
after(async () => {
  proxy.stop()
  await pages.stop()
})

/** Both players open a mesh whose packets pass through the proxy, and are connected; `connections` begins with that connection. */
async function connect(times: object) {
  for (const page of [one, two]) {
    await page.read(`proxyPort = ${proxy.port}; globalThis.mesh?.close()`)
    await page.read(`play(room, { times: ${JSON.stringify(times)} })`)
  }
  await areConnected()
  for (const page of [one, two]) await page.read('connections.splice(0, connections.length - 1)')
}

/** A message from each reaches the other. */
async function areConnected() {
  for (const page of [one, two]) await page.until('mesh.players.length === 1')
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const) {
    const before = Number(await to.read('heard.length'))
    await from.read(`mesh.send('hello')`)
    await to.until(`heard.slice(${before}).some(([type]) => type === 'hello')`)
  }
}

/** The second player has no network at all; the first one cannot reach it. */
async function loseNetwork() {
  proxy.lose(1)
  await two.read('goOffline()')
}

async function restoreNetwork() {
  proxy.lose(0)
  await two.read('goOnline()')
}

test('[P2P-06] as long as two players are in the room, they try to connect', async () => {
  await connect({ connectMs: 500, recoverMs: 1_000 })
  await loseNetwork()
  for (const page of [one, two]) await page.until('connections.length > 6')
  assert.equal(await one.read('mesh.players.length'), 0)
  await restoreNetwork()
  await areConnected()
})

test('[P2P-06] [P2P-08] a player who is back in the room is connected immediately, and `peer_open` says when to send the state again', async () => {
  await connect({ connectMs: 120_000, recoverMs: 1_000 })
  await loseNetwork()
  for (const page of [one, two]) {
    await page.read(`mesh.send('lost')`)
    await page.until('connections.length === 2')
  }
  await restoreNetwork()
  await areConnected()
  for (const page of [one, two]) {
    assert.deepEqual(await page.read('changes'), ['peer_open', 'peer_closed', 'peer_open'])
    assert.equal(await page.read(`heard.filter(([type]) => type === 'lost').length`), 0)
  }
})

const OPEN = 'connections.at(-1)'

/** Waits until both connections have a new route, after `change`. */
async function areRerouted(change: () => unknown) {
  const routes = await Promise.all([one.read(`${OPEN}.route`), two.read(`${OPEN}.route`)])
  await change()
  await one.until(`${OPEN}.route !== '${String(routes[0])}'`)
  await two.until(`${OPEN}.route !== '${String(routes[1])}'`)
  await areConnected()
  for (const page of [one, two]) assert.equal(await page.read('connections.length'), 1)
}

test('[P2P-07] another network gets a new route immediately, and nothing is lost', async () => {
  await connect({ connectMs: 10_000, recoverMs: 25_000 })
  for (const page of [one, two]) {
    await areRerouted(() => page.read(`void dispatchEvent(new Event('online'))`))
    await page.read(
      `Object.defineProperty(navigator.connection, 'type', { value: 'cellular', configurable: true })`,
    )
    await areRerouted(() => page.read(`void navigator.connection.dispatchEvent(new Event('change'))`))
    await areRerouted(() => page.read('goOffline(); goOnline()'))
  }
})

test('[P2P-07] a route that is interrupted is replaced before the browser gives it up', async () => {
  await connect({ connectMs: 10_000, recoverMs: 25_000 })
  await areRerouted(() => proxy.changeAddresses())
  for (const page of [one, two])
    assert.ok(!((await page.read(`${OPEN}.states`)) as string[]).includes('failed'))
})

test('[P2P-07] after an interruption in which the new route could not be arranged, nothing is lost', async () => {
  await connect({ connectMs: 10_000, recoverMs: 60_000 })
  await loseNetwork()
  for (const page of [one, two]) await page.read(`mesh.send('meanwhile')`)
  // One side offers a new route, and the offer is lost.
  const isOffering = async (page: Page) => (await page.read(`${OPEN}.signalingState`)) === 'have-local-offer'
  await comesTrue('an offer', async () => (await isOffering(one)) || (await isOffering(two)))
  proxy.changeAddresses()
  await restoreNetwork()
  for (const page of [one, two]) await page.until(`heard.some(([type]) => type === 'meanwhile')`)
  for (const page of [one, two]) assert.equal(await page.read('connections.length'), 1)
})
