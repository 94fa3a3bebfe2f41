import type { LiveQueue } from '@svc/contract/realtime/rooms'

import {
  type Actor,
  type ActorContext,
  type ConnectionRef,
  type Handlers,
  nameOf,
} from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { Timer } from '../../platform/time/timers.ts'
import type { Mode } from './modes.ts'
import {
  type EnqueueResult,
  modeAndPoolOf,
  type QueueName,
  type QueueProtocol,
  type Wait,
} from './queue-protocol.ts'
import { RoomOffers } from './room-offers.ts'
import type { FillResult, JoiningPlayer, RoomOffer } from './room-protocol.ts'
import {
  type Group,
  groupsOf,
  nextStartMs,
  readyGroups,
  startingPlayers,
  type Waiting,
  waitingOf,
} from './waiting-players.ts'

export type QueueDeps = {
  clock: Clock
  /** Throws if no room can be created at the moment. */
  open(
    environmentId: string,
    mode: Mode,
    pool: string | null,
    joiningPlayers: readonly JoiningPlayer[],
  ): Promise<{ id: string; refused?: readonly RefusedPlayer[] }>
  /** Gives seats to all of them, or to none. Undefined: the room has ended. */
  fill(
    environmentId: string,
    roomId: string,
    joiningPlayers: readonly JoiningPlayer[],
  ): Promise<FillResult | undefined>
  /** Reads the current config. */
  hasMode(environmentId: string, modeKey: string): Promise<boolean>
  report(error: unknown): void
}

export type QueueSnapshot = { offers: RoomOffer[] }

const RETRY_MS = SECOND_MS
const IDLE_MS = MINUTE_MS
const CHECK_MODE_EVERY_MS = SECOND_MS
const PROGRESS_EVERY_MS = SECOND_MS
const NO_SEATS = { players: 0, freeSeats: 0, createdAtMs: 0 }

/** The rooms in which players have just got a seat, and the players whom the code of a room has refused. */
type Seated = Map<ConnectionRef, string | ApiError>
type RefusedPlayer = { ref: ConnectionRef; details: Record<string, unknown> | undefined }

/** Trying again would not help: the code of the room refuses these players, or does not start. */
const CODE_REFUSALS: readonly string[] = [
  'join_refused',
  'room_error',
  'room_failed',
  'room_busy',
  'mode_unavailable',
]

export const queueHandlers: Handlers<QueueProtocol, Queue> = {
  enqueue: (queue, wait) => queue.enqueue(wait),
  offer: (queue, offer) => queue.offer(offer),
  leave: (queue, { ref }) => queue.drop((waiting) => waiting.ref === ref),
  removePlayer: (queue, { playerId }) => queue.drop(({ player }) => player.id === playerId),
  rename: (queue, { playerId, displayName }) => queue.rename(playerId, displayName),
}

/**
 * The players who wait for a match in one mode and pool, first come first served: they get seats in started matches, otherwise they
 * start a new one (ROM-11, ROM-12).
 */
export class Queue implements Actor<QueueSnapshot> {
  /** Longest waiting first. */
  #waiting: Waiting[] = []
  readonly #offers: RoomOffers
  /** Whose request is handled now. */
  #caller: ConnectionRef | undefined
  #next: Timer | undefined
  #idle: Timer | undefined
  #checksMode = false
  #progress: { sentAtMs: number; timer: Timer | undefined } = {
    sentAtMs: -Infinity,
    timer: undefined,
  }
  readonly #modeKey: string
  readonly #pool: string | null
  readonly #context: ActorContext
  readonly #deps: QueueDeps

  constructor(context: ActorContext, deps: QueueDeps, { offers }: QueueSnapshot = { offers: [] }) {
    this.#context = context
    this.#deps = deps
    const { modeKey, pool } = modeAndPoolOf(context.id.key)
    this.#modeKey = modeKey
    this.#pool = pool
    this.#offers = new RoomOffers(offers, this.#elapsedMs())
    this.#restartIdleTimer()
  }

  get name(): QueueName {
    return nameOf(this.#context.id)
  }

  /** The number of players who wait. */
  get size(): number {
    return this.#waiting.length
  }

  isWaiting(playerId: string): boolean {
    return this.#waiting.some(({ joiningPlayer: { player } }) => player.id === playerId)
  }

  memberDisconnected(ref: ConnectionRef) {
    this.drop((joiningPlayer) => joiningPlayer.ref === ref)
  }

  snapshot(): QueueSnapshot | undefined {
    return this.#offers.size > 0 ? { offers: this.#offers.snapshot() } : undefined
  }

  liveView(): LiveQueue {
    const mode = this.#modeKey
    return { mode, ...(this.#pool !== null && { pool: this.#pool }), waiting: this.#waiting.length }
  }

  async enqueue(wait: Wait): Promise<EnqueueResult> {
    const { ref, player } = wait.joiningPlayer
    // The player's previous connection may still count as open.
    this.#remove(this.#waiting.filter(({ joiningPlayer }) => joiningPlayer.player.id === player.id))
    this.#restartIdleTimer()
    this.#waiting.push(waitingOf(wait, this.#deps.clock))
    this.#waiting.sort((a, b) => a.sinceMs - b.sinceMs)
    this.#context.members.add(ref)
    if (!this.#checksMode) this.#checkModeLater()
    const seated: Seated = new Map()
    this.#caller = ref
    await this.#seatWaiting(seated)
      .catch((error: unknown) => {
        // If the queue has moved, its next owner must not enqueue a player who has a seat.
        if (!seated.has(ref)) throw error
      })
      .finally(() => (this.#caller = undefined))
    const roomId = seated.get(ref)
    if (roomId instanceof ApiError) throw roomId
    return roomId === undefined ? { queued: true } : { queued: false, roomId }
  }

  async offer(offer: RoomOffer) {
    this.#keep(offer)
    this.#restartIdleTimer()
    await this.#seatWaiting()
    this.#endIfUnused()
    return {}
  }

  /** Returns whether a player was dropped. */
  drop(isMeant: (joiningPlayer: JoiningPlayer) => boolean): boolean {
    const leaving = this.#waiting.filter(({ joiningPlayer }) => isMeant(joiningPlayer))
    if (leaving.length === 0) return false
    this.#remove(leaving)
    this.#planNext()
    this.#sendProgressSoon()
    this.#endIfUnused()
    return true
  }

  rename(playerId: string, displayName: string | null) {
    for (const { joiningPlayer } of this.#waiting)
      if (joiningPlayer.player.id === playerId) joiningPlayer.player.displayName = displayName
    return {}
  }

  // Seating

  /** The mode of the player who joined the queue last; undefined while it is empty. */
  get #mode(): Mode | undefined {
    return this.#waiting.at(-1)?.mode
  }

  async #seatWaiting(seated: Seated = new Map()) {
    const mode = this.#mode
    if (!mode) return
    await this.#fillRooms(mode, seated)
    const isComplete = await this.#startRooms(mode, seated)
    this.#planNext(isComplete ? undefined : this.#elapsedMs() + RETRY_MS)
    this.#sendProgressSoon()
  }

  async #fillRooms(mode: Mode, seated: Seated) {
    for (const { waits } of this.#ready(mode)) {
      const tried = new Set<string>()
      for (;;) {
        const offer = this.#offers.best(mode.minPlayers, waits.length, tried)
        if (!offer || (await this.#fill(offer.roomId, waits, seated))) break
        tried.add(offer.roomId)
      }
    }
  }

  /** Asks the room, which decides. Returns whether these players have seats there now. */
  async #fill(roomId: string, waits: readonly Waiting[], seated: Seated): Promise<boolean> {
    const { environmentId } = this.#context.id
    const filled = await this.#deps.fill(environmentId, roomId, playersOf(waits)).catch(this.#reported)
    if (filled?.isSeated) this.#seat(waits, roomId, seated)
    else this.#context.assertStillOwner()
    this.#keep(filled?.offer ?? { ...NO_SEATS, roomId })
    return filled?.isSeated ?? false
  }

  /** Returns whether every match that can start has started. */
  async #startRooms(mode: Mode, seated: Seated): Promise<boolean> {
    for (;;) {
      const starting = startingPlayers(this.#ready(mode), mode, this.#elapsedMs())
      if (!starting) return true
      const { environmentId } = this.#context.id
      const room = await this.#deps
        .open(environmentId, mode, this.#pool, playersOf(starting))
        .catch((error: unknown) => (isCodeRefusal(error) ? error : this.#reported(error)))
      if (room instanceof ApiError) {
        this.#refuse(starting, room, seated)
        continue
      }
      if (!room) {
        this.#context.assertStillOwner()
        return false
      }
      this.#seat(starting, room.id, seated)
      for (const { ref, details } of room.refused ?? [])
        this.#tellRefused(ref, new ApiError('join_refused', details), seated)
      // The room's own offer may arrive later than the next player.
      this.#keep(offerOf(room.id, mode, starting.length, millisecondsOf(this.#deps.clock)))
    }
  }

  #seat(waits: readonly Waiting[], roomId: string, seated: Seated) {
    for (const { joiningPlayer } of waits) seated.set(joiningPlayer.ref, roomId)
    this.#context.assertStillOwner()
    this.#remove(waits)
  }

  #refuse(waits: readonly Waiting[], refusal: ApiError, seated: Seated) {
    this.#context.assertStillOwner()
    for (const { joiningPlayer } of waits) this.#tellRefused(joiningPlayer.ref, refusal, seated)
    this.#remove(waits)
  }

  /** The player whose request started the match gets a reply, the others an event. */
  #tellRefused(ref: ConnectionRef, refusal: ApiError, seated: Seated) {
    seated.set(ref, refusal)
    if (ref !== this.#caller)
      this.#context.sendEvent(ref, { t: 'warn', ...refusal.body.error, request: 'quickMatch' })
  }

  #remove(leaving: readonly Waiting[]) {
    for (const { joiningPlayer } of leaving) this.#context.members.remove(joiningPlayer.ref)
    this.#waiting = this.#waiting.filter((each) => !leaving.includes(each))
  }

  #keep(offer: RoomOffer) {
    if (this.#offers.set(offer, this.#elapsedMs())) this.#context.changed()
  }

  #ready(mode: Mode): Group[] {
    return readyGroups(groupsOf(this.#waiting, mode.maxPlayers), this.#elapsedMs())
  }

  #nextStartMs(mode: Mode): number {
    return nextStartMs(groupsOf(this.#waiting, mode.maxPlayers), mode, this.#elapsedMs())
  }

  #planNext(retryMs?: number) {
    this.#next?.cancel()
    const nextMs = retryMs ?? (this.#mode ? this.#nextStartMs(this.#mode) : Infinity)
    this.#next =
      nextMs === Infinity
        ? undefined
        : this.#context.after(Math.max(nextMs - this.#elapsedMs(), 0), () => this.#seatWaiting())
  }

  // Progress

  #sendProgressSoon() {
    const { sentAtMs, timer } = this.#progress
    if (timer || !this.#waiting.some(({ wantsProgress }) => wantsProgress)) return
    const leftMs = sentAtMs + PROGRESS_EVERY_MS - this.#elapsedMs()
    if (leftMs <= 0) return this.#sendProgress()
    this.#progress.timer = this.#context.after(leftMs, () => this.#sendProgress())
  }

  #sendProgress() {
    this.#progress = { sentAtMs: this.#elapsedMs(), timer: undefined }
    if (!this.#mode) return
    const { minPlayers, maxPlayers } = this.#mode
    const startsAtMs = this.#nextStartMs(this.#mode)
    const inMs = startsAtMs - this.#elapsedMs()
    const startsAt = inMs === Infinity ? null : timestamp(this.#deps.clock, inMs)
    const event = { t: 'match_progress', waiting: this.#waiting.length, minPlayers, maxPlayers, startsAt }
    for (const { wantsProgress, joiningPlayer } of this.#waiting)
      if (wantsProgress) this.#context.sendEvent(joiningPlayer.ref, event)
  }

  // The end of a queue

  /** Ends the queue after a while without use. */
  #restartIdleTimer() {
    this.#idle?.cancel()
    this.#idle = this.#context.after(IDLE_MS, () => this.#endIfIdle())
  }

  #endIfIdle() {
    this.#offers.removeExpired(this.#elapsedMs())
    if (this.#isUnused) this.#context.end()
    else this.#restartIdleTimer()
  }

  /** Players choose the names of pools: without this, one player could fill the memory with queues. */
  #endIfUnused() {
    if (this.#pool !== null && this.#isUnused) this.#context.end()
  }

  get #isUnused(): boolean {
    return this.#waiting.length === 0 && this.#offers.size === 0
  }

  #checkModeLater() {
    this.#checksMode = true
    this.#context.after(CHECK_MODE_EVERY_MS, () => this.#checkMode())
  }

  /** Players who wait in a mode that was removed from the config are dropped with a warning. */
  async #checkMode() {
    this.#checksMode = false
    if (this.#waiting.length === 0) return
    const exists = await this.#deps
      .hasMode(this.#context.id.environmentId, this.#modeKey)
      .catch((error: unknown) => {
        this.#deps.report(error)
        return true
      })
    this.#context.assertStillOwner()
    if (exists) return this.#checkModeLater()
    const { error } = new ApiError('mode_not_found').body
    for (const { joiningPlayer } of this.#waiting)
      this.#context.sendEvent(joiningPlayer.ref, { t: 'warn', ...error, request: 'quickMatch' })
    this.drop(() => true)
  }

  readonly #reported = (error: unknown) => {
    this.#deps.report(error)
    return undefined
  }

  #elapsedMs(): number {
    return this.#deps.clock.elapsedMs()
  }
}

const isCodeRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && CODE_REFUSALS.includes(error.code)

const playersOf = (waits: readonly Waiting[]): JoiningPlayer[] =>
  waits.map(({ joiningPlayer }) => joiningPlayer)

/** The seats that a match has left when it starts. */
function offerOf(roomId: string, mode: Mode, players: number, createdAtMs: number): RoomOffer {
  const isOpen = mode.backfillSeconds !== 0 || players < mode.minPlayers
  return { roomId, players, freeSeats: isOpen ? mode.maxPlayers - players : 0, createdAtMs }
}
