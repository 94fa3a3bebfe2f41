import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { NODE_PROTOCOL } from '../../platform/node-protocol.ts'
import { clusterOnOwnRedis, FAST_TIMINGS, own, until } from '../../testing/cluster.ts'

const BEFORE = NODE_PROTOCOL - 1
const TOO_OLD = NODE_PROTOCOL - 2

describe('nodes of several protocol versions', () => {
  test('neighbouring versions see each other, exchange messages and take over names', async (t) => {
    const { startNode } = await clusterOnOwnRedis(t)
    const older = await startNode({ protocol: BEFORE })
    const newer = await startNode()
    await until(older.cluster.nodes, (nodes) => nodes.length === 2)

    older.cluster.send(newer.cluster.nodeId, 'from the older')
    newer.cluster.send(older.cluster.nodeId, 'from the newer')
    assert.deepEqual(await newer.messages.next(), [older.cluster.nodeId, 'from the older'])
    assert.deepEqual(await older.messages.next(), [newer.cluster.nodeId, 'from the newer'])

    const { fence } = await own(older.cluster, 'room:a')
    await older.cluster.saveSnapshot('room:a', fence, 'state')
    await older.cluster.close()
    assert.equal((await own(newer.cluster, 'room:a', 'existing')).snapshot, 'state')
  })

  for (const [protocol, title] of [
    [TOO_OLD, 'too old'],
    [NODE_PROTOCOL + 2, 'too new'],
  ] as const)
    test(`a node that is ${title} for the running one does not start, and does not affect the others`, async (t) => {
      // Long leases: a busy machine must not end one during the test.
      const { startNode } = await clusterOnOwnRedis(t, { ...FAST_TIMINGS, lostAfterMs: 60_000 })
      const running = await startNode()
      const { fence } = await own(running.cluster, 'room:a')

      const start = startNode({ protocol, openTimeoutMs: 1_000 })

      const versions = new RegExp(`protocol ${protocol} here, ${NODE_PROTOCOL} there`)
      await assert.rejects(start, ({ constructor, message }: Error) => {
        assert.equal(constructor, Error)
        assert.match(message, versions)
        assert.match(message, /upgrade release by release, or stop all nodes first/)
        return true
      })
      assert.equal(running.cluster.isLive(fence), true)
      assert.deepEqual(running.cluster.nodes(), [running.cluster.nodeId])
    })

  test('the start fails while a node without a protocol version is running', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    await operator.hSet('svc:cluster:nodes', 'from-earlier', `1:1:${Date.now() + 60_000}`)
    await assert.rejects(
      startNode({ openTimeoutMs: 1_000 }),
      new RegExp(`protocol ${NODE_PROTOCOL} here, none there`),
    )
    assert.deepEqual(await operator.hKeys('svc:cluster:nodes'), ['from-earlier'])
  })

  test('a start waits for an incompatible node that was killed to expire', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    await operator.hSet('svc:cluster:nodes', 'killed', `1:1:${Date.now() + 500}`)
    const { cluster } = await startNode()
    assert.deepEqual(cluster.nodes(), [cluster.nodeId])
  })

  test('a node that was disconnected while the others were upgraded is rejected, and logs it once', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    const sentences: string[] = []
    const old = await startNode({ log: (sentence) => sentences.push(sentence) })
    const { fence } = await own(old.cluster, 'room:a')
    // As if another node had been started while this one was disconnected.
    const farAhead = { node: `1:1:${Date.now() + 60_000}`, protocol: String(NODE_PROTOCOL + 2) }
    await operator
      .multi()
      .hDel('svc:cluster:nodes', old.cluster.nodeId)
      .hSet('svc:cluster:nodes', 'upgraded', farAhead.node)
      .hSet('svc:cluster:protocols', 'upgraded', farAhead.protocol)
      .exec()

    await until(
      () => sentences.length > 0,
      (isLogged) => isLogged,
    )
    await until(
      () => old.cluster.isLive(fence),
      (isLive) => !isLive,
    )
    assert.match(sentences.join(), new RegExp(`protocol ${NODE_PROTOCOL} here, ${NODE_PROTOCOL + 2} there`))
    assert.equal(sentences.length, 1)

    await operator.hDel('svc:cluster:nodes', 'upgraded')
    await old.returns.next()
    assert.equal(old.cluster.isLive(), true)
  })

  test('messages of a version that is too old are not read', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    const { cluster, messages } = await startNode()
    const channel = `svc:cluster:to:${cluster.nodeId}`
    await operator.publish(channel, `${TOO_OLD}:aaaaaaaaaaaa3:old`)
    await operator.publish(channel, 'aaaaaaaaaaaa8:earliest')
    await operator.publish(channel, `${BEFORE}:aaaaaaaaaaaa6:before`)
    assert.deepEqual(await messages.next(), ['aaaaaaaaaaaa', 'before'])
  })
})
