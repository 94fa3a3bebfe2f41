import { Answer, jsonOf } from './answer.ts'
import { CodeHost } from './code-host.ts'
import { bytesOf, hasOwn, messageOf, SafeMap, stringify } from './intrinsics.ts'
import { isPromise, refusalOf } from './results.ts'
import type { RoomEvent } from './room-events.ts'
import type { RoomHost, RoomLeaveReason } from './room-host.ts'
import { inspectText, snapshotText, viewText } from './room-texts.ts'
import type { Room } from './room.ts'
import type { Seat } from './seats.ts'
import { SeededRandom } from './seeded-random.ts'
import { type TrackedState, UnsendableError } from './state-diff.ts'

/** The largest result of `save`, as JSON. */
export const SAVED_BYTES_MAX = 64 * 1024
/** How long a call waits for what its handler returns. */
export const PROMISE_TIMEOUT_MS = 10_000

/** Where an object finds its room while it is created, and the mark of a room class: see room.ts. */
const ROOM = Symbol.for('svc.room')

type CodeRoom = Room<object, object, unknown>
/** A class of the developer that extends `Room`. */
export type RoomClass = (new () => CodeRoom) & { tickRate: number; still: readonly string[] }

/** What a room needs of the process in which it runs. */
export type RoomDeps = {
  env: unknown
  /** The room has something to send outside of its turns. */
  later(room: RunningRoom): void
  /** The room could not be opened. */
  failed(room: RunningRoom): void
  /** The code threw something, or its state cannot be sent. */
  onError(error: unknown): void
}

type Opening = Extract<RoomEvent, ['open' | 'restore', ...unknown[]]>
type AskId = string | number

/** One room: calls the developer's object, and collects what it does. */
export class RunningRoom {
  readonly id: string
  readonly #deps: RoomDeps
  readonly #tickMs: number
  readonly #host: CodeHost
  /** When the calls began whose handlers have not returned yet. */
  readonly #asks = new SafeMap<AskId, number>()
  #room: CodeRoom | undefined
  #isInTurn = true
  /** Whether nothing of the room is sent any more: it could not be opened, or was closed. */
  isGone = false
  /** What of the state cannot be sent, if it was reported. */
  #problem = ''
  /** Why the room could not be opened, until it is sent. */
  #failure: string | undefined

  constructor(id: string, Class: RoomClass, opening: Opening, now: number, deps: RoomDeps) {
    this.id = id
    this.#deps = deps
    this.#tickMs = Class.tickRate > 0 ? 1000 / Class.tickRate : 0
    this.#host = new CodeHost({
      info: opening[3],
      env: deps.env,
      still: Class.still,
      random: opening[0] === 'open' ? SeededRandom.of(opening[4]) : new SeededRandom(opening[4].random),
      now,
      changed: () => this.#changed(),
    })
    const opened = () => this.#add('opened', '""', `{"tickRate":${Class.tickRate}}`)
    const failed = (error: unknown) => {
      this.#fail(messageOf(error))
      deps.onError(error)
    }
    this.#follow(() => this.#open(Class, opening), opened, failed)
  }

  /** Runs the events of a turn, the first `from` left out. `takeAnswer` follows. */
  turn(now: number, events: readonly RoomEvent[], from: number) {
    this.#host.now = now
    this.#isInTurn = true
    if (this.#asks.size > 0) this.#endOldAsks()
    for (let at = from; at < events.length; at++) this.#handle(events[at] as RoomEvent)
  }

  /** What was changed and sent since the last answer. */
  takeAnswer(): { head: string; lines: string } {
    const states = new Answer()
    const { seats, state, answer } = this.#host
    if (!this.isGone && this.#room !== undefined) {
      const room = this.#room
      this.#problem = this.#take(states, 'sync', '""', state, () => room.state, this.#problem)
      for (let at = 0; at < seats.all.length; at++) {
        const seat = seats.all[at] as Seat
        if (seat.own === undefined) continue
        seat.problem = this.#take(states, 'own', seat.name, seat.tracked, () => seat.own, seat.problem)
      }
      this.#takeAcks(states, seats.all)
    }
    if (this.#failure !== undefined) states.add('failed', '""', this.#failure)
    this.#failure = undefined
    const text = answer.take(states)
    this.#isInTurn = false
    return text
  }

  // --- opening

  #open(Class: RoomClass, opening: Opening): unknown {
    const room = this.#construct(Class)
    this.#room = room
    if (opening[0] === 'open') return room.onCreate(opening[2])
    const snapshot = opening[4]
    const players = opening[5]
    const { seats, state } = this.#host
    for (let at = 0; at < players.length; at++) {
      const player = players[at]
      if (player === undefined) continue
      const seat = seats.add(player.id, player.displayName, player.connected)
      if (!hasOwn(snapshot.own, player.id)) continue
      seat.own = snapshot.own[player.id] ?? {}
      seat.tracked.take(seat.own)
    }
    room.state = snapshot.state
    state.take(snapshot.state)
    this.#host.tick = snapshot.tick
    this.#host.wakesAt = snapshot.wakeAt
    return room.onRestore(snapshot.saved)
  }

  /** The constructor of `Room` reads the global symbol. */
  #construct(Class: RoomClass): CodeRoom {
    const globals = globalThis as { [ROOM]?: RoomHost | undefined }
    const before = globals[ROOM]
    globals[ROOM] = this.#host
    try {
      return new Class()
    } finally {
      globals[ROOM] = before
    }
  }

  #fail(message: string) {
    this.isGone = true
    this.#host.answer.close()
    this.#failure = `{"message":${stringify(message)}}`
    this.#deps.failed(this)
  }

  // --- events

  #handle(event: RoomEvent) {
    const room = this.#room
    if (this.isGone || room === undefined) return
    switch (event[0]) {
      case 'tick':
        this.#host.tick = event[1]
        return this.#run(() => room.onTick(this.#tickMs))
      case 'in':
        return this.#input(room, event[1], event[2], event[3], event[4])
      case 'ask':
        return this.#ask(room, event[1], event[2], event[3], event[4], event[5])
      case 'msg':
        return this.#answerTo(event[1], () => room.onServerMessage(event[2], event[3]))
      case 'join':
        return this.#join(room, event[1].id, event[1].displayName)
      case 'leave':
        return this.#leave(room, event[1], event[2])
      case 'drop':
        return this.#connected(event[1], false, (seat) => room.onDisconnect(seat.player))
      case 'back':
        return this.#connected(event[1], true, (seat) => room.onReconnect(seat.player))
      case 'rename':
        return this.#rename(event[1], event[2])
      case 'wake':
        this.#host.wakesAt = null
        return this.#run(() => room.onWake())
      case 'snap':
        return this.#snapshot(room)
      case 'view':
        return this.#view('view', event[1])
      case 'inspect':
        return this.#add('reply', stringify(event[1]), () => inspectText(this.#host))
      case 'close':
        this.isGone = true
        return this.#host.answer.close()
      case 'open':
      case 'restore':
        return
    }
  }

  #input(room: CodeRoom, playerId: string, seq: number | null, type: string, data: unknown) {
    const seat = this.#noteSeq(playerId, seq)
    if (seat === undefined) return
    const failed = (error: unknown) => {
      if (error === UNKNOWN_TYPE) this.#add('unknown', seat.name, `{"type":${stringify(type)}}`)
      else this.#add('warn', seat.name, this.#errorText(error))
    }
    this.#follow(() => handle(room, type, seat.player, data), ignore, failed)
  }

  #ask(room: CodeRoom, askId: AskId, playerId: string, seq: number | null, type: string, data: unknown) {
    const seat = this.#noteSeq(playerId, seq)
    if (seat === undefined) return this.#add('error', stringify(askId), '{"code":"room_error"}')
    this.#answerTo(askId, () => handle(room, type, seat.player, data))
  }

  /** An input counts as handled even if its handler throws: the client must not apply it any more. */
  #noteSeq(playerId: string, seq: number | null): Seat | undefined {
    const seat = this.#host.seats.find(playerId)
    if (seat !== undefined && seq !== null) seat.unsentAck = seq
    return seat
  }

  #join(room: CodeRoom, playerId: string, displayName: string | null) {
    const { seats } = this.#host
    const seat = seats.add(playerId, displayName)
    seat.isJoining = true
    const joined = () => {
      seat.isJoining = false
      const reason = seat.leftBecause
      if (reason === undefined) this.#view('joined', playerId)
      // `onJoin` may have changed something for the player.
      else this.#run(() => room.onLeave(seat.player, reason))
    }
    const refused = (error: unknown) => {
      seats.remove(seat)
      const reason = refusalOf(error)
      if (reason === undefined) this.#threw(error)
      if (seat.leftBecause !== undefined) return
      const payload = reason === undefined ? '{"error":true}' : `{"reason":${stringify(reason)}}`
      this.#add('refused', seat.name, payload)
    }
    this.#follow(() => room.onJoin(seat.player), joined, refused)
  }

  #leave(room: CodeRoom, playerId: string, reason: RoomLeaveReason) {
    const { seats } = this.#host
    const seat = seats.find(playerId)
    if (seat === undefined) return
    seats.remove(seat)
    if (seat.isJoining) seat.leftBecause = reason
    else this.#run(() => room.onLeave(seat.player, reason))
  }

  #connected(playerId: string, isConnected: boolean, then: (seat: Seat) => unknown) {
    const seat = this.#host.seats.find(playerId)
    if (seat === undefined) return
    seat.player.connected = isConnected
    this.#run(() => then(seat))
  }

  #rename(playerId: string, displayName: string | null) {
    const seat = this.#host.seats.find(playerId)
    if (seat !== undefined) seat.player.displayName = displayName
  }

  #snapshot(room: CodeRoom) {
    this.#run(() => {
      const saved: unknown = room.save()
      if (isPromise(saved)) throw new Error('save must return its value, not a promise.')
      const text = jsonOf(saved)
      const bytes = bytesOf(text)
      if (bytes > SAVED_BYTES_MAX)
        throw new Error(`What save returns has ${bytes} bytes as JSON, the maximum is ${SAVED_BYTES_MAX}.`)
      this.#add('snap', '""', () => snapshotText(this.#host, text))
    })
  }

  #view(kind: 'joined' | 'view', playerId: string) {
    const seat = this.#host.seats.find(playerId)
    if (seat !== undefined) this.#add(kind, seat.name, () => viewText(this.#host, seat))
  }

  // --- what handlers return and throw

  /** Runs a handler of whose result nobody needs to know. */
  #run(work: () => unknown) {
    this.#follow(work, ignore, (error) => {
      if (refusalOf(error) === undefined) this.#threw(error)
    })
  }

  /** Runs a handler whose result somebody waits for. */
  #answerTo(askId: AskId, work: () => unknown) {
    this.#asks.set(askId, this.#host.now)
    const failed = (error: unknown) => {
      const text = error === UNKNOWN_TYPE ? '{"code":"invalid_request"}' : this.#errorText(error)
      if (this.#asks.delete(askId)) this.#add('error', stringify(askId), text)
    }
    this.#follow(
      work,
      (value) => {
        if (!this.#asks.has(askId)) return
        try {
          this.#host.answer.addSent('reply', stringify(askId), jsonOf(value))
          this.#asks.delete(askId)
        } catch (error) {
          failed(error)
        }
      },
      failed,
    )
  }

  /** What a handler has thrown, as the sender of the message learns of it. */
  #errorText(error: unknown): string {
    const reason = refusalOf(error)
    if (reason !== undefined) return `{"code":"room_error","reason":${stringify(reason)}}`
    this.#threw(error)
    return '{"code":"room_error"}'
  }

  #endOldAsks() {
    this.#asks.forEach((startedMs, askId) => {
      if (this.#host.now - startedMs < PROMISE_TIMEOUT_MS) return
      this.#asks.delete(askId)
      this.#add('error', stringify(askId), '{"code":"room_error"}')
    })
  }

  /** Runs code of the developer. Nothing that it throws leaves this method. */
  #follow(work: () => unknown, done: (value: unknown) => void, failed: (error: unknown) => void) {
    try {
      const result = work()
      if (isPromise(result)) void this.#wait(result, done, failed)
      else done(result)
    } catch (error) {
      failed(error)
    }
  }

  async #wait(
    promise: PromiseLike<unknown>,
    done: (value: unknown) => void,
    failed: (error: unknown) => void,
  ) {
    try {
      const value = await promise
      if (!this.isGone) done(value)
    } catch (error) {
      if (!this.isGone) failed(error)
    }
    this.#changed()
  }

  #threw(error: unknown) {
    this.#add('threw', '""', `{"message":${stringify(messageOf(error))}}`)
    this.#deps.onError(error)
  }

  #add(kind: string, target: string, payload: string | (() => string)) {
    this.#host.answer.add(kind, target, payload)
  }

  #changed() {
    if (!this.#isInTurn) this.#deps.later(this)
  }

  // --- what has changed

  /** Returns what of a state cannot be sent, or an empty text. It is reported once, until it is repaired. */
  #take(
    states: Answer,
    kind: 'sync' | 'own',
    target: string,
    tracked: TrackedState,
    read: () => unknown,
    problem: string,
  ): string {
    try {
      const patch = tracked.take(read())
      if (patch !== '') states.add(kind, target, patch)
      return ''
    } catch (error) {
      const place = error instanceof UnsendableError ? error.path : messageOf(error)
      if (place !== problem) this.#threw(error)
      return place
    }
  }

  #takeAcks(states: Answer, seats: readonly Seat[]) {
    let text = ''
    for (let at = 0; at < seats.length; at++) {
      const seat = seats[at] as Seat
      if (seat.unsentAck === undefined) continue
      text += `${text === '' ? '' : ','}${seat.name}:${seat.unsentAck}`
      seat.unsentAck = undefined
    }
    if (text !== '') states.add('acks', '""', `{${text}}`)
  }
}

const UNKNOWN_TYPE = new Error('unknown message type')
const ignore = () => {}

/** Only by what the class defines: `toString` is no message. */
function handle({ messages }: CodeRoom, type: string, player: Seat['player'], data: unknown): unknown {
  if (!hasOwn(messages, type) || typeof messages[type] !== 'function') throw UNKNOWN_TYPE
  return messages[type](player, data as never)
}
