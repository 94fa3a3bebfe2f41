import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import * as fc from 'fast-check'

import { newGuest } from '../../testing/guests.ts'
import { RoomModel } from '../../testing/room-model.ts'
import { type Game, type GamePlayer, newGame, until } from '../../testing/rooms.ts'
import { runs } from '../../testing/runs.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import type { Received } from '../../testing/sockets.ts'

const PLAYERS = 4
const MAX_PLAYERS = 3

type Step =
  | { do: 'create' | 'join' | 'resume' | 'leave' | 'enter' | 'drop' | 'comeBack'; who: number }
  | { do: 'lock'; who: number; locked: boolean }
  | { do: 'setState' | 'setMyState'; who: number; patch: Record<string, number | null> }
  | { do: 'send'; who: number; data: unknown; to?: number[] }
  | { do: 'wait'; ms: number }

type Act = Exclude<Step, { do: 'wait' }>

const who = fc.nat({ max: PLAYERS - 1 })
const constant = <T extends string>(value: T) => fc.constant(value)
const patch = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.integer()), { maxKeys: 2 })
const coming = fc.constantFrom('create', 'join', 'join', 'resume', 'enter', 'comeBack', 'comeBack')
const going = fc.constantFrom('leave', 'drop', 'drop')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: coming, who }) },
  { weight: 4, arbitrary: fc.record({ do: going, who }) },
  { weight: 1, arbitrary: fc.record({ do: constant('lock'), who, locked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('setState', 'setMyState'), who, patch }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: constant('send'),
      who,
      data: fc.jsonValue({ maxDepth: 1 }),
      to: fc.option(fc.array(who, { maxLength: 3 }), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: constant('wait'), ms: fc.constantFrom(1_000, 4_999, 5_000, 25_000, 30_000) }),
  },
) as fc.Arbitrary<Step>

/** Converted to JSON and back, as the service returns them. */
const steps = fc
  .array(step, { minLength: 15, maxLength: 25 })
  .map((all) => JSON.parse(JSON.stringify(all)) as Step[])

/** Random steps of four players. After each step, the answer and all events are compared with the model. */
class Run {
  readonly #nodes: readonly Service[]
  readonly #game: Game
  readonly #guests: Awaited<ReturnType<typeof newGuest>>[]
  readonly #sockets: (GamePlayer | undefined)[] = []
  #room: RoomModel | undefined
  #roomId = 'rom_0'

  constructor(nodes: readonly Service[], game: Game, guests: Awaited<ReturnType<typeof newGuest>>[]) {
    this.#nodes = nodes
    this.#game = game
    this.#guests = guests
  }

  async step(one: Step): Promise<void> {
    if (one.do === 'comeBack') {
      await this.step({ do: 'enter', who: one.who })
      return this.step({ do: 'resume', who: one.who })
    }
    if (one.do === 'wait') this.#wait(one.ms)
    else await this.#act(one, this.#guests[one.who]?.id ?? '')
    if (this.#room?.seats.length === 0) this.#room = undefined
    for (const socket of this.#sockets) if (socket) await this.#compareNews(socket)
  }

  async #act(one: Act, id: string) {
    const socket = this.#sockets[one.who]
    if (one.do === 'enter') return this.#enter(one.who, id)
    if (!socket) return
    if (one.do === 'drop') return this.#drop(one.who, socket)
    if (one.do === 'create' && this.#room && !this.#room.isIn(id)) return

    const before = this.#room
    const frame = this.#frameOf(one)
    const expected = this.#expected(one, id)
    const answer = (await socket.request(frame).catch(codeOf)) as string | { room?: Received }
    assert.equal(typeof answer === 'string' ? answer : 'ok', expected, JSON.stringify(one))
    if (one.do !== 'create' || expected !== 'ok' || typeof answer === 'string') return

    assert.equal(before, undefined)
    this.#roomId = String(answer.room?.['id'])
    this.#room = new RoomModel(this.#roomId, MAX_PLAYERS)
    this.#room.join(id, this.#guests[one.who]?.displayName ?? '')
  }

  #frameOf(one: Act): object {
    const { who: _, do: t, ...fields } = one
    if (t === 'create') return { t, maxPlayers: MAX_PLAYERS }
    if (t === 'join' || t === 'resume') return { t, roomId: this.#roomId }
    if (one.do === 'send') return { t, type: 'x', data: one.data, ...(one.to && { to: this.#idsOf(one.to) }) }
    return { t, ...fields }
  }

  #expected(one: Act, id: string): string {
    const room = this.#room
    const isIn = room?.isIn(id) ?? false
    if (one.do === 'create') return isIn ? 'already_in_room' : 'ok'
    if (one.do === 'join' || one.do === 'resume') {
      if (isIn) return 'already_in_room'
      if (!room) return 'room_not_found'
      return one.do === 'join' ? room.join(id, this.#guests[one.who]?.displayName ?? '') : room.resume(id)
    }
    if (!room || !isIn) return 'not_in_room'
    if (one.do === 'lock') return room.lock(id, one.locked)
    if (one.do === 'leave') room.leave(id, 'left')
    if (one.do === 'setState') room.setState(id, one.patch)
    if (one.do === 'setMyState') room.setMyState(id, one.patch)
    if (one.do === 'send') {
      const to = one.to && this.#idsOf(one.to)
      room.send(id, one.data, to, this.#nowMs())
    }
    return 'ok'
  }

  /** On any node; an older connection of the same player is replaced. */
  async #enter(index: number, id: string) {
    const older = this.#sockets[index]
    const node = this.#nodes[index % this.#nodes.length]
    const guest = this.#guests[index]
    assert.ok(guest && node)
    const isSeated = this.#room?.find(id) !== undefined
    const socket = await this.#game.enter(guest, node)
    assert.deepEqual(socket.welcome['room'], isSeated ? { id: this.#roomId } : null)
    this.#sockets[index] = socket
    if (!older) return
    assert.equal((await older.closed).code, 4004)
    await this.#noticedLoss(id)
  }

  async #drop(index: number, socket: GamePlayer) {
    this.#sockets[index] = undefined
    await socket.close()
    await this.#noticedLoss(socket.id)
  }

  async #noticedLoss(id: string) {
    if (!this.#room?.isIn(id)) return
    this.#room.lose(id, this.#nowMs())
    await until(async () => {
      const { body } = await this.#game.side.server('GET', '/v1/admin/realtime')
      const players = body.rooms.flatMap((room: { players: object[] }) => room.players)
      return players.some((player: Received) => player['id'] === id && player['connected'] === false)
    })
  }

  #wait(ms: number) {
    const fromMs = this.#nowMs()
    this.#nodes[0]?.clock.advance(ms)
    this.#room?.pass(fromMs, this.#nowMs())
  }

  async #compareNews(socket: GamePlayer) {
    const received = (await socket.news()).map(comparable)
    assert.deepEqual(received, this.#room?.take(socket.id) ?? [])
    for (const { room } of received) if (room) assertSound(room)
  }

  #idsOf = (indexes: readonly number[]) => indexes.map((index) => this.#guests[index]?.id ?? '')
  #nowMs = () => this.#nodes[0]?.clock.now().getTime() ?? 0
}

/** The part of an event that a model can predict. */
function comparable(event: Received): Received {
  if (!event['room']) return event
  const { hostId, locked, state, players } = event['room']
  return { ...event, room: { hostId, locked, state, players } }
}

function assertSound({ hostId, players }: { hostId: string; players: { id: string }[] }) {
  assert.ok(players.length <= MAX_PLAYERS)
  assert.equal(players.filter(({ id }) => id === hostId).length, 1)
  assert.equal(new Set(players.map(({ id }) => id)).size, players.length)
}

const codeOf = (error: Error): string => /"code":"(\w+)"/.exec(error.message)?.[1] ?? error.message

for (const { engine, title, open, numRuns } of [
  {
    engine: 'sqlite',
    title: 'one node on SQLite',
    open: async () => [await startService('sqlite')],
    numRuns: runs(20, 300),
  },
  {
    engine: 'postgres',
    title: 'two nodes on PostgreSQL and Redis',
    async open() {
      const first = await startService('postgres')
      return [first, await startService('postgres', { clusterOf: first })]
    },
    numRuns: runs(6, 100),
  },
] as const) {
  if (!engines.includes(engine)) continue
  describe(`the model of a room, ${title}`, () => {
    let nodes: Service[]
    before(async () => void (nodes = await open()))
    after(async () => {
      for (const node of nodes.toReversed()) await node.stop()
    })

    test('replies and events of random actions are those of the model', async () => {
      const [first] = nodes as [Service]
      const property = fc.asyncProperty(steps, async (all) => {
        const game = await newGame(first)
        const guests = await Promise.all(Array.from({ length: PLAYERS }, () => newGuest(game.side)))
        const run = new Run(nodes, game, guests)
        for (let index = 0; index < PLAYERS; index++) await run.step({ do: 'enter', who: index })
        await run.step({ do: 'create', who: 0 })
        for (const index of [1, 2]) await run.step({ do: 'join', who: index })
        for (const one of all) await run.step(one)
        await game.end()
      })
      await fc.assert(property, { numRuns, seed: 20_260_101, endOnFailure: true })
    })
  })
}
