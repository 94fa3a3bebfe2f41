import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'

import { type ChannelApp, eventsOf, newChannelApp, type ChannelClient } from '../../testing/channels.ts'
import { newGuest } from '../../testing/guests.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`a new display name in channels on ${engine}`, () => {
    let one: Service
    /** A second node on PostgreSQL; otherwise the same node. */
    let two: Service
    let app: ChannelApp
    before(async () => {
      one = await startService(engine)
      two = engine === 'postgres' ? await startService(engine, { clusterOf: one }) : one
    })
    after(async () => {
      if (two !== one) await two.stop()
      await one.stop()
    })
    beforeEach(async () => void (app = await newChannelApp(one)))
    afterEach(() => app.closeAll())

    async function enter(node: Service) {
      const guest = await newGuest(app.side)
      return { guest, talker: await app.joinAs(guest, node) }
    }
    type Who = Awaited<ReturnType<typeof enter>>
    async function rename({ guest }: Who, displayName: string, node = one) {
      const call = guest.at(node.withKey(app.side.publishableKey))
      assert.equal((await call('PATCH', '/v1/players/me', { displayName })).status, 200)
    }
    const join = (talker: ChannelClient, channel: string) => talker.request({ t: 'channelJoin', channel })
    const nameOf = async (channel: string, { guest }: Who) =>
      (await app.server.read(channel)).body.members.find(({ id }: { id: string }) => id === guest.id)
        .displayName

    test('[ROM-06] [CHN-08] all members of all channels of the player are notified, and the next view has the new name', async () => {
      const [ada, bo] = [await enter(one), await enter(two)]
      await app.server.put('@stage')
      for (const channel of ['@stage', 'hall'])
        for (const { talker } of [ada, bo]) await join(talker, channel)

      await rename(bo, 'Bo')

      for (const channel of ['@stage', 'hall']) {
        const event = { t: 'channel_player_renamed', channel, playerId: bo.guest.id, displayName: 'Bo' }
        for (const { talker } of [ada, bo])
          assert.deepEqual(
            await talker.until(
              (received) => received.t === event.t && received['channel'] === channel,
              event.t,
            ),
            event,
          )
        assert.equal(await nameOf(channel, bo), 'Bo')
      }
      await rename(bo, 'Bo', two)
      assert.equal((await eventsOf(ada.talker, 'channel_player_renamed', 'hall')).length, 1)
    })

    test('[ROM-06] a player who connected before the rename joins under the new name', async () => {
      const [ada, bo] = [await enter(one), await enter(two)]
      await join(ada.talker, 'hall')
      await rename(bo, 'New')
      await join(bo.talker, 'hall')
      assert.equal((await ada.talker.next('channel_player_joined'))['player'].displayName, 'New')
    })

    test('[ROM-06] a rename at the moment of joining is not lost', async () => {
      for (let round = 0; round < 10; round++) {
        const who = await enter(round % 2 ? one : two)
        await Promise.all([join(who.talker, 'hall'), rename(who, `Round ${round}`, round % 3 ? one : two)])
        assert.equal(await nameOf('hall', who), `Round ${round}`)
      }
    })
  })
}
