import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'

import type { SocketConnection } from '../src/realtime/socket-connection.ts'
import { ConnectionClosedError, openSocketConnection } from '../src/realtime/socket-connection.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'
import { startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

/** What the SDK reads of a page. */
const createPage = () =>
  Object.assign(new EventTarget(), {
    name: '',
    location: { hash: '', href: fixtures.url, pathname: '/', search: '' },
    document: Object.assign(new EventTarget(), { hidden: false }),
    localStorage: sharedStorage(),
    sessionStorage: sharedStorage(),
    navigator: { connection: new EventTarget() },
  })

/** Timers of these lengths take so long instead, or never fire. */
function changeTimers(t: TestContext, lengths: Record<number, number | 'never'>) {
  const { setTimeout: wait } = globalThis
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    const length = lengths[ms] ?? ms
    const timer = wait(run, length === 'never' ? ms : length)
    if (length === 'never') clearTimeout(timer)
    return timer
  })
}

test('a connection that is no longer needed is abandoned before the service responds', async (t) => {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  // It would be given up in time, too: time stands still.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const unwanted = new AbortController()
  const asked = once(silent, 'connection')

  const opening = openSocketConnection({
    WebSocket,
    url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    auth: {},
    signal: unwanted.signal,
    receive() {},
    closed() {},
  })
  const refused = assert.rejects(opening, ConnectionClosedError)
  await asked
  unwanted.abort()
  await refused
})

for (const [what, begin, proceed] of [
  ['never opens', 'silence', 'open'],
  ['opens late', 'hold', 'release'],
] as const)
  test(`[WSK-18] a connection that hangs is accompanied by a second one; if the first ${what}, one of them is used and stays`, async (t) => {
    changeTimers(t, { 3_000: 10, 10_000: 'never' })
    const proxy = await startNetworkProxy(fixtures.url)
    t.after(() => proxy.stop())
    const { body } = await fixtures.development.public('POST', '/v1/auth/guest', {})
    const frames: string[] = []
    let authenticated = 0
    class WatchedSocket extends WebSocket {
      override send(text: string) {
        if (text.includes('"auth"')) authenticated++
        super.send(text)
      }
    }
    proxy[begin]()

    const opening = openSocketConnection({
      WebSocket: WatchedSocket,
      url: proxy.realtimeUrl,
      auth: { key: fixtures.key, token: body.accessToken },
      signal: new AbortController().signal,
      receive: (frame) => void frames.push(frame.t),
      closed: ({ code }) => void frames.push(String(code)),
    })
    if (begin === 'silence') {
      // Only what the first connection sends is lost.
      await eventually(() => proxy.dropped > 0, 'the first attempt')
      proxy[proceed]()
    } else {
      await eventually(() => proxy.held.split('101 Switching').length === 3, 'both responses')
      proxy[proceed]()
    }
    const connection: SocketConnection = await opening
    assert.ok(proxy.accepted > 1)
    connection.send({ t: 'cancelMatch', rid: 1 })
    await eventually(() => frames.length > 0, 'the reply')
    assert.deepEqual([frames, authenticated], [['reply'], 1])
    connection.drop()
  })

test('[WSK-18] when the network or the page is back, an attempt that hangs starts again', async (t) => {
  // Neither a second connection nor the end of the attempt may help.
  changeTimers(t, { 3_000: 'never', 10_000: 'never' })
  const page = createPage()
  const proxy = await startNetworkProxy(fixtures.url)
  t.after(() => proxy.stop())
  const platform = { page: page as unknown as Window }
  const svc = await fixtures.client({ realtimeUrl: proxy.realtimeUrl, platform })
  const room = await svc.rooms.create({ mode: 'party' })

  for (const [from, event] of [
    [page, 'online'],
    [page.document, 'visibilitychange'],
    [page.navigator.connection, 'change'],
  ] as const) {
    const lost = next(room, 'reconnecting')
    const { dropped } = proxy
    proxy.silence()
    fixtures.destroyConnections()
    await lost
    await eventually(() => proxy.dropped > dropped, 'an attempt')
    const { accepted } = proxy
    proxy.open()
    const back = next(room, 'reconnected')
    const timer = setInterval(() => from.dispatchEvent(new Event(event)), 50)
    await back.finally(() => clearInterval(timer))
    assert.ok(proxy.accepted > accepted)
  }
  svc.close()
})

test('[WSK-19] the waits between attempts grow to 8 s, and to 60 s in a long outage, in which a hidden page waits until it is seen', async (t) => {
  const page = createPage()
  const platform = { page: page as unknown as Window, random: () => 0.999 }
  const proxy = await startNetworkProxy(fixtures.url)
  t.after(() => proxy.stop())
  const svc = await fixtures.client({ realtimeUrl: proxy.realtimeUrl, platform })
  const channel = await svc.channels.join('outage')

  // Time passes only by the waits between attempts. Whole seconds are limits of attempts and requests.
  const { setTimeout: wait } = globalThis
  const waits: { ms: number; afterMs: number }[] = []
  let passedMs = 0
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + passedMs)
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    if (ms < 100 || ms % 500 === 0) return wait(run, ms)
    waits.push({ ms, afterMs: passedMs })
    passedMs += ms
    return wait(run, 1)
  })
  proxy.cut()
  const looks = async () => new Promise((resolve) => wait(resolve, 20))
  while (passedMs < 20 * 60_000) await looks()
  const longest = (fromMs: number, toMs: number) =>
    Math.max(...waits.filter(({ afterMs }) => afterMs >= fromMs && afterMs < toMs).map(({ ms }) => ms))
  assert.deepEqual(
    [longest(0, 1_000), longest(0, 120_000), longest(0, Infinity)].map((ms) => Math.ceil(ms / 100) / 10),
    [0.8, 8, 60],
  )
  assert.ok(longest(120_000, 300_000) < 20_000)

  page.document.hidden = true
  for (let before = -1; before !== waits.length; await looks()) before = waits.length
  proxy.open()
  page.document.hidden = false
  const back = next(channel, 'reconnected')
  page.document.dispatchEvent(new Event('visibilitychange'))
  await back
  svc.close()
})

test('[CHN-26] the others do not hear of short losses, also if the service hears that the client has given up', async (t) => {
  const proxy = await startNetworkProxy(fixtures.url)
  t.after(() => proxy.stop())
  const [ada, bo] = [
    await fixtures.client({ realtimeUrl: proxy.realtimeUrl }),
    await fixtures.client({ displayName: 'Bo' }),
  ]
  const adas = await ada.channels.join('blinks')
  const bos = await bo.channels.join('blinks')
  const heard: string[] = []
  for (const event of ['member_joined', 'member_left'] as const) bos.on(event, () => heard.push(event))

  for (let loss = 0; loss < 5; loss++) {
    const back = next(adas, 'reconnected')
    proxy.cut()
    proxy.open()
    await back
  }
  // Nothing arrives at the service, so the client closes the connection; then everything arrives.
  const [lost, back] = [next(adas, 'reconnecting'), next(adas, 'reconnected')]
  changeTimers(t, { 3_000: 10, 5_000: 50 })
  const { accepted } = proxy
  proxy.stall()
  adas.send('chat', 'is anybody there')
  await lost
  t.mock.restoreAll()
  await eventually(() => proxy.accepted > accepted, 'the next attempt')
  proxy.release()
  await back
  const arrived = next(bos, 'message')
  adas.send('chat', 'again')
  await arrived
  assert.deepEqual(heard, [])

  const left = next(bos, 'member_left')
  ada.close()
  await left
})
