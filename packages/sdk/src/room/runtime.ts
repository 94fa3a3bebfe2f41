import {
  append,
  hasOwn,
  isArray,
  isInteger,
  keysOf,
  messageOf,
  parse,
  queueTask,
  SafeMap,
  stringify,
} from './intrinsics.ts'
import type { RoomTurnInput } from './room-events.ts'
import { type RoomClass, RunningRoom } from './running-room.ts'

/** The runtime of rooms inside a process: batches of turns in, their answers out. It needs neither Node nor workerd. */

/** The most ticks per second that a class can have. */
export const TICK_RATE_MAX = 60

/** The service takes messages of 8 MiB, which is more than one room can answer to a turn. */
const MESSAGE_LENGTH_MAX = 256 * 1024

const ROOM = Symbol.for('svc.room')

/** A class that extends `Room` but cannot be used: the message says why. */
export class RoomClassError extends Error {}

/**
 * The room classes among the exports of a module. Throws a `RoomClassError` if one of them has an invalid `tickRate` or `still`.
 *
 * @example
 * roomClassesOf(await import('./main.ts')) // [{ className: 'Arena', tickRate: 20 }]
 */
export function roomClassesOf(exports: object): { className: string; tickRate: number }[] {
  const found: { className: string; tickRate: number }[] = []
  const names = keysOf(exports)
  for (let at = 0; at < names.length; at++) {
    const className = names[at] ?? ''
    const Class = roomClass(exports, className)
    if (Class !== undefined) append(found, { className, tickRate: Class.tickRate })
  }
  return found
}

function roomClass(exports: object, className: string): RoomClass | undefined {
  const Class: unknown = (exports as Record<string, unknown>)[className]
  // `Room` itself has the mark as its own; classes that extend it inherit the mark.
  if (typeof Class !== 'function' || !(ROOM in Class) || hasOwn(Class, ROOM)) return undefined
  const { tickRate, still } = Class as unknown as { tickRate: unknown; still: unknown }
  if (!isInteger(tickRate) || (tickRate as number) < 0 || (tickRate as number) > TICK_RATE_MAX)
    throw new RoomClassError(`${className}.tickRate must be a whole number from 0 to ${TICK_RATE_MAX}.`)
  if (!isArray(still)) throw new RoomClassError(`${className}.still must be an array of keys of the state.`)
  for (let at = 0; at < still.length; at++)
    if (typeof still[at] !== 'string')
      throw new RoomClassError(`${className}.still must be an array of keys of the state.`)
  return Class as unknown as RoomClass
}

/** The process in which rooms run. */
export type RoomsOptions = {
  /** The exports of the developer's module; those that extend `Room` are used. */
  classes: object
  /** `this.env` of the rooms. */
  env: unknown
  /** Runs code of a room, for example so that its log lines have the id of the room. What it returns is ignored. */
  run(roomId: string, work: () => void): unknown
  /** Sends what rooms do outside of their turns. */
  send(text: string): void
  /** Called inside of `run` with what the code threw (default: prints it with `console.error`). */
  onError?(error: unknown): void
}

/** The rooms of a process. */
export type Rooms = {
  /**
   * Runs a batch of turns and returns its answer, which must be sent before anything that `send` gets later. If it is long, `send` gets the
   * answers of the first rooms before. Throws for what is no batch.
   */
  handle(text: string): string
}

/**
 * Runs rooms of a process. What is exchanged is in the README of this folder.
 *
 * @example
 * const rooms = createRooms({ classes: main, env, run: (_, work) => work(), send: (text) => socket.send(text) })
 * socket.onmessage = ({ data }) => socket.send(rooms.handle(data))
 */
export function createRooms({ classes, env, run, send, onError = printError }: RoomsOptions): Rooms {
  const rooms = new SafeMap<string, RunningRoom>()
  let waiting: RunningRoom[] = []

  const deps = {
    env,
    later(room: RunningRoom) {
      for (let at = 0; at < waiting.length; at++) if (waiting[at] === room) return
      if (waiting.length === 0) queueTask(flush)
      append(waiting, room)
    },
    failed: ({ id }: RunningRoom) => void rooms.delete(id),
    onError(error: unknown) {
      try {
        onError(error)
      } catch {
        // A broken `console` of the code must not end the turn.
      }
    },
  }

  /** Sends what promises of the code have changed. */
  function flush() {
    const ready = waiting
    waiting = []
    const message = new Message(send)
    for (let at = 0; at < ready.length; at++) {
      const room = ready[at] as RunningRoom
      let answer = NOTHING
      runSafely(room.id, () => (answer = room.takeAnswer()))
      if (answer.head !== '') message.add(room.id, -1, answer)
    }
    if (!message.isEmpty) send(message.text)
  }

  /** Code that breaks the runtime itself ends its own turn, not the batch. */
  function runSafely(roomId: string, work: () => void) {
    run(roomId, () => {
      try {
        work()
      } catch (error) {
        deps.onError(error)
      }
    })
  }

  function turn(input: RoomTurnInput): TurnAnswer {
    const roomId = input[0]
    const nowMs = input[2]
    const events = input[3]
    const first = events[0]
    let answer = NOTHING
    runSafely(roomId, () => {
      let room = rooms.get(roomId)
      const isOpening = first?.[0] === 'open' || first?.[0] === 'restore'
      if (isOpening) {
        const Class = roomClass(classes, first[1])
        if (Class === undefined) return void (answer = failure(`The code exports no room class ${first[1]}.`))
        room = new RunningRoom(roomId, Class, first, nowMs, deps)
        // It may have failed already: then it is not added, but it has an answer.
        if (!room.isGone) rooms.set(roomId, room)
      }
      if (room === undefined) {
        if (first?.[0] !== 'close') answer = failure('This room is not open in this process.')
        return
      }
      room.turn(nowMs, events, isOpening ? 1 : 0)
      answer = room.takeAnswer()
      if (room.isGone) rooms.delete(roomId)
    })
    return answer
  }

  return {
    handle(text) {
      const batch = parse(text) as RoomTurnInput[]
      const message = new Message(send)
      for (let at = 0; at < batch.length; at++) {
        const input = batch[at] as RoomTurnInput
        message.add(input[0], input[1], turn(input))
      }
      return message.text
    },
  }
}

type TurnAnswer = { head: string; lines: string }
const NOTHING: TurnAnswer = { head: '', lines: '' }

const failure = (message: string): TurnAnswer => ({
  head: '["failed",""]',
  lines: `{"message":${stringify(message)}}\n`,
})

/** Answers of several rooms: one line of JSON that lists them, then one line per payload. What is already long is sent before more is added. */
class Message {
  #head = ''
  #lines = ''
  readonly #send: (text: string) => void

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  add(roomId: string, turn: number, { head, lines }: TurnAnswer) {
    if (!this.isEmpty && this.#lines.length + lines.length > MESSAGE_LENGTH_MAX) {
      this.#send(this.text)
      this.#head = this.#lines = ''
    }
    this.#head += `${this.#head === '' ? '' : ','}[${stringify(roomId)},${turn},[${head}]]`
    this.#lines += lines
  }
  get isEmpty(): boolean {
    return this.#head === ''
  }
  get text(): string {
    return `[${this.#head}]\n${this.#lines}`
  }
}

function printError(error: unknown) {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? error.stack : undefined
  console.error(typeof stack === 'string' ? stack : messageOf(error))
}
