import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { merged, newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

/** Trusts its players, and does with what they send whatever the code of a room can do. */
const TRUSTING = `
export class Arena extends Room {
  state = { count: 0 }
  messages = {
    add: () => ++this.state.count,
    echo: (player, data) => data,
    keep: (player, data) => { this.state.kept = data },
    key: (player, data) => { this.state.byKey = { [data]: data } },
    own: (player, data) => { this.own(player).kept = data },
    shout: (player, data) => this.send('shout', data),
    type: (player, data) => this.send(data, 1),
    whisper: (player, data) => this.send('whisper', 1, data),
    kick: (player, data) => this.kick(data),
    wake: (player, data) => this.wakeAt(data),
    show: (player, data) => this.setMetadata(data),
    later: async (player, data) => { await undefined; this.state.later = data; return data },
    fail: (player, data) => { throw data },
    refuse: (player, data) => { throw new Refusal(data) },
  }
}`
const HANDLERS = 'echo keep key own shout type whisper kick wake show later fail refuse'.split(' ')

const DEEP = 8_000
/** As JSON, because JSON can say more than a value of JavaScript. */
const VALUES: Record<string, string> = {
  'the last safe number': '9007199254740991',
  '2^53': '9007199254740992',
  'past 2^53': '9007199254740993',
  'an endless number': '1e999',
  'a large number': '1e300',
  '-0': '-0',
  'a fraction': '0.1',
  null: 'null',
  'a lone surrogate': String.raw`"\ud800"`,
  'a key with a lone surrogate': String.raw`{"\udc00":1}`,
  'lines and marks': String.raw`"\n\u0000\u2028\u0001[["`,
  prototypes: '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"toString":1,"then":1}',
  'a key twice': '{"a":1,"a":{"b":2}}',
  deep: `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  'deep objects': `${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`,
  'a large key': `{"${'k'.repeat(16_000)}":1}`,
  'many keys': `{${Array.from({ length: 1_500 }, (_, at) => `"k${at}":0`).join()}}`,
  'the largest text': `"${'ä'.repeat(8_000)}"`,
  '"__proto__"': '"__proto__"',
  '"*"': '"*"',
  'no text': '""',
}

/** Members of a frame besides its data; what the edge refuses reaches no room. */
const MEMBERS: Record<string, string> = {
  ...Object.fromEntries(
    ['9007199254740991', '9007199254740992', '1e300', '1e999', '-0', '-1', '0.5', 'null', '"1"', '[1]'].map(
      (seq) => [`seq ${seq}`, `"type":"add","seq":${seq}`],
    ),
  ),
  'seq twice': '"type":"add","seq":1,"seq":9007199254740992',
  'seq after its escaped name': String.raw`"type":"add","seq":1,"\u0073eq":9007199254740992`,
  ...Object.fromEntries(
    ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', String.raw`\ud800`, String.raw`\n[["`].map(
      (type) => [`type ${type}`, `"type":"${type}"`],
    ),
  ),
  'type twice': '"type":"add","type":"__proto__"',
  'data twice': '"type":"echo","data":1,"data":{"a":2}',
  'a prototype': '"type":"add","__proto__":{"seq":9007199254740992}',
  receivers: '"type":"add","to":["__proto__","*",""]',
}
const RIDS = [
  '1',
  '9007199254740993',
  '1e999',
  '-0',
  String.raw`"\ud800"`,
  '"__proto__"',
  `"${'r'.repeat(64)}"`,
]

// The database has no part in it.
suite('hostile players of rooms', { engines: ['sqlite'], start: startFunctionsService }, ({ service }) => {
  let game: Game
  let neighbour: GamePlayer
  let count = 0
  before(async () => {
    game = await newCodeGame(service, TRUSTING)
    ;[neighbour] = (await game.players(1)) as [GamePlayer]
    await neighbour.request({ t: 'create' })
  })
  after(() => game.end())

  const views = ({ received }: GamePlayer) => received.filter(({ t }) => t === 'room_joined').length

  /** A player alone in a room sends all of it; afterwards the other room of the process was not even restarted. */
  async function attack(frames: readonly string[]) {
    const before = views(neighbour)
    let [player] = (await game.players(1)) as [GamePlayer]
    const { room } = await player.request({ t: 'create' })
    for (const frame of frames) {
      player.send(frame)
      if (await isCutOff(player)) {
        player = await game.enter(player.guest)
        await player.request({ t: 'resume', roomId: room.id })
      }
      // For the rate of frames, and of errors.
      service.clock.advance(1_000)
      assert.deepEqual(await neighbour.request({ t: 'send', type: 'add' }), { data: ++count })
    }
    assert.equal((merged(neighbour).state as { count: number }).count, count)
    assert.equal(views(neighbour), before)
    if (player.received.some(({ t }) => t === 'room_closed')) return
    // Whoever comes next gets what was kept of it.
    const [next] = (await game.players(1)) as [GamePlayer]
    await next.request({ t: 'join', roomId: room.id })
    assert.deepEqual(await next.request({ t: 'send', type: 'echo', data: 1 }), { data: 1 })
    await Promise.all([player, next].map((each) => each.close()))
  }

  /** The edge closes the connection for what is no frame at all. */
  const isCutOff = (player: GamePlayer) =>
    player.settled().then(
      () => false,
      () => player.closed.then(() => true),
    )

  test('[RWC-111] no member of a frame makes the process look broken', async () => {
    const frames = Object.values(MEMBERS).flatMap((members) => [
      `{"t":"send",${members}}`,
      ...RIDS.map((rid) => `{"t":"send",${members},"rid":${rid}}`),
    ])
    await attack(frames)
  })

  for (const [what, json] of Object.entries(VALUES))
    test(`[RWC-111] data of a player never makes the process look broken: ${what}`, () =>
      attack(
        HANDLERS.flatMap((type) => [
          `{"t":"send","type":"${type}","data":${json}}`,
          `{"t":"send","type":"${type}","data":${json},"rid":"1"}`,
        ]),
      ))

  test('[RWC-111] a `seq` past 2^53 is refused: it would no longer be the number that the player has sent', async () => {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    const { code } = await player.refusal({ t: 'send', type: 'add', seq: 2 ** 53 })
    assert.equal(code, 'invalid_request')
    player.send({ t: 'send', type: 'add', seq: 2 ** 53 - 1 })
    assert.deepEqual((await player.next('sync'))['acks'], [2 ** 53 - 1])
    await player.close()
  })
})
