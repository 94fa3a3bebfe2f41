import { merge } from '../code-rooms/merge.ts'
import { type Effect, readAnswer } from './read-answer.ts'
import type { RoomEvent, RoomSnapshot } from './room-events.ts'
import type { AnyRoom, OptionsOf, OwnOf, StateOf } from './room-types.ts'
import { createRooms, type Rooms } from './runtime.ts'
import { type ReceivedMessage, TestPlayer } from './test-player.ts'
import { type ReportedTestStats, testService } from './test-service.ts'

export { replay } from './replay.ts'
export type { ReceivedMessage } from './test-player.ts'
export { TestPlayer } from './test-player.ts'
export type { ReportedTestStats } from './test-service.ts'

/** How a test room is created. */
export type TestRoomOptions<R> = {
  /** What `onCreate` gets. */
  options?: OptionsOf<R>
  /** `this.env`. Its `SVC` collects what `report` sends, unless you pass another one. */
  env?: Record<string, unknown>
  /** Decides the sequence of `random()` (default: `test`). */
  seed?: string
  /** The first `now`, in Unix milliseconds (default: 0). */
  nowMs?: number
  maxPlayers?: number
  metadata?: unknown
}

/**
 * Creates a room of a class in Node, for unit tests with any test runner. It runs in the same runtime as in the service; only time and
 * players are those of the test. Rejects if `onCreate` throws.
 *
 * ```ts
 * const room = await createTestRoom(Counter)
 * const ada = await room.join('ada')
 * ada.send('add', 2)
 * console.log(room.state.count) // → 2
 * ```
 */
export async function createTestRoom<R extends AnyRoom>(
  Class: new () => R,
  options: TestRoomOptions<R> = {},
): Promise<TestRoom<R>> {
  const room = new TestRoom<R>(Class, options)
  await room.opened
  return room
}

const ID = 'test'
const CLASS_NAME = 'Class'

type Waiting = { resolve(value: unknown): void; reject(error: unknown): void }

/** A room in a test. What players see (`state`, `own`) is put together from what the room sends, as in their clients. */
export class TestRoom<R extends AnyRoom> {
  /** The shared state, as clients have it. Always the same object. */
  readonly state = {} as StateOf<R>
  /** The changes of the shared state, one per turn that changed it. */
  readonly patches: Record<string, unknown>[] = []
  /** The messages that the room has sent; `to` is `*` or the ids of the receivers. */
  readonly sent: (ReceivedMessage & { to: '*' | string[] })[] = []
  /** What `report` was called with. */
  readonly reports: ReportedTestStats[] = []
  /** What was thrown after an `await`, where no call got it. */
  readonly errors: unknown[] = []
  /** The players in the room, by id. */
  readonly players = new Map<string, TestPlayer<R>>()
  /** What the room has passed to `end`, if it has ended. */
  ended: { result: unknown } | undefined
  isLocked = false
  metadata: unknown
  /** When `onWake` is wanted, in Unix milliseconds. */
  wakeAt: number | null = null
  /** `now` of the next turn. */
  nowMs: number
  /** @internal */
  readonly opened: Promise<unknown>
  #turn = 0
  #tick = 0
  #tickRate = 0
  #asks = 0
  #thrown: unknown[] = []
  #snapshot: RoomSnapshot | undefined
  readonly #Class: new () => R
  readonly #options: TestRoomOptions<R>
  readonly #waiting = new Map<string, Waiting>()
  #rooms: Rooms

  /** @internal */
  constructor(Class: new () => R, options: TestRoomOptions<R>) {
    this.#Class = Class
    this.#options = options
    this.nowMs = options.nowMs ?? 0
    this.metadata = options.metadata ?? null
    this.#rooms = this.#createRuntime()
    this.opened = this.#open([
      'open',
      CLASS_NAME,
      options.options ?? null,
      this.#info(),
      options.seed ?? 'test',
    ])
  }

  // --- what happens to the room

  /** A player joins. Rejects if the room refuses: an error with the reason, or what `onJoin` threw. */
  async join(id: string, displayName: string | null = id): Promise<TestPlayer<R>> {
    const player: TestPlayer<R> = new TestPlayer<R>(id, displayName, {
      send: (playerId, type, data) => this.#run(['in', playerId, ++player.seq, type, data ?? null]),
      call: (playerId, type, data) =>
        this.#ask((askId) => ['ask', askId, playerId, ++player.seq, type, data ?? null]),
      leave: (playerId, reason) => {
        this.players.delete(playerId)
        this.#run(['leave', playerId, reason])
      },
      connected: (playerId, isConnected) => this.#run([isConnected ? 'back' : 'drop', playerId]),
    })
    this.players.set(id, player)
    try {
      await this.#wait(`join ${id}`, ['join', { id, displayName }])
    } catch (error) {
      this.players.delete(id)
      throw error
    }
    return player
  }

  /** Makes ticks, and moves the time by one tick each. Throws what `onTick` throws. */
  tick(count = 1) {
    for (let made = 0; made < count; made++) {
      this.nowMs += this.#tickRate === 0 ? 0 : 1000 / this.#tickRate
      this.#run(['tick', ++this.#tick])
    }
  }

  /** Calls `onWake`. */
  wake() {
    this.nowMs = Math.max(this.nowMs, this.wakeAt ?? 0)
    this.wakeAt = null
    this.#run(['wake'])
  }

  /** Sends a message as your server, and resolves with what `onServerMessage` returns. */
  serverMessage(type: string, data?: unknown): Promise<unknown> {
    return this.#ask((askId) => ['msg', askId, type, data ?? null])
  }

  /** Continues the room in another process, from its snapshot: with `save`, a new object of the class, and `onRestore`. */
  async restart() {
    this.#snapshot = undefined
    this.#run(['snap'])
    const snapshot = this.#snapshot as RoomSnapshot | undefined
    if (snapshot === undefined) throw new Error('The room has made no snapshot.')
    this.#rooms = this.#createRuntime()
    const players = [...this.players.values()].map(({ id, displayName, isConnected }) => ({
      id,
      displayName,
      connected: isConnected,
    }))
    await this.#open(['restore', CLASS_NAME, this.#options.options ?? null, this.#info(), snapshot, players])
  }

  /** The own state of a player, as its client has it. */
  own(playerId: string): OwnOf<R> {
    const player = this.players.get(playerId)
    if (!player) throw new Error(`${playerId} is not in the room.`)
    return player.own
  }

  // --- turns

  #createRuntime() {
    return createRooms({
      classes: { [CLASS_NAME]: this.#Class },
      env: { SVC: testService(this.reports), ...this.#options.env },
      run: (_, work) => work(),
      send: (text) => {
        this.#apply(text)
        this.errors.push(...this.#thrown.splice(0))
      },
      onError: (error) => void this.#thrown.push(error),
    })
  }

  #info() {
    const { maxPlayers = 64 } = this.#options
    const { metadata } = this
    return {
      id: ID,
      code: 'TEST',
      mode: 'test',
      maxPlayers,
      private: false,
      metadata,
      createdAt: 0,
      tickRate: 0,
    }
  }

  /** Runs one turn, and throws what the code threw in it. */
  #run(event: RoomEvent) {
    this.#apply(this.#rooms.handle(JSON.stringify([[ID, ++this.#turn, this.nowMs, [event]]])))
    const [error] = this.#thrown.splice(0)
    if (error !== undefined) throw error
  }

  async #open(event: RoomEvent): Promise<unknown> {
    return this.#wait('open', event)
  }

  #ask(eventOf: (askId: number) => RoomEvent): Promise<unknown> {
    const askId = ++this.#asks
    return this.#wait(`ask ${askId}`, eventOf(askId))
  }

  #wait(what: string, event: RoomEvent): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(what, { resolve, reject })
      this.#apply(this.#rooms.handle(JSON.stringify([[ID, ++this.#turn, this.nowMs, [event]]])))
      this.errors.push(...this.#thrown.splice(0))
    })
  }

  #settle(what: string, then: (waiting: Waiting) => void) {
    const waiting = this.#waiting.get(what)
    this.#waiting.delete(what)
    if (waiting) then(waiting)
  }

  /** Rejects with what the code threw. */
  #reject(what: string, message: string) {
    const thrown = this.#thrown.shift()
    this.#settle(what, ({ reject }) => reject(thrown ?? new Error(message)))
  }

  #apply(text: string) {
    for (const { effects } of readAnswer(text)) for (const effect of effects) this.#applyEffect(effect)
  }

  #applyEffect({ kind, target, payload }: Effect) {
    const text = payload as Record<string, string | undefined>
    switch (kind) {
      case 'opened':
        this.#tickRate = Number(text['tickRate'])
        return this.#settle('open', ({ resolve }) => resolve(undefined))
      case 'failed':
        return this.#reject('open', text['message'] ?? '')
      case 'sync':
        this.patches.push(payload as Record<string, unknown>)
        return merge(this.state as Record<string, unknown>, payload as Record<string, unknown>)
      case 'own': {
        const own = this.players.get(String(target))?.own as Record<string, unknown> | undefined
        return own && merge(own, payload as Record<string, unknown>)
      }
      case 'acks':
        for (const [id, seq] of Object.entries(payload as Record<string, number>)) {
          const player = this.players.get(id)
          if (player) player.acknowledged = seq
        }
        return
      case 'joined':
        return this.#settle(`join ${String(target)}`, ({ resolve }) => resolve(payload))
      case 'refused':
        return this.#reject(`join ${String(target)}`, text['reason'] ?? 'onJoin threw an error')
      case 'reply':
        return this.#settle(`ask ${String(target)}`, ({ resolve }) => resolve(payload))
      case 'error':
        return this.#reject(`ask ${String(target)}`, text['reason'] ?? text['code'] ?? '')
      case 'unknown':
        throw new Error(`The room has no handler of messages of the type ${text['type']}.`)
      case 'warn':
        // Other errors are there already.
        if (text['reason'] !== undefined) this.#thrown.push(new Error(text['reason']))
        return
      case 'msg':
        return this.#sent(target as '*' | string[], payload as ReceivedMessage)
      case 'snap':
        this.#snapshot = payload as RoomSnapshot
        return
      case 'end':
        this.ended = { result: payload }
        return
      case 'kick': {
        const player = this.players.get(String(target))
        if (player) player.kickedBecause = payload as string | null
        return
      }
      case 'lock':
        this.isLocked = payload === true
        return
      case 'meta':
        this.metadata = payload
        return
      case 'wake':
        this.wakeAt = payload as number | null
    }
  }

  #sent(to: '*' | string[], message: ReceivedMessage) {
    this.sent.push({ ...message, to })
    for (const [id, player] of this.players) if (to === '*' || to.includes(id)) player.received.push(message)
  }
}
