import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { createStoppedClock, MINUTE_MS } from '../../platform/clock.ts'
import { own } from '../../testing/cluster.ts'
import { openCluster } from './open.ts'

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const snapshotFile = join(folder, 'data', 'realtime.snapshots')
  const clock = createStoppedClock()
  const logged: string[] = []
  const open = () => openCluster(undefined, { snapshotFile, clock, log: (sentence) => logged.push(sentence) })

  /** A service that saves a room, stops and starts again. */
  async function restarted(state = 'state') {
    const cluster = await open()
    const claim = await own(cluster, 'room:a', 'any')
    await cluster.saveSnapshot('room:a', claim.fence, state)
    await cluster.close()
    return open()
  }
  return { folder, snapshotFile, clock, logged, open, restarted }
}

test('saved and released snapshots are found after a restart, once', async (t) => {
  const { snapshotFile, open, logged } = setUp(t)
  const cluster = await open()
  for (const name of ['room:kept', 'room:left', 'room:over']) {
    const claim = await own(cluster, name, 'any')
    await cluster.saveSnapshot(name, claim.fence, `${name}\n\u2028 ünï 🂡`)
    if (name !== 'room:kept') {
      await cluster.release(name, claim.fence, { keepSnapshot: name === 'room:left' })
    }
  }
  await cluster.close()
  assert.equal(statSync(snapshotFile).mode & 0o777, 0o600)

  const next = await open()
  assert.equal(existsSync(snapshotFile), false)
  for (const name of ['room:kept', 'room:left']) {
    const claim = await own(next, name, 'existing')
    assert.equal(claim.snapshot, `${name}\n\u2028 ünï 🂡`)
    await next.release(name, claim.fence, { keepSnapshot: false })
  }
  assert.deepEqual(await next.claim('room:over', 'existing'), { owner: 'nobody' })
  await next.close()

  assert.deepEqual(await (await open()).claim('room:kept', 'existing'), { owner: 'nobody' })
  assert.deepEqual(logged, [])
})

test('records are found after a restart, too, and connections have new names', async (t) => {
  const { clock, open } = setUp(t)
  const cluster = await open()
  await cluster.records.add('code:ABC', 'room:1')
  await cluster.close()
  const next = await open()
  assert.equal(await next.records.get('code:ABC'), 'room:1')
  assert.deepEqual(await next.claim('code:ABC', 'existing'), { owner: 'nobody' })
  assert.notEqual(next.nodeId, cluster.nodeId)
  await next.close()
  clock.advance(10 * MINUTE_MS)
  assert.equal(await (await open()).records.get('code:ABC'), undefined)
})

test('an unclaimed snapshot is kept across the next restart, too, until it is ten minutes old', async (t) => {
  const { clock, open, restarted } = setUp(t)
  await (await restarted()).close()
  clock.advance(10 * MINUTE_MS - 1)
  assert.equal((await (await open()).claim('room:a', 'existing')).owner, 'us')

  await (await restarted()).close()
  clock.advance(10 * MINUTE_MS)
  assert.equal((await (await open()).claim('room:a', 'existing')).owner, 'nobody')
})

test('a released snapshot is removed after ten minutes while the node runs, an owned one is not', async (t) => {
  const { clock, restarted } = setUp(t)
  const cluster = await restarted()
  clock.advance(10 * MINUTE_MS)
  assert.equal((await cluster.claim('room:a', 'existing')).owner, 'nobody')

  const owned = await restarted()
  await owned.claim('room:a', 'existing')
  clock.advance(10 * MINUTE_MS)
  const again = await own(owned, 'room:a', 'existing')
  assert.equal(again.snapshot, 'state')
})

test('a broken file is logged and ignored', async (t) => {
  const { snapshotFile, logged, open, restarted } = setUp(t)
  await (await restarted()).close()
  const whole = readFileSync(snapshotFile, 'utf8')

  for (const broken of [
    whole.slice(0, -1),
    whole.slice(1),
    '[1,2,3]\n',
    '{}\n',
    '\n',
    '\u0000',
    `${whole}[\n`,
  ]) {
    logged.length = 0
    writeFileSync(snapshotFile, broken)
    const cluster = await open()

    assert.match(logged.join(), /^the snapshots in .*realtime\.snapshots are lost: /, JSON.stringify(broken))
    assert.deepEqual(await cluster.claim('room:a', 'existing'), { owner: 'nobody' })
    await cluster.close()
  }
})

test('if the file cannot be written it is logged, and the node still stops', async (t) => {
  const { folder, logged, open } = setUp(t)
  writeFileSync(join(folder, 'data'), 'a file where the folder should be')
  const cluster = await open()
  const claim = await own(cluster, 'room:a', 'any')
  await cluster.saveSnapshot('room:a', claim.fence, 'state')

  await cluster.close()

  assert.match(logged.join(), /the snapshots could not be written to .*realtime\.snapshots: /)
})

test('the oldest record or snapshot is evicted when there are too many', async () => {
  const cluster = await openCluster(undefined, { entriesMax: 2 })
  for (const name of ['a', 'b']) {
    await cluster.records.add(name, 'there')
    const claim = await own(cluster, name, 'any')
    await cluster.saveSnapshot(name, claim.fence, 'state')
    await cluster.release(name, claim.fence, { keepSnapshot: true })
  }
  await cluster.records.swap('a', 'newer')
  await cluster.records.add('c', 'there')
  assert.equal(await cluster.records.get('a'), 'newer')
  assert.equal(await cluster.records.get('b'), undefined)
  assert.equal(await cluster.records.get('c'), 'there')

  const claim = await own(cluster, 'c', 'any')
  await cluster.saveSnapshot('c', claim.fence, 'state')
  assert.equal((await cluster.claim('a', 'existing')).owner, 'nobody')
  assert.equal((await cluster.claim('b', 'existing')).owner, 'us')
})
