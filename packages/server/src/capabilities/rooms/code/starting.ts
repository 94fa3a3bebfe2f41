import type { CloseReason } from '@svc/contract/realtime/rooms'

import { type ActorContext, ActorMovedError } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, SECOND_MS } from '../../../platform/clock.ts'
import { Handover } from './handover.ts'
import { isGone, isTemporary, reasonOf } from './opening.ts'
import type { LiveCode, RoomCode } from './port.ts'
import type { Place, TurnRoom } from './process.ts'
import type { CodeProgress } from './progress.ts'
import type { CodeTurns } from './turns.ts'

export type StartingDeps = {
  code: Pick<RoomCode, 'live' | 'current'>
  turns: Pick<CodeTurns, 'place'>
  clock: Clock
  report(error: unknown): void
}

/** `starting`: waits for a process; `opening`: for `onCreate` or `onRestore`; `frozen`: has made its last snapshot here. */
export type Phase = 'starting' | 'opening' | 'running' | 'frozen' | 'over'

/** What is started. */
type StartedCode = {
  turnRoom: TurnRoom
  progress: CodeProgress
  phase(): Phase
  /** It waits for a process from now on. */
  starts(): void
  placed(place: Place): void
  /** Makes its last snapshot in its process. */
  freeze(): Promise<boolean>
  leaveProcess(): void
  /** `isKept`: it may run again later. */
  closed(reason: CloseReason, isKept: boolean): void
}

const START_AGAIN_MS = 500
const STARTS_MAX = 60
/** An end counts as the second one if the first was at most this long ago. */
const SUSPECT_MS = 60 * SECOND_MS

/** Starts the code of one room: in which version, and in which process. After a deploy it moves the room to the live version. */
export class Starting {
  readonly #handover: Handover
  /** Only of a new room: settled when the code has opened it. */
  #opened: PromiseWithResolvers<void> | undefined
  #isMoving = false
  #suspectedAtMs = -Infinity
  readonly #context: ActorContext
  readonly #deps: StartingDeps
  readonly #started: StartedCode

  constructor(context: ActorContext, deps: StartingDeps, started: StartedCode) {
    this.#context = context
    this.#deps = deps
    this.#started = started
    const { handoverAtMs } = started.progress.code
    this.#handover = new Handover(context, deps.clock, handoverAtMs, () => this.#handOver())
  }

  /** Starts a new room. Throws what refuses it; then the room is over. */
  async open(generation: number): Promise<void> {
    const { promise } = (this.#opened = Promise.withResolvers())
    // The room may end while it waits for a process; who opens it learns of that here.
    const started = this.#start({ generation, isSuspect: false, triesMax: 1 })
    await Promise.all([started, promise])
  }

  /** Starts a room of a snapshot. */
  async restore(): Promise<void> {
    const current = await this.#deps.code.current(this.#context.id.environmentId)
    if (this.#isOver) return
    if (!current.runs) return this.close(current.reason, true)
    this.planHandover(current)
    await this.again(false)
  }

  /** Starts a room that was stored. */
  async reopen(live: LiveCode): Promise<void> {
    if (live.versionId === this.#versionId) await this.again(false)
    else await this.#continueIn(live)
  }

  async again(isSuspect: boolean): Promise<void> {
    this.#started.starts()
    try {
      const live = await this.#live()
      const generation = live?.versionId === this.#versionId ? live.generation : undefined
      await this.#start({ generation, isSuspect, triesMax: STARTS_MAX })
    } catch (error) {
      if (this.#isOver) return
      if (!(error instanceof ApiError)) this.#deps.report(error)
      const live = isGone(error) ? await this.#live().catch(() => undefined) : undefined
      if (live && live.versionId !== this.#versionId) return this.#continueIn(live)
      this.close(reasonOf(error, this.#isMoving), !isGone(error))
    }
  }

  async #start(how: { generation: number | undefined; isSuspect: boolean; triesMax: number }): Promise<void> {
    const { generation, isSuspect } = how
    const { environmentId } = this.#context.id
    const placing = { environmentId, versionId: this.#versionId, generation, isSuspect }
    for (let tries = 1; ; tries++) {
      try {
        const place = await this.#deps.turns.place(placing, this.#started.turnRoom)
        if (this.#started.phase() !== 'starting') return place.close()
        return this.#started.placed(place)
      } catch (error) {
        if (this.#isOver) throw new ActorMovedError()
        if (tries >= how.triesMax || !isTemporary(error)) throw error
        await new Promise<void>((resolve) => void this.#context.after(START_AGAIN_MS, resolve))
      }
    }
  }

  /** The code has opened the room. Returns whether it is a new room. */
  opened(): boolean {
    const isNew = this.#opened !== undefined
    this.#isMoving = false
    this.#opened?.resolve()
    this.#opened = undefined
    return isNew
  }

  /** `onCreate` or `onRestore` threw, or did not end in time. */
  failed(isLate: boolean) {
    this.close(this.#isMoving ? 'updated' : 'failed', isLate)
  }

  /** Who opens a new room gets an error instead. */
  close(reason: CloseReason, isKept = false) {
    const isNew = this.#opened !== undefined
    this.#opened?.reject(new ApiError('room_failed'))
    this.#opened = undefined
    if (!isNew) this.#started.closed(reason, isKept)
  }

  /** Its process has ended. Returns whether the room, alone in its process, is the likely cause for the second time. */
  hasEndedTwice({ isSuspect, wasAlone }: { isSuspect: boolean; wasAlone: boolean }): boolean {
    const nowMs = this.#deps.clock.elapsedMs()
    const isSecondTime = nowMs - this.#suspectedAtMs < SUSPECT_MS
    if (isSuspect) this.#suspectedAtMs = nowMs
    return isSuspect && wasAlone && isSecondTime
  }

  // Another version

  get handoverAtMs(): number | null {
    return this.#handover.atMs
  }

  /** After a deploy: the room keeps its version for a while. An earlier plan stays. */
  planHandover(change: { versionId: string; deployedAtMs: number; finishMinutes: number | null }) {
    if (change.versionId === this.#versionId) return this.#handover.cancel()
    const minutes = change.finishMinutes ?? this.#started.progress.code.finishMinutes
    this.#handover.plan(change.deployedAtMs + minutes * 60 * SECOND_MS)
  }

  /** While it starts, it is tried again a little later. */
  #handOver() {
    const phase = this.#started.phase()
    if (phase === 'over' || phase === 'frozen') return
    if (phase !== 'running') return this.#handover.retryIn(START_AGAIN_MS)
    void this.#move().catch((error: unknown) => {
      if (!(error instanceof ActorMovedError)) this.#deps.report(error)
    })
  }

  async #move() {
    const live = await this.#live()
    if (this.#started.phase() !== 'running') return
    if (live?.versionId === this.#versionId) return this.#handover.cancel()
    if (!live) return this.close('updated')
    await this.#started.freeze()
    if (this.#isOver) return
    this.#context.assertStillOwner()
    this.#started.leaveProcess()
    await this.#continueIn(live)
  }

  async #continueIn(live: LiveCode) {
    this.#handover.cancel()
    this.#started.progress.continueIn(live)
    this.#context.changed()
    this.#isMoving = true
    await this.again(false)
  }

  // The end

  stop() {
    this.#handover.stop()
    this.#opened?.reject(new ActorMovedError())
  }

  get #isOver(): boolean {
    return this.#started.phase() === 'over'
  }

  get #versionId(): string {
    return this.#started.progress.code.versionId
  }

  #live() {
    const { className } = this.#started.progress.code
    return Promise.resolve(this.#deps.code.live(this.#context.id.environmentId, className))
  }
}
