import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ActorMovedError } from '../../platform/actors/actor.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import type { ChannelCall } from '../../platform/ports/channel-call.ts'
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

const NOT_LIVE_RETRY_MS = 500

/** A channel with one member, in its call, which loses its owner while a change is being committed. */
function setUp({ isStored }: { isStored: boolean }) {
  const clock = createStoppedClock()
  const test = createTestActorContext(channelActorName('env_1', '@news'), clock)
  const commit = async () => test.loseOwnership()
  const records: ChannelRecords = { write: commit, changeList: commit, remove: commit, note: commit }
  /** What the call was told. */
  const told: string[] = []
  const call: ChannelCall = {
    summary: () => null,
    receive: () => ({}),
    memberLeft: (ref) => void told.push(`${ref} left`),
    rulesChanged: () => void told.push('rules'),
    close: () => {},
  }
  const deps = { clock, records, audit: { record: async () => {} }, openCall: () => call }
  const fresh = newState(clock.now().toISOString())
  const voice = { mode: 'p2p', relayOnly: true } as const
  const settings = { ...fresh.settings, maxMembers: 8, voice }
  const state = { ...fresh, settings, isStored }
  const channel = new Channel(test.context, deps, { state, isFromSnapshot: false })
  const ada = { ref: 'n/1', player: { id: 'ada', displayName: 'Ada' } }
  channel.join(ada)
  channel.receiveForCall({ ref: ada.ref, request: { type: 'join' } })
  test.take(ada.ref)
  /** What the member was told since the last look: the types of the events. */
  const events = () => test.take(ada.ref).map(({ t }) => t)
  /** The node was cut off for a moment, and no other has taken the channel. */
  const comeBack = () => {
    test.regainOwnership()
    clock.advance(NOT_LIVE_RETRY_MS)
  }
  return { ...test, channel, ada, told, events, comeBack }
}

for (const isStored of [true, false])
  test(`[CHN-20] only the owner announces the deletion of a ${isStored ? 'stored' : 'live'} channel`, async () => {
    const { channel, events, isOver, comeBack } = setUp({ isStored })
    await assert.rejects(channel.delete({ server: SERVER }), ActorMovedError)
    assert.deepEqual([events(), isOver()], [[], false])
    comeBack()
    assert.deepEqual([events(), isOver()], [['channel_closed'], true])
  })

test('[CHN-17] [VOI-11] only the owner announces a change; its call learns of it', async () => {
  const { channel, events, told, comeBack } = setUp({ isStored: true })
  await assert.rejects(channel.write({ server: SERVER, changes: { send: 'server' } }), ActorMovedError)
  assert.deepEqual([events(), told], [[], []])
  comeBack()
  assert.deepEqual([events(), told], [['channel_self'], ['rules']])
})

for (const [op, expected] of [
  ['kick', [['channel_closed'], ['rules', 'n/1 left']]],
  ['mute', [['channel_self'], ['rules']]],
] as const)
  test(`[CHN-22] [VOI-11] only the owner announces a moderation: ${op}`, async () => {
    const { channel, events, told, comeBack } = setUp({ isStored: true })
    const moderation = { op, playerId: 'ada' }
    await assert.rejects(
      async () => channel.moderate({ by: { server: SERVER }, moderation }),
      ActorMovedError,
    )
    assert.deepEqual([events(), told], [[], []])
    comeBack()
    assert.deepEqual([events(), told], expected)
  })

test('[VOI-10] who joins the channel again, because its owner was lost for a moment, is out of the call', async () => {
  const { channel, ada, told } = setUp({ isStored: true })
  channel.join(ada)
  assert.deepEqual(told, [])
  channel.join({ ...ada, isRejoin: true })
  assert.deepEqual(told, ['n/1 left'])
})
