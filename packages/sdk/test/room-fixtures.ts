import { merge } from '../src/code-rooms/merge.ts'
import { type Effect, readAnswer } from '../src/room/read-answer.ts'
import { Refusal, Room, type RoomPlayer } from '../src/room/room.ts'
import { createRooms, type RoomsOptions } from '../src/room/runtime.ts'

type World = { balls: Record<string, { x: number; y: number }>; left: number; map?: { walls: number[] } }

/** A class with everything that tests need. */
export class Arena extends Room<World, { coins?: number; log?: string[] }> {
  static override tickRate = 20
  static override still = ['map']
  seen: string[] = []

  override onCreate(options: { fails?: boolean; waits?: Promise<void> } | null): void | Promise<void> {
    if (options?.fails) throw new Error('no arena today')
    this.state = { balls: {}, left: 60_000, map: { walls: [1, 2] } }
    return options?.waits
  }
  override onRestore(saved: unknown) {
    this.seen = (saved as { seen: string[] }).seen
  }
  override onJoin(player: RoomPlayer): void | Promise<void> {
    if (player.id.startsWith('refused')) throw new Refusal('the game has begun')
    if (player.id.startsWith('broken')) throw new Error('a bug in onJoin')
    this.state.balls[player.id] = { x: 0, y: 0 }
    this.own(player).coins = 3
    this.seen.push(player.id)
  }
  override onLeave(player: RoomPlayer) {
    delete this.state.balls[player.id]
  }
  override onTick(dt: number) {
    this.state.left -= dt
  }
  override onServerMessage(type: string, data: unknown): unknown {
    if (type !== 'echo') throw new Refusal('only echo')
    return { data }
  }
  override save(): unknown {
    return { seen: this.seen }
  }
  override messages = {
    move: (player: RoomPlayer, { dx }: { dx: number }) => {
      const ball = this.state.balls[player.id]
      if (ball) ball.x += dx
    },
    spend: (player: RoomPlayer) => {
      const own = this.own(player)
      own.coins = (own.coins ?? 0) - 1
      return { coins: own.coins }
    },
    later: async (player: RoomPlayer, { value }: { value: number }) => {
      await Promise.resolve()
      this.state.left = value
      this.own(player).log = ['later']
      return value
    },
    never: () => new Promise<void>(() => {}),
    fails: () => {
      throw new Error('a bug in a handler')
    },
    failsLater: async () => {
      await Promise.resolve()
      throw new Error('a bug after an await')
    },
    refuses: () => {
      throw new Refusal('too expensive')
    },
    sets: (_: RoomPlayer, { key, value }: { key: string; value: unknown }) => {
      ;(this.state as Record<string, unknown>)[key] = value
    },
    runs: (_: RoomPlayer, name: string) => CODE.get(name)?.(this),
  }
}

/** Code that a test wants to run inside of a room, by name. */
export const CODE = new Map<string, (room: Arena) => unknown>()

export const infoOf = (id: string) => ({
  id,
  code: 'CODE',
  mode: 'arena',
  maxPlayers: 8,
  private: false,
  metadata: null,
  createdAt: 0,
  tickRate: 20,
})

/** Rooms of a process without a service: sends events, keeps all that comes back. */
export function startProcess(options: Partial<RoomsOptions> = {}) {
  const texts: string[] = []
  const errors: unknown[] = []
  let turn = 0
  let nowMs = 1_000
  const rooms = createRooms({
    classes: { Arena },
    env: { NAME: 'test' },
    run: (_, work) => work(),
    send: (text) => void texts.push(text),
    onError: (error) => void errors.push(error),
    ...options,
  })
  const handle = (...batch: [roomId: string, events: unknown[]][]) =>
    rooms.handle(JSON.stringify(batch.map(([roomId, events]) => [roomId, ++turn, nowMs, events])))
  /** One turn of one room. */
  const send = (...events: unknown[]): Effect[] => readAnswer(handle(['r1', events]))[0]?.effects ?? []
  return {
    errors,
    texts,
    handle,
    send,
    open: (className = 'Arena', createOptions: unknown = null) =>
      send(['open', className, createOptions, infoOf('r1'), 'seed']),
    advance: (ms: number) => void (nowMs += ms),
    /** What came outside of turns, after all promises that can settle. */
    async later(): Promise<Effect[]> {
      await new Promise((resolve) => setTimeout(resolve))
      return texts.splice(0).flatMap((text) => readAnswer(text).flatMap(({ effects }) => effects))
    },
  }
}

export const join = (id: string) => ['join', { id, displayName: id }]
export const kindsOf = (effects: readonly Effect[]) => effects.map(({ kind }) => kind)
export const payloadOf = (effects: readonly Effect[], kind: string): unknown =>
  effects.find((effect) => effect.kind === kind)?.payload

/** What a client has of a room: applies what the room sends, as the service would deliver it. */
export class Client {
  state: Record<string, unknown> = {}
  own: Record<string, unknown> = {}
  isIn = false
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
  receive(effects: readonly Effect[]) {
    for (const { kind, target, payload } of effects) {
      const members = payload as Record<string, never>
      if (this.isIn && kind === 'sync') merge(this.state, members)
      if (this.isIn && kind === 'own' && target === this.id) merge(this.own, members)
      if ((kind === 'joined' || kind === 'view') && target === this.id) {
        this.state = members['state'] ?? {}
        this.own = members['own'] ?? {}
        this.isIn = true
      }
    }
  }
}
