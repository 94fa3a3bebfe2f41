import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Platform, SvcError } from '../src/index.ts'
import { CONFIG, eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'
import { startNetworkProxy } from './network-proxy.ts'

/** What happens at the wrong moment. */

let fixtures: Fixtures
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, auth: { providers: { google: { enabled: true } } } })
  await fixtures.developer('PUT', `${fixtures.development.path}/auth/providers/google`, {
    testProvider: true,
  })
  const open = await fixtures.development.server('PUT', '/v1/realtime/channels/@news', { open: true })
  assert.equal(open.status, 200)
})
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected

/** Calls of one kind wait until they are let go. */
function gate(isHeld: (address: string, request: RequestInit | undefined) => boolean) {
  const waiting: (() => void)[] = []
  let isShut = false
  const fetch: Platform['fetch'] = async (address, request) => {
    if (isShut && isHeld(address, request)) await new Promise<void>((resolve) => waiting.push(resolve))
    return globalThis.fetch(address, request)
  }
  return {
    fetch,
    shut: () => void (isShut = true),
    someoneWaits: () => eventually(() => waiting.length > 0, 'a call'),
    open() {
      isShut = false
      waiting.splice(0).forEach((go) => go())
    },
  }
}

test('a pending put of one player is not written for the next', async () => {
  const puts = gate((_, request) => request?.method === 'PUT')
  const svc = await fixtures.client({ platform: { fetch: puts.fetch } })
  puts.shut()
  const first = svc.saves.put('slot', 'of the first')
  const second = svc.saves.put('slot', 'of the first, later')
  await puts.someoneWaits()
  await svc.auth.guest()
  puts.open()

  assert.equal((await first).version, 1)
  await assert.rejects(second, code('signed_out'))
  assert.deepEqual(await svc.saves.list(), [])
})

test('a version read by one player is not cached for the next', async () => {
  const gets = gate((address) => address.endsWith('/v1/saves/slot'))
  const svc = await fixtures.client({ platform: { fetch: gets.fetch } })
  await svc.saves.put('slot', 1)
  gets.shut()
  const late = svc.saves.get('slot')
  await gets.someoneWaits()
  await svc.auth.guest()
  gets.open()

  assert.equal((await late)?.version, 1)
  assert.equal((await svc.saves.put('slot', 2)).version, 1)
})

test('close during a refresh of the session opens no connection', async () => {
  const refreshes = gate((address) => address.endsWith('/v1/auth/refresh'))
  let opened = 0
  const Counted = class extends globalThis.WebSocket {
    constructor(url: string) {
      super(url)
      opened++
    }
  }
  const platform = {
    now: () => fixtures.service.clock.now().getTime(),
    fetch: refreshes.fetch,
    WebSocket: Counted,
  }
  const svc = await fixtures.client({ platform })
  fixtures.service.clock.advance(20 * 60_000)
  refreshes.shut()
  const joining = svc.channels.join('lobby')
  await refreshes.someoneWaits()
  svc.close()
  await assert.rejects(joining, code('aborted'))
  refreshes.open()
  // The refresh that was under way is done, and so is what had waited for it.
  await svc.auth.accessToken()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(opened, 0)
})

for (const [answer, status] of [
  ['service_unavailable', 503],
  ['rate_limited', 429],
  ['what is in front of it says Bad Gateway', 502],
] as const)
  test(`a refresh that fails temporarily with ${answer} does not end a channel`, async () => {
    let refusals = 0
    const fetch: Platform['fetch'] = async (address, request) => {
      if (!address.endsWith('/v1/auth/refresh') || refusals === 2) return globalThis.fetch(address, request)
      refusals++
      const body = status === 502 ? '<h1>Bad Gateway</h1>' : JSON.stringify({ error: { code: answer } })
      return new Response(body, { status, headers: { 'Retry-After': '60' } })
    }
    const svc = await fixtures.client({ platform: { fetch } })
    const lobby = await svc.channels.join('lobby')
    const received: string[] = []
    lobby.on('closed', (reason) => received.push(reason))
    lobby.on('reconnected', () => received.push('reconnected'))
    // A connection with a token that has expired in the meantime is rejected.
    fixtures.service.clock.advance(16 * 60_000)
    fixtures.destroyConnections()
    await eventually(() => received.length > 0, 'the end of it')
    assert.deepEqual([received, refusals], [['reconnected'], 2])
  })

test('a sign-in during the join of a channel joins it as that player', async () => {
  const proxy = await startNetworkProxy(fixtures.url)
  try {
    for (const held of ['channelJoin', 'welcome']) {
      const svc = await fixtures.client({ guest: false, realtimeUrl: proxy.realtimeUrl })
      if (held === 'channelJoin') await svc.rooms.resume()
      proxy.hold()
      const joining = svc.channels.join('@news')
      await eventually(() => proxy.held !== '', 'an answer')
      const { id } = await svc.auth.guest()
      proxy.release()
      const news = await joining
      await eventually(() => news.members.some((member) => member.id === id), 'the player in it')
      svc.close()
    }
  } finally {
    await proxy.stop()
  }
})

test('a player who cancels a match and immediately joins a room keeps the room', async () => {
  const proxy = await startNetworkProxy(fixtures.url)
  try {
    const svc = await fixtures.client({ realtimeUrl: proxy.realtimeUrl })
    await svc.rooms.resume()
    const giveUp = new AbortController()
    const match = svc.rooms.quickMatch('duel', { signal: giveUp.signal })
    await eventually(async () => (await fixtures.live()).queues?.length > 0, 'the wait')
    proxy.hold()
    giveUp.abort()
    const taking = svc.rooms.create({ mode: 'party' })
    await assert.rejects(match, code('aborted'))
    await eventually(
      () => proxy.held.includes('room_joined') && proxy.held.split('"reply"').length > 2,
      'both',
    )
    proxy.release()
    const room = await taking
    // Had it been left, then before this answer.
    await room.lock()
    assert.ok(svc.rooms.current === room && room.isConnected)
  } finally {
    await proxy.stop()
  }
})

test('a player who leaves a room while offline can immediately join another', async () => {
  const svc = await fixtures.client()
  const room = await svc.rooms.create({ mode: 'party' })
  const lost = next(room, 'reconnecting')
  fixtures.destroyConnections()
  await lost
  await room.leave()
  const another = await svc.rooms.create({ mode: 'party' })
  assert.notEqual(another.id, room.id)
})

test('going back from the page of a provider ends the sign-in', async () => {
  const addresses: string[] = []
  const location = {
    hash: '',
    href: fixtures.url,
    pathname: '/',
    search: '',
    assign: (url: string) => addresses.push(url),
  }
  const page = Object.assign(new EventTarget(), {
    name: '',
    location,
    document: new EventTarget(),
    localStorage: sharedStorage(),
    sessionStorage: sharedStorage(),
  })
  const platform: Partial<Platform> = { page: page as unknown as Window }
  const svc = await fixtures.client({ platform })
  const signingIn = svc.auth.signInWith('google', { mode: 'redirect' })
  await eventually(() => addresses.length > 0, 'the way out')
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  await assert.rejects(signingIn, code('aborted'))
})
