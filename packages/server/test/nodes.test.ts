import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { openCluster } from '../src/engines/cluster/open.ts'
import { HOUR_MS } from '../src/platform/clock.ts'
import { NODE_PROTOCOL } from '../src/platform/node-protocol.ts'
import { newPostgresDatabase } from '../src/testing/databases.ts'
import { follow } from '../src/testing/event-streams.ts'
import { deploy, newApp, browserFor } from '../src/testing/hosted-apps.ts'
import { comesTrue } from '../src/testing/in-time.ts'
import { newMember } from '../src/testing/members.ts'
import { startRedis } from '../src/testing/redis.ts'
import { type Service, startService } from '../src/testing/service.ts'
import {
  callerOf,
  freePort,
  runServer,
  type ServerProcess,
  setUpCallerOf,
  startServer,
} from './server-process.ts'

const TIMEOUT_MS = 1_000
const POLL_EVERY_MS = 20

/**
 * Repeats the request until the condition holds. A request that starts more than a second after the change must see it; the
 * duration of the response does not count.
 */
async function withinASecond(isSo: () => Promise<boolean>) {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const begunAt = performance.now()
    if (await isSo()) return
    assert.ok(begunAt < deadline, 'the other node has not noticed within a second')
    await pause(POLL_EVERY_MS)
  }
}

describe('two nodes on one PostgreSQL and Redis', () => {
  let first: Service
  let second: Service
  before(async () => {
    const settings = { SVC_LIMIT_SECRET_PER_MINUTE: '10', SVC_LIMIT_SIGN_IN_FAILURES: '4' }
    first = await startService('postgres', { settings })
    second = await startService('postgres', { settings, clusterOf: first })
  })
  after(async () => {
    await second.stop()
    await first.stop()
  })

  test('[DEV-13] a key revoked on one node is rejected by the other within a second', async () => {
    const { id, keys, development, developer } = await first.newProject()
    const onSecond = second.withKey(development.secretKey)
    assert.equal((await onSecond('GET', '/v1/config')).status, 200)

    const revoked = keys.find(({ key }) => key === development.secretKey)?.id
    await developer.call('DELETE', `/v1/projects/${id}/keys/${revoked}`)
    await withinASecond(async () => (await onSecond('GET', '/v1/config')).body.error?.code === 'invalid_key')
  })

  test('[CFG-22] a config pushed on one node takes effect on the other within a second', async () => {
    const { development } = await first.newProject()
    const onSecond = () =>
      second.withKey(development.secretKey)('GET', '/v1/config', undefined, { origin: 'https://b.example' })
    assert.equal((await onSecond()).status, 200)

    await development.server('PUT', '/v1/config', { web: { allowedOrigins: ['https://a.example'] } })
    await withinASecond(async () => (await onSecond()).body.error?.code === 'origin_not_allowed')
  })

  test('[DEV-01] a session logged out on one node is rejected by the other within a second', async () => {
    const { token, call } = await first.newDeveloper()
    const onSecond = second.withToken(token)
    assert.equal((await onSecond('GET', '/v1/developers/me')).status, 200)

    await call('POST', '/v1/developers/logout')
    await withinASecond(async () => (await onSecond('GET', '/v1/developers/me')).status === 401)
  })

  test('[DEV-12] keys of a project deleted on one node are rejected by the other within a second', async () => {
    const { id, development, production, developer } = await first.newProject()
    const onSecond = [development, production].map(({ secretKey }) => second.withKey(secretKey))
    for (const call of onSecond) assert.equal((await call('GET', '/v1/config')).status, 200)

    await developer.call('DELETE', `/v1/projects/${id}`)
    for (const call of onSecond)
      await withinASecond(async () => (await call('GET', '/v1/config')).status === 401)
  })

  test('[DEV-12] the app of a project deleted on one node is not served by the other after a second, even without a bus message', async (t) => {
    const cutOff = await startService('postgres', {
      clusterOf: { ...first, redisPrefix: `${first.redisPrefix}apart:` },
    })
    t.after(() => cutOff.stop())
    const { id, slug, production, developer } = await newApp(first)
    await deploy(first, production, { 'index.html': 'here' })
    const visits = await Promise.all([second, cutOff].map((node) => browserFor(node)))
    for (const visit of visits) assert.equal((await visit(slug, '/')).status, 200)

    await developer.call('DELETE', `/v1/projects/${id}`)
    for (const visit of visits) await withinASecond(async () => (await visit(slug, '/')).status === 404)
  })

  test('[TEA-07] [TEA-24] a member removed on one node has no rights and no streams on the others after a second, even without a bus message', async (t) => {
    const cutOff = await startService('postgres', {
      clusterOf: { ...first, redisPrefix: `${first.redisPrefix}apart:` },
    })
    t.after(() => cutOff.stop())
    const project = await first.newProject()
    const member = await newMember(first, project, 'developer')
    const nodes = [first, second, cutOff]
    const read = (node: Service) => node.withToken(member.token)('GET', `/v1/projects/${project.id}`)
    for (const node of nodes) assert.equal((await read(node)).status, 200)
    const streams = await Promise.all(
      [second, cutOff].map((node) => follow(node, project.development.path, member.token)),
    )
    for (const { status } of streams) assert.equal(status, 200)

    const removed = await project.developer.call(
      'DELETE',
      `/v1/x/projects/${project.id}/members/${member.id}`,
    )
    assert.equal(removed.status, 200)
    // The role is never cached: the first call is refused.
    for (const node of nodes) assert.equal((await read(node)).status, 404)
    for (const stream of streams) await withinASecond(async () => stream.hasEnded)
  })

  test('[GEN-13] a rate limit counts the requests of both nodes together', async () => {
    const { production } = await first.newProject()
    const ask = (node: Service) => node.withKey(production.secretKey)('GET', '/v1/config')
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(i % 2 ? first : second)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    assert.equal(answers.filter(({ status }) => status === 429).length, 2)
  })

  test('[GEN-13] failed sign-ins on both nodes count together', async () => {
    const { email } = await first.newDeveloper()
    const logIn = (node: Service, password: string) =>
      node.call('POST', '/v1/developers/login', { email, password })
    for (const node of [first, second, first, second]) assert.equal((await logIn(node, 'wrong')).status, 401)
    for (const node of [first, second]) assert.equal((await logIn(node, 'correct horse')).status, 429)
  })

  test('an Idempotency-Key used on both nodes concurrently runs the request once', async () => {
    const { token, call } = await first.newDeveloper()
    const create = (node: Service) =>
      node.withToken(token)('POST', '/v1/projects', { name: 'Once' }, { 'idempotency-key': 'once' })
    const answers = await Promise.all([first, second, first, second].map(create))

    const done = answers.filter(({ status }) => status === 200)
    assert.ok(done.length >= 1)
    for (const { body } of done) assert.deepEqual(body, done[0]?.body)
    for (const { body } of answers.filter(({ status }) => status !== 200))
      assert.equal(body.error.code, 'idempotency_key_in_use')
    assert.equal((await call('GET', '/v1/projects')).body.projects.length, 1)
  })

  test('[CFG-20] twenty concurrent pushes on both nodes give the versions 1 to 20', async () => {
    const { development, developer } = await first.newProject()
    const pushes = Array.from({ length: 20 }, (_, i) => {
      const document = { stats: [{ key: `stat_${i}` }] }
      return (i % 2 ? first : second).withKey(development.secretKey)('PUT', '/v1/config', document)
    })
    const versions = (await Promise.all(pushes)).map(({ body }) => body.version)
    const expected = Array.from({ length: 20 }, (_, i) => i + 1)
    assert.deepEqual(
      versions.toSorted((a, b) => a - b),
      expected,
    )

    const { body } = await developer.call('GET', `${development.path}/config/versions`)
    assert.deepEqual(
      body.versions.map(({ version }: { version: number }) => version),
      expected.toReversed(),
    )
  })
})

test('a node with another SVC_BASE_URL cannot start while other nodes run, and can once all others have stopped', async () => {
  const settings = { SVC_BASE_URL: 'https://old.example.com' }
  const changed = { SVC_BASE_URL: 'https://new.example.com' }
  const first = await startService('postgres', { settings })
  const second = await startService('postgres', { settings, clusterOf: first })

  await assert.rejects(
    startService('postgres', { settings: changed, clusterOf: first }),
    /SVC_BASE_URL is https:\/\/new\.example\.com .* https:\/\/old\.example\.com/,
  )
  const third = await startService('postgres', { settings, clusterOf: first })
  for (const node of [second, third]) await node.stop()
  await first.close()

  const renamed = await startService('postgres', { settings: changed, clusterOf: first })
  assert.equal((await renamed.call('GET', '/healthz')).status, 200)
  await renamed.stop()
  await first.removeData()
})

test('a program ends with both protocol versions, and migrates nothing, if the running nodes are too new for it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-nodes-'))
  const [redis, postgres] = await Promise.all([startRedis(), newPostgresDatabase({ migrated: false })])
  const running = await openCluster(redis.url, { protocol: NODE_PROTOCOL + 2 })
  t.after(async () => {
    await running.close()
    await redis.stop()
    await postgres.remove()
    await rm(folder, { recursive: true, force: true })
  })

  const { code, errors } = await runServer({
    PORT: String(await freePort()),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SVC_REDIS_PREFIX: 'svc:',
    SVC_SECRET_KEY: 'ab'.repeat(32),
    SVC_DATA_DIR: folder,
  })

  assert.equal(code, 1)
  assert.match(errors, new RegExp(`protocol ${NODE_PROTOCOL} here, ${NODE_PROTOCOL + 2} there`))
  assert.deepEqual(running.nodes(), [running.nodeId])
  assert.deepEqual(await tablesOf(postgres.url), [])
})

async function tablesOf(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query('select tablename from pg_tables where schemaname = current_schema()')).rows
  } finally {
    await client.end()
  }
}

describe('two server programs on one PostgreSQL and Redis', () => {
  let folder: string
  let redis: Awaited<ReturnType<typeof startRedis>>
  let postgres: Awaited<ReturnType<typeof newPostgresDatabase>>
  let nodes: ServerProcess[]
  let start: (name: string) => Promise<ServerProcess>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-nodes-'))
    ;[redis, postgres] = await Promise.all([startRedis(), newPostgresDatabase()])
    const shared = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SVC_SECRET_KEY: 'ab'.repeat(32),
      SVC_BASE_URL: 'http://api.localhost',
      SVC_TEST_CLOCK: 'on',
    }
    start = (name) => startServer({ ...shared, SVC_DATA_DIR: join(folder, name) })
    nodes = await Promise.all(['a', 'b'].map(start))
  })
  after(async () => {
    process.kill(redis.pid, 'SIGCONT')
    for (const node of nodes) node.signal('SIGTERM')
    for (const { code, errors } of await Promise.all(nodes.map(({ ended }) => ended))) {
      assert.deepEqual({ code, errors }, { code: 0, errors: '' })
    }
    await redis.stop()
    await postgres.remove()
    await rm(folder, { recursive: true, force: true })
  })

  /** Creates a project on the first node; its development key is used on the second. */
  async function meet(email: string) {
    const [onFirst, onSecond] = nodes.map(callerOf)
    const [first] = nodes
    assert.ok(first && onFirst && onSecond)
    const setUp = setUpCallerOf(first)
    const { body: session } = await setUp('POST', '/v1/developers/signup', {
      body: { email, password: 'correct horse' },
    })
    const { token } = session
    const { body } = await setUp('POST', '/v1/projects', { token, body: { name: 'Star Duel' } })
    const secret = body.keys.find(
      ({ type, environment }: Record<string, string>) => `${type} ${environment}` === 'secret development',
    )
    const overview = `/v1/projects/${body.project.id}/environments/dev/overview`
    const ask = () => onSecond('GET', '/v1/config', { key: secret.key })
    const versionOnSecond = async () => (await onSecond('GET', overview, { token })).body.configVersion

    return {
      secretKey: secret.key as string,
      versionOnSecond,
      isRefusedOnSecond: async () => (await ask()).status === 401,
      revoke: () => onFirst('DELETE', `/v1/projects/${body.project.id}/keys/${secret.id}`, { token }),
      push: (config: object) => onFirst('PUT', '/v1/config', { key: secret.key, body: config }),
    }
  }

  test('the test clock moves on every node, including nodes that start later', async () => {
    const { secretKey } = await meet('clock@example.com')
    const move = async (node: ServerProcess, advanceMs: number): Promise<number> => {
      const { body } = await callerOf(node)('POST', '/v1/dev/clock', { key: secretKey, body: { advanceMs } })
      return Date.parse(body.now)
    }
    const [first, second] = nodes as [ServerProcess, ServerProcess]
    const aheadOf = async (node: ServerProcess) => (await move(node, 0)) - Date.now()

    // Concurrent attempts count together.
    await Promise.all(Array.from({ length: 10 }, (_, n) => move(n % 2 ? first : second, HOUR_MS)))
    const later = await start('c')
    nodes.push(later)

    for (const node of nodes) {
      const aheadMs = await aheadOf(node)
      assert.ok(
        Math.abs(aheadMs - 10 * HOUR_MS) < 10_000,
        `node ${nodes.indexOf(node)} is ${aheadMs} ms ahead`,
      )
    }
    // The clock has moved on all nodes when the response arrives.
    for (let hours = 11; hours <= 30; hours++) {
      const [here, there] = hours % 2 ? [first, later] : [later, second]
      await move(here, HOUR_MS)
      assert.ok((await aheadOf(there)) > hours * HOUR_MS - 10_000)
    }
    nodes.pop()
    later.signal('SIGTERM')
    assert.deepEqual((await later.ended).code, 0)
  })

  for (const bus of ['there', 'frozen'] as const) {
    describe(`while Redis is ${bus}`, () => {
      let project: Awaited<ReturnType<typeof meet>>
      before(async () => {
        project = await meet(`${bus}@example.com`)
        if (bus === 'frozen') process.kill(redis.pid, 'SIGSTOP')
      })
      after(() => void process.kill(redis.pid, 'SIGCONT'))

      test('[CFG-22] a config pushed on one node takes effect on the other within a second', async () => {
        assert.equal(await project.versionOnSecond(), 0)
        assert.equal((await project.push({ features: { saves: true } })).status, 200)
        await withinASecond(async () => (await project.versionOnSecond()) === 1)
      })

      test('[DEV-13] a key revoked on one node is rejected by the other within a second', async () => {
        assert.equal(await project.isRefusedOnSecond(), false)
        assert.equal((await project.revoke()).status, 200)
        await withinASecond(project.isRefusedOnSecond)
      })
    })
  }

  test('both nodes are ready again once Redis is available', async () => {
    for (const call of nodes.map(callerOf))
      await comesTrue('the node is ready', async () => (await call('GET', '/readyz')).status === 200)
  })
})
