import { LIMITS } from '@svc/contract/common/limits'
import type { CloseReason, LeaveReason } from '@svc/contract/realtime/rooms'

import {
  type ActorContext,
  ActorMovedError,
  type ConnectionRef,
  type DetachedAnswer,
} from '../../../platform/actors/actor.ts'
import type { ApiError } from '../../../platform/api-error.ts'
import type {
  CodeSnapshot,
  Created,
  FillResult,
  JoiningPlayer,
  ListedRoom,
  RoomInfo,
  RoomSnapshot,
} from '../room-protocol.ts'
import type { RoomWatcher } from '../room-watcher.ts'
import { Room, type RoomDeps } from '../room.ts'
import type { Effect } from './answers.ts'
import { type Affected, applyEffects } from './effects.ts'
import type { Waiting } from './inbox.ts'
import { CodeJoins } from './joins.ts'
import { Keeping, type KeepingDeps } from './keeping.ts'
import { CodeMessages } from './messages.ts'
import { openErrorOf } from './opening.ts'
import type { CodeChange, LiveCode } from './port.ts'
import { eventsSince, playersOf } from './roster.ts'
import { CodeRunner, type CodeRunnerDeps, type RunnerRoom } from './runner.ts'
import { CodeSeating } from './seating.ts'
import { noteAcks, sendSyncs } from './syncs.ts'
import { CodeViewers } from './viewers.ts'

export type CodeRoomDeps = RoomDeps & CodeRunnerDeps & KeepingDeps

const DONE = {}

/** A room in which code runs: seats, host and events of players are those of any room; the code decides about everything else. */
export class CodeRoom implements RunnerRoom, RoomWatcher {
  readonly room: Room
  readonly messages: CodeMessages
  readonly #runner: CodeRunner
  readonly #seating: CodeSeating
  readonly #joins: CodeJoins
  readonly #viewers: CodeViewers
  readonly #effects: Affected
  readonly #keepDays: number | undefined
  /** Only if its mode has `keepDays`. */
  readonly #keeping: Keeping | undefined
  /** The last `seq` that the code has handled. */
  readonly #acks = new Map<string, number>()
  /** False if the room was on another node before, where players may have sent some. */
  #hasAllAcks = true
  #errorsAtMs: number[] = []
  /** The code has started again, and the players have not got their new views. */
  #isStale = false
  /** The turn that is sent has the events after which nothing is stale. */
  #endsStale = false
  #isOver = false
  readonly #context: ActorContext
  readonly #deps: CodeRoomDeps

  constructor(
    context: ActorContext,
    deps: CodeRoomDeps,
    snapshot: RoomSnapshot,
    { calls = [], ...code }: CodeSnapshot,
  ) {
    this.#context = context
    this.#deps = deps
    this.#keepDays = code.keepDays
    const room = (this.room = new Room(context, deps, snapshot, this))
    const runner = (this.#runner = new CodeRunner(context, deps, this, code))
    const viewers = (this.#viewers = new CodeViewers(room))
    const joins = (this.#joins = new CodeJoins(context, room, runner))
    const keeping = (this.#keeping = code.keepDays === undefined ? undefined : this.#keep(code.saves ?? 0))
    const { clock } = deps
    this.#seating = new CodeSeating(context, { clock, room, runner, joins, viewers, keeping })
    const { report } = deps
    this.messages = new CodeMessages(context, { clock, room, runner, viewers, calls, keeping, report })
    this.#effects = {
      room,
      asks: this.messages.asks,
      context,
      viewed: (playerId, shown) => this.#viewed(playerId, shown),
      refused: (playerId, refusal) => this.#refused(playerId, refusal),
      threw: () => this.#threw(),
      isOver: () => this.#isOver,
    }
  }

  #keep(saves: number): Keeping {
    const kept = {
      connected: () => this.room.connected,
      isBusy: () =>
        !this.#runner.isRunning || this.#joins.size + this.messages.asks.size + this.#viewers.size > 0,
      isOver: () => this.#isOver,
      wakeAt: () => this.#runner.wakeAt,
      snapshot: () => this.snapshot(),
      freeze: () => this.#runner.freeze(),
      unfreeze: () => this.#runner.unfreeze(),
      putAway: () => this.room.putAway(),
    }
    return new Keeping(this.#context, this.#deps, kept, saves)
  }

  get info(): RoomInfo {
    return this.room.info
  }

  /** Opens the room, then asks the code about each player. Throws `room_failed`, or the refusal if nobody is admitted. */
  async open(joiningPlayers: readonly JoiningPlayer[], generation: number): Promise<Created> {
    this.#seating.waitForPlayers()
    await this.#runner.open(generation).catch((error: unknown) => {
      throw openErrorOf(error)
    })
    return this.#seating.open(joiningPlayers)
  }

  /** Continues a room of a snapshot. */
  restore() {
    this.#continue(this.#runner.restore())
  }

  /** Continues a room that was stored. */
  reopen(live: LiveCode) {
    if (this.room.size === 0) this.#seating.waitForPlayers()
    this.#continue(this.#runner.reopen(live))
  }

  #continue(starting: Promise<void>) {
    this.#isStale = true
    this.#hasAllAcks = false
    this.#keeping?.check()
    starting.catch((error: unknown) => {
      if (error instanceof ActorMovedError) return
      this.#deps.report(error)
      this.closed('failed', true)
    })
  }

  // Joining

  join(joiningPlayer: JoiningPlayer): DetachedAnswer<string> {
    return this.#seating.join(joiningPlayer)
  }

  resume(ref: ConnectionRef, playerId: string, displayName: string | null): DetachedAnswer<string> {
    return this.#seating.resume(ref, playerId, displayName)
  }

  fill(joiningPlayers: readonly JoiningPlayer[]): DetachedAnswer<FillResult> {
    return this.#seating.fill(joiningPlayers)
  }

  // Leaving

  leave(ref: ConnectionRef, keepSeat?: boolean) {
    const left = this.room.leave(ref, keepSeat)
    return this.#keeping ? this.#keeping.settled().then(() => left) : left
  }

  /** A player of a kept room who joins another room keeps the seat. */
  removePlayer(playerId: string, reason: LeaveReason, ref?: ConnectionRef) {
    if (ref === undefined) this.#joins.cancel(playerId)
    if (!this.#keeping || reason !== 'replaced') return this.room.removePlayer(playerId, reason, ref)
    if (ref !== undefined) this.room.disconnect(ref)
    return DONE
  }

  close(reason: CloseReason) {
    this.closed(reason, reason === 'feature_disabled')
    return DONE
  }

  saveNow() {
    this.#keeping?.save().catch(this.#deps.report)
  }

  memberDisconnected(ref: ConnectionRef) {
    this.room.memberDisconnected(ref)
  }

  readTurns(): string {
    return this.#runner.readTurns()
  }

  lock(ref: ConnectionRef): never {
    return this.messages.refuse(ref)
  }

  rename(playerId: string, displayName: string | null) {
    return this.room.rename(playerId, displayName)
  }

  // What the code is told

  #push(waiting: Waiting) {
    this.#runner.inbox.push(waiting)
    this.#runner.wake()
  }

  playerLeft(playerId: string, reason: LeaveReason) {
    this.#acks.delete(playerId)
    this.messages.calls.playerLeft(playerId)
    this.#viewers.left(playerId)
    this.#push({ kind: 'leave', text: `["leave","${playerId}","${reason}"]`, playerId })
    this.#keeping?.freeSeat(playerId)
    this.#keeping?.check()
  }

  playerDisconnected(playerId: string) {
    this.#keeping?.check()
    this.#push({ kind: 'presence', text: `["drop","${playerId}"]`, playerId })
  }

  playerReconnected(playerId: string) {
    this.#push({ kind: 'presence', text: `["back","${playerId}"]`, playerId })
  }

  playerRenamed(playerId: string, displayName: string | null) {
    const text = `["rename","${playerId}",${JSON.stringify(displayName)}]`
    this.#push({ kind: 'presence', text, playerId })
  }

  staysEmpty(): boolean {
    return this.#seating.staysEmpty
  }

  keepsSeats(): boolean {
    return this.#keepDays !== undefined
  }

  ended() {
    const keeping = this.#keeping
    if (!keeping) return undefined
    this.stop()
    return () => keeping.remove()
  }

  wantsSnapshot(waiting: readonly Waiting[]): boolean {
    return this.messages.commits?.wantsSnapshot(waiting) ?? false
  }

  capture(): boolean {
    this.messages.commits?.snapped()
    return this.messages.calls.capture()
  }

  snapped() {
    this.#keeping?.changed()
  }

  playersForCode(roster: ReadonlySet<string>) {
    return playersOf(this.room, roster)
  }

  handed(waiting: readonly Waiting[]) {
    if (this.#isStale) this.#endsStale = true
    for (const { kind, playerId, ask } of waiting) {
      if (kind === 'join' && playerId !== undefined) this.#joins.handed(playerId)
      if (ask !== undefined) this.messages.asks.handed(ask)
    }
  }

  checked(nowMs: number) {
    this.messages.asks.expire(nowMs)
    this.#viewers.expire(nowMs)
  }

  stopped() {
    this.#isStale = true
    this.#endsStale = false
    this.messages.codeEnded()
  }

  /** The code knows the players of its snapshot: it is told who has joined and left since. */
  restarted(roster: ReadonlySet<string>) {
    for (const event of eventsSince(this.room, roster, (id) => this.#joins.has(id))) this.#push(event)
    this.#joins.restarted()
    if (this.#runner.inbox.isEmpty) this.#isStale = false
  }

  // What the code has done

  apply(effects: readonly Effect[], isTurn: boolean, atMs: number) {
    const noted = { room: this.room, acks: this.#acks }
    if (this.#isStale) noteAcks(effects, noted)
    else sendSyncs(effects, { ...noted, context: this.#context, tick: this.#runner.progress.tick, atMs })
    const { commits } = this.messages
    if (commits && effects.some(({ kind }) => kind === 'end')) commits.end()
    applyEffects(effects, this.#effects, atMs)
    if (this.#isOver) return
    commits?.turnDone(isTurn && !effects.some(({ kind }) => kind === 'snap'))
    this.#joins.messageRead()
    if (isTurn && this.#endsStale) this.#isStale = this.#endsStale = false
  }

  /** Of a player who joins, who resumes, or who gets a whole new view. Others have left in the meantime. */
  #viewed(playerId: string, shown: { state: object; own: object }) {
    const view = { server: this.#runner.progress.server, ...shown }
    if (this.#joins.admitted(playerId, view)) return
    if (!this.room.hasSeat(playerId)) return
    this.#runner.progress.playerKnown(playerId)
    if (this.#viewers.show(playerId, view)) return
    // The connection has stayed: inputs after this one are still on their way.
    const seq = this.#acks.get(playerId) ?? (this.#hasAllAcks ? 0 : undefined)
    this.room.refresh(playerId, { ...view, server: { ...view.server, seq } })
  }

  #refused(playerId: string, refusal: ApiError) {
    // A player with a seat was asked about again after a restart.
    if (!this.#joins.refused(playerId, refusal)) this.room.removePlayer(playerId, 'kicked')
  }

  #threw() {
    this.#runner.errors++
    const nowMs = this.#deps.clock.elapsedMs()
    this.#errorsAtMs = [...this.#errorsAtMs, nowMs].filter((atMs) => nowMs - atMs < LIMITS.roomErrorsWindowMs)
    if (this.#errorsAtMs.length >= LIMITS.roomErrorsMax) this.closed('failed')
  }

  // The end

  /** `isKept`: a room that is kept goes on later, from its last snapshot. */
  closed(reason: CloseReason, isKept = false) {
    const keeping = this.#keeping
    if (!keeping || !isKept) return void this.room.close(reason)
    if (this.#isOver) return
    const snapshot = this.snapshot()
    this.stop()
    this.room.putAway(reason, () => keeping.save(snapshot))
  }

  /** After a change of the functions of the environment. */
  codeChanged(change: CodeChange) {
    if (change.runs) this.#runner.planHandover(change)
    else this.closed(change.reason, true)
  }

  /** Players whom the code has not decided about ask again at the next owner. */
  async beforeRelease(): Promise<void> {
    this.messages.release()
    this.#joins.stop()
    await this.#runner.freeze()
    if (!this.#isOver) await this.#keeping?.save()
    await this.#keeping?.settled()
  }

  stop() {
    this.#isOver = true
    this.#joins.stop()
    this.#runner.stop()
    this.messages.stop()
    this.#viewers.stop()
  }

  // Views

  hasSeat(playerId: string): boolean {
    return this.room.hasSeat(playerId)
  }

  mayReturn(playerId: string, by: ConnectionRef): boolean {
    return this.room.mayReturn(playerId, by)
  }

  get isOpenToAll(): boolean {
    return this.room.isOpenToAll
  }

  summary(): ListedRoom {
    return this.room.summary()
  }

  liveView(node: string): ListedRoom {
    return this.room.liveView(node, {
      server: this.#runner.liveView(),
      stateBytes: this.#runner.progress.stateBytes,
    })
  }

  snapshot(): RoomSnapshot {
    const saves = this.#keeping && { saves: this.#keeping.saves }
    const { captured } = this.messages.calls
    const calls = captured.length > 0 && { calls: captured }
    return { ...this.room.snapshot(), code: { ...this.#runner.snapshot(), ...saves, ...calls } }
  }
}
