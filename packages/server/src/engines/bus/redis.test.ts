import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test, type TestContext } from 'node:test'

import { createClient } from '@redis/client'

import { WAIT_MAX_MS } from '../../testing/in-time.ts'
import { createInbox, startRedis } from '../../testing/redis.ts'
import { openBus } from './open.ts'

/** Two nodes on a separate Redis, so that it can be stopped and frozen. */
async function twoNodes(t: TestContext) {
  const redis = await startRedis()
  t.after(() => redis.stop())

  const events = new EventEmitter()
  const node = async (name: string) => {
    // `here bus-sender: Redis at 127.0.0.1:1234 is disconnected: …` becomes the event `here bus-sender disconnected`.
    const log = (sentence: string) =>
      events.emit(
        `${name} ${sentence.replace(/^([\w-]+):.* is (disconnected|connected).*/, '$1 $2')}`,
        sentence,
      )
    const bus = await openBus(redis.url, { log })
    t.after(() => bus.close())
    bus.onGap(() => events.emit(`${name} gap`))
    return bus
  }
  const all = (...names: string[]) =>
    Promise.all(names.map((name) => once(events, name, { signal: AbortSignal.timeout(WAIT_MAX_MS) })))

  return { redis, here: await node('here'), there: await node('there'), all }
}

async function cutEveryConnection(url: string) {
  const operator = await createClient({ url }).connect()
  for (const type of ['normal', 'pubsub']) await operator.sendCommand(['CLIENT', 'KILL', 'TYPE', type])
  operator.destroy()
}

test('after a restart of Redis a gap is reported, and all subscriptions and publishing work', async (t) => {
  const { redis, here, there, all } = await twoNodes(t)
  const local = createInbox(here, 'config')
  const inbox = createInbox(there, 'config')
  await there.ping()
  await here.publish('config', 'before')
  assert.equal(await local.next(), 'before')
  assert.equal(await inbox.next(), 'before')

  const away = all('here bus-sender disconnected', 'there bus-receiver disconnected')
  await redis.stop()
  await away
  await assert.rejects(there.ping(), { code: 'service_unavailable' })
  await here.publish('config', 'while Redis is disconnected')
  assert.equal(await local.next(), 'while Redis is disconnected')
  const subscribedMeanwhile = createInbox(there, 'keys')

  const back = all('here bus-sender connected', 'there gap')
  const restarted = await startRedis({ port: redis.port })
  t.after(() => restarted.stop())
  await back

  await here.publish('config', 'after')
  await here.publish('keys', 'after')
  assert.equal(await inbox.next(), 'after')
  assert.equal(await subscribedMeanwhile.next(), 'after')
})

test('with a frozen Redis calls time out, and afterwards a gap is reported', async (t) => {
  const { redis, here, there, all } = await twoNodes(t)
  const inbox = createInbox(there, 'config')
  await there.ping()

  const away = all('there bus-receiver disconnected', 'here bus-sender disconnected')
  process.kill(redis.pid, 'SIGSTOP')
  await here.publish('config', 'into the void')
  await assert.rejects(here.ping(), { code: 'service_unavailable' })
  const [noticed] = await away
  assert.match(String(noticed), /^bus-receiver: Redis at 127\.0\.0\.1:\d+ is disconnected: no answer within/)

  const back = all('there gap', 'here bus-sender connected')
  process.kill(redis.pid, 'SIGCONT')
  await back

  await here.publish('config', 'after')
  // Redis may still have read the earlier message from its socket when it continued.
  const first = await inbox.next()
  assert.equal(first === 'into the void' ? await inbox.next() : first, 'after')
})

test('a closed connection is opened again', async (t) => {
  const { redis, here, there, all } = await twoNodes(t)
  const inbox = createInbox(there, 'config')
  await there.ping()

  const back = all('there gap', 'here bus-sender connected')
  await cutEveryConnection(redis.url)
  await back

  await here.publish('config', 'after')
  assert.equal(await inbox.next(), 'after')
})

test('a bus can be closed while Redis is disconnected', async (t) => {
  const { redis, here } = await twoNodes(t)
  await redis.stop()
  await here.close()
  await here.publish('config', 'after the end')
})

test('without Redis the start fails with a message that contains REDIS_URL and no password', async () => {
  const redis = await startRedis()
  await redis.stop()

  const opening = openBus(`redis://svc:hush@127.0.0.1:${redis.port}`, { openTimeoutMs: 2_000 })

  await assert.rejects(opening, ({ message }: Error) => {
    assert.match(message, /^REDIS_URL: no Redis answers at 127\.0\.0\.1:\d+ \(connect ECONNREFUSED/)
    assert.doesNotMatch(message, /hush/)
    return true
  })
})

test('the start waits for a Redis that starts a moment later', async (t) => {
  const { port, url, stop } = await startRedis()
  await stop()

  const opening = openBus(url, { openTimeoutMs: 30_000 })
  const redis = await startRedis({ port })
  t.after(() => redis.stop())
  const bus = await opening
  t.after(() => bus.close())

  await bus.ping()
})

test('with a Redis that is frozen from the start, the start fails, too', async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  process.kill(redis.pid, 'SIGSTOP')

  const opening = openBus(redis.url, { openTimeoutMs: 500 })

  await assert.rejects(opening, /^Error: REDIS_URL: no Redis answers at .* \(no answer/)
})

test('an address that is not a Redis URL is rejected immediately', async () => {
  for (const url of ['localhost:6379', 'http://127.0.0.1:6379', 'redis://', '']) {
    await assert.rejects(openBus(url), /^Error: REDIS_URL must be like redis:\/\//)
  }
})
