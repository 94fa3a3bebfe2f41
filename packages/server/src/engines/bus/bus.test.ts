import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'

import { NODE_PROTOCOL } from '../../platform/node-protocol.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import { createInbox, testRedisUrl } from '../../testing/redis.ts'
import { openBus } from './open.ts'

/** The same tests for every engine. `other` is a second node; in memory it is the same node. */
function busTests(engine: string, redisUrl: () => string | undefined) {
  describe(`bus on ${engine}`, () => {
    const logged: string[] = []
    const prefix = `test-${randomUUID()}:`
    let bus: Bus
    let other: Bus

    before(async () => {
      bus = await openBus(redisUrl(), { prefix, log: (sentence) => logged.push(sentence) })
      other = redisUrl() === undefined ? bus : await openBus(redisUrl(), { prefix })
    })
    after(async () => {
      await bus.close()
      if (other !== bus) await other.close()
    })

    test('a message reaches every subscriber of its topic, on every node', async () => {
      const here = createInbox(bus, 'keys')
      const there = createInbox(other, 'keys')
      await other.ping()

      await bus.publish('keys', 'key_1 revoked')

      assert.equal(await here.next(), 'key_1 revoked')
      assert.equal(await there.next(), 'key_1 revoked')
    })

    test('when publish resolves, the handlers of the same node have run, each once', async () => {
      const heard: string[] = []
      const stop = bus.subscribe('once', (message) => heard.push(message))
      const there = createInbox(other, 'once')
      await Promise.all([bus.ping(), other.ping()])

      await bus.publish('once', 'a')
      assert.deepEqual(heard, ['a'])

      // A later message of the other node uses the same subscription: a copy of `a` would arrive before it.
      await there.next()
      await other.publish('once', 'b')
      await bus.ping()
      assert.deepEqual(heard, ['a', 'b'])
      stop()
    })

    test('messages of one sender arrive in order, with any content', async () => {
      const messages = ['', ':', 'ünï ✓ 🂡', '\u0000\r\n', 'x'.repeat(100_000), JSON.stringify({ a: [1] })]
      const there = createInbox(other, 'order')
      await other.ping()

      for (const message of messages) await bus.publish('order', message)

      for (const message of messages) assert.equal(await there.next(), message)
    })

    test('a topic does not receive messages of another one', async () => {
      const one = createInbox(other, 'topic')
      const another = createInbox(other, 'topic:sub')
      await other.ping()

      await bus.publish('topic:sub', 'sub')
      await bus.publish('topic', 'plain')

      assert.equal(await one.next(), 'plain')
      assert.equal(await another.next(), 'sub')
    })

    test('a handler that throws is logged and does not affect the others', async () => {
      bus.subscribe('throws', () => {
        throw new Error('first handler')
      })
      const second = createInbox(bus, 'throws')

      await bus.publish('throws', 'still heard')

      assert.equal(await second.next(), 'still heard')
      assert.match(logged.join(), /a handler of the bus failed: first handler/)
    })

    test('a stopped subscriber receives no more, and stopping twice affects no other', async () => {
      const heard: string[] = []
      const handler = (message: string) => heard.push(message)
      const stopFirst = other.subscribe('stop', handler)
      const stopSecond = other.subscribe('stop', handler)
      stopFirst()
      stopFirst()
      await other.ping()

      await bus.publish('stop', 'for one')
      await other.ping()
      assert.deepEqual(heard, ['for one'])

      stopSecond()
      await bus.publish('stop', 'for nobody')
      await other.ping()
      assert.deepEqual(heard, ['for one'])
    })

    test('a topic can be subscribed to again', async () => {
      other.subscribe('again', () => {})()
      const again = createInbox(other, 'again')
      await other.ping()

      await bus.publish('again', 'heard')

      assert.equal(await again.next(), 'heard')
    })
  })
}

busTests('memory', () => undefined)
busTests('Redis', testRedisUrl)

test('services that share a Redis do not receive messages of each other', async (t) => {
  const [mine, foreign] = await Promise.all(
    ['mine', 'foreign'].map((name) => openBus(testRedisUrl(), { prefix: `test-${randomUUID()}-${name}:` })),
  )
  assert(mine && foreign)
  t.after(() => Promise.all([mine.close(), foreign.close()]))
  const inbox = createInbox(mine, 'config')
  await mine.ping()

  await foreign.publish('config', 'of the foreign service')
  await mine.publish('config', 'mine')

  assert.equal(await inbox.next(), 'mine')
})

test('neighbouring protocol versions exchange messages; a message of another version is a gap', async (t) => {
  const prefix = `test-${randomUUID()}:`
  const [older, ours, newest] = await Promise.all(
    [NODE_PROTOCOL - 1, NODE_PROTOCOL, NODE_PROTOCOL + 2].map((protocol) =>
      openBus(testRedisUrl(), { prefix, protocol }),
    ),
  )
  assert(older && ours && newest)
  t.after(() => Promise.all([older.close(), ours.close(), newest.close()]))
  const inbox = createInbox(ours, 'config')
  const gap = new Promise<void>((resolve) => ours.onGap(resolve))
  await ours.ping()

  await newest.publish('config', 'in a form that nobody here knows')
  await gap
  await older.publish('config', 'of the version before')

  assert.equal(await inbox.next(), 'of the version before')
})
