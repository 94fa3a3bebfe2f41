import type { Submitted } from '../data/stats.ts'
import type { RoomHost, RoomLeaveReason, RoomPlayer } from './room-host.ts'

export type { Submitted } from '../data/stats.ts'
export type { RoomLeaveReason, RoomPlayer } from './room-host.ts'
export type { AnyRoom, DataArguments, MessagesOf, OptionsOf, OwnOf, StateOf } from './room-types.ts'

/**
 * Where a room finds the service that runs it, and the mark of a room class. A global symbol: the class is part of the developer's bundle,
 * and a newer service must be able to run it.
 */
const ROOM: unique symbol = Symbol.for('svc.room')
const REFUSAL: unique symbol = Symbol.for('svc.refusal')

/** Handlers of messages by type. What a handler returns is the reply to `room.call`. */
export type RoomMessages = Record<string, (player: RoomPlayer, data: never) => unknown>

/**
 * Throw it to refuse something without an error in the log: in `onJoin` the player is not admitted (`join_refused`), in a handler of a
 * message `room.call` rejects. The player gets the reason, up to 200 characters.
 *
 * @example
 * if (this.players.length > 4) throw new Refusal('The game has begun.')
 */
export class Refusal extends Error {
  /** @internal */
  readonly [REFUSAL] = true
  /** Why, for the player. */
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
    this.reason = reason
  }
}

/**
 * A room whose code runs in the service. Extend it, export the class from the functions, and name it in the config as
 * `modes[].room.class`. The service creates one object per room and calls its methods one after another. What they change in `state` and
 * `own(player)` is sent to the players after each turn.
 *
 * @example
 * export class Counter extends Room<{ count: number }> {
 *   state = { count: 0 }
 *   messages = { add: (player: RoomPlayer, by: number) => (this.state.count += by) }
 * }
 */
export class Room<
  State extends object = Record<string, unknown>,
  Own extends object = Record<string, unknown>,
  Env = Record<string, unknown>,
> {
  /** @internal The version of this interface. */
  static readonly [ROOM] = 1
  /** How often `onTick` is called per second: 0 (never) to 60. */
  static tickRate = 0
  /** Keys of `state` that are compared only after `touch(key)`: what is large and seldom changes, such as a map. */
  static still: readonly string[] = []

  /**
   * The shared state, which every player gets: plain objects, arrays, strings, finite numbers and booleans, up to 64 KB as JSON. A member
   * that is null counts as missing.
   */
  state: State = {} as State
  /** Handlers of the messages that players send. They start in the order in which the messages arrived. */
  messages: RoomMessages = {}
  readonly #host: RoomHost

  /** The service creates rooms. To test a class, use `createTestRoom` of `@svc/sdk/room/test`. */
  constructor() {
    const host = (globalThis as { [ROOM]?: RoomHost })[ROOM]
    if (host === undefined)
      throw new Error(
        'Only the service creates rooms. To test the class, use createTestRoom of @svc/sdk/room/test.',
      )
    this.#host = host
  }

  // --- what the room knows

  /** The id of the room. */
  get id(): string {
    return this.#host.info.id
  }
  /** The code by which players join. */
  get code(): string {
    return this.#host.info.code
  }
  /** The key of its mode in the config. */
  get mode(): string {
    return this.#host.info.mode
  }
  /** How many players it can have. */
  get maxPlayers(): number {
    return this.#host.info.maxPlayers
  }
  /** Whether the list of rooms leaves it out. */
  get isPrivate(): boolean {
    return this.#host.info.private
  }
  /** What the list of rooms shows of it; see `setMetadata`. */
  get metadata(): unknown {
    return this.#host.info.metadata
  }
  /** The players, longest present first. A new array after each join and leave. */
  get players(): readonly RoomPlayer[] {
    return this.#host.players
  }
  /** The time of this turn by the clock of the service, in Unix milliseconds. */
  get now(): number {
    return this.#host.now
  }
  /** The number of the last tick. */
  get tick(): number {
    return this.#host.tick
  }
  /** Bindings, variables and secrets of the functions. */
  get env(): Env {
    return this.#host.env as Env
  }

  // --- what the room does

  /**
   * The state that only this player gets, such as a hand of cards: up to 16 KB as JSON. Empty at first. Change it in place; that of a
   * player who has left is sent to nobody.
   */
  own(player: RoomPlayer | string): Own {
    return this.#host.own(player) as Own
  }

  /**
   * Compares a key of `static still` after this turn. Also sends changes that were made outside of a turn, for example by a timer.
   */
  touch(key: keyof State & string) {
    this.#host.touch(key)
  }

  /** A random number from 0 up to 1. Its sequence belongs to the room and continues after a restart. */
  random(): number {
    return this.#host.random()
  }

  /** Sends a message to all players, or to some: the event `message` from `room`. Up to 256 per turn. */
  send(type: string, data?: unknown, to?: RoomPlayer | string | readonly (RoomPlayer | string)[]) {
    this.#host.send(type, data, to)
  }

  /** Removes a player from the room. `onLeave` follows with the reason `kicked`. */
  kick(player: RoomPlayer | string, reason?: string) {
    this.#host.kick(player, reason)
  }

  /** Locks or unlocks the room. Nobody can join a locked room. */
  lock(isLocked = true) {
    this.#host.lock(isLocked)
  }

  /** Changes what the list of rooms shows: any JSON, up to 4 KB. */
  setMetadata(metadata: unknown) {
    this.#host.setMetadata(metadata)
  }

  /** Calls `onWake` at that time, in Unix milliseconds; also if the room is stored by then. Null: not any more. */
  wakeAt(atMs: number | Date | null) {
    this.#host.wakeAt(atMs)
  }

  /** Reports stats of a player, which your rules check as those of a server. Rejects if they cannot be stored. */
  report(player: RoomPlayer | string, stats: Record<string, number>): Promise<Submitted> {
    return this.#host.report(player, stats)
  }

  /** Ends the room with a result, any JSON: players get `closed` with the reason `finished`. */
  end(result?: unknown) {
    this.#host.end(result)
  }

  // --- what a class can define

  /** The room was created; `options` are those of the client or of your server. No player is in it yet. */
  onCreate(_options: unknown): void | Promise<void> {}
  /** The room continues in another process. State, own states and players are back; `saved` is what `save` returned. */
  onRestore(_saved: unknown): void | Promise<void> {}
  /** A player joins. Nobody sees the player before it has returned, within 2 s. Throw a `Refusal` to refuse. */
  onJoin(_player: RoomPlayer): void | Promise<void> {}
  /** A player has left. `own(player)` can still be read. */
  onLeave(_player: RoomPlayer, _reason: RoomLeaveReason): void | Promise<void> {}
  /** The connection of a player was lost. The seat is kept for a while. */
  onDisconnect(_player: RoomPlayer): void | Promise<void> {}
  /** The player is connected again. */
  onReconnect(_player: RoomPlayer): void | Promise<void> {}
  /** Your server sent a message. It gets what you return. */
  onServerMessage(_type: string, _data: unknown): unknown {
    throw new Refusal('This room takes no messages of a server: define onServerMessage.')
  }
  /** The time of `wakeAt` has come. */
  onWake(): void | Promise<void> {}
  /** A tick. `dt` is always 1000 / tickRate. */
  onTick(_dt: number): void | Promise<void> {}
  /** What has to survive a restart besides the states: any JSON, up to 64 KB. `onRestore` gets it. */
  save(): unknown {
    return null
  }
}
