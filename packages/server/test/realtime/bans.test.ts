import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newGuest } from '../../src/testing/guests.ts'
import { type Service, startService } from '../../src/testing/service.ts'
import { connect } from '../../src/testing/sockets.ts'

describe('a player with a seat and a place in a channel, on two nodes', () => {
  let one: Service
  let two: Service
  before(async () => {
    one = await startService('postgres')
    two = await startService('postgres', { beside: one })
  })
  after(async () => {
    await two.stop()
    await one.stop()
  })

  test('[BAN-07] [WSK-16] [DEV-17] is out of both once the dashboard has banned it, and whoever is left hears so', async () => {
    const { development: side, developer } = await one.newProject()
    const config = { features: { multiplayer: true, realtimeChannels: true } }
    assert.equal((await side.server('PUT', '/v1/config', config)).status, 200)
    const [left, banned] = [await newGuest(side), await newGuest(side)]
    const [witness, culprit] = [await connect(one, side, left), await connect(two, side, banned)]
    const { room } = await witness.request({ t: 'create' })
    await culprit.request({ t: 'join', roomId: room.id })
    for (const socket of [witness, culprit]) await socket.request({ t: 'channelJoin', channel: 'lobby' })

    const ban = { reason: 'test' }
    assert.equal((await developer.call('POST', `${side.path}/players/${banned.id}/ban`, ban)).status, 200)

    assert.deepEqual(await culprit.closed, { code: 4003, reason: 'player_banned' })
    const seat = { t: 'player_left', playerId: banned.id, reason: 'banned' }
    const place = { t: 'channel_player_left', channel: 'lobby', playerId: banned.id }
    const isIt = ({ t, playerId }: { t: string; playerId?: string }) =>
      playerId === banned.id && (t === seat.t || t === place.t)
    const heard = [await witness.until(isIt, 'the first'), await witness.until(isIt, 'the second')]
    assert.deepEqual(
      heard.toSorted((a, b) => (a.t < b.t ? 1 : -1)),
      [seat, place],
    )
    await witness.close()
  })
})
