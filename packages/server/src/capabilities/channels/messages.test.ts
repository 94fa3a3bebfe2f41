import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type ChannelApp, eventsOf, newChannelApp, type ChannelClient } from '../../testing/channels.ts'
import { nestedJson, ODD_JSON } from '../../testing/json-text.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`messages in channels, on ${engine}`, () => {
    let service: Service
    let app: ChannelApp
    let ada: ChannelClient
    let ben: ChannelClient
    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      app = await newChannelApp(service)
      ada = await app.join()
      ben = await app.join()
    })
    after(async () => {
      await app.closeAll()
      await service.stop()
    })

    let count = 0
    async function newChannel(settings: object = {}) {
      const channel = `@talk-${++count}`
      await ada.request({ t: 'channelCreate', channel, ...settings })
      await ben.request({ t: 'channelJoin', channel })
      const send = (talker: ChannelClient, type = 'x', data?: unknown) =>
        talker.request({ t: 'channelSend', channel, type, data })
      const refusal = (talker: ChannelClient, type = 'x', data?: unknown) =>
        talker.refusal({ t: 'channelSend', channel, type, data })
      const leave = async () => {
        for (const talker of [ada, ben]) await talker.request({ t: 'channelLeave', channel })
      }
      return { channel, send, refusal, [Symbol.asyncDispose]: leave }
    }

    test('[CHN-11] [GEN-02] a message reaches everyone, the sender included and before its reply, with the server’s time', async () => {
      await using talk = await newChannel()
      const { channel, send } = talk
      await send(ada, 'greet', { words: ['hi', null, 1.5] })
      const message = {
        t: 'channel_message',
        channel,
        from: ada.id,
        type: 'greet',
        data: { words: ['hi', null, 1.5] },
        at: service.clock.now().getTime(),
      }
      assert.deepEqual(ada.received.slice(-2)[0], message)
      assert.deepEqual(await eventsOf(ben, 'channel_message', channel), [message])
    })

    test('[CHN-11] without data it is null; the text of data is not changed', async () => {
      await using talk = await newChannel()
      const { channel, send } = talk
      const texts: string[] = []
      ben.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
      await send(ada)
      const data = '{ "b":1.0, "a":[1e2,"\\u00e9\\n\\"}"],"b" : 12345678901234567890 }'
      ada.send(`{"t":"channelSend","channel":"${channel}","type":"\\"q\\"","data": ${data} }`)
      const messages = await eventsOf(ben, 'channel_message', channel)
      assert.equal(messages[0]?.['data'], null)
      assert.equal(messages[1]?.['type'], '"q"')
      assert.ok(texts.some((text) => text.includes(`"data":${data},"at":`)))
    })

    test('[CHN-11] [WSK-10] data is any JSON, unchanged; deeper than 512 levels it is rejected, but not as a broken frame', async () => {
      await using talk = await newChannel()
      const { channel } = talk
      const texts: string[] = []
      ben.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
      for (const data of ODD_JSON)
        ada.send(`{"t":"channelSend","channel":"${channel}","type":"x","data":${data}}`)
      await eventsOf(ada, 'channel_message', channel)
      await eventsOf(ben, 'channel_message', channel)
      for (const data of ODD_JSON)
        assert.ok(
          texts.some((text) => text.includes(`"data":${data},"at":`)),
          data,
        )

      for (let frame = 1; frame <= 4; frame++) {
        ada.send(`{"t":"channelSend","rid":1,"channel":"${channel}","type":"x","data":${nestedJson(513)}}`)
        const { error } = await ada.next('reply')
        assert.deepEqual([error.code, error.details.errors[0].path], ['invalid_request', '$.data'])
      }
    })

    test('[CHN-11] all members see the same order, which keeps the order of each sender', async () => {
      await using talk = await newChannel()
      const { channel } = talk
      for (let i = 0; i < 20; i++)
        for (const talker of [ada, ben]) talker.send({ t: 'channelSend', channel, type: String(i) })
      const orders = []
      for (const talker of [ada, ben]) await talker.settled()
      for (const talker of [ada, ben])
        orders.push(
          (await eventsOf(talker, 'channel_message', channel)).map(({ from, type }) => `${from} ${type}`),
        )
      assert.equal(orders[0]?.length, 40)
      assert.deepEqual(orders[0], orders[1])
      for (const { id } of [ada, ben])
        assert.deepEqual(
          orders[0]?.filter((line) => line.startsWith(id)),
          Array.from({ length: 20 }, (_, i) => `${id} ${i}`),
        )
    })

    test('[CHN-10] a sender who is not in the channel gets not_in_channel, whether the channel exists or not', async () => {
      await using talk = await newChannel()
      const cem = await app.join()
      assert.equal((await talk.refusal(cem)).code, 'not_in_channel')
      for (const channel of ['@nowhere', 'nowhere', 'no name!'])
        assert.equal((await ada.refusal({ t: 'channelSend', channel, type: 'x' })).code, 'not_in_channel')
      await ben.request({ t: 'channelLeave', channel: talk.channel })
      assert.equal((await talk.refusal(ben)).code, 'not_in_channel')
    })

    test('[CHN-10] a type is at most 64 characters', async () => {
      await using talk = await newChannel()
      await talk.send(ada, 'é'.repeat(64))
      assert.equal((await talk.refusal(ada, 'x'.repeat(65))).code, 'invalid_request')
      assert.equal((await ada.refusal({ t: 'channelSend', channel: talk.channel })).code, 'invalid_request')
    })

    test('[CHN-10] data is at most 16 KB of JSON text in UTF-8', async () => {
      await using talk = await newChannel()
      await talk.send(ada, 'x', 'a'.repeat(16 * 1024 - 2))
      await talk.send(ada, 'x', 'é'.repeat(8 * 1024 - 1))
      for (const tooMuch of ['a'.repeat(16 * 1024 - 1), `${'é'.repeat(8 * 1024 - 1)}a`]) {
        const { code, details } = await talk.refusal(ada, 'x', tooMuch)
        assert.deepEqual([code, details], ['payload_too_large', { limit: 16_384 }])
      }
      assert.equal((await eventsOf(ben, 'channel_message', talk.channel)).length, 2)
    })

    test('[CHN-10] [CHN-25] a member may send 20 messages a second per channel, and 64 in a burst', async () => {
      await using talk = await newChannel()
      await using other = await newChannel()
      for (let i = 0; i < 64; i++) await talk.send(ada)
      const { code, details } = await talk.refusal(ada)
      assert.deepEqual([code, details], ['rate_limited', { retryAfterSeconds: 1 }])
      await talk.send(ben)
      await other.send(ada)

      service.clock.advance(49)
      assert.equal((await talk.refusal(ada)).code, 'rate_limited')
      service.clock.advance(1)
      await talk.send(ada)
      assert.equal((await talk.refusal(ada)).code, 'rate_limited')
      service.clock.advance(5_000)
      for (let i = 0; i < 64; i++) await talk.send(ada)
      assert.equal((await talk.refusal(ada)).code, 'rate_limited')
    })

    test('[CHN-06] [CHN-10] with send speakers only these and the owner send; with send server only the owner', async () => {
      await using talk = await newChannel({ send: 'speakers' })
      const { channel } = talk
      assert.equal((await talk.refusal(ben)).code, 'send_forbidden')
      await ada.request({ t: 'channelModerate', channel, op: 'allowSend', playerId: ben.id })
      await talk.send(ben)
      await talk.send(ada)

      await using quiet = await newChannel({ send: 'server' })
      await ada.request({ t: 'channelModerate', channel: quiet.channel, op: 'allowSend', playerId: ben.id })
      assert.equal((await quiet.refusal(ben)).code, 'send_forbidden')
      await quiet.send(ada)
    })

    test('[CHN-10] an anonymous member never sends', async () => {
      const channel = `@talk-${++count}`
      await app.server.put(channel, { open: true })
      const nobody = await app.joinAnonymously()
      await nobody.request({ t: 'channelJoin', channel })
      const { code } = await nobody.refusal({ t: 'channelSend', channel, type: 'x' })
      assert.equal(code, 'send_forbidden')
    })

    test('[CHN-12] a member who joins later receives no earlier messages', async () => {
      await using talk = await newChannel()
      await talk.send(ada, 'secret')
      const cem = await app.join()
      await cem.request({ t: 'channelJoin', channel: talk.channel })
      assert.deepEqual(await eventsOf(cem, 'channel_message', talk.channel), [])
      assert.ok(!JSON.stringify(cem.received).includes('secret'))
      assert.ok(!JSON.stringify((await app.server.read(talk.channel)).body).includes('secret'))
    })

    test('a rejected request without rid causes a warn frame', async () => {
      ada.send({ t: 'channelSend', channel: 'nowhere', type: 'x' })
      const { code, request } = await ada.next('warn')
      assert.deepEqual([code, request], ['not_in_channel', 'channelSend'])
    })
  })
}
