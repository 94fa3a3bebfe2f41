import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { engines } from '../../server/src/testing/service.ts'
import type { Platform, SvcError } from '../src/index.ts'
import { eventually, type Fixtures, sharedStorage, startFixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

const CONFIG = { features: { stats: true }, stats: [{ key: 'coins' }] }

/** A network that can be down; `reports` are those that were sent. */
function network() {
  const state = { isDown: false, reports: [] as string[] }
  const fetch: Platform['fetch'] = async (address, request) => {
    const { method, body, headers = {} } = request ?? {}
    if (method === 'POST' && address.endsWith('/v1/stats'))
      state.reports.push(`${body as string} ${(headers as Record<string, string>)['Idempotency-Key']}`)
    if (state.isDown) throw new TypeError('fetch failed')
    return globalThis.fetch(address, request)
  }
  return { state, platform: { fetch } }
}

for (const engine of engines)
  describe(`reports on ${engine}`, () => {
    let fixtures: Fixtures
    let proxy: NetworkProxy
    before(async () => {
      fixtures = await startFixtures(CONFIG, {}, engine)
      proxy = await startNetworkProxy(fixtures.url)
    })
    after(async () => {
      await fixtures.stop()
      await proxy.stop()
    })

    test('[STA-19] a report whose response is lost is sent again, and counts once', async () => {
      const svc = await fixtures.client({ url: proxy.url })
      await svc.stats.submit({ coins: 1 })
      proxy.hold()
      const submitting = svc.stats.submit({ coins: 10 })
      await eventually(() => proxy.held.includes('"coins"'), 'the response')
      proxy.cut()
      proxy.open()
      assert.equal((await submitting).stats['coins']?.allTime, 11)
      assert.deepEqual(await svc.stats.get(), { coins: 11 })
    })
  })

describe('reports that could not be delivered', () => {
  let fixtures: Fixtures
  before(async () => void (fixtures = await startFixtures(CONFIG)))
  after(() => fixtures.stop())

  /** Timers of the retries fire immediately. */
  function withoutWaits<T>(work: () => Promise<T>): Promise<T> {
    const { setTimeout } = globalThis
    globalThis.setTimeout = ((run: () => void, ms?: number) =>
      setTimeout(run, (ms ?? 0) < 15_000 ? 0 : ms)) as typeof setTimeout
    return work().finally(() => (globalThis.setTimeout = setTimeout))
  }

  test('[STA-20] are kept, and sent once in the next visit, although several tabs start', async () => {
    const storage = sharedStorage()
    const { state, platform } = network()
    const svc = await fixtures.client({ storage, platform })
    await svc.stats.submit({ coins: 1 })
    state.isDown = true
    const result = await withoutWaits(() => svc.stats.submit({ coins: 10 }))
    assert.deepEqual(result, { stats: {}, rejected: [], unlocked: [], isKept: true })
    const kept = state.reports.at(-1)

    const next = network()
    const tabs = await Promise.all([1, 2, 3].map(() => fixtures.client({ storage, platform: next.platform })))
    await eventually(async () => (await tabs[0]?.stats.get())?.['coins'] === 11, 'the delivery')
    await tabs[0]?.stats.submit({ coins: 100 })
    await fixtures.client({ storage, platform: next.platform })
    assert.deepEqual(next.state.reports.slice(0, 1), [kept])
    assert.equal(next.state.reports.length, 2)
    assert.deepEqual(await tabs[0]?.stats.get(), { coins: 111 })
  })

  test('[STA-20] are sent again with the next report that is answered, before the service forgets their ids', async () => {
    const storage = sharedStorage()
    let isLost = true
    const fetch: Platform['fetch'] = async (address, request) => {
      const response = await globalThis.fetch(address, request)
      if (isLost && request?.method === 'POST' && address.endsWith('/v1/stats'))
        throw new TypeError('fetch failed')
      return response
    }
    const svc = await fixtures.client({ storage, platform: { fetch } })
    assert.equal((await withoutWaits(() => svc.stats.submit({ coins: 5 }))).isKept, true)
    isLost = false
    for (let count = 0; count < 20; count++) await svc.stats.submit({ coins: 1 })
    const next = await fixtures.client({ storage })
    const isEmpty = () => ![...storage.values.keys()].some((name) => name.includes('.stats.'))
    await eventually(isEmpty, 'the delivery')
    assert.deepEqual(await next.stats.get(), { coins: 25 })
  })

  test('[STA-20] up to 16 are kept; one more rejects with network_error', async () => {
    const { state, platform } = network()
    const svc = await fixtures.client({ platform })
    state.isDown = true
    await withoutWaits(async () => {
      const reports = await Promise.all(Array.from({ length: 16 }, () => svc.stats.submit({ coins: 1 })))
      assert.ok(reports.every(({ isKept }) => isKept))
      await assert.rejects(
        svc.stats.submit({ coins: 1 }),
        (error: SvcError) => error.code === 'network_error',
      )
    })
  })

  test('[STA-20] are kept for their player only', async () => {
    const storage = sharedStorage()
    const { state, platform } = network()
    const svc = await fixtures.client({ storage, platform })
    state.isDown = true
    await withoutWaits(() => svc.stats.submit({ coins: 5 }))
    state.isDown = false
    await svc.auth.guest()
    const other = await fixtures.client({ storage })
    assert.deepEqual(await other.stats.get(), {})
  })

  test('[STA-20] what the service refuses is not kept', async () => {
    const { state, platform } = network()
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform })
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`stat${at}`, 1]))
    await assert.rejects(svc.stats.submit(many), (error: SvcError) => error.code === 'too_many_stats')
    await fixtures.client({ storage, platform })
    assert.equal(state.reports.length, 1)
    assert.deepEqual(
      [...storage.values.keys()].filter((key) => key.includes('.stats.')),
      [],
    )
  })
})
