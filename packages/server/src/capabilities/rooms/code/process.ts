import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, millisecondsOf, monotonicMs, SECOND_MS } from '../../../platform/clock.ts'
import type { RoomProcess, RoomProcessEnd } from '../../../platform/ports/room-process.ts'
import type { Timer, Timers } from '../../../platform/time/timers.ts'
import { type Answer, BETWEEN_TURNS, BrokenAnswerError, type Effect, readAnswers } from './answers.ts'
import { Beat } from './beat.ts'
import { LaterMessages } from './later-messages.ts'

/** The events of one turn, as JSON texts. */
export type Turn = readonly string[]

/** What a process needs of a room that runs in it. */
export type TurnRoom = {
  readonly id: string
  /** False while it must not run: another node may own it, or it is being moved. */
  mayRun(): boolean
  /** Hands over what has come in. An empty turn is not sent. */
  takeTurn(elapsedMs: number, isTick: boolean): Turn
  /** Throws BrokenAnswerError for what no healthy process sends. */
  answered(effects: readonly Effect[], turn: number, atMs: number): void
  /** Called about once a second while it runs. */
  checked(elapsedMs: number): void
  /** The process has ended. Suspect: it was ended, or crashed, in a turn of this room; alone: that message had no other room. */
  processEnded(how: { isSuspect: boolean; wasAlone: boolean }): void
}

export type CodeProcessDeps = {
  clock: Clock
  timers: Timers
  /** Called when the last room has left, and when the process has ended. */
  onEmpty(process: CodeProcess): void
  onEnded(process: CodeProcess): void
  report(error: unknown): void
}

/** `places`: those that are not answered yet. */
type Batch = { places: readonly Place[]; atMs: number; sentAtMs: number }

const BATCH_BYTES_MAX = 1024 * 1024
/** A turn that costs more CPU is split into several batches. */
const BATCH_CPU_MS_MAX = 4
const BATCHES_PER_TICK_MAX = 10
/** How much of a core a process may use before new rooms get another one, and for how many seconds. */
const BUSY_SHARE = 0.6
const BUSY_SECONDS = 10
/** The engine ends a process that computes for too long; this is for one that does nothing at all. */
const ANSWER_TIMEOUT_MS = 30 * SECOND_MS
/** After this time without an end, the rooms of a process of suspects share their batches again. */
const PROBATION_MS = 60 * SECOND_MS

/** A process that runs rooms: makes their turns, sends them in as few batches as possible, and reads the answers. */
export class CodeProcess {
  readonly generation: number | undefined
  /** Suspects run here, each in batches of its own, so that the next end shows which of them is to blame. */
  isForSuspects: boolean
  /** The part of a core that it used in the last second. */
  cpuShare = 0
  #process: RoomProcess | undefined
  readonly #deps: CodeProcessDeps
  readonly #places = new Map<string, Place>()
  readonly #ready = new Set<Place>()
  readonly #unanswered: Batch[] = []
  readonly #beats = new Map<number, Beat<Place>>()
  readonly #startedAtMs: number
  #flushing: NodeJS.Immediate | undefined
  #check: Timer | undefined
  #busySeconds = 0
  #slots = 1
  #measured = { cpuMs: 0, atMs: monotonicMs(), batches: 0 }
  readonly #later = new LaterMessages()
  #isOver = false

  constructor(
    deps: CodeProcessDeps,
    { generation, isForSuspects }: { generation: number | undefined; isForSuspects: boolean },
  ) {
    this.#deps = deps
    this.generation = generation
    this.isForSuspects = isForSuspects
    this.#startedAtMs = deps.clock.elapsedMs()
  }

  /** Called once, when the process runs. */
  begin(process: RoomProcess) {
    this.#process = process
    this.#check = this.#deps.timers.every(SECOND_MS, () => this.#checkAll())
  }

  get rooms(): number {
    return this.#places.size
  }

  /** Per second. */
  get cpuMsPerRoom(): number {
    return Math.round((this.cpuShare * 10_000) / Math.max(1, this.rooms)) / 10
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** New rooms get another process, if there may be one. */
  get isBusy(): boolean {
    return this.#busySeconds >= BUSY_SECONDS
  }

  get isFull(): boolean {
    return this.#places.size >= LIMITS.roomsPerProcessMax
  }

  add(room: TurnRoom): Place {
    const place = new Place(this, room)
    this.#places.set(room.id, place)
    return place
  }

  /** Ends the process; its rooms are told as after a crash. */
  stop() {
    this.#process?.stop().catch(this.#deps.report)
    this.ended('stopped')
  }

  // Ticks

  beginTicks(place: Place, tickRate: number) {
    if (tickRate === 0) return
    const beat = this.#beats.get(tickRate) ?? this.#newBeat(tickRate)
    beat.add(place)
    place.beat = beat
  }

  /** All beats count from the start of the process, so that rooms with equal or divisible rates share their batches. */
  #newBeat(tickRate: number): Beat<Place> {
    const beat = new Beat<Place>({
      clock: this.#deps.clock,
      timers: this.#deps.timers,
      originMs: this.#startedAtMs,
      tickRate,
      slots: () => this.#slots,
      due: (place, missed) => this.#tickDue(place, missed),
    })
    this.#beats.set(tickRate, beat)
    return beat
  }

  #tickDue(place: Place, missed: number) {
    if (!place.room.mayRun()) return
    place.lateTicks += missed
    if (place.isBusy || place.isTickDue) place.lateTicks++
    else {
      place.isTickDue = true
      this.makeReady(place)
    }
  }

  // Batches

  /** The room gets a turn at the end of this turn of the event loop. */
  makeReady(place: Place) {
    this.#ready.add(place)
    this.#flushing ??= setImmediate(() => this.#flush())
  }

  #flush() {
    this.#flushing = undefined
    const { clock } = this.#deps
    // The code sees the time of day.
    const [atMs, elapsedMs] = [millisecondsOf(clock), clock.elapsedMs()]
    let [texts, places, bytes]: [string[], Place[], number] = [[], [], 0]
    const sendBatch = () => {
      if (places.length > 0) this.#send(`[${texts.join()}]`, places, atMs)
      ;[texts, places, bytes] = [[], [], 0]
    }
    for (const place of this.#ready) {
      const turn = place.takeTurn(elapsedMs)
      if (!turn) continue
      const text = `["${place.room.id}",${place.turn},${atMs},[${turn.join()}]]`
      if (bytes + text.length > BATCH_BYTES_MAX) sendBatch()
      texts.push(text)
      places.push(place)
      bytes += text.length
      if (this.isForSuspects) sendBatch()
    }
    this.#ready.clear()
    sendBatch()
  }

  #send(text: string, places: readonly Place[], atMs: number) {
    this.#unanswered.push({ places, atMs, sentAtMs: monotonicMs() })
    this.#measured.batches++
    this.#process?.send(text)
  }

  // Answers

  /** A message of the process, which is not trusted. */
  received(bytes: Buffer) {
    if (this.#isOver) return
    try {
      const answers = readAnswers(bytes)
      if (answers.length > 0 && answers.every(({ turn }) => turn === BETWEEN_TURNS)) {
        this.#later.count(bytes.length)
        this.#applyLater(answers)
      } else this.#answer(answers)
    } catch (error) {
      this.broken(error)
    }
  }

  #applyLater(answers: readonly Answer[]) {
    const atMs = millisecondsOf(this.#deps.clock)
    for (const { roomId, effects } of answers) {
      const place = this.#places.get(roomId)
      if (!place || place.turn === 0) throw new BrokenAnswerError('a room is not in this process')
      this.#apply(place, effects, BETWEEN_TURNS, atMs)
    }
  }

  /** To the whole batch, or to the next rooms of it. */
  #answer(answers: readonly Answer[]) {
    const batch = this.#unanswered[0]
    if (!batch || answers.length === 0 || answers.length > batch.places.length)
      throw new BrokenAnswerError('this is not the answer to the last batch')
    const answered = batch.places.slice(0, answers.length)
    answered.forEach(({ room, turn }, at) => {
      if (answers[at]?.roomId !== room.id || answers[at].turn !== turn)
        throw new BrokenAnswerError('an entry is not the answer to its turn')
    })
    for (const [at, place] of answered.entries())
      this.#apply(place, answers[at]?.effects ?? [], place.turn, batch.atMs)
    if (this.#isOver) return
    batch.places = batch.places.slice(answers.length)
    if (batch.places.length === 0) this.#unanswered.shift()
    for (const place of answered) this.#turnDone(place)
  }

  /** A bug of ours in one room must not stop the others. */
  #apply(place: Place, effects: readonly Effect[], turn: number, atMs: number) {
    if (place.isClosing) return
    try {
      place.room.answered(effects, turn, atMs)
    } catch (error) {
      if (error instanceof BrokenAnswerError)
        throw new BrokenAnswerError(`${error.message}, in ${place.room.id}`)
      this.#deps.report(error)
    }
  }

  #turnDone(place: Place) {
    place.isBusy = false
    if (place.isClosing) return place.isCloseSent ? this.#remove(place) : this.makeReady(place)
    // With ticks, what has come in waits for the next one.
    if (!place.beat || place.isUrgent) this.makeReady(place)
  }

  /** It has sent what no healthy process sends, or one of our own errors came of it. */
  broken(error: unknown) {
    if (this.#isOver) return
    if (!(error instanceof BrokenAnswerError)) this.#deps.report(error)
    this.#fail(`what it sent was refused (${error instanceof Error ? error.message : 'unknown'})`)
  }

  #fail(why: string) {
    this.#process?.stop(why).catch(this.#deps.report)
    this.ended('failed')
  }

  // The end

  /** A signal from outside, or a stop, says nothing about the turn that was running. */
  ended(end: RoomProcessEnd) {
    if (this.#isOver) return
    this.#isOver = true
    this.#check?.cancel()
    for (const beat of this.#beats.values()) beat.stop()
    clearImmediate(this.#flushing)
    this.#deps.onEnded(this)
    const isByItself = end !== 'stopped' && end !== 'killed'
    const suspects = (isByItself && this.#unanswered[0]?.places) || []
    for (const place of this.#places.values()) {
      if (place.isClosing) continue
      place.room.processEnded({ isSuspect: suspects.includes(place), wasAlone: suspects.length === 1 })
    }
    this.#places.clear()
  }

  /** The code is told that the room is over; what it still does is ignored. */
  close(place: Place) {
    if (this.#isOver || place.isClosing) return
    place.isClosing = true
    place.beat?.remove(place)
    if (place.turn === 0) this.#remove(place)
    else if (!place.isBusy) this.makeReady(place)
  }

  #remove(place: Place) {
    place.beat?.remove(place)
    this.#ready.delete(place)
    this.#places.delete(place.room.id)
    if (this.#places.size === 0) this.#deps.onEmpty(this)
  }

  // Measuring

  #checkAll() {
    const elapsedMs = this.#deps.clock.elapsedMs()
    this.#measure()
    const head = this.#unanswered[0]
    if (head && monotonicMs() - head.sentAtMs > ANSWER_TIMEOUT_MS)
      return this.#fail('it did not answer for 30 s')
    if (this.isForSuspects && elapsedMs - this.#startedAtMs >= PROBATION_MS) this.isForSuspects = false
    for (const place of this.#places.values()) if (!place.isClosing) place.room.checked(elapsedMs)
  }

  #measure() {
    const { cpuMs: cpuBefore, atMs: atBefore, batches } = this.#measured
    const [cpuMs, atMs] = [this.#process?.cpuMs() ?? 0, monotonicMs()]
    // The test clock can make several seconds of one moment.
    if (atMs - atBefore < SECOND_MS / 2) return
    this.#measured = { cpuMs, atMs, batches: 0 }
    this.cpuShare = (cpuMs - cpuBefore) / (atMs - atBefore)
    this.#busySeconds = this.cpuShare >= BUSY_SHARE ? this.#busySeconds + 1 : 0
    if (batches === 0) return
    const tickCpuMs = ((cpuMs - cpuBefore) / batches) * this.#slots
    const wanted = Math.min(BATCHES_PER_TICK_MAX, Math.max(1, Math.ceil(tickCpuMs / BATCH_CPU_MS_MAX)))
    // Fewer only if it is clear that they suffice, so that the number does not swing.
    if (wanted > this.#slots || wanted < this.#slots - 1 || tickCpuMs < (this.#slots - 1) * 3)
      this.#slots = wanted
  }
}

/** A room in a process. */
export class Place {
  readonly process: CodeProcess
  readonly room: TurnRoom
  /** The number of its last turn in this process. */
  turn = 0
  /** Its last turn is not answered yet: the next one waits for it. */
  isBusy = false
  isTickDue = false
  /** Its next turn does not wait for a tick. */
  isUrgent = false
  lateTicks = 0
  isClosing = false
  isCloseSent = false
  beat: Beat<Place> | undefined

  constructor(process: CodeProcess, room: TurnRoom) {
    this.process = process
    this.room = room
  }

  /** Something has come in. With ticks, it waits for the next one. */
  wake() {
    if (!this.beat && !this.isBusy) this.process.makeReady(this)
  }

  /** The turn does not wait for a tick, only for the answer to the last one. */
  wakeNow() {
    if (this.isBusy) this.isUrgent = true
    else this.process.makeReady(this)
  }

  beginTicks(tickRate: number) {
    this.process.beginTicks(this, tickRate)
  }

  close() {
    this.process.close(this)
  }

  /** Undefined if there is nothing to do or it cannot be done now. */
  takeTurn(elapsedMs: number): Turn | undefined {
    if (this.isBusy) return undefined
    if (this.isClosing) {
      this.isCloseSent = true
      return this.#begun(CLOSE)
    }
    if (!this.room.mayRun()) return undefined
    const turn = this.room.takeTurn(elapsedMs, this.isTickDue)
    this.isTickDue = false
    this.isUrgent = false
    return turn.length > 0 ? this.#begun(turn) : undefined
  }

  #begun(turn: Turn): Turn {
    this.turn++
    this.isBusy = true
    return turn
  }
}

const CLOSE: Turn = ['["close"]']
