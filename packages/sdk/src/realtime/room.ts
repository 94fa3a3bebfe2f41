import type { IceServersAnswer, iceServers, signal, SignalKind } from '@svc/contract/realtime/peer-to-peer'
import type * as contract from '@svc/contract/realtime/rooms'

import { isSvcError, SvcError } from '../http/errors.ts'
import { createEventBuffer } from './event-buffer.ts'
import { createEvents, type On } from './events.ts'
import { framesSinceDisconnect } from './missed-events.ts'
import { apply, createPatchBuffer, difference, type Patch, type State } from './patches.ts'
import type { RoomLeaveReason, RoomClosedReason, RoomEvents, RoomFrame, RoomPlayer } from './room-events.ts'
import type { Socket } from './socket.ts'

const QUEUED_MAX = 64

/** A room that the player is in. `players` and `state` are updated with every event of the service. */
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
  /** How quick match fills the room: while there are fewer than `match.minPlayers`, more are expected. Undefined in other rooms. */
  readonly match: contract.RoomMatch | undefined
  /** Longest present first; always the same array. */
  readonly players: RoomPlayer[] = []
  /** The shared state; always the same object. */
  readonly state: State = {}
  /**
   * Adds a listener; returns a function that removes it.
   *
   * @example
   * room.on('player_joined', (player) => console.log(`${player.displayName} is here`)) // → Bo is here
   */
  readonly on: On<RoomEvents>
  /** Resolves when the room has ended for this player: after `leave` or the `closed` event. */
  readonly ended: Promise<void>

  readonly #selfId: string
  readonly #socket: Pick<Socket, 'sendEvent' | 'request'>
  readonly #events = createEvents<RoomEvents>()
  readonly #onLeft: () => void
  #resolveEnded = () => {}
  readonly #buffer = createEventBuffer<RoomFrame>((frame) => this.#receive(frame))
  #hostId = ''
  #isLocked = false
  #phase: 'seated' | 'reconnecting' | 'over' = 'seated'
  /** Frames sent while there was no connection. */
  #queued: (() => void)[] = []
  readonly #statePatches = createPatchBuffer((patch) => this.#sendOrQueue('setState', { patch }))
  readonly #myPatches = createPatchBuffer((patch) => this.#sendOrQueue('setMyState', { patch }))

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
    this.match = view.match
    this.#selfId = selfId
    this.#socket = socket
    this.#onLeft = left
    this.on = this.#events.on
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve))
    this.#applyView(view)
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
  /** True while the player has a seat and a connection; false while reconnecting and after the room has ended. */
  get isConnected(): boolean {
    return this.#phase === 'seated'
  }

  /**
   * Sends a message to all other players, or to some of them. Up to 16 KB of JSON.
   *
   * @example
   * room.send('shot', { x: 3, y: 4 })
   * room.send('whisper', { text: 'Follow me' }, { to: [room.host.id] })
   */
  send(type: string, data?: unknown, { to }: { to?: string[] } = {}) {
    this.#flush()
    this.#sendOrQueue('send', { type, ...(data !== undefined && { data }), ...(to && { to }) })
  }

  /**
   * Changes the shared state: `{ key: value }` replaces, `{ key: null }` deletes. `state` changes when the service confirms it.
   *
   * @example
   * room.on('state', (state) => console.log(state)) // → { level: 2 }
   * room.setState({ level: 2 })
   */
  setState(patch: Patch) {
    this.#statePatches.add(patch)
  }

  /**
   * Changes your own state, which the others can see; `me.state` changes immediately.
   *
   * @example
   * room.setMyState({ x: 3, y: 4 })
   * console.log(room.me.state) // → { x: 3, y: 4 }
   */
  setMyState(patch: Patch) {
    if (this.#phase === 'over') return this.warn(new SvcError('not_in_room'))
    apply(this.me.state, patch)
    // While disconnected nothing is sent: `applyView` later sends the difference.
    if (this.#phase === 'seated') this.#myPatches.add(patch)
  }

  /**
   * Locks or unlocks the room; host only.
   *
   * @example
   * if (room.isHost) await room.lock()
   */
  async lock(locked = true): Promise<void> {
    await this.#request<typeof contract.lock>('lock', { locked })
  }

  /**
   * Leaves the room.
   *
   * @example
   * await room.leave()
   * console.log(room.isConnected) // → false
   */
  async leave(): Promise<void> {
    // Without a connection the service releases the seat when the player does not reconnect.
    if (this.#phase !== 'seated') return this.#over()
    this.#flush()
    const leaving = this.#request<typeof contract.leave>('leave', {})
    this.#over()
    await leaving.catch((error: unknown) => {
      if (!isSvcError(error, 'not_in_room', 'network_error')) throw error
    })
  }

  /**
   * Sends a WebRTC signal in a peer-to-peer room; `svc.p2p` does it for you.
   *
   * @example
   * for (const { id } of room.players) room.signal(id, 'restart', null, Date.now())
   */
  signal(to: string, kind: SignalKind, data: unknown, gen: number) {
    this.#socket.sendEvent<typeof signal>('signal', { to, kind, data: data ?? null, gen })
  }
  /**
   * The configuration for RTCPeerConnection, in peer-to-peer rooms.
   *
   * @example
   * const { iceServers } = await room.iceServers()
   * const connection = new RTCPeerConnection({ iceServers })
   */
  iceServers(): Promise<IceServersAnswer> {
    return this.#request<typeof iceServers>('iceServers', {})
  }

  // --- called by rooms.ts

  /** @internal The player is back in the seat: emits all changes since the connection was lost. */
  applyView(view: contract.Room) {
    this.#buffer.open()
    const isBack = this.#phase === 'reconnecting'
    if (isBack) this.#phase = 'seated'
    this.#keepMyState(view)
    if (isBack) this.#sendQueued()
    this.#applyView(view)
    if (isBack && this.isConnected) this.#events.emit('reconnected')
  }

  /** @internal The caller has the room: buffered events can be delivered. */
  deliverBuffered(): this {
    this.#buffer.flushSoon()
    return this
  }

  /** @internal */
  disconnected() {
    this.#buffer.open()
    if (this.#phase !== 'seated') return
    this.#phase = 'reconnecting'
    this.#myPatches.drop()
    this.#events.emit('reconnecting')
  }

  /** @internal */
  end(reason: RoomClosedReason, error?: SvcError) {
    this.#buffer.open()
    if (this.#phase === 'over') return
    this.#over()
    this.#events.emit('closed', reason, ...(error ? [error] : []))
  }

  /** @internal */
  warn(error: SvcError) {
    if (!this.#events.emit('warn', error)) console.warn(error)
  }

  /** @internal */
  receive(frame: RoomFrame) {
    this.#buffer.receive(frame)
  }

  // --- private

  #receive(frame: RoomFrame) {
    if (this.#phase === 'over') return
    switch (frame.t) {
      case 'player_joined':
        return this.#joined(frame.player)
      case 'player_left':
        return this.#playerLeft(frame.playerId, frame.reason)
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
        return this.#playerStateChanged(frame.playerId, frame.patch)
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

  #playerLeft(playerId: string, reason: RoomLeaveReason) {
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

  #playerStateChanged(playerId: string, patch: Patch) {
    // Only this client changes its own state, and it may have newer changes.
    if (playerId === this.#selfId) return
    const player = this.#player(playerId)
    apply(player.state, patch)
    this.#events.emit('player_state', player, player.state, patch)
  }

  #applyView(view: contract.Room) {
    const known = { players: this.players, state: this.state, hostId: this.#hostId, isLocked: this.#isLocked }
    framesSinceDisconnect(known, view).forEach((frame) => this.#receive(frame))
    // A listener may have left the room.
    if (this.#phase !== 'seated') return

    const positions = new Map(view.players.map(({ id }, place) => [id, place]))
    const positionOf = ({ id }: RoomPlayer) => positions.get(id) ?? positions.size
    this.players.sort((one, other) => positionOf(one) - positionOf(other))
  }

  /** Sends changes of the own state that the view lacks: made without a connection, or just before it was lost. */
  #keepMyState({ players }: contract.Room) {
    const me = this.players.find(({ id }) => id === this.#selfId)
    const view = players.find(({ id }) => id === this.#selfId)
    const unsent = me && view && difference(view.state, me.state)
    if (unsent) this.#myPatches.add(unsent)
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

  #sendOrQueue(t: 'send' | 'setState' | 'setMyState', fields: Record<string, unknown>) {
    if (this.#phase === 'over') return this.warn(new SvcError('not_in_room'))
    if (this.#phase === 'seated') return void this.#socket.sendEvent(t, fields)
    if (this.#queued.length >= QUEUED_MAX) return this.warn(new SvcError('queue_full'))
    // A copy: the game may change the object later.
    const copy = JSON.parse(JSON.stringify(fields))
    this.#queued.push(() => void this.#socket.sendEvent(t, copy))
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

  #over() {
    this.#phase = 'over'
    this.#queued = []
    this.#statePatches.drop()
    this.#myPatches.drop()
    this.#onLeft()
    this.#resolveEnded()
  }
}
