import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newCodeGame, ticking } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { allGone, back, roomsOf, TURNS } from '../../../testing/kept-rooms.ts'
import type { GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'
import type { RoomSnapshot } from '../room-protocol.ts'

const KEPT = { className: 'Turns', mode: { maxPlayers: 2 }, room: { keepDays: 2 } }

suite('limits of kept rooms', { start: startFunctionsService }, ({ service }) => {
  const rows = (id: string) =>
    service.db.search((q) => q.selectFrom('rooms_kept').selectAll().where('id', '=', id))
  const seats = (id: string) =>
    service.db.search((q) => q.selectFrom('rooms_kept_seats').selectAll().where('roomId', '=', id))
  type Query = Parameters<typeof service.db.search>[0]
  const change = (query: Query) => service.db.transaction((transaction) => transaction.search(query))

  test('[RWC-130] [RWC-131] a seat is stored when it is taken, and a call is answered when the database has it; calls share writes', async () => {
    const own = await newCodeGame(service, TURNS, KEPT)
    const players = (await own.players(2)) as [GamePlayer, GamePlayer]
    const [host, guest] = players
    const room = await own.room(players)
    const stored = async () => {
      const [row] = await rows(room.id)
      return { saves: row?.saves ?? 0, ...(JSON.parse(row?.snapshot ?? '{}') as RoomSnapshot) }
    }
    await comesTrue('both seats are stored', async () => (await stored()).seats.length === 2)
    const movesIn = async () => JSON.parse((await stored()).code?.snapshot ?? '{}').state.moves
    await host.request({ t: 'send', type: 'move', data: 'e4', call: 1 })
    assert.deepEqual(await movesIn(), ['e4'])
    await guest.request({ t: 'send', type: 'move', data: 'e5' })
    assert.deepEqual(await movesIn(), ['e4', 'e5'])
    assert.deepEqual(
      (await stored()).code?.calls?.map(([playerId]) => playerId),
      [host.id],
    )

    const { saves } = await stored()
    const replies = (player: GamePlayer) => player.received.filter(({ t }) => t === 'reply').length
    const before = players.map(replies)
    for (let move = 0; move < 50; move++)
      for (const player of players) player.send({ t: 'send', type: 'move', data: move, rid: `move ${move}` })
    await comesTrue('all are answered', () =>
      players.every((player, at) => replies(player) === (before[at] ?? 0) + 50),
    )
    const { length } = await movesIn()
    const writes = (await stored()).saves - saves
    assert.equal(length, 102)
    assert.ok(writes < 50, `${writes} writes for 100 calls`)
    await own.end()
  })

  test('[RWC-131] a kept room with ticks answers calls without a write, and so does one whose snapshot cannot be made', async () => {
    for (const classes of [
      TURNS.replace('extends Room {', 'extends Room {\n  static tickRate = 20'),
      TURNS.replace('save() {', 'save() { throw new Error("not now");'),
    ]) {
      const own = await newCodeGame(service, classes, KEPT)
      const [player] = (await own.players(1)) as [GamePlayer]
      const { room } = await player.request({ t: 'create' })
      await comesTrue('the seat is stored', async () => (await rows(room.id))[0]?.saves === 1)
      await ticking(service, player.request({ t: 'send', type: 'move', data: 'e4' }))
      assert.equal((await rows(room.id))[0]?.saves, 1)
      await own.end()
    }
  })

  test('[RWC-89] a player has seats in at most 50 kept rooms', async () => {
    const own = await newCodeGame(service, TURNS, KEPT)
    const [host, other] = (await own.players(2)) as [GamePlayer, GamePlayer]
    const { room } = await host.request({ t: 'create' })
    const full = (await other.request({ t: 'create' })).room
    const row = (await rows(room.id))[0]
    assert.ok(row)
    const { environmentId } = row
    for (let count = 1; count < 49; count++) {
      const id = `rom_${count}`
      await change((q) => q.insertInto('rooms_kept').values({ ...row, id, code: `CODE${count}` }))
      await change((q) =>
        q.insertInto('rooms_kept_seats').values({ environmentId, playerId: host.id, roomId: id }),
      )
    }
    await host.request({ t: 'leave', keepSeat: true })
    await host.request({ t: 'create' })
    assert.equal((await roomsOf(host)).length, 50)
    await host.request({ t: 'leave', keepSeat: true })
    const refusals = [{ t: 'create' }, { t: 'quickMatch' }, { t: 'join', code: full.code }]
    for (const frame of refusals) {
      const { code, details } = await host.refusal(frame)
      assert.deepEqual([code, details], ['too_many_rooms', { limit: 50 }], frame.t)
    }
    await host.request({ t: 'create', mode: 'relay' })
    await host.request({ t: 'leave' })
    await host.request({ t: 'join', code: room.code })
    await host.request({ t: 'leave' })
    await host.request({ t: 'create' })
    assert.equal((await roomsOf(host)).length, 50)
    await own.end()
  })

  test('[RWC-89] an environment keeps 10,000 rooms; more end when they are empty', async () => {
    const own = await newCodeGame(service, TURNS, KEPT)
    const [player] = (await own.players(1)) as [GamePlayer]
    const first = (await player.request({ t: 'create' })).room
    const [row] = await rows(first.id)
    assert.ok(row)
    for (let from = 0; from < 9_998; from += 100)
      await change((q) =>
        q.insertInto('rooms_kept').values(
          Array.from({ length: Math.min(100, 9_998 - from) }, (_, at) => ({
            ...row,
            id: `rom_${from + at}`,
            code: `C${from + at}`,
            snapshot: '{}',
          })),
        ),
      )
    await player.request({ t: 'leave', keepSeat: true })
    const last = (await player.request({ t: 'create' })).room
    assert.equal((await rows(last.id)).length, 1)
    await player.request({ t: 'leave', keepSeat: true })
    const more = (await player.request({ t: 'create' })).room
    assert.deepEqual([await rows(more.id), await seats(more.id)], [[], []])
    await allGone(service, own, [player])
    const again = await back(own, player)
    assert.equal((await again.refusal({ t: 'join', roomId: more.id })).code, 'room_not_found')
    await again.request({ t: 'join', roomId: last.id })
    await again.close()
  })
})
