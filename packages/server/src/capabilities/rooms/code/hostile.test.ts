import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { merged, newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { runs } from '../../../testing/runs.ts'
import { suite } from '../../../testing/suite.ts'

const HONEST = `
export class Arena extends Room {
  state = { count: 0 }
  onJoin(player) { this.own(player).hand = 'hand of ' + player.id }
  messages = { add: () => ++this.state.count }
}`

/** A developer who does what the code of a room can do. All rooms of one process share its memory and its prototypes. */
const HOSTILE = `
const kept = []
const own = { send: WebSocket.prototype.send, forge: undefined }
/** Of the runtime: what it sends to the service goes through here. */
WebSocket.prototype.send = function (text) {
  const forge = own.forge
  own.forge = undefined
  own.send.call(this, forge ? forge.call(this, text) : text)
}
const answer = (text) => JSON.parse(text.slice(0, text.indexOf('\\n')))
const FORGERIES = {
  'another room': (text) => text.replaceAll(answer(text)[0][0], 'rom_other'),
  'another turn': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn + 1, []])) + '\\n',
  'no turn': () => '[]\\n',
  'no JSON': () => '[[[\\n',
  'no line': () => 'x'.repeat(100),
  'too few payloads': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn, [['sync', '']]])) + '\\n',
  '257 messages': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn, Array.from({ length: 257 }, () => ['msg', '*'])])) + '\\n' + '{"type":"m","data":1}\\n'.repeat(257 * answer(text).length),
  'a state of 1 MB': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn, [['sync', '']]])) + '\\n' + ('{"a":"' + 'x'.repeat(1e6) + '"}\\n').repeat(answer(text).length),
  'a patch that is no object': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn, [['sync', '']]])) + '\\n' + '[1]\\n'.repeat(answer(text).length),
  'an answer to no question': (text) => JSON.stringify(answer(text).map(([id, turn]) => [id, turn, [['reply', 999]]])) + '\\n' + '1\\n'.repeat(answer(text).length),
  '32 MB': () => 'x'.repeat(32 * 1024 * 1024),
}
export const FORGED = Object.keys(FORGERIES)
export class Arena extends Room {
  state = { count: 0 }
  messages = {
    add: () => ++this.state.count,
    loop: () => { for (;;); },
    leak: () => { for (;;) kept.push(new Uint8Array(4_000_000).fill(1)) },
    throw: () => { throw new Error('thrown') },
    flood: async () => {
      for (let turns = 0; turns < 200; turns++) {
        for (let at = 0; at < 256; at++) this.send('flood', 'x'.repeat(500))
        await new Promise((resolve) => setTimeout(resolve))
      }
    },
    large: () => this.send('large', 'x'.repeat(32 * 1024 * 1024)),
    largeState: () => { this.state.large = 'x'.repeat(1024 * 1024) },
    largeAnswer: () => 'x'.repeat(32 * 1024 * 1024),
    circular: () => { this.state.self = this.state },
    mend: () => { delete this.state.large; delete this.state.self },
    wait: () => new Promise(() => {}),
    cut: () => { own.forge = function () { this.close(1000, 'over') } },
    forge: (player, what) => { own.forge = FORGERIES[what] },
  }
}`
const FORGERIES = [
  'another room',
  'another turn',
  'no turn',
  'no JSON',
  'no line',
  'too few payloads',
  '257 messages',
  'a state of 1 MB',
  'a patch that is no object',
  'an answer to no question',
  '32 MB',
]

// The database has no part in it.
suite('hostile rooms', { engines: ['sqlite'], start: startFunctionsService }, ({ service }) => {
  let honest: Game
  let hostile: Game
  let witness: GamePlayer
  before(async () => {
    honest = await newCodeGame(service, HONEST)
    hostile = await newCodeGame(service, HOSTILE)
    // An endless loop ends sooner.
    const enabled = await hostile.side.server('POST', '/v1/admin/functions/enable', { cpuMs: 500 })
    assert.equal(enabled.status, 200)
    ;[witness] = (await honest.players(1)) as [GamePlayer]
    await witness.request({ t: 'create' })
  })
  after(async () => {
    await hostile.end()
    await honest.end()
  })

  const views = ({ received }: GamePlayer) => received.filter(({ t }) => t === 'room_joined').length
  const closedWith = ({ received }: GamePlayer) => received.find(({ t }) => t === 'room_closed')?.['reason']
  const add = async (player: GamePlayer): Promise<number> =>
    (await player.request({ t: 'send', type: 'add' }))['data']

  /** The service, its other rooms and its other environments work as before. */
  async function assertOthersGoOn() {
    const before = (merged(witness).state as { count: number }).count
    assert.equal(await add(witness), before + 1)
    assert.equal(views(witness), 1, 'the room of another game was not even restarted')
    assert.equal(closedWith(witness), undefined)
    assert.equal((await hostile.side.server('GET', '/v1/admin/realtime')).status, 200)
  }

  /** A hostile room and a good one in the same process. */
  async function pair() {
    const [bad, good] = (await hostile.players(2)) as [GamePlayer, GamePlayer]
    for (const player of [bad, good]) await player.request({ t: 'create' })
    assert.equal(await add(good), 1)
    // A snapshot.
    service.clock.advance(1_000)
    await good.settled()
    return { bad, good }
  }
  const end = (...players: GamePlayer[]) => Promise.all(players.map((player) => player.close()))

  /** The room does it twice: the first time all rooms of the process start again, the second time it is closed. */
  async function endsTheProcessTwice(why: string, attack: (bad: GamePlayer) => void) {
    const { bad, good } = await pair()
    for (let times = 1; times <= 2; times++) {
      const before = views(bad)
      attack(bad)
      await comesTrue(`the process was ended, time ${times}`, () => {
        service.clock.advance(100)
        return views(bad) > before || closedWith(bad) !== undefined
      })
    }
    assert.equal(closedWith(bad), 'failed')
    await comesTrue('the log says why', async () => {
      const { body } = await hostile.side.server('GET', '/v1/admin/functions/logs?q=the process of rooms')
      return JSON.stringify(body).includes(`${why}: the process of rooms has ended`)
    })
    good.send({ t: 'send', type: 'add', rid: 'after' })
    await comesTrue('the good room runs', () => {
      service.clock.advance(100)
      return good.received.some(({ rid, ok }) => rid === 'after' && ok === true)
    })
    assert.equal(closedWith(good), undefined)
    await assertOthersGoOn()
    await end(bad, good)
  }

  test('[RWC-13] [RWC-42] an endless loop', () =>
    endsTheProcessTwice('cpu_limit_exceeded', (bad) => bad.send({ t: 'send', type: 'loop' })))

  test('[RWC-13] [RWC-42] a leak', () =>
    endsTheProcessTwice('memory_limit_exceeded', (bad) => bad.send({ t: 'send', type: 'leak' })))

  test('[RWC-36] throws', async () => {
    const { bad, good } = await pair()
    for (let errors = 0; errors < 20; errors++) bad.send({ t: 'send', type: 'throw' })
    assert.equal((await bad.next('room_closed'))['reason'], 'failed')
    assert.equal(await add(good), 2)
    assert.equal(views(good), 1, 'a throw harms no other room of the process')
    await assertOthersGoOn()
    await end(bad, good)
  })

  test('[RWC-59] floods of messages', async () => {
    const { bad, good } = await pair()
    bad.send({ t: 'send', type: 'flood' })
    for (let count = 2; count <= 20; count++) assert.equal(await add(good), count)
    await assertOthersGoOn()
    assert.equal(views(good), 1)
    await end(bad, good)
  })

  test('[RWC-59] messages and answers of 32 MB, a state of 1 MB, a state that contains itself', async () => {
    const { bad, good } = await pair()
    assert.equal((await bad.refusal({ t: 'send', type: 'large' })).code, 'room_error')
    assert.equal((await bad.refusal({ t: 'send', type: 'largeAnswer' })).code, 'room_error')
    for (const type of ['largeState', 'circular']) {
      await bad.request({ t: 'send', type })
      await bad.request({ t: 'send', type: 'add' })
      assert.ok(JSON.stringify(merged(bad).state).length < 100, 'not sent')
      await bad.request({ t: 'send', type: 'mend' })
    }
    const count = await add(bad)
    assert.deepEqual(merged(bad).state, { count }, 'mended')
    assert.equal(await add(good), 2)
    assert.equal(views(good), 1)
    await assertOthersGoOn()
    await end(bad, good)
  })

  test('[RWC-43] the stream is cut while promises are open', async () => {
    const { bad, good } = await pair()
    const before = [bad, good].map(views)
    bad.send({ t: 'send', type: 'wait', rid: 'open' })
    good.send({ t: 'send', type: 'wait', rid: 'open' })
    for (const player of [bad, good]) await player.settled()
    bad.send({ t: 'send', type: 'cut' })
    for (const [at, player] of [bad, good].entries())
      await comesTrue('the room is back', () => {
        service.clock.advance(100)
        return views(player) > (before[at] ?? 0)
      })
    for (const { received } of [bad, good]) {
      const reply = received.find(({ rid }) => rid === 'open')
      assert.equal(reply?.['error']?.code, 'room_error', 'the promise never settles, so the call is answered')
    }
    assert.equal(await add(good), 2)
    await assertOthersGoOn()
    await end(bad, good)
  })

  // Two of them in every run; the short form has the others in `answers.test.ts`.
  const forged = runs(['another room', '32 MB'], FORGERIES)
  for (const what of forged)
    test(`[RWC-48] [RWC-112] forged answers: ${what}`, () =>
      endsTheProcessTwice('failed', (bad) => bad.send({ t: 'send', type: 'forge', data: what })))
})
