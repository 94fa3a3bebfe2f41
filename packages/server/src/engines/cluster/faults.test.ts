import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { clusterOnOwnRedis, own, FAST_TIMINGS, until } from '../../testing/cluster.ts'
import { startRedis } from '../../testing/redis.ts'
import { startStallingProxy } from '../../testing/stalling-proxy.ts'
import { openCluster } from './open.ts'
import { scripts } from './scripts.ts'

/** Long enough for every node to reconnect to Redis, also on a busy machine: a reconnect waits for up to 2 s. */
const SLOW_RECOVERY = { ...FAST_TIMINGS, recoveryMs: 8_000, claimWithinMs: 60_000 }

describe('nodes that start and stop', () => {
  test('starts are noticed, and stops immediately, without waiting for a heartbeat', async (t) => {
    const { startNode, twoNodes } = await clusterOnOwnRedis(t, { ...FAST_TIMINGS, lostAfterMs: 3_600_000 })
    const { here, there } = await twoNodes()
    const third = await startNode()
    await until(here.cluster.nodes, (nodes) => nodes.includes(third.cluster.nodeId))
    const { fence } = await own(there.cluster, 'room:a')
    await there.cluster.saveSnapshot('room:a', fence, 'state')

    there.cluster.send(here.cluster.nodeId, 'last words')
    await there.cluster.close()

    assert.deepEqual(await here.messages.next(), [there.cluster.nodeId, 'last words'])
    assert.equal(await here.lost.next(), there.cluster.nodeId)
    assert.equal(await third.lost.next(), there.cluster.nodeId)
    assert.equal(there.cluster.isLive(), false)
    assert.deepEqual(here.cluster.nodes(), [here.cluster.nodeId, third.cluster.nodeId])
    const next = await own(here.cluster, 'room:a', 'existing')
    assert.equal(next.snapshot, 'state')
    assert.ok(next.fence > fence)

    await third.cluster.close()
    assert.equal(await here.lost.next(), third.cluster.nodeId)
    assert.deepEqual(here.lost.waiting, [])
  })

  test('the names of a killed node are taken over from their last snapshot', async (t) => {
    const { startNode, startProcess } = await clusterOnOwnRedis(t)
    const doomed = await startProcess()
    const here = await startNode()
    const { fence } = await own(doomed, 'room:a')
    await own(doomed, 'room:without a snapshot')
    await doomed.keep('room:a', fence, 'state')
    await until(here.cluster.nodes, (nodes) => nodes.length === 2)

    await doomed.kill()
    assert.equal(await here.lost.next(), doomed.nodeId)

    const next = await own(here.cluster, 'room:a', 'existing')
    assert.equal(next.snapshot, 'state')
    assert.ok(next.fence > fence)
    assert.equal((await own(here.cluster, 'room:without a snapshot', 'existing')).snapshot, undefined)
    assert.deepEqual(here.lost.waiting, [])
  })

  test('a frozen node that resumes does not act for names that another node has claimed', async (t) => {
    const { startNode, startProcess } = await clusterOnOwnRedis(t)
    const frozen = await startProcess()
    const here = await startNode()
    const names = ['room:taken', 'room:ended', 'room:left', 'room:untouched']
    const before = new Map<string, number>()
    for (const name of names) before.set(name, (await own(frozen, name)).fence)
    await until(here.cluster.nodes, (nodes) => nodes.length === 2)

    frozen.freeze()
    assert.equal(await here.lost.next(), frozen.nodeId)
    const [taken, ended, left] = await Promise.all(names.slice(0, 3).map((name) => own(here.cluster, name)))
    assert(taken && ended && left)
    await here.cluster.release('room:ended', ended.fence, { keepSnapshot: false })
    await here.cluster.saveSnapshot('room:left', left.fence, 'newer')
    await here.cluster.release('room:left', left.fence, { keepSnapshot: true })
    frozen.wake()
    await frozen.returns.next()

    assert.equal(await frozen.isLive(), true)
    for (const fence of before.values()) assert.equal(await frozen.isLive(fence), false)
    assert.equal(await frozen.keep('room:taken', before.get('room:taken') ?? 0, 'old'), false)
    const owner = { owner: 'other', nodeId: here.cluster.nodeId }
    assert.deepEqual(await frozen.claim('room:taken', 'reclaim'), owner)
    assert.deepEqual(await frozen.claim('room:ended', 'reclaim'), { owner: 'nobody' })
    assert.deepEqual(await frozen.claim('room:left', 'reclaim'), { owner: 'nobody' })
    const again = await own(frozen, 'room:untouched', 'reclaim')
    assert.ok(again.fence > taken.fence)
    assert.equal(await frozen.isLive(again.fence), true)
    await until(here.cluster.nodes, (nodes) => nodes.includes(frozen.nodeId))
  })

  test('a delayed heartbeat does not undo a later one', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t)
    const { cluster } = await startNode()
    const { fence } = await own(cluster, 'room:a')
    const keys = ['nodes', 'fences', 'settling'].map((name) => `svc:cluster:${name}`)

    const late = await scripts.heartbeat(operator, keys, [
      cluster.nodeId,
      0,
      1,
      1_000,
      1_000,
      'svc:cluster:everyone',
    ])

    assert.deepEqual(late, [])
    assert.equal(await cluster.saveSnapshot('room:a', fence, 'state'), true)
    assert.equal(cluster.isLive(fence), true)
  })
})

describe('a Redis that is disconnected', () => {
  /** Both nodes own their names again, with larger fences; no node was lost; messages are delivered. */
  async function assertUnharmed(nodes: Awaited<ReturnType<typeof owners>>) {
    const { here, there, fences } = nodes
    for (const [i, node] of [here, there].entries()) {
      const old = fences[i] ?? Infinity
      assert.equal(node.cluster.isLive(old), false)
      const claim = await own(node.cluster, `room:${i}`, 'reclaim')
      assert.ok(claim.fence > old)
      assert.equal(node.cluster.isLive(claim.fence), true)
      assert.equal(await node.cluster.saveSnapshot(`room:${i}`, claim.fence, 'state'), true)
    }
    const other = await here.cluster.claim('room:1', 'any')
    assert.deepEqual(other, { owner: 'other', nodeId: there.cluster.nodeId })
    there.cluster.send(here.cluster.nodeId, 'after')
    assert.deepEqual(await here.messages.next(), [there.cluster.nodeId, 'after'])
    await own(here.cluster, 'room:new')
    assert.deepEqual([...here.lost.waiting, ...there.lost.waiting], [])
  }

  async function owners({ twoNodes }: Awaited<ReturnType<typeof clusterOnOwnRedis>>) {
    const { here, there } = await twoNodes()
    const fences = [(await own(here.cluster, 'room:0')).fence, (await own(there.cluster, 'room:1')).fence]
    return { here, there, fences }
  }

  /** Both nodes have noticed and reported that they were disconnected. They report it, too, if only a busy machine delayed a heartbeat. */
  async function returned({ here, there, fences }: Awaited<ReturnType<typeof owners>>) {
    await until(
      () =>
        [here, there].every(({ cluster }, i) => cluster.isLive() && !cluster.isLive(fences[i] ?? Infinity)),
      (haveReturned) => haveReturned,
    )
    await Promise.all([here.returns.next(), there.returns.next()])
  }

  test('while Redis is frozen no node is live and calls time out; afterwards every node owns its names again', async (t) => {
    const service = await clusterOnOwnRedis(t, SLOW_RECOVERY)
    const nodes = await owners(service)
    const { here, there } = nodes

    const frozenAt = performance.now()
    process.kill(service.redis.pid, 'SIGSTOP')
    await until(
      () => here.cluster.isLive() || there.cluster.isLive(),
      (isLive) => !isLive,
    )
    await assert.rejects(here.cluster.claim('room:b', 'any'), { code: 'service_unavailable' })
    await assert.rejects(here.cluster.saveSnapshot('room:0', 1, ''), { code: 'service_unavailable' })
    await assert.rejects(here.cluster.records.get('code'), { code: 'service_unavailable' })
    await until(
      () => performance.now() - frozenAt,
      (frozenMs) => frozenMs > SLOW_RECOVERY.lostAfterMs,
    )
    process.kill(service.redis.pid, 'SIGCONT')
    await returned(nodes)

    await assertUnharmed(nodes)
  })

  test('after a restart with an empty Redis every node keeps its names, and fences continue to increase', async (t) => {
    const service = await clusterOnOwnRedis(t, SLOW_RECOVERY)
    const nodes = await owners(service)
    const { here, there } = nodes

    await service.redis.stop()
    await until(
      () => here.cluster.isLive() || there.cluster.isLive(),
      (isLive) => !isLive,
    )
    const restarted = await startRedis({ port: service.redis.port })
    t.after(() => restarted.stop())
    await returned(nodes)

    await assertUnharmed(nodes)
  })

  test('after a flush, only previous owners may claim a name during the recovery window', async (t) => {
    const service = await clusterOnOwnRedis(t, SLOW_RECOVERY)
    const nodes = await owners(service)
    const { there } = nodes

    await service.operator.flushAll()
    const joiningPlayer = await service.startNode()
    const early = joiningPlayer.cluster.claim('room:1', 'any')
    const unknown = joiningPlayer.cluster.claim('room:never', 'existing')
    await returned(nodes)

    await assertUnharmed(nodes)
    assert.deepEqual(await early, { owner: 'other', nodeId: there.cluster.nodeId })
    assert.deepEqual(await unknown, { owner: 'nobody' })
  })

  test('after a flush, a node that had lost a name does not take it from the node that acts for it', async (t) => {
    const timings = { ...FAST_TIMINGS, lostAfterMs: 6_000, recoveryMs: 10_000, claimWithinMs: 60_000 }
    const service = await clusterOnOwnRedis(t, timings)
    const [wireOfPrevious, wireOfOwner] = await Promise.all([
      startStallingProxy(service.redis.port),
      startStallingProxy(service.redis.port),
    ])
    t.after(() => Promise.all([wireOfPrevious.stop(), wireOfOwner.stop()]))
    const previous = await service.startNode({}, wireOfPrevious.url)
    const owner = await service.startNode({}, wireOfOwner.url)
    await own(previous.cluster, 'room:a')
    await until(owner.cluster.nodes, (nodes) => nodes.length === 2)

    wireOfPrevious.stall()
    assert.equal(await owner.lost.next(), previous.cluster.nodeId)
    const { fence } = await own(owner.cluster, 'room:a')
    // The owner acts until it notices the loss.
    wireOfOwner.stall()
    await service.operator.flushAll()
    wireOfPrevious.resume()
    await previous.returns.next()
    const late = previous.cluster.claim('room:a', 'reclaim')
    await wireOfPrevious.passed('answer', 1)
    const isActing = owner.cluster.isLive(fence)
    wireOfOwner.resume()
    await owner.returns.next()
    const again = await owner.cluster.claim('room:a', 'reclaim')

    assert.equal(isActing, true)
    assert.equal(again.owner, 'us')
    assert.deepEqual(await late, { owner: 'other', nodeId: owner.cluster.nodeId })
  })

  test('a node that starts on an empty Redis waits out the recovery window if other nodes may be running', async (t) => {
    const hurried = {
      ...FAST_TIMINGS,
      lostAfterMs: 1_900,
      marginMs: 100,
      recoveryMs: 3_600_000,
      claimWithinMs: 0,
    }
    const { operator, startNode } = await clusterOnOwnRedis(t, hurried)
    const young = await startNode({ prefix: 'young:', timings: { ...hurried, lostAfterMs: 3_600_000 } })
    await assert.rejects(young.cluster.claim('room:a', 'any'), { code: 'service_unavailable' })

    await until(
      async () => Number(/^uptime_in_seconds:(\d+)/m.exec(await operator.info('server'))?.[1]),
      (seconds) => 1_000 * seconds > hurried.lostAfterMs,
    )
    const alone = await startNode({ prefix: 'alone:' })
    await own(alone.cluster, 'room:a')

    // Its next heartbeat, which would detect the loss, is in an hour.
    const silent = { ...hurried, heartbeatEveryMs: 3_600_000, lostAfterMs: 7_200_000 }
    const running = await startNode({ prefix: 'running:', timings: { ...silent, recoveryMs: 1 } })
    await operator.flushAll()
    const joiningPlayer = await startNode({ prefix: 'running:' })
    assert.equal(running.cluster.isLive(), true)
    await assert.rejects(joiningPlayer.cluster.claim('room:a', 'any'), { code: 'service_unavailable' })
  })

  test('a claim that would have to wait too long answers service_unavailable', async (t) => {
    const { operator, startNode } = await clusterOnOwnRedis(t, {
      ...FAST_TIMINGS,
      recoveryMs: 60_000,
      claimWithinMs: 1_000,
    })
    const { cluster, returns } = await startNode()
    await operator.flushAll()
    await returns.next()
    await assert.rejects(cluster.claim('room:a', 'any'), { code: 'service_unavailable' })
  })

  test('a node can be closed while Redis is disconnected', async (t) => {
    const { redis, startNode } = await clusterOnOwnRedis(t)
    const { cluster } = await startNode()
    const { fence } = await own(cluster, 'room:a')
    await redis.stop()

    await cluster.release('room:a', fence, { keepSnapshot: true })
    cluster.send(cluster.nodeId, 'into the void')
    await cluster.close()

    assert.equal(cluster.isLive(), false)
    await assert.rejects(cluster.claim('room:a', 'any'), { code: 'service_unavailable' })
  })

  test('without Redis the start fails with a message that contains REDIS_URL', async () => {
    const redis = await startRedis()
    await redis.stop()
    await assert.rejects(
      openCluster(redis.url, { openTimeoutMs: 2_000 }),
      /^Error: REDIS_URL: no Redis answers/,
    )
  })
})
