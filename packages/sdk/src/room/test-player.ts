import type { RoomLeaveReason } from './room-host.ts'
import type { AnyRoom, DataArguments, MessagesOf, OwnOf } from './room-types.ts'

/** What a test player does: `createTestRoom` provides it. */
export type PlayerActions = {
  send(playerId: string, type: string, data: unknown): void
  call(playerId: string, type: string, data: unknown): Promise<unknown>
  leave(playerId: string, reason: RoomLeaveReason): void
  connected(playerId: string, isConnected: boolean): void
}

/** A message that a player got from the room. */
export type ReceivedMessage = { type: string; data: unknown }

/** A player in a test room. */
export class TestPlayer<R extends AnyRoom> {
  readonly id: string
  readonly displayName: string | null
  /** False after `disconnect`. */
  isConnected = true
  /** The player's own state, as its client has it. Always the same object. */
  readonly own = {} as OwnOf<R>
  /** The messages that the player got. */
  readonly received: ReceivedMessage[] = []
  /** The last number that the room has acknowledged; see `seq`. */
  acknowledged: number | null = null
  /** Why the room has removed the player, if it has called `kick`. */
  kickedBecause: string | null | undefined
  /** How many messages the player has sent. */
  seq = 0
  readonly #actions: PlayerActions

  /** @internal */
  constructor(id: string, displayName: string | null, actions: PlayerActions) {
    this.id = id
    this.displayName = displayName
    this.#actions = actions
  }

  /** Sends a message to the room. Throws what its handler throws. */
  send<Type extends keyof MessagesOf<R> & string>(
    type: Type,
    ...[data]: DataArguments<MessagesOf<R>[Type]['data']>
  ) {
    this.#actions.send(this.id, type, data)
  }

  /** Sends a message and resolves with what its handler returns. Rejects with what it throws. */
  call<Type extends keyof MessagesOf<R> & string>(
    type: Type,
    ...[data]: DataArguments<MessagesOf<R>[Type]['data']>
  ): Promise<MessagesOf<R>[Type]['result']> {
    return this.#actions.call(this.id, type, data) as Promise<MessagesOf<R>[Type]['result']>
  }

  /** Leaves the room. */
  leave(reason: RoomLeaveReason = 'left') {
    this.#actions.leave(this.id, reason)
  }
  /** Loses the connection. */
  disconnect() {
    this.isConnected = false
    this.#actions.connected(this.id, false)
  }
  /** Is connected again. */
  reconnect() {
    this.isConnected = true
    this.#actions.connected(this.id, true)
  }
}
