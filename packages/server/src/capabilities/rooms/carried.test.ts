import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'

import { nestedJson, ODD_JSON } from '../../testing/json-text.ts'
import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MODES = [{ key: 'default' }, { key: 'mesh', transport: 'p2p' }]
const KB = 1024

/** The texts of all frames that a player receives. */
function textsTo(player: GamePlayer): string[] {
  const texts: string[] = []
  player.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
  return texts
}

const assertTold = (texts: readonly string[], part: string) =>
  assert.ok(
    texts.some((text) => text.includes(part)),
    `${part.slice(0, 200)} is not in\n${texts.map((text) => text.slice(0, 500)).join('\n')}`,
  )

async function answerTo(player: GamePlayer, frame: string) {
  player.send(frame)
  return player.next('reply')
}

/** A state of many unusual values, as the JSON text that every joining player must receive. */
const ODD_STATE = ODD_JSON.map((text, i) => `"k${i}":${text}`).join()

for (const engine of engines) {
  describe(`carried data of rooms on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    beforeEach(async () => void (game = await newGame(service, MODES)))
    afterEach(() => game.end())

    const two = async (fields: object = {}) => {
      const [a, b] = (await game.players(2)) as [GamePlayer, GamePlayer]
      return [a, b, await game.room([a, b], fields)] as const
    }

    test('[ROM-14] [WSK-10] data of messages is any JSON, and its text is not changed', async () => {
      const [a, b] = await two()
      const texts = textsTo(b)
      for (const data of ODD_JSON) {
        const { ok } = await answerTo(a, `{"t":"send","rid":1,"type":"x","data":${data}}`)
        assert.equal(ok, true, data)
      }
      await b.news()
      for (const data of ODD_JSON) assertTold(texts, `"data":${data},"at":`)
    })

    test('[P2P-02] [WSK-10] data of signals is any JSON, and its text is not changed', async () => {
      const [a, b] = await two({ mode: 'mesh' })
      const texts = textsTo(b)
      for (const data of ODD_JSON) {
        const frame = `{"t":"signal","rid":1,"to":"${b.id}","kind":"offer","data":${data}}`
        assert.equal((await answerTo(a, frame)).ok, true, data)
      }
      await b.news()
      for (const data of ODD_JSON) assertTold(texts, `"data":${data},"gen":null`)
    })

    for (const [t, event] of [
      ['setState', 'state'],
      ['setMyState', 'player_state'],
    ] as const)
      test(`[ROM-15] [WSK-10] values of ${t} are any JSON: sent and stored unchanged, merged by key`, async () => {
        const [a, b, room] = await two()
        const texts = textsTo(b)
        const first = await answerTo(a, `{"t":"${t}","rid":1,"patch": { "k0" : 1, "gone":2,${ODD_STATE} } }`)
        assert.equal(first.ok, true, JSON.stringify(first))
        const second = await answerTo(a, `{"t":"${t}","rid":2,"patch":{"gone":null,"\\u006b1": [ 1.0 ]}}`)
        assert.equal(second.ok, true)
        await b.next(event)
        await b.next(event)
        assertTold(texts, `"gone":2,${ODD_STATE.slice(ODD_STATE.indexOf('"k1"'))}`)
        assertTold(texts, `"patch":{"gone":null,"k1":[ 1.0 ]}`)

        const kept = [
          `"k0":${ODD_JSON[0]}`,
          '"k1":[ 1.0 ]',
          ...ODD_JSON.slice(2).map((text, i) => `"k${i + 2}":${text}`),
        ]
        const late = await game.player()
        const received = textsTo(late)
        late.send(`{"t":"join","rid":3,"roomId":"${room.id}"}`)
        await late.next('reply')
        const [joined, reply] = received
        for (const text of [joined, reply]) assertTold([text ?? ''], `"state":{${kept.join()}}`)
      })

    test('[ROM-15] __proto__ is an ordinary key', async () => {
      const [a, b, room] = await two()
      const texts = textsTo(b)
      const patch = '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"\\ud800":1,"\\u0000":2}'
      assert.equal((await answerTo(a, `{"t":"setState","rid":1,"patch":${patch}}`)).ok, true)
      await b.next('state')
      assertTold(texts, `"patch":${patch}`)
      await a.request({ t: 'setState', patch: { constructor: null } })
      const late = await game.player()
      const received = textsTo(late)
      await late.request({ t: 'join', roomId: room.id })
      assertTold(received, '"state":{"__proto__":{"polluted":1},"\\ud800":1,"\\u0000":2}')
      assert.equal(Reflect.get({}, 'polluted'), undefined)
    })

    test('[ROM-15] if a key occurs twice in a patch, the last value counts', async () => {
      const [a, b] = await two()
      const texts = textsTo(b)
      await answerTo(a, '{"t":"setState","rid":1,"patch":{"a":1,"b":2,"a":null},"patch":{"a":3,"c":1,"a":4}}')
      await b.next('state')
      assertTold(texts, '"patch":{"a":4,"c":1}')
    })

    test('[ROM-15] [WSK-10] a value nested deeper than 512 levels is rejected with its key, and changes nothing', async () => {
      const [a, b] = await two()
      for (let frame = 1; frame <= 4; frame++)
        for (const t of ['setState', 'setMyState']) {
          const patch = `{"a":1,"b":${nestedJson(513)}}`
          const { error } = await answerTo(a, `{"t":"${t}","rid":1,"patch":${patch}}`)
          assert.deepEqual([error.code, error.details.errors[0].path], ['invalid_request', '$.patch.b'])
        }
      assert.deepEqual(await b.news(), [])
    })

    test('[ROM-15] [WSK-10] a patch of 64 KB fits through the socket; its text counts, white space too', async () => {
      const [a, b] = await two()
      const around = '{"a":""}'.length
      const full = { a: 'x'.repeat(64 * KB - around) }
      await a.request({ t: 'setState', patch: full })
      assert.deepEqual((await b.next('state'))['patch'], full)
      const over = await a.refusal({ t: 'setState', patch: { a: `${full.a}x` } })
      assert.deepEqual([over.code, over.details], ['state_too_large', { limit: 64 * KB }])

      const spaces = (bytes: number) => `{"a":[${' '.repeat(bytes - '{"a":[]}'.length)}]}`
      const own = (patch: string) => answerTo(a, `{"t":"setMyState","rid":1,"patch":${patch}}`)
      assert.equal((await own(spaces(16 * KB + 1))).error.code, 'state_too_large')
      assert.equal((await own(spaces(16 * KB))).ok, true)
    })

    test('[ROM-01] [ROM-03] [DEV-16] metadata is any JSON, and its text is not changed', async () => {
      for (const metadata of ODD_JSON) {
        const host = await game.player()
        const texts = textsTo(host)
        const { ok, data } = await answerTo(host, `{"t":"create","rid":1,"metadata":${metadata}}`)
        assert.equal(ok, true, metadata)
        for (const text of texts) assertTold([text], `"metadata":${metadata},`)
        const headers = { 'x-svc-key': game.side.secretKey }
        for (const url of ['/v1/rooms', '/v1/admin/realtime']) {
          const { body } = await service.http.inject({ url, headers })
          assertTold([body], `"metadata":${metadata}`)
          assert.equal(JSON.parse(body).rooms[0].id, data.room.id)
        }
        await host.request({ t: 'leave' })
      }
      const host = await game.player()
      const deep = await answerTo(host, `{"t":"create","rid":1,"metadata":${nestedJson(513)}}`)
      assert.equal(deep.error.details.errors[0].path, '$.metadata')
      assert.equal((await host.request({ t: 'create', metadata: null })).room.metadata, null)
    })

    test('[WSK-14] carried data is unchanged after a graceful restart', async () => {
      const first = await startService(engine)
      const world = await newGame(first)
      const host = await world.player()
      host.send(`{"t":"create","rid":1,"metadata":${ODD_JSON[0]}}`)
      const { room } = (await host.next('reply')).data
      for (const t of ['setState', 'setMyState'])
        assert.equal(
          (await answerTo(host, `{"t":"${t}","rid":2,"patch":{"__proto__":1,${ODD_STATE}}}`)).ok,
          true,
        )
      await first.close()
      await host.closed

      const restarted = await startService(engine, { clusterOf: first })
      const back = await world.enter(host.guest, restarted)
      const texts = textsTo(back)
      await back.request({ t: 'resume', roomId: room.id })
      for (const text of texts) {
        assert.equal(text.split(`"state":{"__proto__":1,${ODD_STATE}}`).length, 3)
        assertTold([text], `"metadata":${ODD_JSON[0]}`)
      }
      await world.end()
      await restarted.stop()
      await first.stop()
    })
  })
}

test('[ROM-14] [ROM-15] on two nodes all carried data arrives unchanged', async (t) => {
  const one = await startService('postgres')
  const two = await startService('postgres', { clusterOf: one })
  t.after(async () => {
    await two.stop()
    await one.stop()
  })
  const game = await newGame(one, MODES)
  const [host, guest] = [await game.player(one), await game.player(two)]
  const hostTexts = textsTo(host)
  const { data } = await answerTo(host, `{"t":"create","rid":1,"metadata":${ODD_JSON[7]}}`)
  await answerTo(host, `{"t":"setState","rid":1,"patch":{${ODD_STATE}}}`)

  const guestTexts = textsTo(guest)
  await guest.request({ t: 'join', roomId: data.room.id })
  for (const text of guestTexts.slice(0, 2)) {
    assertTold([text], `"state":{${ODD_STATE}}`)
    assertTold([text], `"metadata":${ODD_JSON[7]}`)
  }
  for (const message of ODD_JSON) {
    assert.equal((await answerTo(guest, `{"t":"send","rid":2,"type":"x","data":${message}}`)).ok, true)
    assert.equal((await answerTo(guest, `{"t":"setMyState","rid":2,"patch":{"v":${message}}}`)).ok, true)
  }
  await host.news()
  for (const message of ODD_JSON) {
    assertTold(hostTexts, `"data":${message},"at":`)
    assertTold(hostTexts, `"patch":{"v":${message}}`)
  }
  const deep = await answerTo(guest, `{"t":"setState","rid":3,"patch":{"a":${nestedJson(513)}}}`)
  assert.equal(deep.error.details.errors[0].path, '$.patch.a')
  const rooms = await two.http.inject({
    url: '/v1/rooms',
    headers: { 'x-svc-key': game.side.publishableKey },
  })
  assertTold([rooms.body], `"metadata":${ODD_JSON[7]}`)
  await game.end()
})
