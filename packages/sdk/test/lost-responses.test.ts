import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Platform, SvcError } from '../src/index.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'
import { startNetworkProxy } from './network-proxy.ts'

/** Refreshes that reach the service, and whose responses do not arrive. */

const MINUTE_MS = 60_000
const code = (expected: string) => (error: SvcError) => error.code === expected

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

/** The service's clock, which only moves when it is moved. */
const inStep = (): Partial<Platform> => ({ now: () => fixtures.service.clock.now().getTime() })
/** Every caller gets the lock, as when a tab has waited for too long. */
const noLocks = { request: async (_: string, __: unknown, work: () => unknown) => work() } as never

for (const [time, minutes] of [
  ['two minutes', 2],
  ['an hour', 60],
  ['a day', 24 * 60],
] as const)
  test(`[SES-19] a guest whose network went during a refresh is the same player ${time} later, with the saves`, async () => {
    const proxy = await startNetworkProxy(fixtures.url)
    try {
      const svc = await fixtures.client({ url: proxy.url, platform: inStep() })
      const { id } = svc.player
      await svc.saves.put('slot', { gold: 3 })
      fixtures.service.clock.advance(15 * MINUTE_MS)

      proxy.hold()
      const failing = assert.rejects(svc.saves.get('slot'), code('network_error'))
      await eventually(() => proxy.held.includes('refreshToken'), 'the response of the refresh')
      proxy.releaseUntil('HTTP')
      await failing

      fixtures.service.clock.advance(minutes * MINUTE_MS)
      proxy.open()
      for (let uses = 0; uses < 2; uses++) {
        assert.deepEqual((await svc.saves.get('slot'))?.data, { gold: 3 })
        assert.deepEqual([svc.player.id, svc.auth.signedIn], [id, true])
        fixtures.service.clock.advance(20 * MINUTE_MS)
      }
    } finally {
      await proxy.stop()
    }
  })

test('[SES-19] [SES-13] a tab that slept during its refresh does not send the old token again if another tab has refreshed since', async () => {
  const storage = sharedStorage()
  const platform = { ...inStep(), locks: noLocks }
  const awake = await fixtures.client({ storage, platform })
  const sent: string[] = []
  const fetch: Platform['fetch'] = async (address, request) => {
    if (!address.endsWith('/v1/auth/refresh')) return globalThis.fetch(address, request)
    sent.push(JSON.parse(request?.body as string).refreshToken)
    await globalThis.fetch(address, request)
    for (let refreshes = 0; refreshes < 2; refreshes++) {
      await awake.saves.list()
      fixtures.service.clock.advance(15 * MINUTE_MS)
    }
    await awake.saves.list()
    throw new TypeError('fetch failed')
  }
  const asleep = await fixtures.client({ storage, platform: { ...platform, fetch } })
  fixtures.service.clock.advance(15 * MINUTE_MS)
  assert.deepEqual(await asleep.saves.list(), [])
  assert.equal(sent.length, 1)
  assert.deepEqual(await awake.saves.list(), [])
})

/** A storage of a player whose access token has expired, and a network that takes all and returns nothing. */
async function inTunnel() {
  const proxy = await startNetworkProxy(fixtures.url)
  const storage = sharedStorage()
  const options = { url: proxy.url, storage, platform: inStep() }
  const before = await fixtures.client(options)
  const { id } = before.player
  before.close()
  fixtures.service.clock.advance(20 * MINUTE_MS)
  proxy.hold()
  return { proxy, storage, options, id }
}

test('[AUT-28] connect() of a known player does not wait for a refresh without a response, which goes on', async () => {
  const { proxy, options, id } = await inTunnel()
  try {
    let refreshes = 0
    const fetch: Platform['fetch'] = (address, request) => {
      if (address.endsWith('/v1/auth/refresh')) refreshes++
      return globalThis.fetch(address, request)
    }
    const svc = await fixtures.client({ ...options, platform: { ...options.platform, fetch } })
    assert.deepEqual([svc.player.id, svc.auth.signedIn], [id, true])
    const reading = svc.saves.get('slot')
    proxy.release()
    assert.equal(await reading, null)
    assert.equal(refreshes, 1)
  } finally {
    await proxy.stop()
  }
})

test('[AUT-28] a sign-out ends the session here and in other tabs while a refresh waits for its response', async () => {
  const { proxy, storage, options } = await inTunnel()
  try {
    const [here, there] = [await fixtures.client(options), await fixtures.client(options)]
    const key = `svc.session.${fixtures.key}`
    const { refreshToken } = JSON.parse(storage.values.get(key) ?? '{}')
    const left = [next<[string]>(here, 'signed_out'), next<[string]>(there, 'signed_out')]
    const signingOut = here.auth.signOut()
    assert.equal(here.auth.signedIn, false)
    assert.deepEqual(await Promise.all(left), [['logout'], ['logout']])
    assert.equal(storage.values.has(key), false)
    proxy.release()
    await signingOut
    const { body } = await fixtures.development.public('POST', '/v1/auth/refresh', { refreshToken })
    assert.equal(body.error.details.reason, 'logout')
    await assert.rejects(there.saves.list(), code('signed_out'))
    assert.equal(storage.values.has(key), false)
  } finally {
    await proxy.stop()
  }
})
