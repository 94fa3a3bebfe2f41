import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'

import { createQueue, own } from '../../testing/cluster.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import type { Claim, Cluster } from './cluster.ts'
import { openCluster } from './open.ts'

/** The same tests for every engine. */
function clusterTests(engine: string, redisUrl: () => string | undefined) {
  describe(`cluster on ${engine}`, () => {
    const logged: string[] = []
    let cluster: Cluster

    before(async () => {
      const prefix = `test-${randomUUID()}:`
      cluster = await openCluster(redisUrl(), { prefix, log: (sentence) => logged.push(sentence) })
    })
    after(() => cluster.close())

    test('a node alone is live, and the only one', () => {
      assert.equal(cluster.isLive(), true)
      assert.deepEqual(cluster.nodes(), [cluster.nodeId])
      assert.equal(cluster.shared, redisUrl() !== undefined)
    })

    test('any name can be claimed, and each claim has a larger fence that is live', async () => {
      const first = await own(cluster, 'room:a', 'any')
      const second = await own(cluster, 'room:b', 'any')
      const again = await own(cluster, 'room:a', 'any')

      assert(first.fence < second.fence && second.fence < again.fence)
      assert.equal(cluster.isLive(again.fence), true)
      assert.equal(again.snapshot, undefined)
    })

    test('a name that never had an owner cannot be taken over or reclaimed', async () => {
      const nobody: Claim = { owner: 'nobody' }
      assert.deepEqual(await cluster.claim('room:never', 'existing'), nobody)
      assert.deepEqual(await cluster.claim('room:never', 'reclaim'), nobody)
    })

    test('a node that claims a released name gets its last snapshot', async () => {
      for (const how of ['existing', 'any'] as const) {
        const name = `room:left:${how}`
        const { fence } = await own(cluster, name, 'any')
        assert.equal(await cluster.saveSnapshot(name, fence, 'early'), true)
        assert.equal(await cluster.saveSnapshot(name, fence, 'läte 🂡 \u0000'), true)
        await cluster.release(name, fence, { keepSnapshot: true })

        const next = await own(cluster, name, how)

        assert.equal(next.snapshot, 'läte 🂡 \u0000')
        assert(next.fence > fence)
      }
    })

    test('a name released without a snapshot is removed', async () => {
      const { fence } = await own(cluster, 'room:over', 'any')
      await cluster.saveSnapshot('room:over', fence, 'state')
      await cluster.release('room:over', fence, { keepSnapshot: false })

      assert.deepEqual(await cluster.claim('room:over', 'existing'), { owner: 'nobody' })
      assert.deepEqual(await cluster.claim('room:over', 'reclaim'), { owner: 'nobody' })
      assert.equal((await own(cluster, 'room:over', 'any')).snapshot, undefined)
    })

    test('an owned name can be claimed again, with its snapshot', async () => {
      const { fence } = await own(cluster, 'room:owned', 'any')
      await cluster.saveSnapshot('room:owned', fence, 'state')

      assert.equal((await own(cluster, 'room:owned', 'existing')).snapshot, 'state')
      assert.equal((await own(cluster, 'room:owned', 'reclaim')).snapshot, 'state')
    })

    test('a stale fence can neither save a snapshot nor release the name', async () => {
      const old = await own(cluster, 'room:fenced', 'any')
      const { fence } = await own(cluster, 'room:fenced', 'any')
      await cluster.saveSnapshot('room:fenced', fence, 'new')

      assert.equal(await cluster.saveSnapshot('room:fenced', old.fence, 'old'), false)
      await cluster.release('room:fenced', old.fence, { keepSnapshot: false })
      assert.equal(await cluster.saveSnapshot('room:never', fence, 'of another name'), false)

      assert.equal(await cluster.saveSnapshot('room:fenced', fence, 'newer'), true)
      assert.equal((await own(cluster, 'room:fenced', 'existing')).snapshot, 'newer')
      assert.deepEqual(await cluster.claim('room:never', 'existing'), { owner: 'nobody' })
    })

    test('after a release no snapshot can be saved', async () => {
      const { fence } = await own(cluster, 'room:released', 'any')
      await cluster.release('room:released', fence, { keepSnapshot: true })
      assert.equal(await cluster.saveSnapshot('room:released', fence, 'late'), false)
    })

    test('messages arrive in order, with any content, and never synchronously', async () => {
      const heard = createQueue<[string, string]>()
      cluster.onMessage((from, message) => heard.push([from, message]))
      const sent = ['', ':', '3:abc', 'ünï ✓ 🂡', '\u0000\r\n\u2028', 'x'.repeat(300_000), '{"a":[1]}', '']

      for (const message of sent) cluster.send(cluster.nodeId, message)
      assert.equal(heard.waiting.length, 0)

      for (const message of sent) assert.deepEqual(await heard.next(), [cluster.nodeId, message])
    })

    test('a message to an unknown node is lost', async () => {
      const heard = createQueue<string>()
      cluster.onMessage((_, message) => heard.push(message))

      cluster.send('nobody', 'lost')
      cluster.send(cluster.nodeId, 'heard')

      assert.equal(await heard.next(), 'heard')
    })

    test('a handler that throws is logged and does not affect the others', async () => {
      cluster.onMessage((_, message) => {
        if (message === 'throw') throw new Error('first handler')
      })
      const heard = createQueue<string>()
      cluster.onMessage((_, message) => heard.push(message))

      cluster.send(cluster.nodeId, 'throw')
      cluster.send(cluster.nodeId, 'still heard')

      assert.equal(await heard.next(), 'throw')
      assert.equal(await heard.next(), 'still heard')
      assert.match(logged.join(), /a handler of the cluster failed: first handler/)
    })

    test('a record is added once, swapped for its previous value, and removed only with its current value', async () => {
      const { records } = cluster
      assert.equal(await records.get('code:abc'), undefined)
      assert.equal(await records.add('code:abc', 'room:1'), true)
      assert.equal(await records.add('code:abc', 'room:2'), false)
      assert.equal(await records.get('code:abc'), 'room:1')
      assert.equal(await records.swap('code:abc', 'room:3'), 'room:1')

      await records.remove('code:abc', 'room:1')
      assert.equal(await records.get('code:abc'), 'room:3')
      await records.remove('code:abc', 'room:3')
      assert.equal(await records.get('code:abc'), undefined)
      assert.equal(await records.swap('code:abc', ''), undefined)
      assert.equal(await records.get('code:abc'), '')
      await records.remove('never', '')
    })

    test('50 concurrent adds of one record: one succeeds; 50 concurrent swaps: each sees another value', async () => {
      const fifty = Array.from({ length: 50 }, (_, i) => String(i))

      const added = await Promise.all(fifty.map((value) => cluster.records.add('race', value)))
      assert.equal(added.filter(Boolean).length, 1)

      const swapped = await Promise.all(
        fifty.map((value) => cluster.records.swap('race', `swapped ${value}`)),
      )
      assert.equal(new Set([...swapped, await cluster.records.get('race')]).size, 51)
    })
  })
}

clusterTests('memory', () => undefined)
clusterTests('Redis', testRedisUrl)
