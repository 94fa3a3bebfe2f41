import type { IceServersAnswer, iceServers, signal, SignalKind } from '@svc/contract/peer-to-peer'
import type * as contract from '@svc/contract/rooms'

import { SvcError } from './errors.ts'
import { createEventBuffer } from './event-buffer.ts'
import { createEvents, type On } from './events.ts'
import { framesSinceDisconnect } from './missed-events.ts'
import { apply, createPatchBuffer, difference, type Patch, type State } from './patches.ts'
import type { RoomLeaveReason, RoomClosedReason, RoomEvents, RoomFrame, RoomPlayer } from './room-events.ts'
import type { Socket } from './socket.ts'

type Waiting = () => void

const QUEUED_MAX = 64

/** A room the player sits in. `players` and `state` are always as the service last told. */
export class Room {
  /** The id, for `svc.rooms.join({ id })`. */
  readonly id: string
  /** The short code that players can share. */
  readonly code: string
  /** The mode, as in the config. */
  readonly mode: string
  /** `server`, or `p2p` for peer-to-peer rooms. */
  readonly transport: contract.Transport
  /** The number of seats. */
  readonly maxPlayers: number
  /** What the creator of the room stored with it. */
  readonly metadata: unknown
  /** Whether the room is left out of the list of rooms. */
  readonly isPrivate: boolean
  /** Whether only the host may change the shared state. */
  readonly hostOnlyState: boolean
  /** When the room was created. */
  readonly createdAt: string
  /** Longest present first; always the same array. */
  readonly players: RoomPlayer[] = []
  /** What all share; always the same object. */
  readonly state: State = {}
  /** Adds a listener; returns a function that removes it. */
  readonly on: On<RoomEvents>
  /** When the room is over for this player, who has left it or was told `closed`. */
  readonly ended: Promise<void>

  readonly #selfId: string
  readonly #socket: Pick<Socket, 'sendEvent' | 'request'>
  readonly #events = createEvents<RoomEvents>()
  readonly #left: () => void
  #end = () => {}
  readonly #early = createEventBuffer<RoomFrame>((frame) => this.#receive(frame))
  #hostId = ''
  #isLocked = false
  #phase: 'seated' | 'reconnecting' | 'over' = 'seated'
  /** What was sent while there was no connection. */
  #queued: Waiting[] = []
  readonly #statePatches = createPatchBuffer((patch) => this.#tell('setState', { patch }))
  readonly #myPatches = createPatchBuffer((patch) => this.#tell('setMyState', { patch }))

  /** @internal */
  constructor(
    view: contract.Room,
    selfId: string,
    socket: Pick<Socket, 'sendEvent' | 'request'>,
    left: () => void,
  ) {
    this.id = view.id
    this.code = view.code
    this.mode = view.mode
    this.transport = view.transport
    this.maxPlayers = view.maxPlayers
    this.metadata = view.metadata
    this.isPrivate = view.private
    this.hostOnlyState = view.hostOnlyState
    this.createdAt = view.createdAt
    this.#selfId = selfId
    this.#socket = socket
    this.#left = left
    this.on = this.#events.on
    this.ended = new Promise((resolve) => (this.#end = resolve))
    this.#show(view)
  }

  /** The own player. */
  get me(): RoomPlayer {
    return this.#player(this.#selfId)
  }
  /** The player who is the host. */
  get host(): RoomPlayer {
    return this.#player(this.#hostId)
  }
  /** Whether you are the host. */
  get isHost(): boolean {
    return this.#hostId === this.#selfId
  }
  /** Whether the room accepts no more players. */
  get isLocked(): boolean {
    return this.#isLocked
  }
  /** Seated and connected; false while reconnecting and once the room is over. */
  get isConnected(): boolean {
    return this.#phase === 'seated'
  }

  /** To everybody else in the room, or to some of them. Up to 16 KB of JSON. */
  send(type: string, data?: unknown, { to }: { to?: string[] } = {}) {
    this.#flush()
    this.#tell('send', { type, ...(data !== undefined && { data }), ...(to && { to }) })
  }

  /** Changes what all share: `{ key: value }` replaces, `{ key: null }` deletes. Shown here once the service has put it in order. */
  setState(patch: Patch) {
    this.#statePatches.add(patch)
  }

  /** Changes what the others see of you; shown here at once. */
  setMyState(patch: Patch) {
    if (this.#phase === 'over') return this.#warn(new SvcError('not_in_room'))
    apply(this.me.state, patch)
    // What was lost or said meanwhile is found by comparing, once the connection is back.
    if (this.#phase === 'seated') this.#myPatches.add(patch)
  }

  /** The host only. */
  async lock(locked = true): Promise<void> {
    await this.#request<typeof contract.lock>('lock', { locked })
  }

  /** Leaves the room. */
  async leave(): Promise<void> {
    // Without a connection the seat is given up by not coming back.
    if (this.#phase !== 'seated') return this.#over()
    this.#flush()
    const leaving = this.#request<typeof contract.leave>('leave', {})
    this.#over()
    await leaving.catch((error: unknown) => {
      if (!(error instanceof SvcError) || !['not_in_room', 'network_error'].includes(error.code)) throw error
    })
  }

  /** Of peer-to-peer rooms; `svc.p2p` does it for you. */
  signal(to: string, kind: SignalKind, data: unknown, gen: number) {
    this.#socket.sendEvent<typeof signal>('signal', { to, kind, data: data ?? null, gen })
  }
  /** The configuration for RTCPeerConnection, in peer-to-peer rooms. */
  iceServers(): Promise<IceServersAnswer> {
    return this.#request<typeof iceServers>('iceServers', {})
  }

  // --- called by rooms.ts

  /** @internal The seat was taken again: all that has changed meanwhile is told. */
  show(view: contract.Room) {
    this.#early.open()
    const isBack = this.#phase === 'reconnecting'
    if (isBack) this.#phase = 'seated'
    this.#keepMyState(view)
    if (isBack) this.#sendQueued()
    this.#show(view)
    if (isBack && this.isConnected) this.#events.emit('reconnected')
  }

  /** @internal Whoever waited for the room has it now. */
  deliverBuffered(): this {
    this.#early.flushSoon()
    return this
  }

  /** @internal */
  lost() {
    this.#early.open()
    if (this.#phase !== 'seated') return
    this.#phase = 'reconnecting'
    this.#myPatches.drop()
    this.#events.emit('reconnecting')
  }

  /** @internal */
  end(reason: RoomClosedReason, error?: SvcError) {
    this.#early.open()
    if (this.#phase === 'over') return
    this.#over()
    this.#events.emit('closed', reason, ...(error ? [error] : []))
  }

  /** @internal */
  warn(error: SvcError) {
    this.#warn(error)
  }

  /** @internal */
  receive(frame: RoomFrame) {
    this.#early.receive(frame)
  }

  // --- its own

  #receive(frame: RoomFrame) {
    if (this.#phase === 'over') return
    switch (frame.t) {
      case 'player_joined':
        return this.#joined(frame.player)
      case 'player_left':
        return this.#gone(frame.playerId, frame.reason)
      case 'player_disconnected':
        return this.#connected(frame.playerId, false)
      case 'player_reconnected':
        return this.#connected(frame.playerId, true)
      case 'player_renamed':
        return this.#renamed(frame.playerId, frame.displayName)
      case 'host_changed':
        this.#hostId = frame.hostId
        return void this.#events.emit('host_changed', this.host)
      case 'state':
        apply(this.state, frame.patch)
        return void this.#events.emit('state', this.state, frame.patch, this.#player(frame.from))
      case 'player_state':
        return this.#stateOf(frame.playerId, frame.patch)
      case 'message':
        return void this.#events.emit('message', frame.type, frame.data, this.#player(frame.from))
      case 'locked':
        this.#isLocked = frame.locked
        return void this.#events.emit('locked', frame.locked)
      case 'signal':
        return void this.#events.emit('signal', frame.from, frame.kind, frame.data, frame.gen)
      case 'room_closed':
        return this.end(frame.reason)
    }
  }

  #joined(player: RoomPlayer) {
    if (this.players.some(({ id }) => id === player.id)) return
    this.players.push(player)
    this.#events.emit('player_joined', player)
  }

  #gone(playerId: string, reason: RoomLeaveReason) {
    const at = this.players.findIndex(({ id }) => id === playerId)
    const [player] = at < 0 ? [] : this.players.splice(at, 1)
    if (player) this.#events.emit('player_left', player, reason)
  }

  #connected(playerId: string, connected: boolean) {
    const player = this.#player(playerId)
    player.connected = connected
    this.#events.emit(connected ? 'player_reconnected' : 'player_disconnected', player)
  }

  #renamed(playerId: string, displayName: string | null) {
    const player = this.#player(playerId)
    player.displayName = displayName
    this.#events.emit('player_renamed', player)
  }

  #stateOf(playerId: string, patch: Patch) {
    // Nobody else changes our own, and by now we may be further on.
    if (playerId === this.#selfId) return
    const player = this.#player(playerId)
    apply(player.state, patch)
    this.#events.emit('player_state', player, player.state, patch)
  }

  #show(view: contract.Room) {
    const known = { players: this.players, state: this.state, hostId: this.#hostId, isLocked: this.#isLocked }
    framesSinceDisconnect(known, view).forEach((frame) => this.#receive(frame))
    // Somebody who heard of it may have left.
    if (this.#phase !== 'seated') return

    const places = new Map(view.players.map(({ id }, place) => [id, place]))
    const placeOf = ({ id }: RoomPlayer) => places.get(id) ?? places.size
    this.players.sort((one, other) => placeOf(one) - placeOf(other))
  }

  /** What was said of it without a connection, or just before it was lost, is not in the view. */
  #keepMyState({ players }: contract.Room) {
    const mine = this.players.find(({ id }) => id === this.#selfId)
    const view = players.find(({ id }) => id === this.#selfId)
    const unsaid = mine && view && difference(view.state, mine.state)
    if (unsaid) this.#myPatches.add(unsaid)
  }

  #sendQueued() {
    const queued = this.#queued
    this.#queued = []
    queued.forEach((send) => send())
    this.#flush()
  }

  #player(playerId: string): RoomPlayer {
    const player = this.players.find(({ id }) => id === playerId)
    return player ?? { id: playerId, displayName: null, state: {}, connected: false }
  }

  #tell(t: 'send' | 'setState' | 'setMyState', fields: Record<string, unknown>) {
    if (this.#phase === 'over') return this.#warn(new SvcError('not_in_room'))
    if (this.#phase === 'seated') return void this.#socket.sendEvent(t, fields)
    if (this.#queued.length >= QUEUED_MAX) return this.#warn(new SvcError('queue_full'))
    // As it is now, whatever the game does with it until then.
    const asItIs = JSON.parse(JSON.stringify(fields))
    this.#queued.push(() => void this.#socket.sendEvent(t, asItIs))
  }

  #request: Socket['request'] = async (t, fields) => {
    if (this.#phase === 'over') throw new SvcError('not_in_room')
    return this.#socket.request(t, fields)
  }

  /** A message must not overtake a change that was made before it. */
  #flush() {
    this.#statePatches.flush()
    this.#myPatches.flush()
  }

  #warn(error: SvcError) {
    if (!this.#events.emit('warn', error)) console.warn(error)
  }

  #over() {
    this.#phase = 'over'
    this.#queued = []
    this.#statePatches.drop()
    this.#myPatches.drop()
    this.#left()
    this.#end()
  }
}
