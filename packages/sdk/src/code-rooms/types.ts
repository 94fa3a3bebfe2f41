import type { State } from '../realtime/patches.ts'

/** Any JSON, where the class of the room is not known. */
type AnyJson = ReturnType<JSON['parse']>

/** The shared state of a room: that of its class, such as `Arena`, or any JSON by top-level key. */
export type StateOf<Code> = Code extends { state: infer S } ? S : State

/** The state that one player has alone. */
export type OwnStateOf<Code> = Code extends { own(player: never): infer Own } ? Own : State

/** What `onCreate` of the class takes. */
export type OptionsOf<Code> = Code extends { onCreate(options: infer Options): unknown } ? Options : unknown

/** The types of the messages that the class handles. */
export type MessageType<Code> = Code extends { messages: infer Messages }
  ? Extract<keyof Messages, string>
  : string

type Handler<Code, Type> = Code extends { messages: infer Messages }
  ? Type extends keyof Messages
    ? Messages[Type]
    : never
  : AnyJson

/** What the handler of a message takes. */
export type MessageData<Code, Type> = unknown extends Code
  ? AnyJson
  : Handler<Code, Type> extends (player: never, data: infer Data) => unknown
    ? Data
    : never

/** What the handler of a message returns. */
export type MessageReply<Code, Type> = unknown extends Code
  ? AnyJson
  : Handler<Code, Type> extends (...given: never[]) => infer Reply
    ? Awaited<Reply>
    : never

/** The state that `step` of `room.predict` changes. */
export type PredictedState<Code> = unknown extends Code ? AnyJson : StateOf<Code>

/** Options for `room.predict`. */
export type PredictOptions<Code, Type> = {
  /** The type of the messages that carry the inputs. */
  type: Type
  /**
   * Changes the state as the room does when it gets the input. Import the same function in the page and in the room: both must
   * calculate the same, so round numbers in it and use no random numbers, no clock and nothing outside the state.
   */
  step(state: PredictedState<Code>, playerId: string, input: MessageData<Code, Type>): void
}

/** A state that is ahead of the room by your own inputs, from `room.predict`. */
export type Prediction<PredictedRoomState = AnyJson, Input = AnyJson> = {
  /** The room's state with your inputs that the room has not handled yet. Always the same object. */
  readonly state: PredictedRoomState
  /**
   * Applies the input to `state` at once and sends it to the room. If the room does something else with it, `state` follows the room.
   * Send at most 60 inputs and messages per second, from a timer of your own and not from every frame of the screen.
   *
   * @example
   * const me = room.predict({ step, type: 'move' })
   * me.send({ dx: 1, dy: 0 })
   * console.log(me.state.balls[room.me.id]) // → { x: 1, y: 0 }
   */
  send(input: Input): void
}

/** Options for `room.smooth`. */
export type SmoothOptions = {
  /**
   * How far the result is behind the room: more hides more jitter of the network (default: the time of two ticks, at least 100,
   * at most 2,000).
   */
  delayMs?: number
  /** A number that changes by more than this from one tick to the next is not interpolated: its object jumps to the new place. */
  teleport?: number
}

/** What `room.smooth` returns: copies of the objects, by the same keys. */
export type Smoothed<Code, Key> = unknown extends Code
  ? Record<string, AnyJson>
  : StateOf<Code> extends infer S
    ? Key extends keyof S
      ? S[Key]
      : never
    : never

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
