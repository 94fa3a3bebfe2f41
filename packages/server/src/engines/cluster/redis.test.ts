import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'

import { clusterOnOwnRedis, own, FAST_TIMINGS, until } from '../../testing/cluster.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import type { Cluster } from './cluster.ts'
import { openCluster } from './open.ts'

describe('owners', () => {
  test('50 concurrent claims by two to five nodes return the same owner', async (t) => {
    const prefix = `test-${randomUUID()}:`
    const nodes: Cluster[] = []
    t.after(() => Promise.all(nodes.map((node) => node.close())))
    nodes.push(await openCluster(testRedisUrl(), { prefix }))

    for (const count of [2, 3, 4, 5]) {
      nodes.push(await openCluster(testRedisUrl(), { prefix }))
      const claims = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const node = nodes[i % count]
          assert(node)
          const claim = await node.claim(`room:${count}`, 'any')
          assert(claim.owner !== 'nobody')
          return claim.owner === 'us'
            ? { ownerId: node.nodeId, fence: claim.fence }
            : { ownerId: claim.nodeId }
        }),
      )

      assert.equal(nodes.length, count)
      assert.equal(new Set(claims.map(({ ownerId }) => ownerId)).size, 1)
      const fences = claims.flatMap(({ fence }) => fence ?? [])
      assert.ok(fences.length >= Math.floor(50 / count))
      assert.equal(new Set(fences).size, fences.length)
    }
  })

  test('a live node keeps its names; another node can claim a released name with a larger fence', async (t) => {
    const { twoNodes } = await clusterOnOwnRedis(t)
    const { here, there } = await twoNodes()
    const { fence } = await own(here.cluster, 'room:a')
    await here.cluster.saveSnapshot('room:a', fence, 'state')

    for (const how of ['any', 'existing', 'reclaim'] as const) {
      assert.deepEqual(await there.cluster.claim('room:a', how), {
        owner: 'other',
        nodeId: here.cluster.nodeId,
      })
    }
    assert.equal(await there.cluster.saveSnapshot('room:a', fence + 1, 'stolen'), false)
    await there.cluster.release('room:a', fence + 1, { keepSnapshot: false })

    await here.cluster.release('room:a', fence, { keepSnapshot: true })
    const next = await own(there.cluster, 'room:a', 'existing')
    assert.equal(next.snapshot, 'state')
    assert.ok(next.fence > fence)
    assert.equal(await here.cluster.saveSnapshot('room:a', fence, 'late'), false)
  })

  test('services that share a Redis have separate names and messages', async (t) => {
    const { startNode } = await clusterOnOwnRedis(t)
    const mine = await startNode({ prefix: 'mine:' })
    const foreign = await startNode({ prefix: 'foreign:' })
    await own(mine.cluster, 'room:a')
    await own(foreign.cluster, 'room:a')
    await mine.cluster.records.add('code', 'mine')

    assert.equal(await foreign.cluster.records.get('code'), undefined)
    foreign.cluster.send(mine.cluster.nodeId, 'from the foreign service')
    mine.cluster.send(mine.cluster.nodeId, 'mine')
    assert.deepEqual(await mine.messages.next(), [mine.cluster.nodeId, 'mine'])
    assert.deepEqual(mine.cluster.nodes(), [mine.cluster.nodeId])
  })

  test('an owned snapshot that does not change is kept, a released one expires', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t, { ...FAST_TIMINGS, refreshEveryMs: 0 })
    const { cluster } = await startNode()
    const { fence } = await own(cluster, 'room:quiet')
    await cluster.saveSnapshot('room:quiet', fence, 'state')
    const [owner, snapshot] = ['svc:cluster:owner:room:quiet', 'svc:cluster:snapshot:room:quiet']
    await operator.pExpire(owner, 60_000)
    await operator.pExpire(snapshot, 60_000)

    for (const key of [owner, snapshot]) {
      const leftMs = await until(
        () => operator.pTTL(key),
        (ms) => ms > 60_000,
      )
      assert.ok(leftMs <= 600_000)
    }

    await cluster.release('room:quiet', fence, { keepSnapshot: true })
    await cluster.records.swap('code', 'room:quiet')
    assert.equal(await operator.exists(owner), 0)
    const leftMs = await operator.pTTL(snapshot)
    assert.ok(leftMs > 0 && leftMs <= 600_000)
    const week = await operator.pTTL('svc:cluster:record:code')
    assert.ok(week > 6 * 86_400_000 && week <= 7 * 86_400_000)
  })

  test('a release that timed out is repeated', async (t) => {
    const { operator, twoNodes } = await clusterOnOwnRedis(t, { ...FAST_TIMINGS, lostAfterMs: 60_000 })
    const { here, there } = await twoNodes()
    const { fence } = await own(here.cluster, 'room:a')

    const away = here.logged('cluster disconnected')
    await operator.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal'])
    await away
    await here.cluster.release('room:a', fence, { keepSnapshot: false })

    await until(
      () => there.cluster.claim('room:a', 'any').catch(() => undefined),
      (claim) => claim?.owner === 'us',
    )
  })
})

describe('messages between nodes', () => {
  test('arrive in order, with any content, and those of one tick are sent together', async (t) => {
    const { operator, startNode, twoNodes } = await clusterOnOwnRedis(t)
    const { here, there } = await twoNodes()
    const third = await startNode()
    const published = async () => {
      const stats = await operator.info('commandstats')
      return Number(/cmdstat_publish:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    const sent = ['', ':', '12:x', 'ünï ✓ 🂡', '\u0000\r\n', 'x'.repeat(200_000)]
    for (let i = 0; i < 1_000; i++) sent.push(`message ${i}`)
    const before = await published()

    for (const message of sent) {
      here.cluster.send(there.cluster.nodeId, message)
      here.cluster.send(third.cluster.nodeId, message)
    }

    for (const inbox of [there.messages, third.messages]) {
      for (const message of sent) assert.deepEqual(await inbox.next(), [here.cluster.nodeId, message])
    }
    assert.equal((await published()) - before, 2)
  })

  test('both sides notice a closed connection, and keep the names they own', async (t) => {
    const { operator, twoNodes } = await clusterOnOwnRedis(t, {
      ...FAST_TIMINGS,
      lostAfterMs: 60_000,
      marginMs: 1_000,
    })
    const { here, there } = await twoNodes()
    const { fence } = await own(here.cluster, 'room:a')

    await operator.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub'])
    await Promise.all([here.returns.next(), there.returns.next()])

    assert.equal(here.cluster.isLive(fence), true)
    assert.equal(await here.cluster.saveSnapshot('room:a', fence, 'state'), true)
    here.cluster.send(there.cluster.nodeId, 'after')
    assert.deepEqual(await there.messages.next(), [here.cluster.nodeId, 'after'])
    assert.deepEqual(here.lost.waiting, [])
  })

  test('a sender that exceeds the queue is notified that messages may be lost', async (t) => {
    const { startNode } = await clusterOnOwnRedis(t)
    const { cluster, returns } = await startNode()
    for (let i = 0; i < 10_500; i++) cluster.send(`node ${i}`, 'one of very many')
    await returns.next()
    assert.equal(cluster.isLive(), true)
  })

  test('malformed bus messages are ignored', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    const { cluster, lost, messages } = await startNode()
    for (const foreign of [
      '',
      'x',
      '123456789012',
      '123456789012-5:abc',
      '1234567890123',
      '123456789012x:y',
    ]) {
      await operator.publish(`svc:cluster:to:${cluster.nodeId}`, foreign)
    }
    await operator.publish('svc:cluster:everyone', 'bye whom nobody has met')
    await operator.publish('svc:cluster:everyone', '')
    cluster.send(cluster.nodeId, 'ours')
    assert.deepEqual(await messages.next(), [cluster.nodeId, 'ours'])
    assert.deepEqual(lost.waiting, [])
  })
})
