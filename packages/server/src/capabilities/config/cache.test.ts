import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { ConfigDocument } from '@svc/contract/config/document'

import { createMemoryBus } from '../../engines/bus/memory.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/databases.ts'
import { createConfigCache } from './cache.ts'
import { createConfig } from './config.ts'
import { type ConfigStore, createConfigStore } from './store.ts'

let database: TestDatabase
let store: ConfigStore
before(async () => {
  database = await openTestDatabase('sqlite')
  store = createConfigStore(database.db)
})
after(() => database.close())

const actor = { type: 'system', id: 'sys_1', label: 'a test' } as const
let environments = 0

/** A cache over the real store. Reads are counted, and the test moves its time. */
function setUp({ unavailable = new Set<string>() } = {}) {
  const environment = {
    id: `env_${++environments}`,
    projectId: 'prj_1',
    name: 'development',
    slug: 'game',
  } as const
  const bus = createMemoryBus()
  const time = { ms: 0 }
  const reads = { count: 0, hold: Promise.resolve() }
  const counted: ConfigStore = {
    ...store,
    of: (environmentId) => ({
      ...store.of(environmentId),
      async newerThan(version) {
        reads.count++
        const found = await store.of(environmentId).newerThan(version)
        await reads.hold
        return found
      },
    }),
  }
  const cache = createConfigCache(counted, { bus, unavailable, now: () => time.ms })
  const rules = (publish: (topic: string, message: string) => Promise<void>) =>
    createConfig(store, {
      clock: createStoppedClock(),
      audit: { record: async () => {} },
      bus: { publish },
      unavailable: new Set(),
      recordChanged: async () => {},
      problemsOf: async () => new Map(),
      hasFunctions: async () => false,
    })
  return {
    bus,
    time,
    reads,
    current: () => cache.current(environment.id),
    push: (document: ConfigDocument) =>
      rules((topic, message) => bus.publish(topic, message)).push(environment, actor, document),
    /** A push on another node whose message is lost. */
    pushUnheard: (document: ConfigDocument) => rules(async () => {}).push(environment, actor, document),
  }
}

test('[CFG-03] before the first push the config is version 0 with everything off', async () => {
  const { current } = setUp()
  const { version, document, config } = await current()
  assert.equal(version, 0)
  assert.deepEqual(document, {})
  assert.equal(config.features.saves, false)
})

test('[CFG-22] a push takes effect for the next request', async () => {
  const { current, push } = setUp()
  await current()
  await push({ features: { saves: true } })
  const { version, config } = await current()
  assert.equal(version, 1)
  assert.equal(config.features.saves, true)
})

test('a fresh entry is returned to all callers without a read', async () => {
  const { current, reads } = setUp()
  const inFlight = current()
  assert.equal(current(), inFlight)
  const known = await inFlight
  // No promise: the value is already there.
  assert.equal(current(), known)
  assert.equal(reads.count, 1)
})

test('[CFG-22] after a lost message the version is read again within a second', async () => {
  const { current, pushUnheard, time } = setUp()
  await current()
  await pushUnheard({ audience: 'kids' })

  time.ms += 999
  assert.equal((await current()).version, 0)
  time.ms += 1
  assert.equal((await current()).version, 1)
})

test('an unchanged version is not parsed again', async () => {
  const { current, push, time, reads } = setUp()
  await push({ audience: 'kids' })
  const { config } = await current()
  time.ms += 1_000
  assert.equal((await current()).config, config)
  assert.equal(reads.count, 2)
})

test('a gap in the messages clears the cache', async () => {
  let gap = () => {}
  const cache = createConfigCache(store, {
    bus: { ...createMemoryBus(), onGap: (handler) => ((gap = handler), () => {}) },
    unavailable: new Set(),
    now: () => 0,
  })
  assert.equal((await cache.current('env_gap')).version, 0)
  await store.of('env_gap').insert({ version: 1, document: '{}', updatedAt: '', actor: '{}' })
  assert.equal((await cache.current('env_gap')).version, 0)
  gap()
  assert.equal((await cache.current('env_gap')).version, 1)
})

test('a read that was in flight when the config changed is not cached', async () => {
  const { current, push, reads } = setUp()
  const { promise, resolve } = Promise.withResolvers<void>()
  reads.hold = promise
  const early = current()
  await push({ audience: 'kids' })
  resolve()
  await early
  assert.equal((await current()).version, 1)
})

test('[GEN-24] each environment has its own config', async () => {
  const one = setUp()
  const other = setUp()
  await one.push({ audience: 'kids' })
  assert.equal((await other.current()).config.audience, 'general')
})

test('[GEN-42] a feature that the operator does not offer is off, regardless of the pushed document and the default', async () => {
  const { current, push } = setUp({
    unavailable: new Set(['saves', 'google', 'share.links', 'svcNews', 'functions']),
  })
  await push({
    features: { saves: true, stats: true },
    auth: { providers: { google: { enabled: true }, x: { enabled: true } } },
    share: { links: { enabled: true, text: 'x' } },
  })
  const { config } = await current()
  assert.deepEqual([config.features.saves, config.features.stats], [false, true])
  assert.deepEqual([config.auth.providers.google.enabled, config.auth.providers.x.enabled], [false, true])
  assert.equal(config.share.links.enabled, false)
  assert.equal(config.svcNews.optIn, false)
})
