import type { Received } from './sockets.ts'

type Seat = {
  id: string
  displayName: string
  state: Record<string, unknown>
  connected: boolean
  lostAtMs: number
  /** The number of this disconnect. */
  lostAs: number
}

type Due = { atMs: number; seat: Seat; what: 'host' | 'seat' }

const HOST_GRACE_MS = 5_000
const GRACE_MS = 30_000

/** A very simple implementation of the specification of one room: its players, and the events that each of them receives. */
export class RoomModel {
  readonly id: string
  seats: Seat[] = []
  hostId = ''
  locked = false
  state: Record<string, unknown> = {}
  readonly #maxPlayers: number
  /** The current time. */
  #nowMs = 0
  #losses = 0
  readonly #told = new Map<string, Received[]>()

  constructor(id: string, maxPlayers: number) {
    this.id = id
    this.#maxPlayers = maxPlayers
  }

  /** The events that a player must have received since the last call. */
  take(playerId: string): Received[] {
    const received = this.#told.get(playerId) ?? []
    this.#told.delete(playerId)
    return received
  }

  view() {
    const players = this.seats.map(({ id, displayName, state, connected }) => ({
      id,
      displayName,
      state: { ...state },
      connected,
    }))
    return { hostId: this.hostId, locked: this.locked, state: { ...this.state }, players }
  }

  find = (playerId: string) => this.seats.find(({ id }) => id === playerId)
  isIn = (playerId: string) => this.find(playerId)?.connected === true

  join(id: string, displayName: string): string {
    if (this.find(id)) return this.resume(id)
    if (this.locked) return 'room_locked'
    if (this.seats.length >= this.#maxPlayers) return 'room_full'
    this.#tellAll({ t: 'player_joined', player: { id, displayName, state: {}, connected: true } })
    this.seats.push({ id, displayName, state: {}, connected: true, lostAtMs: 0, lostAs: 0 })
    if (!this.find(this.hostId)) this.hostId = id
    return this.#welcome(id)
  }

  resume(id: string): string {
    const seat = this.find(id)
    if (!seat) return 'room_not_found'
    if (!seat.connected) this.#tellAll({ t: 'player_reconnected', playerId: id }, id)
    seat.connected = true
    return this.#welcome(id)
  }

  leave(id: string, reason: string) {
    this.seats = this.seats.filter((seat) => seat.id !== id)
    this.#tellAll({ t: 'player_left', playerId: id, reason })
    if (this.hostId === id) this.#newHost()
  }

  lose(id: string, nowMs: number) {
    const seat = this.find(id)
    if (!seat) return
    Object.assign(seat, { connected: false, lostAtMs: nowMs, lostAs: ++this.#losses })
    this.#tellAll({ t: 'player_disconnected', playerId: id })
  }

  lock(id: string, locked: boolean): string {
    if (id !== this.hostId) return 'host_only'
    this.locked = locked
    this.#tellAll({ t: 'locked', locked })
    return 'ok'
  }

  setState(id: string, patch: Record<string, unknown>) {
    merge(this.state, patch)
    this.#tellAll({ t: 'state', patch, from: id })
  }

  setMyState(id: string, patch: Record<string, unknown>) {
    merge(this.find(id)?.state ?? {}, patch)
    this.#tellAll({ t: 'player_state', playerId: id, patch })
  }

  send(id: string, data: unknown, to: string[] | undefined, nowMs: number) {
    const message = { t: 'message', from: id, type: 'x', data, at: nowMs }
    for (const seat of this.seats) if (!to || to.includes(seat.id)) this.#tell(seat, message, id)
  }

  /** In the order of the due times; at the same time, in the order of creation. */
  pass(fromMs: number, toMs: number) {
    const due = this.seats
      .filter(({ connected }) => !connected)
      .flatMap((seat): Due[] => [
        { atMs: seat.lostAtMs + HOST_GRACE_MS, seat, what: 'host' },
        { atMs: seat.lostAtMs + GRACE_MS, seat, what: 'seat' },
      ])
      .filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
      .sort((a, b) => a.atMs - b.atMs || a.seat.lostAs - b.seat.lostAs)
    for (const { seat, what } of due) {
      if (what === 'seat') this.leave(seat.id, 'timeout')
      else if (seat.id === this.hostId && this.seats.some(({ connected }) => connected)) this.#newHost()
    }
    this.#nowMs = toMs
  }

  #newHost() {
    const next = this.seats.find(({ connected }) => connected) ?? this.seats[0]
    if (!next || next.id === this.hostId) return
    this.hostId = next.id
    this.#tellAll({ t: 'host_changed', hostId: next.id })
  }

  /**
   * If the host was disconnected for too long while no other player was connected, the first player who reconnects becomes host.
   */
  #welcome(id: string): string {
    const host = this.find(this.hostId)
    if (host && !host.connected && this.#nowMs - host.lostAtMs >= HOST_GRACE_MS) this.hostId = id
    const room = this.view()
    this.#tell({ id, connected: true }, { t: 'room_joined', room, selfId: id })
    return 'ok'
  }

  #tellAll(event: Received, except?: string) {
    for (const seat of this.seats) this.#tell(seat, event, except)
  }

  #tell({ id, connected }: { id: string; connected: boolean }, event: Received, except?: string) {
    if (connected && id !== except) this.#told.set(id, [...(this.#told.get(id) ?? []), event])
  }
}

function merge(state: Record<string, unknown>, patch: Record<string, unknown>) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    else state[key] = value
  }
}
