import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

/** Refuses the players that a server has named; all rooms of the process know them. */
const CLASSES = `
const refused = new Set()
const asked = {}
export class Arena extends Room {
  state = { players: {} }
  onJoin(player) {
    asked[player.id] = (asked[player.id] ?? 0) + 1
    if (refused.has(player.id)) throw new Refusal('not you')
    this.state.players[player.id] = true
  }
  onLeave(player) { delete this.state.players[player.id] }
  onServerMessage(type, id) {
    if (type === 'refuse') refused.add(id)
    return asked[id] ?? 0
  }
}`

suite('quick matches of rooms with code', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  let control: string
  before(async () => {
    const mode = { minPlayers: 3, maxPlayers: 5, fillTimeoutSeconds: 0 }
    game = await newCodeGame(service, CLASSES, { mode })
    control = (await game.side.server('POST', '/v1/admin/x/rooms', { mode: 'default', private: true })).body
      .id
  })
  after(() => game.end())
  let players: GamePlayer[] = []
  afterEach(async () => {
    for (const player of players) await player.close()
  })

  async function tell(type: string, player: GamePlayer): Promise<number> {
    const sent = await game.side.server('POST', `/v1/admin/x/rooms/${control}/messages`, {
      type,
      data: player.id,
    })
    assert.equal(sent.status, 200)
    return sent.body.data
  }
  const enter = async (count: number) =>
    (players = await game.players(count)) as GamePlayer[] & {
      0: GamePlayer
      1: GamePlayer
      2: GamePlayer
      3: GamePlayer
      4: GamePlayer
    }
  const match = (player: GamePlayer, pool: string) => player.request({ t: 'quickMatch', pool })
  const seatsOf = ({ received }: GamePlayer) =>
    received.findLast(({ t }) => t === 'room_joined')?.['room'].players.map(({ id }: { id: string }) => id)

  test('[RWC-32] a player whom the code refuses when a match starts leaves the queue; the others are seated', async () => {
    const [a, b, c, d, e] = await enter(5)
    await tell('refuse', b)
    await match(a, 'start')
    await match(b, 'start')
    const { queued, roomId } = await match(c, 'start')
    assert.equal(queued, false)
    const { code, details, request } = await b.next('warn')
    assert.deepEqual([code, details, request], ['join_refused', { reason: 'not you' }, 'quickMatch'])
    for (const player of [a, c]) assert.deepEqual(seatsOf(player), [a.id, c.id])
    assert.equal((await b.refusal({ t: 'leave' })).code, 'not_in_room')
    // The room has free seats for others.
    for (const player of [d, e]) assert.deepEqual(await match(player, 'start'), { queued: false, roomId })
  })

  test('[RWC-32] the player whose request starts the match is refused by the reply, and a match of refused players does not exist', async () => {
    const [a, b, c] = await enter(3)
    for (const player of [a, b, c]) await tell('refuse', player)
    await match(a, 'refused')
    await match(b, 'refused')
    const refusal = await c.refusal({ t: 'quickMatch', pool: 'refused' })
    assert.deepEqual([refusal.code, refusal.details], ['join_refused', { reason: 'not you' }])
    for (const player of [a, b]) assert.equal((await player.next('warn'))['code'], 'join_refused')
    const { body } = await game.side.server('GET', '/v1/admin/realtime')
    const seated = JSON.stringify(body.rooms)
    for (const { id } of [a, b, c]) assert.ok(!seated.includes(id))
    assert.deepEqual(body.queues, [])
  })

  test('[RWC-32] a player whom the code of a started match refuses is not seated and waits; the others go on', async () => {
    const [a, b, c, refused, later] = await enter(5)
    await tell('refuse', refused)
    await match(a, 'fill')
    await match(b, 'fill')
    const { roomId } = await match(c, 'fill')
    assert.deepEqual(await match(refused, 'fill'), { queued: true })
    assert.deepEqual(await match(later, 'fill'), { queued: false, roomId })
    assert.deepEqual(seatsOf(later), [a.id, b.id, c.id, later.id])
    for (const player of [a, b, c]) {
      const joined = player.received
        .filter(({ t }) => t === 'player_joined')
        .map((event) => event['player'].id)
      assert.ok(!joined.includes(refused.id), 'nobody has seen the refused player')
    }
    assert.equal((await refused.refusal({ t: 'leave' })).code, 'not_in_room')
    // Each free seat is asked for once, not again and again.
    for (let seconds = 0; seconds < 5; seconds++) {
      service.clock.advance(1_000)
      await refused.settled()
    }
    const asked = await tell('asked', refused)
    assert.ok(asked <= 4, `the code was asked ${asked} times`)
    await comesTrue('the seat is free', async () => {
      await later.request({ t: 'leave' }).catch(() => {})
      return (await game.side.server('GET', '/v1/admin/realtime')).body.rooms.some(
        (room: { id: string; players: unknown[] }) => room.id === roomId && room.players.length === 3,
      )
    })
  })
})
