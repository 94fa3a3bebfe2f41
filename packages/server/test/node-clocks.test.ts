import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { createStoppedClock, MINUTE_MS, SECOND_MS } from '../src/platform/clock.ts'
import { asGuest, newGuest } from '../src/testing/guests.ts'
import { type Service, startService, type TestEnvironment } from '../src/testing/service.ts'
import { connect } from '../src/testing/sockets.ts'

const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true, realtimeChannels: true },
  multiplayer: { modes: [{ key: 'duel' }] },
  stats: [{ key: 'points', aggregation: 'sum' }],
}

for (const behindMs of [3 * SECOND_MS, MINUTE_MS])
  describe(`two nodes, one of them ${behindMs / SECOND_MS} s behind`, () => {
    let ahead: Service
    let behind: Service
    let side: TestEnvironment
    before(async () => {
      ahead = await startService('postgres')
      const clock = createStoppedClock()
      clock.step(-behindMs)
      behind = await startService('postgres', { clusterOf: { ...ahead, clock } })
      side = (await ahead.newProject()).development
      assert.equal((await side.server('PUT', '/v1/config', CONFIG)).status, 200)
    })
    after(async () => {
      await behind.stop()
      await ahead.stop()
    })
    const onBehind = () => behind.withKey(side.publishableKey)

    test('[SES-18] a session that began on one goes on on the other, in both directions', async () => {
      let guest = await newGuest(side)
      for (const on of [onBehind(), side.public, onBehind(), side.public]) {
        const { status, body } = await guest.at(on)('GET', '/v1/players/me')
        assert.deepEqual([status, body.player?.id ?? body.id], [200, guest.id])
        const refreshed = await on('POST', '/v1/auth/refresh', { refreshToken: guest.refreshToken })
        assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
        guest = asGuest(side.public, refreshed.body)
      }
    })

    test('[SAV-03] versions of a save follow each other, whichever node writes', async () => {
      const { call, at } = await newGuest(side)
      for (let version = 0; version < 4; version++) {
        const write = version % 2 ? call : at(onBehind())
        const { status, body } = await write('PUT', '/v1/saves/slot', {
          data: version,
          expectedVersion: version,
        })
        assert.deepEqual([status, body.version], [200, version + 1], JSON.stringify(body))
      }
      assert.equal((await call('GET', '/v1/saves/slot')).body.data, 3)
    })

    test('[STA-18] a report that is repeated at the other node counts once', async () => {
      const { call, at } = await newGuest(side)
      for (const [index, report] of [call, at(onBehind()), call, at(onBehind())].entries()) {
        const key = { 'idempotency-key': `report-${index >> 1}` }
        assert.equal((await report('POST', '/v1/stats', { stats: { points: 5 } }, key)).status, 200)
      }
      assert.equal((await call('GET', '/v1/stats')).body.stats.points, 10)
    })

    test('[ROM-09] [CHN-26] a player who comes back on the other node has the seats', async () => {
      const [guest, other] = [await newGuest(side), await newGuest(side)]
      const [first, watcher] = [await connect(ahead, side, guest), await connect(ahead, side, other)]
      const { room } = await first.request({ t: 'create', mode: 'duel' })
      await watcher.request({ t: 'join', roomId: room.id })
      for (const socket of [first, watcher]) await socket.request({ t: 'channelJoin', channel: 'lobby' })
      await first.close(4008)
      await watcher.next('player_disconnected')
      const second = await connect(behind, side, guest)
      await second.request({ t: 'resume', roomId: room.id })
      await second.request({ t: 'channelJoin', channel: 'lobby' })
      await watcher.next('player_reconnected')
      await watcher.settled()
      assert.ok(watcher.received.every(({ t }) => t !== 'channel_player_left'))
      await second.close()
      await watcher.close()
    })
  })
