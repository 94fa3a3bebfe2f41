import type { LiveQueue } from '@svc/contract/rooms'

import type { Actor, ConnectionRef, Stage } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import type { Timer } from '../../platform/timers.ts'
import type { Mode } from './modes.ts'
import type { Enqueued, QueueMessage, Wait } from './queue-protocol.ts'
import type { Filled, Newcomer } from './room-protocol.ts'

export type QueueNeeds = {
  clock: Clock
  /** Throws when no room can be made just now. */
  open(environmentId: string, mode: Mode, newcomers: readonly Newcomer[]): Promise<{ id: string }>
  /** Undefined: the room is over. */
  fill(
    environmentId: string,
    roomId: string,
    newcomer: Newcomer,
    minPlayers: number,
  ): Promise<Filled | undefined>
  isLive(environmentId: string, roomId: string): Promise<boolean>
  /** As the config is now. */
  hasMode(environmentId: string, modeKey: string): Promise<boolean>
  report(error: unknown): void
}

/** Rooms that began with too few players, oldest first: who comes next goes there. */
export type QueueSnapshot = { unfilled: string[] }

type Waiting = Wait & { timer: Timer | undefined }

const UNFILLED_MAX = 100
const RETRY_MS = SECOND_MS
const IDLE_MS = MINUTE_MS
const CHECK_MODE_EVERY_MS = SECOND_MS
/** Those who have waited too long when a queue moves to another node still give the others a moment to follow. */
const PATIENCE_MIN_MS = SECOND_MS

/** Those who wait for a match in one mode, first come first served (ROM-11, ROM-12). */
export class Queue implements Actor<QueueMessage, QueueSnapshot> {
  #waiting: Waiting[] = []
  #unfilled: string[]
  #idle: Timer | undefined
  #checksMode = false
  readonly #stage: Stage
  readonly #needs: QueueNeeds

  constructor(stage: Stage, needs: QueueNeeds, { unfilled }: QueueSnapshot = { unfilled: [] }) {
    this.#stage = stage
    this.#needs = needs
    this.#unfilled = unfilled
    this.#rest()
  }

  receive(message: QueueMessage): unknown {
    switch (message.do) {
      case 'enqueue':
        return this.#enqueue(message)
      case 'leave':
        return this.#drop(({ ref }) => ref === message.ref)
      case 'expel':
        return this.#drop(({ player }) => player.id === message.playerId)
      case 'rename':
        return this.#rename(message.playerId, message.displayName)
    }
  }

  gone(ref: ConnectionRef) {
    this.#drop((newcomer) => newcomer.ref === ref)
  }

  snapshot(): QueueSnapshot | undefined {
    return this.#unfilled.length > 0 ? { unfilled: this.#unfilled } : undefined
  }

  liveView(): LiveQueue {
    return { mode: this.#stage.id.key, waiting: this.#waiting.length }
  }

  async #enqueue({ newcomer, mode, enqueuedAtMs }: Wait): Promise<Enqueued> {
    // The connection before may not have been noticed to be gone.
    this.#drop(({ player }) => player.id === newcomer.player.id)
    this.#rest()
    const filled = await this.#fill(newcomer, mode)
    if (filled !== undefined) return { queued: false, roomId: filled }
    this.#stage.requireOwned()

    const timer = this.#patience(mode, enqueuedAtMs)
    this.#waiting.push({ newcomer, mode, enqueuedAtMs, timer })
    this.#waiting.sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs)
    this.#stage.members.add(newcomer.ref)
    if (!this.#checksMode) this.#checkModeLater()
    const roomId = (await this.#match(mode)).get(newcomer.ref)
    return roomId === undefined ? { queued: true } : { queued: false, roomId }
  }

  /** Whoever has waited longest starts with all who wait by then. */
  #patience(mode: Mode, enqueuedAtMs: number): Timer | undefined {
    if (mode.fillTimeoutSeconds === 0) return undefined
    const leftMs = enqueuedAtMs + mode.fillTimeoutSeconds * SECOND_MS - this.#needs.clock.now().getTime()
    return this.#stage.after(Math.max(leftMs, PATIENCE_MIN_MS), () => this.#start(mode, 1))
  }

  async #start(mode: Mode, enough: number) {
    await this.#match(mode, enough)
    this.#rest()
  }

  /** The room that each of those has got who were matched; the others go on waiting. */
  async #match(mode: Mode, enough = mode.minPlayers): Promise<Map<ConnectionRef, string>> {
    const matched = new Map<ConnectionRef, string>()
    while (this.#waiting.length >= enough) {
      const group = this.#waiting.slice(0, mode.maxPlayers).map(({ newcomer }) => newcomer)
      const room = await this.#open(mode, group)
      if (!room) {
        this.#stage.after(RETRY_MS, () => this.#start(mode, enough))
        break
      }
      for (const { ref } of group) matched.set(ref, room.id)
      this.#drop(({ ref }) => matched.has(ref))
      if (group.length < mode.minPlayers) this.#remember(room.id)
    }
    return matched
  }

  async #open(mode: Mode, group: readonly Newcomer[]) {
    try {
      return await this.#needs.open(this.#stage.id.environmentId, mode, group)
    } catch (error) {
      this.#needs.report(error)
      return undefined
    }
  }

  async #fill(newcomer: Newcomer, { minPlayers }: Mode): Promise<string | undefined> {
    for (const roomId of this.#unfilled) {
      const filled = await this.#needs.fill(this.#stage.id.environmentId, roomId, newcomer, minPlayers)
      if (!filled?.hasTooFew) this.#forget(roomId)
      if (filled?.isSeated) return roomId
    }
    return undefined
  }

  #remember(roomId: string) {
    this.#unfilled = [...this.#unfilled, roomId].slice(-UNFILLED_MAX)
    this.#stage.changed()
  }

  #forget(roomId: string) {
    this.#unfilled = this.#unfilled.filter((each) => each !== roomId)
    this.#stage.changed()
  }

  #drop(isMeant: (newcomer: Newcomer) => boolean): boolean {
    const leaving = this.#waiting.filter(({ newcomer }) => isMeant(newcomer))
    for (const { newcomer, timer } of leaving) {
      timer?.cancel()
      this.#stage.members.remove(newcomer.ref)
    }
    this.#waiting = this.#waiting.filter((each) => !leaving.includes(each))
    return leaving.length > 0
  }

  #rename(playerId: string, displayName: string | null) {
    for (const { newcomer } of this.#waiting)
      if (newcomer.player.id === playerId) newcomer.player.displayName = displayName
    return true
  }

  /** A queue that nobody needs for a while is not kept; whatever fails meanwhile, it is looked at again. */
  #rest() {
    this.#idle?.cancel()
    this.#idle = this.#stage.after(IDLE_MS, () => this.#endIfIdle())
  }

  #checkModeLater() {
    this.#checksMode = true
    this.#stage.after(CHECK_MODE_EVERY_MS, () => this.#checkMode())
  }

  /** A mode that was removed from the config is over for those who wait in it. */
  async #checkMode() {
    this.#checksMode = false
    if (this.#waiting.length === 0) return
    const { environmentId, key } = this.#stage.id
    const exists = await this.#needs.hasMode(environmentId, key).catch((error: unknown) => {
      this.#needs.report(error)
      return true
    })
    this.#stage.requireOwned()
    if (exists) return this.#checkModeLater()
    const { error } = new ApiError('mode_not_found').body
    for (const { newcomer } of this.#waiting)
      this.#stage.tell(newcomer.ref, { t: 'warn', ...error, request: 'quickMatch' })
    this.#drop(() => true)
  }

  async #endIfIdle() {
    this.#rest()
    for (const roomId of this.#unfilled) if (await this.#isOver(roomId)) this.#forget(roomId)
    if (this.#waiting.length === 0 && this.#unfilled.length === 0) this.#stage.end()
  }

  /** Not as long as nobody can tell. */
  async #isOver(roomId: string): Promise<boolean> {
    try {
      return !(await this.#needs.isLive(this.#stage.id.environmentId, roomId))
    } catch (error) {
      this.#needs.report(error)
      return false
    }
  }
}
