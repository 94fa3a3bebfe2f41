import type { IceServersAnswer, iceServers, signal, SignalKind } from '@svc/contract/realtime/peer-to-peer'
import type * as contract from '@svc/contract/realtime/rooms'

import type { CodeRoom } from '../code-rooms/code-room.ts'
import type * as code from '../code-rooms/types.ts'
import { isSvcError, SvcError } from '../http/errors.ts'
import { loadFile } from '../on-demand.ts'
import type { Emitter, On } from './events.ts'
import { framesSinceDisconnect } from './missed-events.ts'
import { apply, createPatchBuffer, createStateBuffer, difference, type Patch, type State } from './patches.ts'
import { createPresence, type Presence } from './presence.ts'
import type { RoomEvents, RoomFrame, RoomPlayer } from './room-events.ts'
import { applyPlayerFrame, playerIn } from './room-players.ts'
import type { Socket } from './socket.ts'

/**
 * A room that you are in, from `svc.rooms`. `players` and `state` are always current. If your code runs in the room, pass its class, as
 * in `svc.rooms.join<Arena>(…)`: state and messages then have its types.
 */
export class Room<Code = unknown> {
  /** The id, for `svc.rooms.join({ id })`. */
  readonly id: string
  /** The short code that players can share. */
  readonly code: string
  /** The mode in the config. */
  readonly mode: string
  /** `server`, or `p2p` for peer-to-peer rooms. */
  readonly transport: contract.Transport
  /** The number of seats. */
  readonly maxPlayers: number
  /** What the creator of the room stored with it. */
  readonly metadata: unknown
  /** Whether the room is left out of `svc.rooms.list`. */
  readonly isPrivate: boolean
  /** Whether only the host may change the shared state. */
  readonly hostOnlyState: boolean
  /** When the room was created. */
  readonly createdAt: string
  /** Set if quick match started the room: with fewer than `match.minPlayers` players, more are on their way. */
  readonly match: contract.RoomMatch | undefined
  /** Everyone in the room, longest present first. Always the same array. */
  readonly players: RoomPlayer[] = []
  /** The shared state. Always the same object. */
  readonly state: code.RoomStateOf<Code> = {} as code.RoomStateOf<Code>
  /** In a room with code: the state that only you can see. Always the same object. */
  readonly own: code.OwnStateOf<Code> = {} as code.OwnStateOf<Code>
  /** In a room with code: how many ticks per second it runs, 0 if it runs only when something arrives. Otherwise undefined. */
  readonly server: { readonly tickRate: number } | undefined
  /** In a room with code: the number of its last tick. */
  readonly tick: number = 0
  /**
   * Adds a listener for an event. Returns a function that removes it.
   *
   * @example
   * room.on('player_joined', (player) => {
   *   console.log(`${player.displayName} is here`) // → Bo is here
   * })
   */
  readonly on: On<RoomEvents<Code>>
  /** Resolves when the room has ended for you: after `leave` or the `closed` event. */
  readonly ended: Promise<void>
  /** @internal */
  readonly presence: Presence<RoomEvents<Code>, RoomFrame>
  /** @internal Set until the rest of a room with code is loaded. */
  loading: Promise<void> | undefined

  readonly #selfId: string
  readonly #socket: Pick<Socket, 'sendEvent' | 'request'>
  #hostId = ''
  #isLocked = false
  #code: CodeRoom | undefined
  readonly #statePatches = createStateBuffer((patch) => this.presence.send('setState', { patch }) === true)
  readonly #myPatches = createPatchBuffer((patch) => this.presence.send('setMyState', { patch }))

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
    this.server = view.server
    this.#selfId = selfId
    this.#socket = socket
    let resolveEnded = () => {}
    this.ended = new Promise((resolve) => (resolveEnded = resolve))
    this.presence = createPresence({
      socket,
      leftCode: 'not_in_room',
      receive: (frame) => this.#receive(frame),
      isHeld: () => !!this.loading,
      left: () => {
        this.#statePatches.drop()
        this.#myPatches.drop()
        left()
        resolveEnded()
      },
    })
    this.on = this.presence.on
    this.on('reconnecting', this.#myPatches.drop)
    this.#applyView(view)
    if (view.server) (this.loading = this.#loadCode(view)).catch(this.#giveUp)
  }

  /** Your own player. */
  get me(): RoomPlayer {
    return playerIn(this.players, this.#selfId)
  }
  /** The player who is the host. */
  get host(): RoomPlayer {
    return playerIn(this.players, this.#hostId)
  }
  /** Whether you are the host. */
  get isHost(): boolean {
    return this.#hostId === this.#selfId
  }
  /** Whether the room accepts no more players. */
  get isLocked(): boolean {
    return this.#isLocked
  }
  /** False while reconnecting, and after the room has ended. */
  get isConnected(): boolean {
    return this.presence.phase === 'present'
  }

  /**
   * Sends a message to all other players, or to some of them: up to 16 KB of JSON. In a room with code, the code gets it, and nobody
   * else. It does not wait for a response; if the service rejects the message, the room emits `warn`. Each player can send 60 messages
   * and changes of state per second.
   *
   * @param options `to` lists the ids of the receivers. A message to yourself is not delivered.
   *
   * @example
   * room.send('shot', { x: 3, y: 4 })
   * room.send('whisper', { text: 'Follow me' }, { to: [room.host.id] })
   */
  send<Type extends code.MessageType<Code>>(type: Type, ...given: code.SendArguments<Code, Type>): void
  send(type: string, data?: unknown, { to }: { to?: string[] } = {}) {
    this.#flush()
    this.presence.send('send', { type, data, ...(to && { to }) })
  }

  /**
   * In a room with code: sends a message to the code and resolves with what its handler returns. It is handled once: without a connection it
   * waits for the next one, and if the answer was lost, it is asked for again.
   *
   * @throws `network_error` The room ended for you before the answer came. The message may have been handled.
   * @throws `room_error` The handler threw an error. If it was a `Refusal`, `error.details.reason` is its reason.
   * @throws `invalid_request` The code has no handler for this type.
   * @throws `room_busy` Too many messages wait for the code.
   * @throws `not_available` No code runs in this room.
   *
   * @example
   * const { coins } = await room.call('buy', { item: 'shield' })
   * console.log(coins) // → 3
   */
  call<Type extends code.MessageType<Code>>(
    type: Type,
    ...given: code.CallArguments<Code, Type>
  ): Promise<code.MessageResult<Code, Type>>
  call(type: string, data?: unknown) {
    return this.#requireCode().call(type, data)
  }

  /**
   * In a room with code: shows the effect of your own inputs at once. `step` is the function with which the room handles an input. The
   * result has a copy of `room.state` with the inputs that the room has not handled yet, and `send` for new ones.
   *
   * @throws `not_available` No code runs in this room.
   *
   * @example
   * const me = room.predict({ step, type: 'move' })
   * me.send({ dx: 1, dy: 0 })
   * room.on('sync', () => draw(me.state))
   */
  predict<Type extends code.MessageType<Code>>(
    options: code.PredictOptions<Code, Type>,
  ): code.Prediction<code.PredictedState<Code>, code.MessageData<Code, Type>> {
    return this.#requireCode().predict(options as code.PredictOptions<unknown, string>)
  }

  /**
   * In a room with code: returns copies of the objects in `room.state[key]`, a little behind the room but moving evenly. Call it for every
   * frame of the screen. Numbers are interpolated between the room's ticks; a new object appears and a removed one disappears with the
   * same delay.
   *
   * @throws `not_available` No code runs in this room.
   *
   * @example
   * function drawFrame() {
   *   draw(room.smooth('balls', { teleport: 200 }))
   *   requestAnimationFrame(drawFrame)
   * }
   * requestAnimationFrame(drawFrame)
   */
  smooth<Key extends keyof code.RoomStateOf<Code> & string>(
    key: Key,
    options?: code.SmoothOptions,
  ): code.Smoothed<Code, Key> {
    return this.#requireCode().smooth(key, options) as code.Smoothed<Code, Key>
  }

  /**
   * Merges the patch into the shared state: the keys you pass are replaced, `null` deletes a key, and all others stay. The last write
   * to a key wins. `room.state` changes when the service confirms it, with the event `state`.
   *
   * @example
   * room.on('state', (state) => console.log(state)) // → { level: 2 }
   * room.setState({ level: 2 })
   */
  setState(patch: Patch) {
    this.#statePatches.add(patch)
  }

  /**
   * Merges the patch into your own state, which everyone can see: the keys you pass are replaced, `null` deletes a key, and all others
   * stay. `room.me.state` changes immediately; the others receive the event `player_state`. After a lost connection the SDK sends what
   * the others do not have yet.
   *
   * @example
   * room.setMyState({ x: 3, y: 4 })
   * console.log(room.me.state) // → { x: 3, y: 4 }
   */
  setMyState(patch: Patch) {
    const { phase, warn } = this.presence
    if (phase === 'over') return warn(new SvcError('not_in_room'))
    apply(this.me.state, patch)
    // While disconnected nothing is sent: `applyView` later sends the difference.
    if (phase === 'present') this.#myPatches.add(patch)
  }

  /**
   * Locks or unlocks the room. Once this resolves, nobody else can join a locked room. Only the host can do this.
   *
   * @throws `host_only` You are not the host.
   *
   * @example
   * if (room.isHost) await room.lock()
   */
  async lock(locked = true): Promise<void> {
    await this.#request<typeof contract.lock>('lock', { locked })
  }

  /**
   * Leaves the room. The seat is free for others. Changes that were not sent yet are sent first; without a connection they are lost.
   *
   * @param options With `keepSeat` you keep your seat: for 30 seconds, and in a room of a mode with `keepDays` until you leave it.
   *
   * @example
   * await room.leave()
   * console.log(room.isConnected) // → false
   */
  async leave(options: { keepSeat?: boolean } = {}): Promise<void> {
    // Without a connection the service releases the seat when the player does not reconnect.
    if (!this.isConnected) return this.presence.leave()
    this.#flush()
    const leaving = this.#request<typeof contract.leave>('leave', options)
    this.presence.leave()
    await leaving.catch((error: unknown) => {
      if (!isSvcError(error, 'not_in_room', 'network_error')) throw error
    })
  }

  /**
   * Sends a WebRTC signal in a peer-to-peer room. `svc.p2p` does this for you.
   *
   * @example
   * for (const { id } of room.players) room.signal(id, 'restart', null, Date.now())
   */
  signal(to: string, kind: SignalKind, data: unknown, gen: number) {
    this.#socket.sendEvent<typeof signal>('signal', { to, kind, data: data ?? null, gen })
  }
  /**
   * Reads the configuration for `RTCPeerConnection` in a peer-to-peer room. `svc.p2p` does this for you.
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
    const isBack = this.presence.connected()
    // The room has no place yet for what has changed.
    if (this.loading) return this.#giveUp()
    this.#code?.take(view)
    this.#keepMyState(view)
    if (isBack) {
      this.#statePatches.sendLost(this.state as State, view.state)
      this.presence.sendQueued()
      this.#flush()
    }
    this.#applyView(view)
    this.#code?.announce()
    if (isBack && this.isConnected) this.presence.emit('reconnected')
  }

  // --- private

  #receive(frame: RoomFrame) {
    const { emit, phase } = this.presence
    if (phase === 'over') return
    switch (frame.t) {
      case 'player_left':
        // Only a player whom the code of the room removes gets this about itself.
        if (frame.playerId === this.#selfId) return this.presence.end(frame.reason)
        break
      case 'player_state':
        // Only this client changes its own state, and it may have newer changes.
        if (frame.playerId === this.#selfId) return
        break
      case 'host_changed':
        this.#hostId = frame.hostId
        return void emit('host_changed', this.host)
      case 'state':
        if (frame.from === this.#selfId) this.#statePatches.confirmed(frame.patch)
        apply(this.state as State, frame.patch)
        return void emit('state', this.state, frame.patch, playerIn(this.players, frame.from))
      case 'sync':
        return this.#code?.synced(frame)
      case 'message':
        return void emit('message', frame.type, frame.data, playerIn(this.players, frame.from))
      case 'locked':
        this.#isLocked = frame.locked
        return void emit('locked', frame.locked)
      case 'signal':
        return void emit('signal', frame.from, frame.kind, frame.data, frame.gen)
      case 'room_closed':
        return this.presence.end(frame.reason, undefined, frame.result)
      case 'player_joined':
      case 'player_disconnected':
      case 'player_reconnected':
      case 'player_renamed':
        break
    }
    applyPlayerFrame(frame, this.players, emit as Emitter<RoomEvents>['emit'])
  }

  async #loadCode(view: contract.Room) {
    const { openCodeRoom } = await loadFile(() => import('../code-rooms/code-room.ts'))
    const deps = { selfId: this.#selfId, request: this.#request }
    this.#code = openCodeRoom(this as unknown as Room, view, deps)
    this.loading = undefined
  }

  /** The seat is of no use without the rest. */
  #giveUp = () => void this.leave().catch(() => {})

  #requireCode(): CodeRoom {
    if (this.#code) return this.#code
    throw new SvcError('not_available', {
      message: 'no code runs in this room: set `room` of the mode in svc.config.json',
    })
  }

  #applyView(view: contract.Room) {
    const { players, isLocked } = this
    const known = { players, isLocked, state: this.state as State, hostId: this.#hostId }
    framesSinceDisconnect(known, view).forEach((frame) => this.#receive(frame))
    // A listener may have left the room.
    if (!this.isConnected) return

    const positionOf = (player: RoomPlayer) => view.players.findIndex(({ id }) => id === player.id)
    this.players.sort((one, other) => positionOf(one) - positionOf(other))
  }

  /** Sends changes of the own state that the view lacks: made without a connection, or just before it was lost. */
  #keepMyState({ players }: contract.Room) {
    const me = this.players.find(({ id }) => id === this.#selfId)
    const view = players.find(({ id }) => id === this.#selfId)
    const unsent = me && view && difference(view.state, me.state)
    if (unsent) this.#myPatches.add(unsent)
  }

  #request: Socket['request'] = async (t, fields) => {
    if (this.presence.phase === 'over') throw new SvcError('not_in_room')
    return this.#socket.request(t, fields)
  }

  /** A message must not overtake a change that was made before it. */
  #flush() {
    this.#statePatches.flush()
    this.#myPatches.flush()
  }
}
