import type { LiveQueue } from '@svc/contract/rooms'

import type { Actor, ActorContext, ConnectionRef, Handlers } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import type { Timer } from '../../platform/timers.ts'
import type { Mode } from './modes.ts'
import type { EnqueueResult, QueueProtocol, Wait } from './queue-protocol.ts'
import type { FillResult, JoiningPlayer } from './room-protocol.ts'

export type QueueDeps = {
  clock: Clock
  /** Throws when no room can be made just now. */
  open(environmentId: string, mode: Mode, joiningPlayers: readonly JoiningPlayer[]): Promise<{ id: string }>
  /** Undefined: the room is over. */
  fill(
    environmentId: string,
    roomId: string,
    joiningPlayer: JoiningPlayer,
    minPlayers: number,
  ): Promise<FillResult | undefined>
  roomExists(environmentId: string, roomId: string): Promise<boolean>
  /** As the config is now. */
  hasMode(environmentId: string, modeKey: string): Promise<boolean>
  report(error: unknown): void
}

/** Rooms that started with too few players, oldest first: the next players join them. */
export type QueueSnapshot = { unfilled: string[] }

type Waiting = Wait & { timer: Timer | undefined }

const UNFILLED_MAX = 100
const RETRY_MS = SECOND_MS
const IDLE_MS = MINUTE_MS
const CHECK_MODE_EVERY_MS = SECOND_MS
/** After a queue moves to another node, expired waits are extended by a second so that other players can re-queue first. */
const FILL_WAIT_MIN_MS = SECOND_MS

export const queueHandlers: Handlers<QueueProtocol, Queue> = {
  enqueue: (queue, wait) => queue.enqueue(wait),
  leave: (queue, { ref }) => queue.drop((waiting) => waiting.ref === ref),
  removePlayer: (queue, { playerId }) => queue.drop(({ player }) => player.id === playerId),
  rename: (queue, { playerId, displayName }) => queue.rename(playerId, displayName),
}

/** The players who wait for a match in one mode, first come first served (ROM-11, ROM-12). */
export class Queue implements Actor<QueueSnapshot> {
  #waiting: Waiting[] = []
  #unfilled: string[]
  #idle: Timer | undefined
  #checksMode = false
  readonly #context: ActorContext
  readonly #deps: QueueDeps

  constructor(context: ActorContext, deps: QueueDeps, { unfilled }: QueueSnapshot = { unfilled: [] }) {
    this.#context = context
    this.#deps = deps
    this.#unfilled = unfilled
    this.#restartIdleTimer()
  }

  memberDisconnected(ref: ConnectionRef) {
    this.drop((joiningPlayer) => joiningPlayer.ref === ref)
  }

  snapshot(): QueueSnapshot | undefined {
    return this.#unfilled.length > 0 ? { unfilled: this.#unfilled } : undefined
  }

  liveView(): LiveQueue {
    return { mode: this.#context.id.key, waiting: this.#waiting.length }
  }

  async enqueue({ joiningPlayer, mode, enqueuedAtMs }: Wait): Promise<EnqueueResult> {
    // The player's previous connection may still count as open.
    this.drop(({ player }) => player.id === joiningPlayer.player.id)
    this.#restartIdleTimer()
    const filled = await this.#fill(joiningPlayer, mode)
    if (filled !== undefined) return { queued: false, roomId: filled }
    this.#context.assertStillOwner()

    const timer = this.#fillTimeout(mode, enqueuedAtMs)
    this.#waiting.push({ joiningPlayer, mode, enqueuedAtMs, timer })
    this.#waiting.sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs)
    this.#context.members.add(joiningPlayer.ref)
    if (!this.#checksMode) this.#checkModeLater()
    const roomId = (await this.#match(mode)).get(joiningPlayer.ref)
    return roomId === undefined ? { queued: true } : { queued: false, roomId }
  }

  /** Fill timeout of the longest-waiting player: start with everyone in the queue. */
  #fillTimeout(mode: Mode, enqueuedAtMs: number): Timer | undefined {
    if (mode.fillTimeoutSeconds === 0) return undefined
    const leftMs = enqueuedAtMs + mode.fillTimeoutSeconds * SECOND_MS - this.#deps.clock.now().getTime()
    return this.#context.after(Math.max(leftMs, FILL_WAIT_MIN_MS), () => this.#start(mode, 1))
  }

  async #start(mode: Mode, enough: number) {
    await this.#match(mode, enough)
    this.#restartIdleTimer()
  }

  /** Returns the room of each matched player; the others keep waiting. */
  async #match(mode: Mode, enough = mode.minPlayers): Promise<Map<ConnectionRef, string>> {
    const matched = new Map<ConnectionRef, string>()
    while (this.#waiting.length >= enough) {
      const group = this.#waiting.slice(0, mode.maxPlayers).map(({ joiningPlayer }) => joiningPlayer)
      const room = await this.#open(mode, group)
      if (!room) {
        this.#context.after(RETRY_MS, () => this.#start(mode, enough))
        break
      }
      for (const { ref } of group) matched.set(ref, room.id)
      this.drop(({ ref }) => matched.has(ref))
      if (group.length < mode.minPlayers) this.#remember(room.id)
    }
    return matched
  }

  async #open(mode: Mode, group: readonly JoiningPlayer[]) {
    try {
      return await this.#deps.open(this.#context.id.environmentId, mode, group)
    } catch (error) {
      this.#deps.report(error)
      return undefined
    }
  }

  async #fill(joiningPlayer: JoiningPlayer, { minPlayers }: Mode): Promise<string | undefined> {
    for (const roomId of this.#unfilled) {
      const filled = await this.#deps.fill(this.#context.id.environmentId, roomId, joiningPlayer, minPlayers)
      if (!filled?.isUnderfilled) this.#forget(roomId)
      if (filled?.isSeated) return roomId
    }
    return undefined
  }

  #remember(roomId: string) {
    this.#unfilled = [...this.#unfilled, roomId].slice(-UNFILLED_MAX)
    this.#context.changed()
  }

  #forget(roomId: string) {
    this.#unfilled = this.#unfilled.filter((each) => each !== roomId)
    this.#context.changed()
  }

  /** Returns whether there was one. */
  drop(isMeant: (joiningPlayer: JoiningPlayer) => boolean): boolean {
    const leaving = this.#waiting.filter(({ joiningPlayer }) => isMeant(joiningPlayer))
    for (const { joiningPlayer, timer } of leaving) {
      timer?.cancel()
      this.#context.members.remove(joiningPlayer.ref)
    }
    this.#waiting = this.#waiting.filter((each) => !leaving.includes(each))
    return leaving.length > 0
  }

  rename(playerId: string, displayName: string | null) {
    for (const { joiningPlayer } of this.#waiting)
      if (joiningPlayer.player.id === playerId) joiningPlayer.player.displayName = displayName
    return {}
  }

  /** Ends the queue after a while without use; checked again if that fails. */
  #restartIdleTimer() {
    this.#idle?.cancel()
    this.#idle = this.#context.after(IDLE_MS, () => this.#endIfIdle())
  }

  #checkModeLater() {
    this.#checksMode = true
    this.#context.after(CHECK_MODE_EVERY_MS, () => this.#checkMode())
  }

  /** Players who wait in a mode that was removed from the config are dropped with a warning. */
  async #checkMode() {
    this.#checksMode = false
    if (this.#waiting.length === 0) return
    const { environmentId, key } = this.#context.id
    const exists = await this.#deps.hasMode(environmentId, key).catch((error: unknown) => {
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

  async #endIfIdle() {
    this.#restartIdleTimer()
    for (const roomId of this.#unfilled) if (await this.#isOver(roomId)) this.#forget(roomId)
    if (this.#waiting.length === 0 && this.#unfilled.length === 0) this.#context.end()
  }

  /** If the room cannot be reached, assume it is still live. */
  async #isOver(roomId: string): Promise<boolean> {
    try {
      return !(await this.#deps.roomExists(this.#context.id.environmentId, roomId))
    } catch (error) {
      this.#deps.report(error)
      return false
    }
  }
}
