import { LIMITS } from '@svc/contract/common/limits'
import type { CloseReason } from '@svc/contract/realtime/rooms'

import { type ActorContext, ActorMovedError } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, millisecondsOf, SECOND_MS } from '../../../platform/clock.ts'
import type { Random } from '../../../platform/random.ts'
import type { Timer } from '../../../platform/time/timers.ts'
import type { CodeSnapshot, RoomInfo } from '../room-protocol.ts'
import { BETWEEN_TURNS, BrokenAnswerError, type Effect, parsed, parsedObject } from './answers.ts'
import { Handover } from './handover.ts'
import { type HeldAnswer, HeldAnswers } from './held.ts'
import { Inbox, type Waiting } from './inbox.ts'
import {
  type CodePlayer,
  isGone,
  isTemporary,
  isTickRate,
  openingEvent,
  reasonOf,
  startText,
} from './opening.ts'
import type { LiveCode, RoomCode } from './port.ts'
import type { Place, Turn, TurnRoom } from './process.ts'
import type { Recording, Recordings } from './recording.ts'
import { requireSnapshot, Saving } from './saving.ts'
import type { CodeTurns } from './turns.ts'
import { Waking } from './waking.ts'

export type CodeRunnerDeps = {
  code: Pick<RoomCode, 'live' | 'current'>
  turns: Pick<CodeTurns, 'place'>
  recordings: Recordings
  clock: Clock
  random: Random
  report(error: unknown): void
}

/** What the code of a room needs to know of it, and what it tells. */
export type RunnerRoom = {
  info: RoomInfo
  playersForCode(roster: ReadonlySet<string>): CodePlayer[]
  /** Throws BrokenAnswerError. */
  apply(effects: readonly Effect[], isTurn: boolean, atMs: number): void
  /** These events are in the turn that is sent now. */
  handed(waiting: readonly Waiting[]): void
  checked(nowMs: number): void
  /** The process has ended: no answer will come to what was handed over. */
  stopped(): void
  /** The code runs again, from its last snapshot. */
  restarted(roster: ReadonlySet<string>): void
  /** `isKept`: it may run again later. */
  closed(reason: CloseReason, isKept?: boolean): void
  /** There is a new snapshot. */
  snapped(): void
}

/** `starting`: waits for a process; `opening`: for `onCreate` or `onRestore`; `frozen`: has made its last snapshot here. */
type Phase = 'starting' | 'opening' | 'running' | 'frozen' | 'over'

/** The process itself gives up a little earlier, and says why. */
const OPEN_TIMEOUT_MS = LIMITS.roomPromiseTimeoutMs + 2 * SECOND_MS
const FREEZE_TIMEOUT_MS = 2 * SECOND_MS
const START_AGAIN_MS = 500
const STARTS_MAX = 60
/** An end counts as the second one if the first was at most this long ago. */
const SUSPECT_MS = 60 * SECOND_MS

/** Runs the code of one room: starts it, makes snapshots, continues it in another process or version. */
export class CodeRunner implements TurnRoom {
  readonly id: string
  readonly inbox = new Inbox()
  errors = 0
  #phase: Phase = 'starting'
  #place: Place | undefined
  readonly #room: RunnerRoom
  readonly #context: ActorContext
  readonly #deps: CodeRunnerDeps
  #code: CodeSnapshot
  /** The number of the last tick that was sent. */
  #tick: number
  /** The players that the code knows. */
  #known: Set<string>
  #firstEvent: string | undefined
  #openTimer: Timer | undefined
  readonly #waking: Waking
  readonly #handover: Handover
  readonly #held: HeldAnswers
  readonly #saving: Saving
  #freezing: PromiseWithResolvers<boolean> | undefined
  /** Settled when the code has opened the room. */
  #opened: PromiseWithResolvers<void> | undefined
  #isMoving = false
  #suspectedAtMs = -Infinity
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
    this.#code = code
    this.#tick = code.tick
    this.#known = new Set(code.roster)
    this.#saving = new Saving(this.#nowMs())
    this.#held = new HeldAnswers(context, (held) => this.#applyHeld(held))
    this.#waking = new Waking(context, deps.clock, code.wakeAt, () => this.#pushWake())
    this.#handover = new Handover(context, deps.clock, code.handoverAtMs, () => this.#handOver())
    this.#recording = code.isRecorded ? deps.recordings.begin() : undefined
    for (const text of waiting) this.inbox.push({ kind: 'message', text })
  }

  // Starting

  /** Starts a new room. Throws what refuses it; then the room is over. */
  async open(generation: number): Promise<void> {
    this.#opened = Promise.withResolvers()
    await this.#start({ generation, isSuspect: false, triesMax: 1 })
    await this.#opened.promise
  }

  /** Starts a room of a snapshot. */
  async restore(): Promise<void> {
    this.#waking.plan()
    const current = await this.#deps.code.current(this.#context.id.environmentId)
    if (this.#isOver) return
    if (!current.runs) return this.#close(current.reason, true)
    this.planHandover(current)
    await this.#startAgain(false)
  }

  /** Starts a room that was stored. */
  async reopen(live: LiveCode): Promise<void> {
    this.#waking.plan()
    if (live.versionId === this.#code.versionId) await this.#startAgain(false)
    else await this.#continueIn(live)
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

  async #startAgain(isSuspect: boolean): Promise<void> {
    this.#phase = 'starting'
    try {
      const live = await this.#live()
      const generation = live?.versionId === this.#code.versionId ? live.generation : undefined
      await this.#start({ generation, isSuspect, triesMax: STARTS_MAX })
    } catch (error) {
      if (this.#isOver) return
      if (!(error instanceof ApiError)) this.#deps.report(error)
      const live = isGone(error) ? await this.#live().catch(() => undefined) : undefined
      if (live && live.versionId !== this.#code.versionId) return this.#continueIn(live)
      this.#close(reasonOf(error, this.#isMoving), !isGone(error))
    }
  }

  #live() {
    return Promise.resolve(this.#deps.code.live(this.#context.id.environmentId, this.#code.className))
  }

  async #start(how: { generation: number | undefined; isSuspect: boolean; triesMax: number }): Promise<void> {
    const { generation, isSuspect } = how
    const { versionId } = this.#code
    const placing = { environmentId: this.#context.id.environmentId, versionId, generation, isSuspect }
    for (let tries = 1; ; tries++) {
      try {
        const place = await this.#deps.turns.place(placing, this)
        if (this.#phase !== 'starting') return place.close()
        return this.#begin(place)
      } catch (error) {
        if (this.#isOver) throw new ActorMovedError()
        if (tries >= how.triesMax || !isTemporary(error)) throw error
        await new Promise<void>((resolve) => void this.#context.after(START_AGAIN_MS, resolve))
      }
    }
  }

  #begin(place: Place) {
    this.#place = place
    this.#phase = 'opening'
    this.#known = new Set(this.#code.roster)
    this.#firstEvent = openingEvent(this.#code, this.#room.info, this.#room.playersForCode(this.#known))
    const { snapshot } = this.#code
    if (snapshot === null) this.#recording?.opened(this.#firstEvent, this.#nowMs())
    else this.#recording?.restored(this.#startText(snapshot), this.#tick, this.#nowMs())
    this.#openTimer = this.#context.after(OPEN_TIMEOUT_MS, () => this.#failed(true))
    place.wakeNow()
  }

  #startText(snapshot: string): string {
    return startText(snapshot, this.#code, this.#room.info, this.#room.playersForCode(this.#known))
  }

  #openedWith(payload: string) {
    const { tickRate } = parsedObject(payload)
    if (this.#phase !== 'opening' || !isTickRate(tickRate))
      throw new BrokenAnswerError('a room has opened twice or has no tick rate')
    this.#openTimer?.cancel()
    this.#phase = 'running'
    this.#isMoving = false
    this.#code.tickRate = tickRate
    this.#saving.taken(this.#nowMs())
    this.#place?.beginTicks(tickRate)
    if (this.#opened) this.#opened.resolve()
    else this.#room.restarted(this.#known)
    this.#opened = undefined
    this.wakeNow()
  }

  /** `onCreate` or `onRestore` threw, or did not end in time. */
  #failed(isLate = false) {
    this.#place?.close()
    this.#place = undefined
    this.#close(this.#isMoving ? 'updated' : 'failed', isLate)
  }

  #close(reason: CloseReason, isKept = false) {
    this.#opened?.reject(new ApiError('room_failed'))
    const isNew = this.#opened !== undefined
    this.#opened = undefined
    if (!isNew) this.#room.closed(reason, isKept)
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

  takeTurn(nowMs: number, isTick: boolean): Turn {
    if (this.#phase === 'opening') {
      const first = this.#firstEvent
      this.#firstEvent = undefined
      return first === undefined ? NOTHING : { events: [first], answerBytes: this.#snapshotBytes }
    }
    const waiting = this.inbox.take()
    const events = waiting.map(({ text }) => text)
    for (const { kind, playerId } of waiting)
      if (kind === 'leave' && playerId !== undefined) this.#known.delete(playerId)
    if (waiting.length > 0) this.#room.handed(waiting)
    if (this.#waking.isWaiting) this.#waking.handed()
    if (isTick) events.push(`["tick",${++this.#tick}]`)
    if (events.length > 0) this.#saving.hasChanged = true
    const takesSnapshot = this.#freezing !== undefined || this.#saving.isDue(nowMs, this.#snapshotBytes)
    if (takesSnapshot) {
      events.push('["snap"]')
      this.#saving.taken(nowMs)
    }
    if (this.#freezing) this.#phase = 'frozen'
    if (events.length > 0) this.#recording?.sent(events, this.#tick)
    const hasView = takesSnapshot || waiting.some(({ kind }) => kind === 'view' || kind === 'join')
    return { events, answerBytes: hasView ? this.#snapshotBytes : 0 }
  }

  get #snapshotBytes(): number {
    return this.#code.snapshot?.length ?? 0
  }

  checked(nowMs: number) {
    this.#room.checked(nowMs)
    if (this.#phase === 'running' && (this.#saving.isDue(nowMs, this.#snapshotBytes) || !this.inbox.isEmpty))
      this.wake()
  }

  answered(effects: readonly Effect[], turn: number, atMs: number) {
    // What comes after the last snapshot on this node would be unknown to the next owner.
    if (this.#isOver || (this.#phase === 'frozen' && !this.#freezing)) return
    if (turn === BETWEEN_TURNS && effects.length > 0) this.#saving.hasChanged = true
    if (this.#held.isEmpty && this.#held.isOwned) this.#apply(effects, turn, atMs)
    else this.#held.add({ effects, turn, atMs })
  }

  #applyHeld(held: readonly HeldAnswer[]) {
    try {
      for (const { effects, turn, atMs } of held) this.#apply(effects, turn, atMs)
    } catch (error) {
      if (!(error instanceof BrokenAnswerError)) throw error
      this.#place?.process.stop()
    }
    this.#place?.wake()
  }

  #apply(effects: readonly Effect[], turn: number, atMs: number) {
    const isTurn = turn !== BETWEEN_TURNS
    this.#recording?.answered(turn, effects, this.#tick, atMs)
    const opened = effects.find(({ kind }) => kind === 'opened')
    if (opened) this.#openedWith(opened.payload)
    if (effects.some(({ kind }) => kind === 'failed')) return this.#failed()
    this.#room.apply(effects, isTurn, atMs)
    if (this.#isOver) return
    for (const { kind, payload, bytes } of effects) {
      if (kind === 'snap') {
        this.#snapped(payload, bytes)
        this.#recording?.snapped(() => this.#startText(payload), atMs)
      }
      if (kind === 'wake') this.#setWake(parsed(payload))
    }
    // Also without a snapshot: `save` may have thrown.
    if (isTurn && this.#phase === 'frozen') {
      this.#freezing?.resolve(true)
      this.#freezing = undefined
    }
  }

  playerKnown(playerId: string) {
    this.#known.add(playerId)
  }

  // Snapshots

  #snapped(payload: string, bytes: number) {
    requireSnapshot(payload, bytes, this.#room.info.maxPlayers)
    if (this.#waking.saved() || payload !== this.#code.snapshot) {
      Object.assign(this.#code, { snapshot: payload, roster: [...this.#known], tick: this.#tick })
      this.#context.changed()
      this.#room.snapped()
      if (!this.#freezing) this.#context.save()
    }
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
    const times = { wakeAt: this.#waking.atMs, handoverAtMs: this.#handover.atMs }
    return { ...this.#code, ...times, ...(this.#phase !== 'running' && { waiting }) }
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

  // Another process, another version

  processEnded({ isSuspect, wasAlone }: { isSuspect: boolean; wasAlone: boolean }) {
    if (this.#isOver) return
    this.#lateBefore += this.#place?.lateTicks ?? 0
    this.#place = undefined
    this.#openTimer?.cancel()
    this.#held.clear()
    this.#room.stopped()
    if (this.#freezing) return this.#freezing.resolve(false)
    if (this.#phase === 'frozen') return
    const nowMs = this.#nowMs()
    const isSecondTime = nowMs - this.#suspectedAtMs < SUSPECT_MS
    if (isSuspect) this.#suspectedAtMs = nowMs
    if (isSuspect && wasAlone && isSecondTime) return this.#close('failed')
    this.inbox.keepMessages()
    this.#waking.restarted()
    void this.#startAgain(isSuspect)
  }

  /** After a deploy: the room keeps its version for a while. An earlier plan stays. */
  planHandover(change: { versionId: string; deployedAtMs: number; finishMinutes: number | null }) {
    if (change.versionId === this.#code.versionId) return this.#handover.cancel()
    const minutes = change.finishMinutes ?? this.#code.finishMinutes
    this.#handover.plan(change.deployedAtMs + minutes * 60 * SECOND_MS)
  }

  /** While it starts, it is tried again a little later. */
  #handOver() {
    if (this.#isOver || this.#phase === 'frozen') return
    if (this.#phase !== 'running') return this.#handover.retryIn(START_AGAIN_MS)
    void this.#move().catch((error: unknown) => {
      if (!(error instanceof ActorMovedError)) this.#deps.report(error)
    })
  }

  async #move() {
    const live = await this.#live()
    if (this.#phase !== 'running') return
    if (live?.versionId === this.#code.versionId) return this.#handover.cancel()
    if (!live) return this.#close('updated')
    await this.freeze()
    if (this.#isOver) return
    this.#context.assertStillOwner()
    this.#place?.close()
    this.#lateBefore += this.#place?.lateTicks ?? 0
    this.#place = undefined
    this.#room.stopped()
    this.inbox.keepMessages()
    this.#waking.restarted()
    await this.#continueIn(live)
  }

  async #continueIn({ versionId, version, tickRate }: LiveCode) {
    this.#handover.cancel()
    Object.assign(this.#code, { versionId, version, tickRate })
    this.#context.changed()
    this.#isMoving = true
    await this.#startAgain(false)
  }

  // The end

  /** The code is told, if it runs. */
  stop() {
    if (this.#isOver) return
    this.#phase = 'over'
    this.#openTimer?.cancel()
    this.#waking.cancel()
    this.#handover.stop()
    this.#freezing?.resolve(false)
    this.#opened?.reject(new ActorMovedError())
    this.#place?.close()
    const { environmentId } = this.#context.id
    if (this.#recording)
      this.#deps.recordings.end(this.#recording, { environmentId, roomId: this.id }, () => this.readTurns())
  }

  // Views

  /** A `RoomRecording`, as JSON text. */
  readTurns(): string {
    if (!this.#recording) throw new ApiError('development_only')
    const { className, version, tickRate } = this.#code
    const head = JSON.stringify({ roomId: this.id, className, version, tickRate }).slice(0, -1)
    return `${head},${this.#recording.read()}}`
  }

  get tick(): number {
    return this.#tick
  }

  get server() {
    return { tickRate: this.#code.tickRate, tick: this.#tick }
  }

  get stateBytes(): number {
    return this.#snapshotBytes
  }

  liveView() {
    const { className, version, tickRate } = this.#code
    return {
      className,
      version,
      tickRate,
      tick: this.#tick,
      lateTicks: this.#lateBefore + (this.#place?.lateTicks ?? 0),
      cpuMsPerSecond: this.#place?.process.cpuMsPerRoom ?? 0,
      errors: this.errors,
      running: this.isRunning,
    }
  }

  #nowMs(): number {
    return millisecondsOf(this.#deps.clock)
  }
}

const NOTHING: Turn = { events: [], answerBytes: 0 }
