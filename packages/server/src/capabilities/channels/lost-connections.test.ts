import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import {
  type ChannelApp,
  type ChannelClient,
  eventsOf,
  lastOf,
  newChannelApp,
} from '../../testing/channels.ts'
import { newGuest } from '../../testing/guests.ts'
import { clientText, openRaw } from '../../testing/raw-websocket.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { portOf } from '../../testing/sockets.ts'

/** What the SDK closes a connection with that has become silent. */
const DROPPED = 4008

for (const engine of engines) {
  describe(`a member of a channel whose connection is lost, on ${engine}`, () => {
    let service: Service
    let app: ChannelApp
    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      app = await newChannelApp(service)
    })
    after(async () => {
      await app.closeAll()
      await service.stop()
    })

    let count = 0
    const join = (talker: ChannelClient, channel: string) => talker.request({ t: 'channelJoin', channel })
    const refusal = async (talker: ChannelClient, frame: object) => (await talker.refusal(frame)).code
    /** `ada` owns the channel, and `bob` is in it. */
    async function newChannel(settings: object = {}) {
      const channel = `@lost-${++count}`
      const [ada, player] = [await app.join(), await newGuest(app.side)]
      await ada.request({ t: 'channelCreate', channel, ...settings })
      const bob = await app.joinAs(player)
      await join(bob, channel)
      return { channel, ada, bob, comeBack: () => app.joinAs(player) }
    }
    const eventsAbout = async (talker: ChannelClient, channel: string) => {
      const joined = await eventsOf(talker, 'channel_player_joined', channel)
      return [...joined, ...(await eventsOf(talker, 'channel_player_left', channel))].map(({ t }) => t)
    }

    test('[CHN-26] the others do not hear of a member who is back within five seconds', async () => {
      const { channel, ada, bob, comeBack } = await newChannel()
      await bob.close(DROPPED)
      service.clock.advance(4_999)
      assert.equal((await app.server.read(channel)).body.members.length, 2)
      const { delivered } = (await app.server.send(channel, { type: 'news' })).body
      assert.equal(delivered, 1, 'who is away receives nothing')

      const back = await comeBack()
      await join(back, channel)
      service.clock.advance(20_000)
      await back.request({ t: 'channelSend', channel, type: 'again' })
      assert.equal((await ada.until(({ type }) => type === 'again', 'the message'))['from'], bob.id)
      assert.deepEqual(await eventsAbout(ada, channel), ['channel_player_joined'])
      assert.deepEqual((await lastOf(back, 'channel_joined', channel))['members'].length, 2)
    })

    test('[CHN-26] who is not back after five seconds has left', async () => {
      const { channel, ada, bob, comeBack } = await newChannel()
      await bob.close(DROPPED)
      service.clock.advance(5_000)
      assert.equal((await ada.next('channel_player_left'))['playerId'], bob.id)
      await join(await comeBack(), channel)
      assert.equal((await ada.next('channel_player_joined'))['player'].id, bob.id)
      service.clock.advance(20_000)
      assert.equal((await eventsOf(ada, 'channel_player_left', channel)).length, 1)
    })

    test('[CHN-26] a connection that ends without a close frame is lost; a client or page that goes leaves at once', async () => {
      const channel = `@lost-${++count}`
      const ada = await app.join()
      await ada.request({ t: 'channelCreate', channel })
      const frame = (fields: object) => clientText(JSON.stringify(fields))
      const player = await newGuest(app.side)
      const raw = await openRaw(await portOf(service))
      raw.send(frame({ t: 'auth', key: app.side.publishableKey, token: player.accessToken }))
      raw.send(frame({ t: 'channelJoin', channel }))
      await ada.next('channel_player_joined')
      raw.socket.destroy()
      await raw.ended
      assert.deepEqual(await eventsOf(ada, 'channel_player_left', channel), [])
      service.clock.advance(5_000)
      await ada.next('channel_player_left')

      // A page that goes closes with 1001, which only a browser may send.
      for (const code of [1000, undefined]) {
        const going = await app.joinAs(player)
        await join(going, channel)
        await going.close(code)
        await ada.next('channel_player_left')
      }
    })

    test('[CHN-26] a seat that waits is taken: the channel is full for others, and has a member for its owner', async () => {
      const { channel, ada, bob, comeBack } = await newChannel({ maxMembers: 2 })
      await bob.close(DROPPED)
      const cem = await app.join()
      assert.equal(await refusal(cem, { t: 'channelJoin', channel }), 'channel_full')
      await join(await comeBack(), channel)
      assert.equal(await refusal(cem, { t: 'channelJoin', channel }), 'channel_full')
      assert.equal(await refusal(ada, { t: 'channelCreate', channel }), 'channel_exists')
    })

    test('[CHN-26] the owner who is away alone may create the channel again, and it ends ten seconds after the loss', async () => {
      const owner = await newGuest(app.side)
      const [again, gone] = [`@lost-${++count}`, `@lost-${++count}`]
      const first = await app.joinAs(owner)
      for (const channel of [again, gone]) await first.request({ t: 'channelCreate', channel })
      await first.close(DROPPED)
      const back = await app.joinAs(owner)
      await back.request({ t: 'channelCreate', channel: again, send: 'server' })
      assert.equal((await lastOf(back, 'channel_joined', again))['settings'].send, 'server')
      service.clock.advance(5_000)
      service.clock.advance(4_999)
      const other = await app.join()
      assert.equal(await refusal(other, { t: 'channelCreate', channel: gone }), 'channel_exists')
      service.clock.advance(1)
      await other.request({ t: 'channelCreate', channel: gone })
    })

    test('[CHN-26] [CHN-15] who is removed while away has left at once; who is banned does not get back in', async () => {
      const { channel, ada, bob, comeBack } = await newChannel()
      await bob.close(DROPPED)
      await ada.request({ t: 'channelModerate', channel, op: 'ban', playerId: bob.id })
      assert.equal((await lastOf(ada, 'channel_player_left', channel))['playerId'], bob.id)
      const back = await comeBack()
      assert.equal(await refusal(back, { t: 'channelJoin', channel }), 'channel_banned')
      service.clock.advance(20_000)
      assert.equal((await eventsOf(ada, 'channel_player_left', channel)).length, 1)
    })

    test('[CHN-26] [CHN-08] a visitor without a player cannot come back, so no seat waits', async () => {
      const channel = `@lost-${++count}`
      await app.server.put(channel, { open: true, maxMembers: 1 })
      const nobody = await app.joinAnonymously()
      await join(nobody, channel)
      await nobody.close(DROPPED)
      await join(await app.joinAnonymously(), channel)
    })
  })
}
