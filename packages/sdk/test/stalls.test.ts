import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Room, SvcError } from '../src/index.ts'
import { CONFIG, eventually, next, startFixtures, type Fixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
const proxies: NetworkProxy[] = []
before(async () => void (fixtures = await startFixtures(CONFIG, { SVC_RATE_LIMITS: '' })))
after(async () => {
  await fixtures.stop()
  for (const proxy of proxies) await proxy.stop()
})

/** Ada, whose network stalls, with Bo in a room. */
async function pair() {
  const proxy = await startNetworkProxy(fixtures.url)
  proxies.push(proxy)
  const [ada, bo] = [
    await fixtures.client({ realtimeUrl: proxy.realtimeUrl }),
    await fixtures.client({ displayName: 'Bo' }),
  ]
  const adas = await ada.rooms.create({ mode: 'party' })
  const bos = await bo.rooms.join({ id: adas.id })
  await eventually(() => adas.players.length === 2, 'two players')
  // The burst is full again.
  fixtures.service.clock.advance(10_000)
  const events: string[] = []
  adas.on('reconnecting', () => events.push('reconnecting'))
  adas.on('warn', ({ code }) => events.push(code))
  return { adas, bos, proxy, events }
}

async function locksInTurn(room: Room, count: number) {
  const locks = Array.from({ length: count }, (_, n) => room.lock(n % 2 === 0))
  const settled = await Promise.allSettled(locks)
  return settled.map((each) => (each.status === 'rejected' ? (each.reason as SvcError).code : 'done'))
}

test('[WSK-20] what a connection that stalls for 10 s delivers together is accepted, in order', async () => {
  const { adas, bos, proxy, events } = await pair()
  const heard: unknown[] = []
  bos.on('message', (_type, data) => heard.push(data))
  const sent = Array.from({ length: 300 }, (_, n) => n)

  proxy.stall()
  for (const n of sent) adas.send('input', n)
  const locked = locksInTurn(adas, 10)
  proxy.release()

  assert.deepEqual(new Set(await locked), new Set(['done']))
  await eventually(() => heard.length === sent.length, 'all of them')
  assert.deepEqual([heard, events], [sent, []])
})

test('[WSK-20] a request above the rate is refused, and the connection stays', async () => {
  const { adas, proxy, events } = await pair()
  proxy.stall()
  for (let n = 0; n < 700; n++) adas.send('input', n)
  const locked = locksInTurn(adas, 10)
  proxy.release()

  assert.deepEqual(new Set(await locked), new Set(['rate_limited']))
  assert.deepEqual(events, ['rate_limited'])
})

test('[WSK-20] a request without a reply ends, and the connection stays if anything has come meanwhile', async (t) => {
  const { adas, bos, proxy, events } = await pair()
  const { setTimeout: wait } = globalThis
  const ends: (() => void)[] = []
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    if (ms === 15_000) ends.push(run)
    return wait(run, ms)
  })
  proxy.stall()
  const locked = locksInTurn(adas, 1)
  await eventually(() => ends.length > 0, 'the request')
  const heard = next(adas, 'message')
  bos.send('hello')
  await heard
  ends.forEach((end) => end())
  assert.deepEqual(await locked, ['network_error'])
  proxy.release()
  await adas.lock(false)
  assert.deepEqual(events, [])
})

test('[WSK-21] what is sent into a dead connection shows the loss, and changes of the shared state are sent again', async (t) => {
  // The silence of 3 s and the probe of 5 s are short; the rare look at a client that only listens does not happen.
  const { setTimeout: wait } = globalThis
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) =>
    wait(run, ms === 3_000 || ms === 5_000 ? 50 : ms),
  )
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { adas, bos, proxy } = await pair()
  bos.setState({ turn: 0, level: 0, door: 'open' })
  await eventually(() => adas.state['turn'] === 0, 'the state')

  const lost = next(adas, 'reconnecting')
  proxy.silence()
  adas.setState({ turn: 1, level: 1, door: null })
  await lost
  const changed = next(bos, 'state')
  bos.setState({ level: 2 })
  await changed
  const back = next(adas, 'reconnected')
  proxy.open()
  await back

  await eventually(() => bos.state['turn'] === 1, 'the lost change')
  await eventually(() => adas.state['turn'] === 1, 'its confirmation')
  assert.deepEqual([bos.state, adas.state], [bos.state, { turn: 1, level: 2 }])
})

test('[WSK-21] changes of the shared state that were confirmed or refused are not sent again', async () => {
  const { adas, bos, proxy } = await pair()
  adas.setState({ turn: 1, level: 1 })
  await eventually(() => adas.state['turn'] === 1 && bos.state['turn'] === 1, 'the state')
  const lost = next(adas, 'reconnecting')
  proxy.cut()
  await lost
  bos.setState({ turn: null })
  await eventually(() => !('turn' in bos.state), 'the new state')
  const heard: unknown[] = []
  bos.on('state', (_state, patch) => heard.push(patch))
  const back = next(adas, 'reconnected')
  proxy.open()
  await back
  await adas.lock()
  assert.deepEqual([heard, adas.state], [[], { level: 1 }])
})
