import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startService } from '../../src/testing/service.ts'
import { clocksAgree } from './refresh-rounds.ts'
import { replays, stalledRounds, startNodes, whileBusy } from './stalled-refreshes.ts'

test('[SES-12] while a node is paused, one of two concurrent refreshes wins, the other loses a race, and the chain stays valid', async (t) => {
  const nodes = await startNodes()
  t.after(nodes.stop)
  assert.deepEqual((await stalledRounds(nodes, 10)).wrong, [])
})

test('[SES-12] an immediate replay revokes the chain on either node, idle or busy', async (t) => {
  // Both nodes run in one process, so a pause affects both: a token is never used during a pause of only one node.
  const first = await startService('postgres')
  const second = await startService('postgres', { clusterOf: first })
  t.after(async () => {
    await second.stop()
    await first.stop()
  })
  const { development } = await first.newProject()
  await clocksAgree([first, second])
  const callers = [first, second].map((node) => node.withKey(development.publishableKey))
  const on = (node: number) => callers[node % 2] ?? assert.fail()
  const nodes = {
    guest: async (node: number) => (await on(node)('POST', '/v1/auth/guest', {})).body,
    refresh: (node: number, refreshToken: string) => on(node)('POST', '/v1/auth/refresh', { refreshToken }),
    me: (node: number, token: string) =>
      on(node)('GET', '/v1/players/me', undefined, { authorization: `Bearer ${token}` }),
  }
  assert.deepEqual((await replays(nodes, 15)).wrong, [])
  assert.deepEqual((await whileBusy(nodes, 8, () => replays(nodes, 15))).wrong, [])
})
