import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createMemoryCluster } from '../../engines/cluster/memory.ts'
import { createConnectionRegistry } from './connection-registry.ts'

const player = { environmentId: 'env_1', id: 'ply_1', sessionId: 'ses_1' }
const there = () => true
const gone = () => false

async function open() {
  const { records } = await createMemoryCluster()
  const closed: string[] = []
  const connections = createConnectionRegistry({
    records,
    close: (ref, code, reason) => void closed.push(`${ref} ${code} ${reason}`),
  })
  return { ...connections, closed }
}

test('[WSK-04] a newer connection replaces the older one, once', async () => {
  const { replaceConnection, closed } = await open()
  for (const ref of ['a/1', 'b/1', 'b/1']) await replaceConnection(player, ref, there)
  assert.deepEqual(closed, ['a/1 4004 replaced'])
})

test('[WSK-04] a connection that closes during registration replaces no other connection', async () => {
  const { replaceConnection, closed } = await open()
  await replaceConnection(player, 'a/2', there)
  await replaceConnection(player, 'a/3', gone)
  assert.deepEqual(closed, [])
  await replaceConnection(player, 'a/4', there)
  assert.deepEqual(closed, ['a/2 4004 replaced'])
})

test('[WSK-18] a connection that was opened earlier, but authenticates later, is closed and replaces no other', async () => {
  const { replaceConnection, closed } = await open()
  await replaceConnection(player, 'a/10', there)
  await replaceConnection(player, 'a/9', there)
  assert.deepEqual(closed, ['a/9 4004 replaced'])
  await replaceConnection(player, 'b/1', there)
  assert.deepEqual(closed, ['a/9 4004 replaced', 'a/10 4004 replaced'])
})

test('[WSK-04] a connection that has closed, or was never accepted, is not replaced', async () => {
  const { replaceConnection, leave, closed } = await open()
  await replaceConnection(player, 'a/1', gone)
  await replaceConnection(player, 'a/2', there)
  await leave(player, 'a/2')
  await replaceConnection(player, 'a/3', there)
  assert.deepEqual(closed, [])
})
