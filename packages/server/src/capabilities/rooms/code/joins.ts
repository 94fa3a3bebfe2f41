import { LIMITS } from '@svc/contract/common/limits'

import { type ActorContext, ActorMovedError } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { Timer } from '../../../platform/time/timers.ts'
import type { JoiningPlayer } from '../room-protocol.ts'
import type { CodeView } from '../room-watcher.ts'
import type { Room } from '../room.ts'
import type { CodeRunner } from './runner.ts'

/** Who has a seat now, and who was refused. */
export type Admitted = { views: ReadonlyMap<string, CodeView>; refused: ReadonlyMap<string, ApiError> }

/** Players who join together. They get their seats at the same time, when the code has decided about all of them. */
type Group = {
  players: readonly JoiningPlayer[]
  /** Nobody gets a seat if one is refused. */
  isAllOrNone: boolean
  views: Map<string, CodeView>
  refused: Map<string, ApiError>
  /** The views that came in the message that is read now: older ones are out of date. */
  fresh: Set<string>
  timer: Timer | undefined
  result: PromiseWithResolvers<Admitted>
}

/** Players whose `onJoin` has not ended: their seats are reserved, and nobody sees them. */
export class CodeJoins {
  readonly #groups = new Map<string, Group>()
  readonly #context: ActorContext
  readonly #room: Room
  readonly #runner: CodeRunner

  constructor(context: ActorContext, room: Room, runner: CodeRunner) {
    this.#context = context
    this.#room = room
    this.#runner = runner
  }

  get size(): number {
    return this.#groups.size
  }

  has(playerId: string): boolean {
    return this.#groups.has(playerId)
  }

  /** Resolves when the players who were admitted have their seats. */
  admit(players: readonly JoiningPlayer[], isAllOrNone: boolean): Promise<Admitted> {
    const group: Group = {
      players,
      isAllOrNone,
      views: new Map(),
      refused: new Map(),
      fresh: new Set(),
      timer: undefined,
      result: Promise.withResolvers(),
    }
    this.#room.reserved += players.length
    for (const { player } of players) {
      this.#groups.set(player.id, group)
      this.#askAgain(player)
    }
    this.#runner.wakeNow()
    return group.result.promise
  }

  #askAgain({ id, displayName }: JoiningPlayer['player']) {
    const text = `["join",${JSON.stringify({ id, displayName })}]`
    this.#runner.inbox.push({ kind: 'join', text, playerId: id })
  }

  /** The code has got the question: from now on it has 2 s. */
  handed(playerId: string) {
    const group = this.#groups.get(playerId)
    if (!group || group.timer) return
    group.timer = this.#context.after(LIMITS.roomJoinTimeoutMs, () => this.#late(group))
  }

  #late(group: Group) {
    for (const { player } of group.players)
      if (!group.views.has(player.id) && !group.refused.has(player.id)) {
        this.#tellLeft(player.id)
        group.refused.set(player.id, new ApiError('room_busy'))
      }
    this.#settle(group)
  }

  #tellLeft(playerId: string) {
    this.#runner.inbox.push({ kind: 'leave', text: `["leave","${playerId}","left"]`, playerId })
    this.#runner.wake()
  }

  /** Returns false if this player is not joining. */
  admitted(playerId: string, view: CodeView): boolean {
    const group = this.#groups.get(playerId)
    if (!group) return false
    this.#runner.progress.playerKnown(playerId)
    group.views.set(playerId, view)
    group.fresh.add(playerId)
    this.#settle(group)
    return true
  }

  refused(playerId: string, refusal: ApiError): boolean {
    const group = this.#groups.get(playerId)
    if (!group || group.views.has(playerId)) return false
    group.refused.set(playerId, refusal)
    this.#settle(group)
    return true
  }

  /** The player was banned or has joined another room in the meantime. */
  cancel(playerId: string) {
    const group = this.#groups.get(playerId)
    if (!group) return
    this.#tellLeft(playerId)
    group.views.delete(playerId)
    group.refused.set(playerId, new ApiError('room_not_found'))
    this.#settle(group)
  }

  /** At the end of each message: views in it are not up to date any more. */
  messageRead() {
    for (const group of this.#groups.values()) group.fresh.clear()
  }

  #settle(group: Group) {
    if (group.views.size + group.refused.size < group.players.length) return
    const isAdmitted = group.views.size > 0 && !(group.isAllOrNone && group.refused.size > 0)
    if (isAdmitted && group.fresh.size < group.views.size) return this.#askForViews(group)

    group.timer?.cancel()
    for (const { player } of group.players) this.#groups.delete(player.id)
    this.#room.reserved -= group.players.length
    const seated = group.players.filter(({ player }) => isAdmitted && group.views.has(player.id))
    if (isAdmitted) this.#room.seat(seated, (playerId) => group.views.get(playerId))
    else for (const playerId of group.views.keys()) this.#tellLeft(playerId)
    const views = isAdmitted ? group.views : new Map<string, CodeView>()
    group.result.resolve({ views, refused: group.refused })
    if (!isAdmitted) this.#room.endIfEmpty()
  }

  /** The last decision came later than the others: all views are asked for in one turn. */
  #askForViews({ views }: Group) {
    for (const playerId of views.keys())
      this.#runner.inbox.push({ kind: 'view', text: `["view","${playerId}"]`, playerId })
    this.#runner.wakeNow()
  }

  /** The code has started again and knows nothing of them. */
  restarted() {
    for (const group of new Set(this.#groups.values())) {
      group.timer?.cancel()
      group.timer = undefined
      group.views.clear()
      for (const { player } of group.players) if (!group.refused.has(player.id)) this.#askAgain(player)
    }
  }

  /** The room moves: those who wait ask again at its next owner. */
  stop() {
    for (const group of new Set(this.#groups.values())) {
      group.timer?.cancel()
      group.result.reject(new ActorMovedError())
      for (const { player } of group.players) this.#tellLeft(player.id)
    }
    this.#groups.clear()
  }
}
