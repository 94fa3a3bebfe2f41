import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

import * as fc from 'fast-check'

import { RoomModel } from '../../src/testing/room-model.ts'
import { until } from '../../src/testing/rooms.ts'
import { ReconnectingPlayer } from './reconnecting-player.ts'
import { replayRoom, type RoomView } from './room-replay.ts'
import type { NodeName, TwoNodes } from './two-nodes.ts'

type Step =
  | { do: 'connect'; player: number; node: NodeName }
  | { do: 'join' | 'resume' | 'leave' | 'drop'; player: number }
  | { do: 'lock'; player: number; locked: boolean }
  | { do: 'setState'; player: number; value: number | null }
  | { do: 'kill'; node: NodeName }

const PLAYERS = 4
const MAX_PLAYERS = 3
/** After this time it is uncertain whether a seat that is kept for 30 s still exists. */
const SEAT_CERTAIN_MS = 20_000

const playerIndex = fc.nat({ max: PLAYERS - 1 })
const node = fc.constantFrom<NodeName>('a', 'b')
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect' as const), player: playerIndex, node }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('join' as const, 'resume' as const), player: playerIndex }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'drop' as const), player: playerIndex }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lock' as const), player: playerIndex, locked: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('setState' as const),
      player: playerIndex,
      value: fc.option(fc.nat(99)),
    }),
  },
)
const kill = fc.record({ do: fc.constant('kill' as const), node })

/** Steps with a kill -9 between them, `kills` times. */
export const roomSteps = (kills: number): fc.Arbitrary<Step[]> =>
  fc
    .array(fc.tuple(fc.array(step, { minLength: 3, maxLength: 8 }), kill), {
      minLength: kills,
      maxLength: kills,
    })
    .chain((parts) =>
      fc.array(step, { minLength: 2, maxLength: 6 }).map((rest) => [...parts.flat(2), ...rest]),
    )

/** Players act at random on two server programs, one of which is killed at times. All players must see the room of the model. */
export class RoomRun {
  readonly #cluster: TwoNodes
  readonly #players: ReconnectingPlayer[] = []
  readonly #nodeOf = new Map<ReconnectingPlayer, NodeName>()
  #room: RoomModel | undefined
  #roomId = 'rom_0'
  #count = 0

  constructor(cluster: TwoNodes) {
    this.#cluster = cluster
  }

  async run(steps: readonly Step[]) {
    for (let i = 0; i < PLAYERS; i++) {
      const session = await this.#cluster.game.newPlayer(this.#cluster.nodes.a)
      this.#players.push(new ReconnectingPlayer(this.#cluster.game, session))
      await this.#connect(this.#player(i), i % 2 ? 'b' : 'a')
    }
    for (const action of steps) {
      await this.#step(action)
      if (this.#room?.seats.length === 0) this.#room = undefined
      await this.#compare(JSON.stringify(action))
    }
    for (const player of this.#players) if (this.#nodeOf.has(player)) await player.close()
  }

  async #step(action: Step) {
    if (action.do === 'kill') return this.#kill(action.node)
    const player = this.#player(action.player)
    if (action.do === 'connect') return this.#connect(player, action.node)
    if (!this.#nodeOf.has(player)) return
    if (action.do === 'drop') return this.#drop(player)
    if (action.do === 'join' && !this.#room) return this.#create(player)
    const answer = await player.ask(this.#frameOf(action))
    assert.equal(
      typeof answer === 'string' ? answer : 'ok',
      this.#expected(action, player.id),
      JSON.stringify(action),
    )
  }

  #frameOf(action: Exclude<Step, { do: 'kill' | 'connect' }>) {
    if (action.do === 'setState') return { t: 'setState', patch: { value: action.value } }
    if (action.do === 'lock') return { t: 'lock', locked: action.locked }
    return { t: action.do, ...(action.do !== 'leave' && { roomId: this.#roomId }) }
  }

  #expected(action: Exclude<Step, { do: 'kill' | 'connect' }>, id: string): string {
    const room = this.#room
    const isIn = room?.isIn(id) ?? false
    if (action.do === 'join' || action.do === 'resume') {
      if (isIn) return 'already_in_room'
      if (!room) return 'room_not_found'
      return action.do === 'join' ? room.join(id, '') : room.resume(id)
    }
    if (!room || !isIn) return 'not_in_room'
    if (action.do === 'lock') return room.lock(id, action.locked)
    if (action.do === 'leave') room.leave(id, 'left')
    if (action.do === 'setState') room.setState(id, { value: action.value })
    return 'ok'
  }

  async #create(player: ReconnectingPlayer) {
    const { room } = await player.must({ t: 'create', maxPlayers: MAX_PLAYERS })
    this.#roomId = String(room.id)
    this.#room = new RoomModel(this.#roomId, MAX_PLAYERS)
    this.#room.join(player.id, '')
  }

  async #connect(player: ReconnectingPlayer, at: NodeName) {
    const older = this.#nodeOf.has(player) ? player.socket : undefined
    await player.connect(this.#cluster.nodes[at])
    this.#nodeOf.set(player, at)
    if (older) assert.equal((await older.closed).code, 4004)
    this.#lose(player)
  }

  async #drop(player: ReconnectingPlayer) {
    this.#nodeOf.delete(player)
    await player.close()
    this.#lose(player)
  }

  #lose({ id }: ReconnectingPlayer) {
    if (this.#room?.isIn(id)) this.#room.lose(id, Date.now())
  }

  /** Kills the node after the last change is in a snapshot, so that nothing may be lost. */
  async #kill(name: NodeName) {
    const speaker = this.#players.find(({ id }) => this.#room?.isIn(id))
    // A snapshot is up to a second old: without a member nobody can tell when it has the last change.
    if (this.#room && !speaker) return
    if (speaker) {
      await this.#setState(speaker, 'kept')
      await this.#cluster.isSnapshotSaved(this.#roomId, `["kept","${this.#count}"]`)
    }
    await this.#cluster.kill(name)
    for (const [player, at] of this.#nodeOf) {
      if (at !== name) continue
      this.#nodeOf.delete(player)
      this.#lose(player)
    }
    // The remaining members get replies again as soon as there is a new owner.
    const survivor = this.#players.find(({ id }) => this.#room?.isIn(id))
    if (survivor) await this.#setState(survivor, 'after')
    await this.#cluster.restart(name)
  }

  async #setState(player: ReconnectingPlayer, key: string) {
    const patch = { [key]: ++this.#count }
    await player.must({ t: 'setState', patch })
    this.#room?.setState(player.id, patch)
  }

  /** Waits until the room as seen by each member equals the model. */
  async #compare(after: string) {
    const room = this.#room
    if (!room) return
    const inside = this.#players.filter(({ id }) => room.isIn(id))
    let received: unknown
    const agree = async () => {
      const views = inside.map((player) => replayRoom(player.receivedEvents))
      received = views
      return views.every((view) => isAsModelled(view, room))
    }
    await until(agree).catch(() => assert.deepEqual(received, room.view(), `after ${after}`))
    const [view] = inside.map((player) => replayRoom(player.receivedEvents))
    if (!view) return
    // Host and seats also depend on time. All players agree on them, so the model takes them over.
    room.hostId = view.hostId
    room.seats = room.seats.filter(({ id }) => view.players.some((player) => player.id === id))
  }

  #player(index: number): ReconnectingPlayer {
    const player = this.#players[index]
    assert.ok(player)
    return player
  }
}

function isAsModelled(view: RoomView, room: RoomModel): boolean {
  const host = room.find(room.hostId)
  const isHostRight = view.hostId === room.hostId || host?.connected === false
  const seats = room.seats.filter(
    ({ id, connected, lostAtMs }) =>
      connected || Date.now() - lostAtMs < SEAT_CERTAIN_MS || view.players.some((player) => player.id === id),
  )
  return (
    isHostRight &&
    view.players.some(({ id }) => id === view.hostId) &&
    view.locked === room.locked &&
    isDeepStrictEqual(view.state, room.state) &&
    isDeepStrictEqual(
      view.players,
      seats.map(({ id, connected }) => ({ id, connected })),
    )
  )
}
