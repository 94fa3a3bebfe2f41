import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ActorMovedError } from '../../platform/actors/actor.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { createTestActorContext } from '../../testing/actor-context.ts'
import type { ChannelRecords } from './channel-protocol.ts'
import { newState } from './channel-state.ts'
import { Channel } from './channel.ts'
import { channelActorName } from './names.ts'

const SERVER = {
  projectId: 'prj_1',
  env: 'development',
  actor: { type: 'key', id: 'key_1', label: 'sk_…' },
} as const

/** A channel with one member, which loses its owner while a change is being committed. */
function setUp({ isStored }: { isStored: boolean }) {
  const clock = createStoppedClock()
  const test = createTestActorContext(channelActorName('env_1', '@news'), clock)
  const commit = async () => test.loseOwnership()
  const records: ChannelRecords = { write: commit, changeList: commit, remove: commit, note: commit }
  const deps = { clock, records, audit: { record: async () => {} }, openCall: () => assert.fail() }
  const state = { ...newState(clock.now().toISOString()), isStored }
  const channel = new Channel(test.context, deps, { state, isFromSnapshot: false })
  channel.join({ ref: 'n/1', player: { id: 'ada', displayName: 'Ada' } })
  test.take('n/1')
  return { ...test, channel }
}

for (const isStored of [true, false])
  test(`[CHN-20] a former owner does not announce the deletion of a ${isStored ? 'stored' : 'live'} channel`, async () => {
    const { channel, take, isOver } = setUp({ isStored })
    await assert.rejects(channel.delete({ server: SERVER }), ActorMovedError)
    assert.deepEqual(take('n/1'), [])
    assert.equal(isOver(), false)
  })

test('[CHN-17] a former owner does not announce a change', async () => {
  const { channel, take } = setUp({ isStored: true })
  await assert.rejects(channel.write({ server: SERVER, changes: { send: 'server' } }), ActorMovedError)
  assert.deepEqual(take('n/1'), [])
})

test('[CHN-22] a former owner does not announce a moderation', async () => {
  const { channel, take } = setUp({ isStored: true })
  const moderation = { op: 'kick', playerId: 'ada' } as const
  await assert.rejects(async () => channel.moderate({ by: { server: SERVER }, moderation }), ActorMovedError)
  assert.deepEqual(take('n/1'), [])
})
