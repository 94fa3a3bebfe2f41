import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { eventsOf, lastOf, newChannelApp } from '../../testing/channels.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { topUp } from '../../testing/money.ts'
import { startService } from '../../testing/service.ts'

const settings = { SVC_RATE_LIMITS: 'off', VOICE_PORT: '0', TURN_PORT: '0' }
const CHANNEL = '@both'

describe('voice calls on two nodes with one PostgreSQL and Redis', () => {
  test('[VOI-06] [VOI-07] [VOI-10] members on both nodes are in one call; after the loss of its node they join again', async (t) => {
    const first = await startService('postgres', { settings })
    const second = await startService('postgres', { settings, clusterOf: first })
    t.after(async () => {
      await second.stop()
      await first.removeData()
    })
    const app = await newChannelApp(first, { voice: true })
    const [ada, ben] = [await app.join(first), await app.join(second)]
    await ada.request({ t: 'channelCreate', channel: CHANNEL, maxMembers: 8, voice: true })
    await ben.request({ t: 'channelJoin', channel: CHANNEL })
    for (const client of [ada, ben]) await client.request({ t: 'voiceJoin', channel: CHANNEL })
    first.clock.advance(250)
    const isComplete = async () => (await lastOf(ada, 'voice_state', CHANNEL))['members'].length === 2
    await comesTrue('both are in the call', isComplete)

    await ben.request({ t: 'voiceSignal', channel: CHANNEL, to: ada.id, kind: 'offer', data: { sdp: 'v=0' } })
    const signal = { from: ben.id, kind: 'offer', data: { sdp: 'v=0' }, gen: null }
    assert.deepEqual(await lastOf(ada, 'voice_signal', CHANNEL), signal)

    await first.close()
    assert.equal((await ben.next('voice_closed'))['reason'], 'unavailable')
    assert.equal((await eventsOf(ben, 'channel_closed', CHANNEL)).length, 0)
    const { mode } = await ben.request({ t: 'voiceJoin', channel: CHANNEL })
    assert.equal(mode, 'p2p')
    assert.deepEqual((await lastOf(ben, 'voice_state', CHANNEL))['members'], [{ id: ben.id, canSpeak: true }])
    await ben.close()
  })

  test('[VOI-10] the operator of one node and unpaid usage end calls that are on another', async (t) => {
    const first = await startService('postgres', { settings })
    const second = await startService('postgres', { settings, clusterOf: first })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    const app = await newChannelApp(first, { voice: true })
    const ben = await app.join(second)
    await ben.request({ t: 'channelCreate', channel: CHANNEL, voice: { mode: 'sfu' } })
    const join = () => ben.request({ t: 'voiceJoin', channel: CHANNEL })
    await join()
    assert.equal(await first.suspendVoice(app.project.slug, true), true)
    assert.equal((await ben.next('voice_closed'))['reason'], 'suspended')
    await first.suspendVoice(app.project.slug, false)
    await join()

    await topUp(first, app.project.developer, 500)
    first.money.noteUsage(app.project.environments[0]?.id ?? '', 'voice.relayMinutes', 501 * 20)
    await first.everyMinute()
    assert.equal((await ben.next('voice_closed'))['reason'], 'suspended')
    await ben.close()
  })
})
