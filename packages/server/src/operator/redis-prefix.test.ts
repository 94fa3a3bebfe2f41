import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { createClient } from '@redis/client'

import { openService } from '../service.ts'
import { readSettings } from '../settings.ts'
import { newDataDir, newPostgresDatabase } from '../testing/databases.ts'
import { startRedis } from '../testing/redis.ts'

const stacks = new WeakMap<TestContext, AsyncDisposableStack>()
/** What is deferred last is done first: nodes are stopped before their engines. */
function lastFirst(t: TestContext): AsyncDisposableStack {
  const known = stacks.get(t)
  if (known) return known
  const stack = new AsyncDisposableStack()
  stacks.set(t, stack)
  t.after(() => stack.disposeAsync())
  return stack
}

/** An installation: a database, and nodes as an operator starts them, without a prefix of the test. */
async function newInstallation(t: TestContext, redisUrl: string, settings: Record<string, string> = {}) {
  const postgres = await newPostgresDatabase()
  lastFirst(t).defer(() => postgres.remove())
  return {
    async startNode() {
      const service = await openService(
        readSettings({
          SVC_DATA_DIR: await newDataDir(),
          LOG_LEVEL: 'silent',
          SVC_SECRET_KEY: 'ab'.repeat(32),
          SVC_SIGN_UP: 'open',
          DATABASE_URL: postgres.url,
          REDIS_URL: redisUrl,
          ...settings,
        }),
        { redisCommandTimeoutMs: 10_000, passwordWork: { memoryKiB: 8, passes: 1, parallelism: 1 } },
      )
      lastFirst(t).defer(() => service.close())
      return service
    },
  }
}

test('two installations on one Redis do not hear each other, whatever the number of the database; the nodes of one do', async (t) => {
  const redis = await startRedis()
  lastFirst(t).defer(() => redis.stop())
  const [mine, foreign] = [
    await newInstallation(t, `${redis.url}/0`),
    await newInstallation(t, `${redis.url}/1`, { SVC_BASE_URL: 'http://other.localhost' }),
  ]
  const [one, two] = [await mine.startNode(), await mine.startNode()]
  const other = await foreign.startNode()
  const client = createClient({ url: redis.url })
  await client.connect()
  lastFirst(t).defer(() => client.destroy())

  const signUp = (service: typeof one, email: string) =>
    service.http.inject({
      method: 'POST',
      url: '/v1/developers/signup',
      payload: { email, password: 'correct horse' },
    })
  const services = [one, two, other]
  for (const service of services)
    assert.equal((await signUp(service, `${services.indexOf(service)}@example.com`)).statusCode, 200)

  const channels = await client.pubSubChannels('*')
  const names = [...channels, ...(await client.keys('*'))]
  const prefixes = new Set(names.map((name) => name.split(':', 2).join(':')))
  assert.equal(prefixes.size, 2, [...prefixes].join(' '))
  assert.ok([...prefixes].every((prefix) => /^svc:\w{12}$/.test(prefix)))
  // Both nodes of the first installation, and none of the other.
  const nodes = await Promise.all(
    [...prefixes].map(async (prefix) => (await client.hKeys(`${prefix}:cluster:nodes`)).length),
  )
  assert.ok(nodes.includes(2))
})

test('SVC_REDIS_PREFIX replaces the id of the installation', async (t) => {
  const redis = await startRedis()
  lastFirst(t).defer(() => redis.stop())
  const installation = await newInstallation(t, redis.url, { SVC_REDIS_PREFIX: 'staging' })
  await installation.startNode()
  const client = createClient({ url: redis.url })
  await client.connect()
  lastFirst(t).defer(() => client.destroy())
  const names = [...(await client.pubSubChannels('*')), ...(await client.keys('*'))]
  assert.ok(names.length > 0)
  assert.deepEqual(
    names.filter((name) => !name.startsWith('staging:')),
    [],
  )
})
