import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startRedis } from '../../testing/redis.ts'
import { startStallingProxy } from '../../testing/stalling-proxy.ts'
import { openConnection } from './connection.ts'

const TIMEOUT_MS = 2_000

/** A connection through a proxy of this process: an answer needs several turns of its event loop. */
async function setUp() {
  const stack = new AsyncDisposableStack()
  const redis = stack.adopt(await startRedis(), ({ stop }) => stop())
  const proxy = stack.adopt(await startStallingProxy(redis.port), ({ stop }) => stop())
  const logged: string[] = []
  const options = { commandTimeoutMs: TIMEOUT_MS, log: (sentence: string) => void logged.push(sentence) }
  const connection = stack.adopt(await openConnection(proxy.url, { name: 'test' }, options), ({ close }) =>
    close(),
  )
  return { proxy, connection, logged, stop: () => stack.disposeAsync() }
}

test('a stall of the own event loop does not count as a Redis that does not answer', async (t) => {
  const { connection, logged, stop } = await setUp()
  t.after(stop)

  const answer = connection.run((client) => client.ping())
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMEOUT_MS + 100)

  assert.equal(await answer, 'PONG')
  assert.deepEqual(logged, [])
})

test('a Redis that does not answer times out', async (t) => {
  const { proxy, connection, stop } = await setUp()
  t.after(() => (proxy.resume(), stop()))

  proxy.stall()

  await assert.rejects(
    connection.run((client) => client.ping()),
    { code: 'service_unavailable' },
  )
})
