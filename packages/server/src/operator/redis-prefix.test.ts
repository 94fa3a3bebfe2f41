import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { createClient } from '@redis/client'

import { openCluster } from '../engines/cluster/open.ts'
import { migrations } from '../engines/database/migrations/index.ts'
import { openDatabase } from '../engines/database/open.ts'
import { createStoppedClock } from '../platform/clock.ts'
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
async function newInstallation(
  t: TestContext,
  redisUrl: string,
  settings: Record<string, string> = {},
  { isOlder = false } = {},
) {
  const postgres = await newPostgresDatabase({ migrated: !isOlder })
  lastFirst(t).defer(() => postgres.remove())
  if (isOlder) {
    const older = migrations.filter(({ name }) => name < '0025')
    const options = { url: postgres.url, dataDir: '', clock: createStoppedClock(), log: () => {} }
    await (await openDatabase({ ...options, migrations: older })).close()
  }
  return {
    async startNode(more: Record<string, string> = {}) {
      const service = await openService(
        readSettings({
          SVC_DATA_DIR: await newDataDir(),
          LOG_LEVEL: 'silent',
          SVC_SECRET_KEY: 'ab'.repeat(32),
          SVC_SIGN_UP: 'open',
          DATABASE_URL: postgres.url,
          REDIS_URL: redisUrl,
          ...settings,
          ...more,
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

test('after an upgrade a node does not start next to nodes of the older version, unless SVC_REDIS_PREFIX is theirs', async (t) => {
  const redis = await startRedis()
  lastFirst(t).defer(() => redis.stop())
  const installation = await newInstallation(t, redis.url, {}, { isOlder: true })
  const older = await openCluster(redis.url, { prefix: 'svc:' })
  await assert.rejects(
    installation.startNode(),
    /Stop all nodes before you start this version.*SVC_REDIS_PREFIX=svc:/,
  )
  await installation.startNode({ SVC_REDIS_PREFIX: 'svc:' })
  await older.close()
})

test('after an upgrade a node starts when the nodes of the older version have stopped', async (t) => {
  const redis = await startRedis()
  lastFirst(t).defer(() => redis.stop())
  const installation = await newInstallation(t, redis.url, {}, { isOlder: true })
  const older = await openCluster(redis.url, { prefix: 'svc:' })
  await older.close()
  await installation.startNode()
})
