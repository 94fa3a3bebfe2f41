import { LIMITS } from '@svc/contract/common/limits'
import type { CloseReason } from '@svc/contract/realtime/rooms'

import type { ActorContext } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { SECOND_MS } from '../../../platform/clock.ts'
import type { Random } from '../../../platform/random.ts'
import type { Timer } from '../../../platform/time/timers.ts'
import type { CodeSnapshot } from '../room-protocol.ts'
import { BETWEEN_TURNS, BrokenAnswerError, type Effect, parsed, parsedObject } from './answers.ts'
import { type HeldAnswer, HeldAnswers } from './held.ts'
import { Inbox, type Waiting } from './inbox.ts'
import { isTickRate } from './opening.ts'
import type { LiveCode } from './port.ts'
import type { Place, Turn, TurnRoom } from './process.ts'
import { CodeProgress, type RoomForCode } from './progress.ts'
import type { Recording, Recordings } from './recording.ts'
import { requireSnapshot, Saving } from './saving.ts'
import { type Phase, Starting, type StartingDeps } from './starting.ts'
import { Waking } from './waking.ts'

export type CodeRunnerDeps = StartingDeps & { recordings: Recordings; random: Random }

/** What the code of a room needs to know of it, and what it tells. */
export type RunnerRoom = RoomForCode & {
  /** Throws BrokenAnswerError. */
  apply(effects: readonly Effect[], isTurn: boolean, atMs: number): void
  /** These events are in the turn that is sent now. */
  handed(waiting: readonly Waiting[]): void
  checked(elapsedMs: number): void
  /** The process has ended: no answer will come to what was handed over. */
  stopped(): void
  /** The code runs again, from its last snapshot. */
  restarted(roster: ReadonlySet<string>): void
  /** `isKept`: it may run again later. */
  closed(reason: CloseReason, isKept?: boolean): void
  /** Whether somebody waits for a snapshot, after a turn with these events. */
  wantsSnapshot(waiting: readonly Waiting[]): boolean
  /** The code has made a snapshot. Returns whether something else that belongs to it has changed. */
  capture(): boolean
  /** There is a new snapshot. */
  snapped(): void
}

/** The process itself gives up a little earlier, and says why. */
const OPEN_TIMEOUT_MS = LIMITS.roomPromiseTimeoutMs + 2 * SECOND_MS
const FREEZE_TIMEOUT_MS = 2 * SECOND_MS

/** Runs the code of one room: its turns and snapshots, in one process after the other. */
export class CodeRunner implements TurnRoom {
  readonly id: string
  readonly inbox = new Inbox()
  readonly progress: CodeProgress
  errors = 0
  #phase: Phase = 'starting'
  #place: Place | undefined
  readonly #room: RunnerRoom
  readonly #context: ActorContext
  readonly #deps: CodeRunnerDeps
  readonly #starting: Starting
  #firstEvent: string | undefined
  #openTimer: Timer | undefined
  readonly #waking: Waking
  readonly #held: HeldAnswers
  readonly #saving: Saving
  #freezing: PromiseWithResolvers<boolean> | undefined
  #lateBefore = 0
  /** Only in development. */
  readonly #recording: Recording | undefined

  constructor(
    context: ActorContext,
    deps: CodeRunnerDeps,
    room: RunnerRoom,
    // What has waited is handed over once: the next snapshot must not have it again.
    { waiting = [], ...code }: CodeSnapshot,
  ) {
    this.id = room.info.id
    this.#context = context
    this.#deps = deps
    this.#room = room
    this.progress = new CodeProgress(room, code)
    this.#starting = this.#newStarting()
    this.#saving = new Saving(context, this.#elapsedMs(), () => this.wake())
    this.#held = new HeldAnswers(context, (held) => this.#applyHeld(held))
    this.#waking = new Waking(context, deps.clock, code.wakeAt, () => this.#pushWake())
    this.#recording = code.isRecorded ? deps.recordings.begin() : undefined
    for (const text of waiting) this.inbox.push({ kind: 'message', text })
  }

  #newStarting(): Starting {
    return new Starting(this.#context, this.#deps, {
      turnRoom: this,
      progress: this.progress,
      phase: () => this.#phase,
      starts: () => void (this.#phase = 'starting'),
      placed: (place) => this.#begin(place),
      freeze: () => this.freeze(),
      leaveProcess: () => this.#leaveProcess(),
      closed: (reason, isKept) => this.#room.closed(reason, isKept),
    })
  }

  // Starting

  /** Starts a new room. Throws what refuses it; then the room is over. */
  open(generation: number): Promise<void> {
    return this.#starting.open(generation)
  }

  /** Starts a room of a snapshot. */
  restore(): Promise<void> {
    this.#waking.plan()
    return this.#starting.restore()
  }

  /** Starts a room that was stored. */
  reopen(live: LiveCode): Promise<void> {
    this.#waking.plan()
    return this.#starting.reopen(live)
  }

  /** After a deploy: the room keeps its version for a while. */
  planHandover(change: Parameters<Starting['planHandover']>[0]) {
    this.#starting.planHandover(change)
  }

  get wakeAt(): number | null {
    return this.#waking.atMs
  }

  get #isOver(): boolean {
    return this.#phase === 'over'
  }

  get isRunning(): boolean {
    return this.#phase === 'running'
  }

  #begin(place: Place) {
    this.#place = place
    this.#phase = 'opening'
    this.#firstEvent = this.progress.begin()
    const { snapshot } = this.progress.code
    if (snapshot === null) this.#recording?.opened(this.#firstEvent, this.#elapsedMs())
    else this.#recording?.restored(this.progress.startText(snapshot), this.progress.tick, this.#elapsedMs())
    place.wakeNow()
  }

  /** The code has answered its first turn and goes on after an `await`. Until then the limits of its process count. */
  #limitOpening() {
    this.#openTimer = this.#context.after(OPEN_TIMEOUT_MS, () => this.#failed(true))
  }

  #openedWith(payload: string) {
    const { tickRate } = parsedObject(payload)
    if (this.#phase !== 'opening' || !isTickRate(tickRate))
      throw new BrokenAnswerError('a room has opened twice or has no tick rate')
    this.#openTimer?.cancel()
    this.#phase = 'running'
    this.progress.opened(tickRate)
    this.#saving.taken(this.#elapsedMs())
    this.#place?.beginTicks(tickRate)
    if (!this.#starting.opened()) this.#room.restarted(this.progress.known)
    this.wakeNow()
  }

  /** `onCreate` or `onRestore` threw, or did not end in time. */
  #failed(isLate = false) {
    this.#place?.close()
    this.#place = undefined
    this.#starting.failed(isLate)
  }

  // Turns

  /** Something has come in. With ticks, it waits for the next one. */
  wake() {
    if (this.#phase === 'running') this.#place?.wake()
  }

  /** For what is rare and somebody waits for: a join, a view. */
  wakeNow() {
    if (this.#phase === 'running') this.#place?.wakeNow()
  }

  mayRun(): boolean {
    if (!this.#held.isEmpty || (this.#phase !== 'running' && this.#phase !== 'opening')) return false
    return this.#held.isOwned
  }

  takeTurn(elapsedMs: number, isTick: boolean): Turn {
    if (this.#phase === 'opening') {
      const first = this.#firstEvent
      this.#firstEvent = undefined
      return first === undefined ? [] : [first]
    }
    const waiting = this.inbox.take()
    const events = waiting.map(({ text }) => text)
    for (const { kind, playerId } of waiting)
      if (kind === 'leave' && playerId !== undefined) this.progress.playerLeft(playerId)
    if (waiting.length > 0) this.#room.handed(waiting)
    if (this.#waking.isWaiting) this.#waking.handed()
    if (isTick) events.push(`["tick",${this.progress.nextTick()}]`)
    if (events.length > 0) this.#saving.changed(elapsedMs, this.progress.stateBytes)
    const isDue = this.#saving.isDue(elapsedMs, this.progress.stateBytes)
    if (this.#freezing !== undefined || isDue || this.#room.wantsSnapshot(waiting)) {
      events.push('["snap"]')
      this.#saving.taken(elapsedMs)
    }
    if (this.#freezing) this.#phase = 'frozen'
    if (events.length > 0) this.#recording?.sent(events, this.progress.tick)
    return events
  }

  checked(elapsedMs: number) {
    this.#room.checked(elapsedMs)
    if (
      this.#phase === 'running' &&
      (this.#saving.isDue(elapsedMs, this.progress.stateBytes) || !this.inbox.isEmpty)
    )
      this.wake()
  }

  answered(effects: readonly Effect[], turn: number, atMs: number) {
    // What comes after the last snapshot on this node would be unknown to the next owner.
    if (this.#isOver || (this.#phase === 'frozen' && !this.#freezing)) return
    if (turn === BETWEEN_TURNS && effects.length > 0)
      this.#saving.changed(this.#elapsedMs(), this.progress.stateBytes)
    if (this.#held.isEmpty && this.#held.isOwned) this.#apply(effects, turn, atMs)
    else this.#held.add({ effects, turn, atMs })
  }

  #applyHeld(held: readonly HeldAnswer[]) {
    try {
      for (const { effects, turn, atMs } of held) this.#apply(effects, turn, atMs)
    } catch (error) {
      this.#place?.process.broken(error)
    }
    this.#place?.wake()
  }

  #apply(effects: readonly Effect[], turn: number, atMs: number) {
    const isTurn = turn !== BETWEEN_TURNS
    this.#recording?.answered(turn, effects, this.progress.tick, atMs)
    const opened = effects.find(({ kind }) => kind === 'opened')
    if (opened) this.#openedWith(opened.payload)
    if (effects.some(({ kind }) => kind === 'failed')) return this.#failed()
    if (isTurn && this.#phase === 'opening') this.#limitOpening()
    this.#room.apply(effects, isTurn, atMs)
    if (this.#isOver) return
    for (const { kind, payload, bytes } of effects) {
      if (kind === 'snap') {
        this.#snapped(payload, bytes)
        this.#recording?.snapped(() => this.progress.startText(payload), this.#elapsedMs())
      }
      if (kind === 'wake') this.#setWake(parsed(payload))
    }
    // Also without a snapshot: `save` may have thrown.
    if (isTurn && this.#phase === 'frozen') {
      this.#freezing?.resolve(true)
      this.#freezing = undefined
    }
  }

  // Snapshots

  #snapped(payload: string, bytes: number) {
    requireSnapshot(payload, bytes, this.#room.info.maxPlayers)
    const hasMore = [this.#waking.saved(), this.#room.capture()].includes(true)
    if (!hasMore && payload === this.progress.code.snapshot) return
    this.progress.snapped(payload)
    this.#context.changed()
    this.#room.snapped()
    if (!this.#freezing) this.#context.save()
  }

  #setWake(atMs: unknown) {
    if (atMs !== null && typeof atMs !== 'number') throw new BrokenAnswerError('a time is no number')
    this.#waking.set(atMs)
    this.#context.changed()
  }

  #pushWake() {
    this.inbox.push({ kind: 'presence', text: '["wake"]' })
    this.wake()
  }

  snapshot(): CodeSnapshot {
    const waiting = this.inbox.messages.flatMap(({ text, ask }) => (ask === undefined ? text : []))
    const times = { wakeAt: this.#waking.atMs, handoverAtMs: this.#starting.handoverAtMs }
    return { ...this.progress.code, ...times, ...(this.#phase !== 'running' && { waiting }) }
  }

  /** Makes the last snapshot on this node; afterwards the code makes no turn here. False: the code has not answered in time. */
  async freeze(): Promise<boolean> {
    if (this.#freezing) return this.#freezing.promise
    if (this.#phase !== 'running') return false
    const freezing = (this.#freezing = Promise.withResolvers<boolean>())
    const late = this.#context.after(FREEZE_TIMEOUT_MS, () => freezing.resolve(false))
    this.#place?.wakeNow()
    const isMade = await freezing.promise
    late.cancel()
    if (this.#phase === 'running') this.#phase = 'frozen'
    this.#freezing = undefined
    return isMade
  }

  /** The room goes on after all. */
  unfreeze() {
    if (this.#phase !== 'frozen') return
    this.#phase = 'running'
    if (this.#place) this.wakeNow()
    else this.processEnded({ isSuspect: false, wasAlone: false })
  }

  // Another process

  processEnded(end: { isSuspect: boolean; wasAlone: boolean }) {
    if (this.#isOver) return
    this.#lateBefore += this.#place?.lateTicks ?? 0
    this.#place = undefined
    this.#openTimer?.cancel()
    this.#held.clear()
    this.#room.stopped()
    if (this.#freezing) return this.#freezing.resolve(false)
    if (this.#phase === 'frozen') return
    if (this.#starting.hasEndedTwice(end)) return this.#starting.close('failed')
    this.inbox.keepMessages()
    this.#waking.restarted()
    void this.#starting.again(end.isSuspect)
  }

  #leaveProcess() {
    this.#place?.close()
    this.#lateBefore += this.#place?.lateTicks ?? 0
    this.#place = undefined
    this.#room.stopped()
    this.inbox.keepMessages()
    this.#waking.restarted()
  }

  // The end

  /** The code is told, if it runs. */
  stop() {
    if (this.#isOver) return
    this.#phase = 'over'
    this.#openTimer?.cancel()
    this.#waking.cancel()
    this.#freezing?.resolve(false)
    this.#starting.stop()
    this.#place?.close()
    const { environmentId } = this.#context.id
    if (this.#recording)
      this.#deps.recordings.end(this.#recording, { environmentId, roomId: this.id }, () => this.readTurns())
  }

  // Views

  /** A `RoomRecording`, as JSON text. */
  readTurns(): string {
    if (!this.#recording) throw new ApiError('development_only')
    const { className, version, tickRate } = this.progress.code
    const head = JSON.stringify({ roomId: this.id, className, version, tickRate }).slice(0, -1)
    return `${head},${this.#recording.read()}}`
  }

  liveView() {
    const { className, version, tickRate } = this.progress.code
    return {
      className,
      version,
      tickRate,
      tick: this.progress.tick,
      lateTicks: this.#lateBefore + (this.#place?.lateTicks ?? 0),
      cpuMsPerSecond: this.#place?.process.cpuMsPerRoom ?? 0,
      errors: this.errors,
      running: this.isRunning,
    }
  }

  #elapsedMs(): number {
    return this.#deps.clock.elapsedMs()
  }
}
