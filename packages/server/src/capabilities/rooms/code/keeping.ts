import { LIMITS } from '@svc/contract/common/limits'

import { type ActorContext, ActorMovedError } from '../../../platform/actors/actor.ts'
import { type Clock, millisecondsOf, MINUTE_MS, SECOND_MS } from '../../../platform/clock.ts'
import { untilRecorded } from '../../../platform/jobs/retry.ts'
import type { Timer } from '../../../platform/time/timers.ts'
import type { RoomSnapshot } from '../room-protocol.ts'
import type { KeptRooms } from './kept-rooms.ts'

export type KeepingDeps = {
  kept: Pick<KeptRooms, 'save' | 'remove' | 'takeSeat' | 'freeSeat'>
  clock: Clock
  report(error: unknown): void
}

/** What is kept. */
type KeptRoom = {
  connected(): number
  /** Something goes on that a snapshot does not have: somebody joins, a question is open, the code starts. */
  isBusy(): boolean
  isOver(): boolean
  wakeAt(): number | null
  snapshot(): RoomSnapshot
  /** Makes the last snapshot; afterwards the code makes no turn. False: the code has not answered in time. */
  freeze(): Promise<boolean>
  unfreeze(): void
  /** Ends the actor and leaves the room stored. */
  putAway(): void
}

/** An open room is saved this often if it has changed, so that a node that is lost takes little with it. */
const SAVE_EVERY_MS = 30 * SECOND_MS
const TRY_AGAIN_MS = 5 * SECOND_MS
/** A room whose code runs again so soon stays open. */
const SOON_MS = 2 * MINUTE_MS

/** Stores a room of a mode with `keepDays` when nobody has been connected for a while, and in between. */
export class Keeping {
  /** How often the room was saved, as its row counts. */
  saves: number
  #emptyTimer: Timer | undefined
  #isSavePlanned = false
  /** Players who may not have their seats yet, but have a row. */
  readonly #joining = new Set<string>()
  /** A save that has not begun. */
  #next: Promise<void> | undefined
  /** One write at a time, in order. */
  #writes: Promise<unknown> = Promise.resolve()
  readonly #context: ActorContext
  readonly #deps: KeepingDeps
  readonly #room: KeptRoom
  readonly #key: { environmentId: string; id: string }

  constructor(context: ActorContext, deps: KeepingDeps, room: KeptRoom, saves: number) {
    this.#context = context
    this.#deps = deps
    this.#room = room
    this.saves = saves
    this.#key = { environmentId: context.id.environmentId, id: context.id.key }
  }

  // Seats

  /** Throws `too_many_rooms`. */
  async takeSeat(playerId: string, isMatch: boolean) {
    this.#joining.add(playerId)
    await this.#write(() => this.#deps.kept.takeSeat(this.#key, playerId, isMatch)).catch(
      (error: unknown) => {
        this.#joining.delete(playerId)
        throw error
      },
    )
  }

  freeSeat(playerId: string) {
    this.#joining.delete(playerId)
    this.#write(() => this.#deps.kept.freeSeat(this.#key, playerId)).catch(this.#deps.report)
  }

  /** Resolves when all writes so far have ended. */
  async settled(): Promise<void> {
    await this.#writes
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writes.then(work)
    this.#writes = result.catch(() => {})
    return result
  }

  // Storing

  /** Somebody has disconnected or left, or nobody was there when the room was opened. */
  check() {
    if (this.#room.connected() === 0) this.#storeIn(LIMITS.disconnectGraceMs)
  }

  #storeIn(ms: number) {
    this.#emptyTimer?.cancel()
    this.#emptyTimer = this.#context.after(ms, () => this.#storeIfEmpty())
  }

  /** The mailbox waits, so that nobody joins in the meantime. */
  async #storeIfEmpty() {
    const { connected, isBusy, isOver, freeze, unfreeze, putAway } = this.#room
    const again = () => {
      unfreeze()
      this.#storeIn(TRY_AGAIN_MS)
    }
    if (connected() > 0) return
    if (isBusy() || this.#wakesSoon()) return this.#storeIn(TRY_AGAIN_MS)
    const isFrozen = await freeze()
    if (isOver()) return
    this.#context.assertStillOwner()
    try {
      if (isFrozen) await this.save()
    } catch (error) {
      if (error instanceof ActorMovedError) throw error
      this.#deps.report(error)
      return again()
    }
    if (!isFrozen) again()
    else if (!isOver()) putAway()
  }

  #wakesSoon(): boolean {
    const wakeAt = this.#room.wakeAt()
    return wakeAt !== null && wakeAt - millisecondsOf(this.#deps.clock) < SOON_MS
  }

  /** The code has made a new snapshot. */
  changed() {
    if (this.#isSavePlanned) return
    this.#isSavePlanned = true
    this.#context.after(SAVE_EVERY_MS, () => {
      this.#isSavePlanned = false
      this.save().catch(this.#reported)
    })
  }

  /** Saves the room as it is when the writes before have ended. Who asks meanwhile shares the save. */
  saveNext(): Promise<void> {
    this.#next ??= this.#write(() => {
      this.#next = undefined
      return this.#store(this.#room.snapshot())
    })
    return this.#next
  }

  /** Somebody has got a seat: a node that is lost must not take the seat with it. */
  seatTaken() {
    this.saveNext().catch(this.#reported)
  }

  save(snapshot = this.#room.snapshot()): Promise<void> {
    return this.#write(() => this.#store(snapshot))
  }

  readonly #reported = (error: unknown) => {
    if (!(error instanceof ActorMovedError)) this.#deps.report(error)
  }

  async #store(snapshot: RoomSnapshot) {
    const playerIds = [...new Set([...snapshot.seats.map(({ playerId }) => playerId), ...this.#joining])]
    const saves = await this.#deps.kept.save(this.#key, snapshot, playerIds, this.#context.assertStillOwner)
    if (saves === undefined) return
    this.saves = saves
    this.#context.changed()
  }

  /** The room has ended. */
  remove(): Promise<void> {
    return this.#write(() => untilRecorded(() => this.#remove())).catch(this.#deps.report)
  }

  async #remove() {
    try {
      await this.#deps.kept.remove(this.#key, this.#context.assertStillOwner)
    } catch (error) {
      if (!(error instanceof ActorMovedError)) throw error
    }
  }
}
