import { LIMITS } from '@svc/contract/common/limits'

import { ActorMovedError, type ConnectionRef } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { CodeView } from '../room-watcher.ts'
import type { Room } from '../room.ts'

type Viewer = {
  ref: ConnectionRef
  displayName: string | null
  askedAtMs: number
  view: PromiseWithResolvers<string>
}

const TIMEOUT_MS = LIMITS.roomPromiseTimeoutMs

/** Connections that resume a seat: the seat moves to them when the code has shown what they see. */
export class CodeViewers {
  readonly #viewers = new Map<string, Viewer[]>()
  readonly #room: Room

  constructor(room: Room) {
    this.#room = room
  }

  get size(): number {
    return this.#viewers.size
  }

  add(playerId: string, viewer: Omit<Viewer, 'view'>): Promise<string> {
    const view = Promise.withResolvers<string>()
    this.#viewers.set(playerId, [...(this.#viewers.get(playerId) ?? []), { ...viewer, view }])
    return view.promise
  }

  /** The player whose seat moves to this connection. */
  playerOf(ref: ConnectionRef): string | undefined {
    for (const [playerId, viewers] of this.#viewers)
      if (viewers.some((viewer) => viewer.ref === ref)) return playerId
    return undefined
  }

  /** Returns false if nobody waits. */
  show(playerId: string, shown: CodeView): boolean {
    const viewers = this.#take(playerId)
    for (const { ref, displayName, view } of viewers)
      view.resolve(this.#room.resume(ref, playerId, displayName, shown))
    return viewers.length > 0
  }

  left(playerId: string) {
    for (const { view } of this.#take(playerId)) view.reject(new ApiError('room_not_found'))
  }

  expire(nowMs: number) {
    for (const [playerId, viewers] of this.#viewers)
      if (viewers.some(({ askedAtMs }) => nowMs - askedAtMs > TIMEOUT_MS))
        for (const { view } of this.#take(playerId)) view.reject(new ApiError('room_busy'))
  }

  /** They ask again at the next owner. */
  stop() {
    for (const playerId of this.#viewers.keys())
      for (const { view } of this.#take(playerId)) view.reject(new ActorMovedError())
  }

  #take(playerId: string): Viewer[] {
    const viewers = this.#viewers.get(playerId) ?? []
    this.#viewers.delete(playerId)
    return viewers
  }
}
