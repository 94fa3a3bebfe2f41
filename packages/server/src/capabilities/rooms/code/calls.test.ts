import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployRooms, newCodeGame, workerdPids } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

const CLASSES = `
export class Arena extends Room {
  state = { count: 0 }
  messages = {
    add: () => ++this.state.count,
    refuse: () => { this.state.count++; throw new Refusal('not now') },
    large: () => { this.state.count++; return 'x'.repeat(20_000) },
    wait: () => { this.state.count++; return new Promise((resolve) => (this.go = resolve)) },
    go: () => this.go('gone'),
    count: () => this.state.count,
  }
}`

suite('calls that are sent again', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  before(async () => void (game = await newCodeGame(service, CLASSES)))
  after(() => game.end())

  const call = async (player: GamePlayer, type: string, number?: number) =>
    (await player.request({ t: 'send', type, ...(number !== undefined && { call: number }) })).data
  const refusal = (player: GamePlayer, type: string, number: number) =>
    player.refusal({ t: 'send', type, call: number })
  async function pair() {
    const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
    const room = await game.room([host, guest])
    return { host, guest, room }
  }
  /** On a new connection. */
  async function again(player: GamePlayer, roomId: string) {
    const newer = await game.enter(player.guest)
    await newer.request({ t: 'resume', roomId })
    return newer
  }

  test('[RWC-127] a call with the number of an earlier one is answered as that one, and not handled again', async () => {
    const { host, guest, room } = await pair()
    assert.deepEqual([await call(host, 'add', 7), await call(host, 'add', 7)], [1, 1])
    assert.equal(await call(guest, 'add', 7), 2, 'another player has numbers of its own')
    assert.equal(await call(host, 'add', 6), 3, 'a smaller number can be new')
    for (let times = 0; times < 2; times++) {
      const { code, details } = await refusal(host, 'refuse', 8)
      assert.deepEqual([code, details], ['room_error', { reason: 'not now' }])
    }
    assert.equal(await call(host, 'count'), 4)

    const newer = await again(host, room.id)
    assert.deepEqual([await call(newer, 'add', 7), await call(newer, 'add', 6)], [1, 3])
    assert.deepEqual([await call(newer, 'add'), await call(newer, 'add')], [5, 6], 'without a number')
    await newer.request({ t: 'leave' })
    await newer.request({ t: 'join', roomId: room.id })
    assert.equal(await call(newer, 'add', 7), 7, 'who left has no earlier calls')
  })

  test('[RWC-127] a call that is sent again while its handler runs is answered on the new connection', async () => {
    const { host, guest, room } = await pair()
    host.send({ t: 'send', type: 'wait', call: 1, rid: 'first' })
    await host.settled()
    const newer = await again(host, room.id)
    const answer = call(newer, 'wait', 1)
    await comesTrue('the handler has ended', async () => {
      await guest.request({ t: 'send', type: 'go' })
      return newer.received.some(({ t, data }) => t === 'reply' && data?.data === 'gone')
    })
    assert.equal(await answer, 'gone')
    assert.equal(await call(newer, 'count'), 1)
  })

  test('[RWC-127] 64 calls of a player are known, with 16 KB of answers; a number that is none is refused', async () => {
    const { host } = await pair()
    for (let number = 0; number < 64; number++) await call(host, 'add', number)
    assert.equal(await call(host, 'add', 0), 1)
    await call(host, 'add', 64)
    assert.equal(await call(host, 'add', 1), 2)
    assert.equal(await call(host, 'add', 0), 66, 'the oldest is not known any more')

    assert.equal((await call(host, 'large', 100)).length, 20_000)
    const { code, details } = await refusal(host, 'large', 100)
    assert.equal(code, 'room_error')
    assert.match(String(details?.['reason']), /was handled/)
    assert.equal(await call(host, 'count'), 67)

    const largest = Number.MAX_SAFE_INTEGER
    assert.deepEqual([await call(host, 'add', largest), await call(host, 'add', largest)], [68, 68])
    for (const number of [-1, 1.5, largest + 1, 1e300, '7', null])
      assert.equal(
        (await host.refusal({ t: 'send', type: 'add', call: number })).code,
        'invalid_request',
        String(number),
      )
    assert.equal(await call(host, 'count'), 68)
  })

  test('[RWC-128] after a deploy the answers are known; after the end of the process those that its snapshot has', async () => {
    const { host } = await pair()
    assert.equal(await call(host, 'add', 1), 1)
    const views = () => host.received.filter(({ t }) => t === 'room_joined').length
    const restarted = (before: number) =>
      comesTrue('the code has started again', () => {
        service.clock.advance(100)
        return views() > before
      })
    await deployRooms(game.side, CLASSES, { finishMinutes: 0 })
    await restarted(1)
    assert.deepEqual([await call(host, 'add', 1), await call(host, 'count')], [1, 1])

    // A snapshot is due after a second.
    assert.equal(await call(host, 'add', 2), 2)
    service.clock.advance(1_000)
    await call(host, 'count')
    assert.equal(await call(host, 'add', 3), 3)
    for (const pid of workerdPids()) process.kill(pid, 'SIGKILL')
    await restarted(2)
    assert.deepEqual([await call(host, 'add', 2), await call(host, 'count')], [2, 2])
    assert.equal(await call(host, 'add', 3), 3, 'its effect was lost, so it is handled again')
    assert.equal(await call(host, 'count'), 3)
  })
})
