import { LIMITS } from '@svc/contract/common/limits'
import type { CloseReason, LeaveReason } from '@svc/contract/realtime/rooms'

import type { ConnectionRef, ActorContext } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { Host } from './host.ts'
import { MatchSeats } from './match-seats.ts'
import { RoomMessages } from './room-messages.ts'
import type {
  FillResult,
  ListedRoom,
  JoiningPlayer,
  RoomInfo,
  RoomOffer,
  RoomSnapshot,
} from './room-protocol.ts'
import { liveViewOf, type RoomFacts, summaryOf, viewText } from './room-views.ts'
import type { CodeView, RoomWatcher } from './room-watcher.ts'
import { connectionOf, playerText, type Seat, Seats } from './seats.ts'

export type RoomDeps = {
  clock: Clock
  /** A seat was freed, or the room has ended: its records can be removed. */
  seatFreed(environmentId: string, playerId: string, roomId: string, ref: ConnectionRef): void
  over(environmentId: string, info: RoomInfo): void
  /** The room has free seats for players of matchmaking; or none, because it has ended. */
  offer(environmentId: string, info: RoomInfo, offer: RoomOffer): void
}

const DONE = {}

/** One room: its seats, its host and its state. All members receive its events in the same order. */
export class Room {
  readonly info: RoomInfo
  readonly messages: RoomMessages
  #isLocked: boolean
  readonly #host: Host
  readonly #seats = new Seats()
  readonly #match: MatchSeats
  readonly #context: ActorContext
  readonly #deps: RoomDeps
  /** Only if code runs in the room. */
  readonly #watcher: RoomWatcher | undefined
  /** Seats of players whom the code has not admitted yet. */
  reserved = 0

  /** All seats of a snapshot start disconnected: players who are still connected rejoin automatically. */
  constructor(context: ActorContext, deps: RoomDeps, snapshot: RoomSnapshot, watcher?: RoomWatcher) {
    const { info, isLocked, hostId, state, seats, left } = snapshot
    this.#context = context
    this.#deps = deps
    this.#watcher = watcher
    this.info = info
    this.#isLocked = isLocked
    this.#host = new Host(hostId, this.#seats, deps.clock)
    const messaging = { info, seats: this.#seats, host: this.#host }
    this.messages = new RoomMessages(context, deps.clock, messaging, state)
    const isClosed = () => this.#isLocked
    const matched = { info, seats: this.#seats, isLocked: isClosed, reserved: () => this.reserved }
    this.#match = new MatchSeats(context, deps, matched, left)
    for (const seat of seats)
      this.#seatDisconnected(this.#seats.add(seat, this.#deps.clock.elapsedMs()), seat.isAway)
  }

  static create(
    context: ActorContext,
    deps: RoomDeps,
    info: RoomInfo,
    joiningPlayers: readonly JoiningPlayer[],
  ): Room {
    const room = new Room(context, deps, Room.emptySnapshot(info, joiningPlayers))
    room.#takeSeats(joiningPlayers)
    return room
  }

  static emptySnapshot(info: RoomInfo, joiningPlayers: readonly JoiningPlayer[]): RoomSnapshot {
    const hostId = joiningPlayers[0]?.player.id ?? ''
    return { info, isLocked: false, hostId, state: [], seats: [], left: [] }
  }

  // Joining

  /** `join` and `resume` return the room's view. */
  join(joiningPlayer: JoiningPlayer): string {
    const { ref, player } = joiningPlayer
    if (this.hasSeat(player.id)) return this.resume(ref, player.id, player.displayName)
    this.requireFreeSeat()
    const [view = this.view()] = this.seat([joiningPlayer])
    return view
  }

  requireFreeSeat() {
    if (this.#isLocked) throw new ApiError('room_locked')
    if (this.#isFull) throw new ApiError(this.info.transport === 'p2p' ? 'p2p_room_full' : 'room_full')
  }

  /** With `viewOf`: what the code shows to each of them. Returns the views that were sent. */
  seat(joiningPlayers: readonly JoiningPlayer[], viewOf?: (playerId: string) => CodeView | undefined) {
    const views = this.#takeSeats(joiningPlayers, viewOf)
    this.#match.announce()
    return views
  }

  /**
   * The previous connection may be lost without notice: the seat moves to the newer one anyway. The others get an event only if
   * they got one about the disconnect.
   */
  resume(ref: ConnectionRef, playerId: string, displayName: string | null, code?: CodeView): string {
    const seat = this.#seats.find(playerId)
    if (!seat) throw new ApiError('room_not_found')
    this.rename(playerId, displayName)
    const before = connectionOf(seat)
    if (before !== undefined && before !== ref) this.#context.members.remove(before)
    this.#seats.connect(seat, ref)
    this.#electHost()
    if (before === undefined) this.#context.members.send({ t: 'player_reconnected', playerId }, ref)
    this.#welcome(playerId, ref, code)
    this.#match.announce()
    if (before === undefined) this.#watcher?.playerReconnected(playerId)
    return this.view(code)
  }

  /** A player who left is not put back; a player who still has a seat resumes it. */
  fill(joiningPlayers: readonly JoiningPlayer[]): FillResult {
    const fresh = joiningPlayers.filter(({ player }) => !this.hasSeat(player.id))
    const isSeated = this.mayFill(joiningPlayers, fresh.length)
    if (isSeated) {
      for (const { ref, player } of joiningPlayers)
        if (this.hasSeat(player.id)) this.resume(ref, player.id, player.displayName)
      this.#takeSeats(fresh)
    }
    return { isSeated, offer: this.offer }
  }

  mayFill(joiningPlayers: readonly JoiningPlayer[], fresh: number): boolean {
    return this.#match.mayFill(joiningPlayers, fresh)
  }

  get offer(): RoomOffer {
    return this.#match.offer
  }

  /** All seats are taken before the first event is sent, so that players who start together see each other. */
  #takeSeats(joiningPlayers: readonly JoiningPlayer[], viewOf?: (playerId: string) => CodeView | undefined) {
    const seats = joiningPlayers.map(({ ref, player: { id: playerId, displayName } }) => {
      this.#match.playerSeated(playerId)
      const seat = this.#seats.add(
        { playerId, displayName, takenBy: ref, state: [] },
        this.#deps.clock.elapsedMs(),
      )
      this.#seats.connect(seat, ref)
      this.#context.members.sendText(`{"t":"player_joined","player":${playerText(seat)}}`)
      return seat
    })
    this.#electHost()
    return seats.map(({ playerId, takenBy }) => this.#welcome(playerId, takenBy, viewOf?.(playerId)))
  }

  #welcome(playerId: string, ref: ConnectionRef, code?: CodeView): string {
    this.#context.members.add(ref)
    const view = this.#sendView(playerId, ref, code)
    this.#context.changed()
    return view
  }

  #sendView(playerId: string, ref: ConnectionRef, code?: CodeView): string {
    const view = this.view(code)
    this.#context.members.sendTo([ref], `{"t":"room_joined","room":${view},"selfId":"${playerId}"}`)
    return view
  }

  /** The code of the room has started again: the player gets a whole new view. */
  refresh(playerId: string, code: CodeView) {
    const ref = connectionOf(this.#seats.find(playerId))
    if (ref !== undefined) this.#sendView(playerId, ref, code)
  }

  // Leaving

  /** With `keepSeat` the player goes as if the connection was lost. */
  leave(ref: ConnectionRef, keepSeat = false) {
    const seat = this.#seats.ofConnection(ref)
    if (keepSeat) this.disconnect(ref)
    else this.#freeSeat(seat, 'left')
    return DONE
  }

  /** The player leaves and keeps the seat. */
  disconnect(ref: ConnectionRef) {
    this.#context.members.remove(ref)
    this.memberDisconnected(ref, true)
  }

  removePlayer(playerId: string, reason: LeaveReason, ref?: ConnectionRef) {
    const seat = this.#seats.find(playerId)
    if (seat && (ref === undefined || ref === seat.takenBy)) this.#freeSeat(seat, reason)
    return DONE
  }

  memberDisconnected(ref: ConnectionRef, isAway = false) {
    const seat = this.#seats.findByRef(ref)
    if (!seat) return
    this.#seatDisconnected(seat, isAway)
    this.#context.members.send({ t: 'player_disconnected', playerId: seat.playerId })
    this.#watcher?.playerDisconnected(seat.playerId)
  }

  /** `result` is JSON text. */
  close(reason: CloseReason, result?: string) {
    this.#context.members.sendText(
      `{"t":"room_closed","reason":"${reason}"${result === undefined ? '' : `,"result":${result}`}}`,
    )
    for (const seat of this.#seats) this.#remove(seat)
    this.#end()
    return DONE
  }

  /** Ends it here after `stored`; its seats are in the database. Players who are connected learn the reason. */
  putAway(reason?: CloseReason, stored?: () => Promise<unknown>) {
    if (reason !== undefined) this.#context.members.send({ t: 'room_closed', reason })
    for (const seat of this.#seats) this.#remove(seat)
    this.#over(stored)
  }

  #seatDisconnected(seat: Seat, isAway = false) {
    // Before the timers, so that none of them finds that less time has passed than it waited.
    const sinceMs = this.#deps.clock.elapsedMs()
    const timers = [this.#context.after(LIMITS.hostGraceMs, () => this.#electHost())]
    if (!this.#watcher?.keepsSeats())
      timers.push(this.#context.after(LIMITS.disconnectGraceMs, () => this.#freeSeat(seat, 'timeout')))
    this.#seats.disconnect(seat, sinceMs, timers, isAway)
    this.#context.changed()
  }

  #freeSeat(seat: Seat, reason: LeaveReason) {
    if (reason === 'kicked') this.messages.sendTo([seat.playerId], leftText(seat.playerId, reason))
    this.#remove(seat)
    this.#watcher?.playerLeft(seat.playerId, reason)
    if (this.endIfEmpty()) return
    if (reason === 'left') this.#match.playerLeft(seat.playerId)
    this.#context.members.sendText(leftText(seat.playerId, reason))
    this.#electHost()
    this.#match.announce()
    this.#context.changed()
  }

  #remove(seat: Seat) {
    const ref = connectionOf(seat)
    if (ref !== undefined) this.#context.members.remove(ref)
    this.#seats.remove(seat)
    this.#deps.seatFreed(this.#context.id.environmentId, seat.playerId, this.info.id, seat.takenBy)
  }

  /** Returns whether it has ended. */
  endIfEmpty(): boolean {
    if (this.#seats.size > 0 || this.#watcher?.staysEmpty()) return false
    this.#end()
    return true
  }

  #end() {
    this.#over(this.#watcher?.ended())
  }

  #over(first?: () => Promise<unknown>) {
    this.#match.announceEnd()
    this.#deps.over(this.#context.id.environmentId, this.info)
    this.#context.end(first)
  }

  #electHost() {
    if (!this.#host.elect()) return
    this.#context.members.send({ t: 'host_changed', hostId: this.#host.id })
    this.#context.changed()
  }

  // Changes of the room

  lock(ref: ConnectionRef, locked: boolean) {
    this.#host.require(this.#seats.ofConnection(ref).playerId)
    return this.setLocked(locked)
  }

  setLocked(locked: boolean) {
    this.#isLocked = locked
    this.#context.members.send({ t: 'locked', locked })
    this.#match.announce()
    this.#context.changed()
    return DONE
  }

  /** Also for a disconnected player: the name of a seat is never older than the player's account (ROM-06). */
  rename(playerId: string, displayName: string | null) {
    const seat = this.#seats.find(playerId)
    if (!seat || seat.displayName === displayName) return DONE
    seat.displayName = displayName
    this.#context.members.send({ t: 'player_renamed', playerId, displayName })
    this.#context.changed()
    this.#watcher?.playerRenamed(playerId, displayName)
    return DONE
  }

  // Views

  hasSeat(playerId: string): boolean {
    return this.#seats.find(playerId) !== undefined
  }

  /** Whether quick match leads the player back to the seat, on this connection. */
  mayReturn(playerId: string, by: ConnectionRef): boolean {
    const seat = this.#seats.find(playerId)
    return seat !== undefined && this.#seats.mayReturn(seat, this.#deps.clock.elapsedMs(), by)
  }

  get isOpenToAll(): boolean {
    return !this.info.private && !this.#isLocked && !this.#isFull
  }

  get #isFull(): boolean {
    return this.#seats.size + this.reserved >= this.info.maxPlayers
  }

  /** The players, longest present first. */
  get seats(): Iterable<Seat> {
    return this.#seats
  }

  get size(): number {
    return this.#seats.size
  }

  get connected(): number {
    return this.#seats.connected
  }

  playerOf(ref: ConnectionRef): string {
    return this.#seats.ofConnection(ref).playerId
  }

  /** The view of the room for its members, as JSON text. */
  view(code?: CodeView): string {
    return viewText(this.#facts, code)
  }

  summary(): ListedRoom {
    return summaryOf(this.#facts)
  }

  /** `code`: how its code runs, and the size of its state. */
  liveView(node: string, code?: { server: object; stateBytes: number }): ListedRoom {
    return liveViewOf(this.#facts, { node, messagesPerSecond: this.messages.perSecond, code })
  }

  get #facts(): RoomFacts {
    const { info, messages } = this
    const { state } = messages
    return { info, isLocked: this.#isLocked, hostId: this.#host.id, state, seats: this.#seats }
  }

  snapshot(): RoomSnapshot {
    return {
      info: this.info,
      isLocked: this.#isLocked,
      hostId: this.#host.id,
      state: this.messages.state.entries,
      seats: this.#seats.snapshot(this.#deps.clock.elapsedMs()),
      left: this.#match.left,
    }
  }
}

const leftText = (playerId: string, reason: LeaveReason) =>
  `{"t":"player_left","playerId":"${playerId}","reason":"${reason}"}`
