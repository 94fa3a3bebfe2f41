import { LIMITS } from '@svc/contract/limits'
import type { CloseReason, LeaveReason } from '@svc/contract/rooms'

import type { ConnectionRef, Stage } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf } from '../../platform/clock.ts'
import { rawList, RawJson, rawObject } from '../../platform/raw-json.ts'
import type {
  Filled,
  ListedRoom,
  Message,
  Newcomer,
  RoomFacts,
  RoomSnapshot,
  Signal,
} from './room-protocol.ts'
import { objectText, type Patch, State } from './room-state.ts'
import { connectionOf, playerText, type Seat, Seats } from './seats.ts'

export type RoomNeeds = {
  clock: Clock
  /** A seat is free again, or the room is over: what was remembered of it can be forgotten. */
  vacated(environmentId: string, playerId: string, roomId: string, ref: ConnectionRef): void
  over(environmentId: string, facts: RoomFacts): void
}

const DONE = {}

/** One room: who sits there, who is the host, and what they share. What it says goes to all its members in one order. */
export class Room {
  readonly facts: RoomFacts
  #isLocked: boolean
  #hostId: string
  readonly #state: State
  readonly #seats = new Seats()
  readonly #stage: Stage
  readonly #needs: RoomNeeds

  /** All seats of a snapshot are lost at first: whoever still has a connection comes back by itself. */
  constructor(stage: Stage, needs: RoomNeeds, { facts, isLocked, hostId, state, seats }: RoomSnapshot) {
    this.#stage = stage
    this.#needs = needs
    this.facts = facts
    this.#isLocked = isLocked
    this.#hostId = hostId
    this.#state = new State(LIMITS.roomStateBytesMax, state)
    for (const seat of seats) this.#lose(this.#seats.add(seat, this.#nowMs()))
  }

  static create(stage: Stage, needs: RoomNeeds, facts: RoomFacts, newcomers: readonly Newcomer[]): Room {
    const hostId = newcomers[0]?.player.id ?? ''
    const room = new Room(stage, needs, { facts, isLocked: false, hostId, state: [], seats: [] })
    room.#admit(newcomers)
    return room
  }

  // Coming

  /** This and `resume` answer with the room's view. */
  join(newcomer: Newcomer): string {
    const { ref, player } = newcomer
    if (this.hasSeat(player.id)) return this.resume(ref, player.id, player.displayName)
    if (this.#isLocked) throw new ApiError('room_locked')
    if (this.#isFull) throw new ApiError(this.facts.transport === 'p2p' ? 'p2p_room_full' : 'room_full')
    this.#admit([newcomer])
    return this.view()
  }

  /**
   * The connection before may not have been noticed to be gone: the seat moves to the newer one all the same. The others are told of it
   * only if they were told that the player was away.
   */
  resume(ref: ConnectionRef, playerId: string, displayName: string | null): string {
    const seat = this.#seats.find(playerId)
    if (!seat) throw new ApiError('room_not_found')
    this.rename(playerId, displayName)
    const before = connectionOf(seat)
    if (before !== undefined && before !== ref) this.#stage.members.remove(before)
    this.#seats.connect(seat, ref)
    this.#settleHost()
    if (before === undefined) this.#stage.members.send({ t: 'player_reconnected', playerId }, ref)
    this.#welcome(playerId, ref)
    return this.view()
  }

  fill(newcomer: Newcomer, minPlayers: number): Filled {
    const hasTooFew = () => this.#seats.size < minPlayers
    const isJoinable = hasTooFew() && !this.#isLocked && !this.#isFull && this.#seats.connected > 0
    if (isJoinable) this.join(newcomer)
    return { isSeated: isJoinable, hasTooFew: hasTooFew() }
  }

  /** All sit down before the first is told, so that those who begin together see each other at once. */
  #admit(newcomers: readonly Newcomer[]) {
    const seats = newcomers.map(({ ref, player: { id: playerId, displayName } }) => {
      const seat = this.#seats.add({ playerId, displayName, takenBy: ref, state: [] }, this.#nowMs())
      this.#seats.connect(seat, ref)
      this.#stage.members.sendText(`{"t":"player_joined","player":${playerText(seat)}}`)
      return seat
    })
    this.#settleHost()
    for (const { playerId, takenBy } of seats) this.#welcome(playerId, takenBy)
  }

  #welcome(playerId: string, ref: ConnectionRef) {
    this.#stage.members.add(ref)
    const text = `{"t":"room_joined","room":${this.view()},"selfId":"${playerId}"}`
    this.#stage.members.sendTo([ref], text)
    this.#stage.changed()
  }

  // Going

  leave(ref: ConnectionRef) {
    this.#vacate(this.#seats.ofConnection(ref), 'left')
    return DONE
  }

  expel(playerId: string, reason: LeaveReason, ref?: ConnectionRef) {
    const seat = this.#seats.find(playerId)
    if (seat && (ref === undefined || ref === seat.takenBy)) this.#vacate(seat, reason)
    return DONE
  }

  lost(ref: ConnectionRef) {
    const seat = this.#seats.findByRef(ref)
    if (!seat) return
    this.#lose(seat)
    this.#stage.members.send({ t: 'player_disconnected', playerId: seat.playerId })
  }

  close(reason: CloseReason) {
    this.#stage.members.send({ t: 'room_closed', reason })
    for (const seat of this.#seats) this.#remove(seat)
    this.#end()
    return DONE
  }

  #lose(seat: Seat) {
    const timers = [
      this.#stage.after(LIMITS.hostGraceMs, () => this.#settleHost()),
      this.#stage.after(LIMITS.disconnectGraceMs, () => this.#vacate(seat, 'timeout')),
    ]
    this.#seats.lose(seat, this.#nowMs(), timers)
    this.#stage.changed()
  }

  #vacate(seat: Seat, reason: LeaveReason) {
    this.#remove(seat)
    if (this.#seats.size === 0) return this.#end()
    this.#stage.members.send({ t: 'player_left', playerId: seat.playerId, reason })
    this.#settleHost()
    this.#stage.changed()
  }

  #remove(seat: Seat) {
    const ref = connectionOf(seat)
    if (ref !== undefined) this.#stage.members.remove(ref)
    this.#seats.remove(seat)
    this.#needs.vacated(this.#stage.id.environmentId, seat.playerId, this.facts.id, seat.takenBy)
  }

  #end() {
    this.#needs.over(this.#stage.id.environmentId, this.facts)
    this.#stage.end()
  }

  /** Another one as soon as the host has left or was away for too long; a blip changes nothing (ROM-10). */
  #settleHost() {
    const host = this.#seats.find(this.#hostId)
    if (host && !this.#isAway(host)) return

    const next = this.#seats.first
    // Where nobody is connected, the host stays the host.
    if (!next || (host && !next.presence.connected)) return
    this.#hostId = next.playerId
    this.#stage.members.send({ t: 'host_changed', hostId: next.playerId })
    this.#stage.changed()
  }

  #isAway({ presence }: Seat): boolean {
    return !presence.connected && this.#nowMs() - presence.sinceMs >= LIMITS.hostGraceMs
  }

  // What those who sit here do

  send(ref: ConnectionRef, { type, data, to }: Message) {
    const { playerId } = this.#seats.ofConnection(ref)
    const at = this.#nowMs()
    // Spliced, because this is the hot path: parsing and writing the data again would cost more than all the rest.
    const text = `{"t":"message","from":"${playerId}","type":${JSON.stringify(type)},"data":${data},"at":${at}}`
    if (to) this.#sendTo(to, text, ref)
    else this.#stage.members.sendText(text, ref)
    return DONE
  }

  signal(ref: ConnectionRef, { to, kind, data, gen }: Signal) {
    const { playerId } = this.#seats.ofConnection(ref)
    if (this.facts.transport !== 'p2p') throw new ApiError('not_p2p_room')
    if (!this.hasSeat(to)) throw new ApiError('player_not_in_room')
    const text = `{"t":"signal","from":"${playerId}","kind":"${kind}","data":${data},"gen":${gen}}`
    this.#sendTo([to], text)
    return DONE
  }

  /** Whoever has no seat here, or is away just now, does not hear it. */
  #sendTo(playerIds: readonly string[], text: string, except?: ConnectionRef) {
    const refs = this.#seats.connectionsOf(playerIds)
    if (except !== undefined) refs.delete(except)
    this.#stage.members.sendTo([...refs], text)
  }

  setState(ref: ConnectionRef, patch: Patch) {
    const { playerId } = this.#seats.ofConnection(ref)
    if (this.facts.hostOnlyState) this.#requireHost(playerId)
    this.#state.apply(patch)
    this.#stage.members.sendText(`{"t":"state","patch":${objectText(patch)},"from":"${playerId}"}`)
    this.#stage.changed()
    return DONE
  }

  setMyState(ref: ConnectionRef, patch: Patch) {
    const { playerId, state } = this.#seats.ofConnection(ref)
    state.apply(patch)
    const text = `{"t":"player_state","playerId":"${playerId}","patch":${objectText(patch)}}`
    this.#stage.members.sendText(text)
    this.#stage.changed()
    return DONE
  }

  lock(ref: ConnectionRef, locked: boolean) {
    this.#requireHost(this.#seats.ofConnection(ref).playerId)
    this.#isLocked = locked
    this.#stage.members.send({ t: 'locked', locked })
    this.#stage.changed()
    return DONE
  }

  /** Also of a player who is away: what others see of the seat is never older than the player's account (ROM-06). */
  rename(playerId: string, displayName: string | null) {
    const seat = this.#seats.find(playerId)
    if (!seat || seat.displayName === displayName) return DONE
    seat.displayName = displayName
    this.#stage.members.send({ t: 'player_renamed', playerId, displayName })
    this.#stage.changed()
    return DONE
  }

  #requireHost(playerId: string) {
    if (playerId !== this.#hostId) throw new ApiError('host_only')
  }

  // What it looks like

  hasSeat(playerId: string): boolean {
    return this.#seats.find(playerId) !== undefined
  }

  get isOpenToAll(): boolean {
    return !this.facts.private && !this.#isLocked && !this.#isFull
  }

  get #isFull(): boolean {
    return this.#seats.size >= this.facts.maxPlayers
  }

  /** As its members see it, as JSON text. */
  view(): string {
    return rawObject({
      ...this.facts,
      metadata: new RawJson(this.facts.metadata),
      locked: this.#isLocked,
      hostId: this.#hostId,
      state: new RawJson(this.#state.text),
      players: rawList([...this.#seats].map(playerText)),
    }).text
  }

  summary(): ListedRoom {
    const { id, code, mode, maxPlayers, metadata, createdAt } = this.facts
    const shown = { id, code, mode, maxPlayers, metadata: new RawJson(metadata), createdAt }
    return { id, text: rawObject({ ...shown, players: this.#seats.size }).text }
  }

  liveView(): ListedRoom {
    const { hostOnlyState: _, metadata, ...facts } = this.facts
    const shown = {
      ...facts,
      metadata: new RawJson(metadata),
      locked: this.#isLocked,
      hostId: this.#hostId,
      stateBytes: this.#state.bytes,
      players: [...this.#seats].map(({ playerId, displayName, presence: { connected } }) => ({
        id: playerId,
        displayName,
        connected,
      })),
    }
    return { id: facts.id, text: rawObject(shown).text }
  }

  snapshot(): RoomSnapshot {
    return {
      facts: this.facts,
      isLocked: this.#isLocked,
      hostId: this.#hostId,
      state: this.#state.entries,
      seats: this.#seats.snapshot(),
    }
  }

  #nowMs(): number {
    return millisecondsOf(this.#needs.clock)
  }
}
