import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import { merged, newCodeGame, workerdPids } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'
import { Inbox } from './inbox.ts'

const isBusy = (error: unknown) => error instanceof ApiError && error.code === 'room_busy'

describe('what waits for the next turn of a room', () => {
  test('[RWC-59] 1,024 messages wait; one more is refused with room_busy until the next turn', () => {
    const inbox = new Inbox()
    for (let count = 0; count < LIMITS.roomWaitingInputsMax; count++) inbox.pushMessage('1', {})
    assert.throws(() => inbox.pushMessage('1', {}), isBusy)
    // Joins and leaves are limited by the seats.
    inbox.push({ kind: 'leave', text: '[]', playerId: 'ply_1' })
    inbox.keepMessages()
    assert.throws(() => inbox.pushMessage('1', {}), isBusy, 'after a restart of the code, too')
    assert.equal(inbox.take().length, LIMITS.roomWaitingInputsMax)
    inbox.pushMessage('1', {})
    assert.equal(inbox.take().length, 1)
  })

  test('[RWC-59] 256 KB wait, in bytes of UTF-8; one byte more is refused with room_busy until the next turn', () => {
    const inbox = new Inbox()
    const half = LIMITS.roomWaitingBytesMax / 2
    inbox.pushMessage('ä'.repeat(half / 2), {})
    inbox.pushMessage('x'.repeat(half - 1), {})
    assert.throws(() => inbox.pushMessage('xx', {}), isBusy)
    inbox.pushMessage('x', {})
    assert.throws(() => inbox.pushMessage('x', {}), isBusy)
    assert.equal(inbox.take().length, 3)
    inbox.pushMessage('x'.repeat(LIMITS.roomWaitingBytesMax), {})
  })
})

/** The text of a state of so many bytes as JSON, with this text as its only value. */
const CLASSES = `
const sized = (bytes) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
export class Arena extends Room {
  static tickRate = 60
  state = { count: 0 }
  onJoin(player) { this.own(player).id = player.id }
  save() { return this.saved ?? '' }
  onRestore(saved) { this.saved = saved }
  fill(player, [state, own, saved]) {
    this.state = sized(state)
    const mine = this.own(player)
    delete mine.id
    Object.assign(mine, sized(own))
    this.saved = 'x'.repeat(saved - 2)
  }
  messages = {
    add: () => { this.state.count++ },
    tick: () => this.tick,
    fill: (player, sizes) => this.fill(player, sizes),
    sizes: (player) => [this.state.text.length, this.own(player).text.length, this.saved.length],
    send: (player, [count, bytes]) => { for (let at = 0; at < count; at++) this.send('m', 'x'.repeat(bytes)) },
    throw: () => { throw new Error('thrown') },
    wait: () => new Promise(() => {}),
  }
}`

suite('limits of rooms with code', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  before(async () => void (game = await newCodeGame(service, CLASSES)))
  after(() => game.end())

  async function alone() {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    return player
  }
  /** Moves the clock until the answer is there. */
  async function ticking<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    void work.finally(() => (isDone = true)).catch(() => {})
    await comesTrue('the work is done', () => {
      if (!isDone) service.clock.advance(20)
      return isDone
    })
    return work
  }
  const ask = (player: GamePlayer, type: string, data?: unknown) =>
    ticking(player.request({ t: 'send', type, data })).then((reply) => reply['data'])
  const refusal = (player: GamePlayer, type: string, data?: unknown) =>
    ticking(player.refusal({ t: 'send', type, data }))

  test('[RWC-59] players get room_busy for what a room cannot take before its next turn', async () => {
    const player = await alone()
    const data = 'x'.repeat(LIMITS.messageDataBytesMax - 2)
    const perTurn = Math.floor(LIMITS.roomWaitingBytesMax / LIMITS.messageDataBytesMax)
    for (let count = 1; count < perTurn; count++) player.send({ t: 'send', type: 'unknown', data })
    player.send({ t: 'send', type: 'add' })
    assert.equal((await player.refusal({ t: 'send', type: 'add', data })).code, 'room_busy')
    player.send({ t: 'send', type: 'add', data })
    await player.settled()
    assert.equal(player.received.findLast(({ t }) => t === 'warn')?.['code'], 'room_busy')
    const counts = (count: number) =>
      comesTrue(`${count} messages have counted`, () => {
        service.clock.advance(20)
        return (merged(player).state as { count: number }).count === count
      })
    await counts(1)
    player.send({ t: 'send', type: 'add' })
    await counts(2)
    await player.close()
  })

  test('[RWC-59] a room may have 60 ticks a second, of which it skips those for which it is too slow', async () => {
    const player = await alone()
    const ticks = async () => {
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      const { tick, lateTicks } = body.rooms[0].server
      return { tick, due: tick + lateTicks }
    }
    const before = await ticks()
    for (let ms = 0; ms < 1_000; ms++) {
      service.clock.advance(1)
      if (ms % 16 === 0) await player.settled()
    }
    const after = await ticks()
    // 61 if a tick was under way at the first look: it counts when it has ended.
    assert.ok([60, 61].includes(after.due - before.due), `${after.due - before.due}`)
    assert.ok(after.tick > before.tick)
    await player.close()
  })

  test('[RWC-59] state, own state and save() at their limits together: joined, synced and restored; one byte more is an error', async () => {
    const player = await alone()
    const { roomStateBytesMax, playerStateBytesMax, roomSavedBytesMax } = LIMITS
    await ask(player, 'fill', [roomStateBytesMax, playerStateBytesMax, roomSavedBytesMax])
    const lengths = [roomStateBytesMax - 11, playerStateBytesMax - 11, roomSavedBytesMax - 2]
    assert.deepEqual(await ask(player, 'sizes'), lengths)
    const { state, own } = merged(player) as { state: { text: string }; own: { text: string } }
    assert.deepEqual([state.text.length, own.text.length], lengths.slice(0, 2))
    // Two seconds for a snapshot of this size, at 32 KB a second.
    for (let seconds = 0; seconds < 6; seconds++)
      await ask(player, 'tick').then(() => service.clock.advance(1_000))
    await ask(player, 'tick')
    const views = () => player.received.filter(({ t }) => t === 'room_joined').length
    const before = views()
    for (const pid of workerdPids()) process.kill(pid, 'SIGKILL')
    await comesTrue('the room is back', () => {
      service.clock.advance(20)
      return views() > before
    })
    assert.deepEqual(await ask(player, 'sizes'), lengths)

    for (const more of [
      [1, 0],
      [0, 1],
    ] as const) {
      const seen = JSON.stringify(merged(player))
      await ask(player, 'fill', [roomStateBytesMax + more[0], playerStateBytesMax + more[1], 2])
      await ask(player, 'tick')
      assert.equal(JSON.stringify(merged(player)), seen, 'the last state that could be sent')
    }
    const { body } = await game.side.server('GET', '/v1/admin/realtime')
    assert.ok(body.rooms[0].server.errors > 0)
    await ask(player, 'fill', [100, 100, 2])
    await ask(player, 'tick')
    assert.equal((merged(player).state as { text: string }).text.length, 89)
    await player.close()
  })

  test('[RWC-59] a turn sends 256 messages and 256 KB; more is an error of the handler, and nothing of it is lost to others', async () => {
    const player = await alone()
    const messages = () => player.received.filter(({ t }) => t === 'message').length
    await ask(player, 'send', [256, 1])
    assert.equal(messages(), 256)
    assert.equal((await refusal(player, 'send', [257, 1])).code, 'room_error')
    const fits = Math.floor(LIMITS.roomTurnBytesMax / 4) - 100
    await ask(player, 'send', [4, fits])
    assert.equal((await refusal(player, 'send', [5, fits])).code, 'room_error')
    assert.equal(await ask(player, 'tick').then((tick) => typeof tick), 'number')
    await player.close()
  })

  test('[RWC-59] a call whose promise never settles is answered with room_error', async () => {
    const player = await alone()
    player.send({ t: 'send', type: 'wait', rid: 'waiting' })
    const code = () => player.received.find(({ rid }) => rid === 'waiting')?.['error'].code
    for (let ms = 0; ms < LIMITS.roomPromiseTimeoutMs; ms += 1_000) {
      service.clock.advance(1_000)
      await player.settled()
      assert.equal(code(), undefined)
    }
    // The process itself gives up after 10 s of its own clock.
    await comesTrue('the call is answered', () => {
      service.clock.advance(1_000)
      return code() !== undefined
    })
    assert.equal(code(), 'room_error')
    await player.close()
  })

  test('[RWC-36] 19 errors in any 10 s do not close a room', async () => {
    const player = await alone()
    for (let windows = 0; windows < 3; windows++) {
      for (let errors = 0; errors < LIMITS.roomErrorsMax - 1; errors++)
        player.send({ t: 'send', type: 'throw' })
      await ask(player, 'tick')
      for (let ms = 0; ms < LIMITS.roomErrorsWindowMs; ms += 5_000) {
        service.clock.advance(5_000)
        await player.settled()
      }
    }
    assert.ok((await ask(player, 'tick')) > 0)
    await player.close()
  })
})
