import type { State } from '../realtime/patches.ts'
import type { AnyRoom, DataArguments, MessagesOf, OwnOf, StateOf } from '../room/room-types.ts'

/** Any JSON, where the class of the room is not known. */
type AnyJson = ReturnType<JSON['parse']>

/** The shared state of a room: that of its class, such as `Arena`, or any JSON by top-level key. */
export type RoomStateOf<Code> = Code extends AnyRoom ? StateOf<Code> : State

/** The state that one player has alone. */
export type OwnStateOf<Code> = Code extends AnyRoom ? OwnOf<Code> : State

/** The types of the messages that the class handles. */
export type MessageType<Code> = Code extends AnyRoom ? keyof MessagesOf<Code> & string : string

type Message<Code, Type> = Code extends AnyRoom
  ? Type extends keyof MessagesOf<Code>
    ? MessagesOf<Code>[Type]
    : never
  : { data: AnyJson; result: AnyJson }

/** What the handler of a message takes. */
export type MessageData<Code, Type> = Message<Code, Type>['data']

/** What the handler of a message returns. */
export type MessageResult<Code, Type> = Message<Code, Type>['result']

/** What `room.call` takes after the type: the data, if the handler takes any. */
export type CallArguments<Code, Type> = DataArguments<MessageData<Code, Type>>

/** What `room.send` takes after the type: the data, and in a room without code the ids of the receivers. */
export type SendArguments<Code, Type> = Code extends AnyRoom
  ? CallArguments<Code, Type>
  : [data?: unknown, options?: { to?: string[] }]

/** The state that `step` of `room.predict` changes. */
export type PredictedState<Code> = Code extends AnyRoom ? StateOf<Code> : AnyJson

/** Options for `room.predict`. */
export type PredictOptions<Code, Type> = {
  /** The type of the messages that carry the inputs. */
  type: Type
  /**
   * Changes the state as the room does when it gets the input. Import the same function in the page and in the room: both must
   * calculate the same, so round numbers in it and use no random numbers, no clock and nothing outside the state.
   *
   * @example
   * const me = room.predict({
   *   type: 'move',
   *   step: (state, playerId, { dx }) => void (state.balls[playerId].x += dx),
   * })
   */
  step(state: PredictedState<Code>, playerId: string, input: MessageData<Code, Type>): void
}

/** A state that is ahead of the room by your own inputs, from `room.predict`. */
export type Prediction<PredictedRoomState = AnyJson, Input = AnyJson> = {
  /** The room's state with your inputs that the room has not handled yet. Always the same object. */
  readonly state: PredictedRoomState
  /**
   * Applies the input to `state` at once and sends it to the room. If the room does something else with it, `state` follows the room.
   * Each player can send 60 messages per second, so send inputs from a timer, not with every frame of the screen.
   *
   * Returns false while the connection is lost: the input is not sent then, and `state` stands still.
   *
   * @example
   * const me = room.predict({ step, type: 'move' })
   * me.send({ dx: 1, dy: 0 })
   * console.log(me.state.balls[room.me.id]) // → { x: 1, y: 0 }
   */
  send(input: Input): boolean
}

/** Options for `room.smooth`. */
export type SmoothOptions = {
  /**
   * How far the result is behind the room: more hides more jitter of the network (default: the time of two and a half ticks, at least
   * 100, at most 2,000). This hides one tick that is left out. A packet that the network loses stops all behind it for 200 ms or more,
   * which only a longer delay hides, such as 300.
   */
  delayMs?: number
  /** A number that changes by more than this from one sync to the next is not interpolated: its object jumps to the new place. */
  teleport?: number
}

/** What `room.smooth` returns: copies of the objects, by the same keys. */
export type Smoothed<Code, Key> = Code extends AnyRoom
  ? Key extends keyof StateOf<Code>
    ? StateOf<Code>[Key]
    : never
  : Record<string, AnyJson>

/** What the room has changed, with the event `sync`. After a reconnect it has only `tick`, because everything may have changed. */
export type Sync = {
  /** The number of the room's last tick. */
  tick: number
  /** When the room did it, in ms of the service's clock. */
  at?: number
  /** The changes of `room.state`, as a JSON merge patch. */
  patch?: State
  /** The changes of `room.own`, as a JSON merge patch. */
  own?: State
}
