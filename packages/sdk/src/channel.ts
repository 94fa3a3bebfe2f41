import type * as contract from '@svc/contract/channels'
import type { RequestOf } from '@svc/contract/endpoint'

import { SvcError } from './errors.ts'
import { createEvents, type On } from './events.ts'
import type { Received } from './frames.ts'
import type { Socket } from './socket.ts'

export type ChannelMember = contract.ChannelMember
export type ChannelSettings = contract.ChannelJoined['settings']
export type Moderation = RequestOf<typeof contract.moderateChannel>['body']

export type ChannelEvents = {
  /** `from` is the id of a player, or `server`. Your own come back to you too. */
  message: [type: string, data: unknown, from: string, at: number]
  member_joined: [member: ChannelMember]
  member_left: [member: ChannelMember]
  /** Whether you may send has changed. */
  self: [self: contract.ChannelSelf]
  reconnecting: []
  reconnected: []
  /** You are no longer in it: `kicked`, `banned`, `deleted` …, or the code of what kept you from coming back. */
  closed: [reason: string]
  /** Something that was sent was refused. */
  warn: [error: SvcError]
}

export type ChannelFrame =
  | Received<typeof contract.channelJoined>
  | Received<typeof contract.channelPlayerJoined>
  | Received<typeof contract.channelPlayerLeft>
  | Received<typeof contract.channelMessage>
  | Received<typeof contract.channelSelf>
  | Received<typeof contract.channelClosed>

type ChannelSocket = Pick<Socket, 'tell' | 'request'>

const QUEUED_MAX = 64

/** A channel the player is in. */
export class Channel {
  readonly name: string
  /** Always the same array. */
  readonly members: ChannelMember[] = []
  readonly on: On<ChannelEvents>

  readonly #socket: ChannelSocket
  readonly #events = createEvents<ChannelEvents>()
  readonly #left: () => void
  #facts: Pick<contract.ChannelJoined, 'settings' | 'owner' | 'self'>
  #phase: 'joined' | 'reconnecting' | 'over' = 'joined'
  #queued: { type: string; data: unknown }[] = []

  constructor(joined: contract.ChannelJoined, socket: ChannelSocket, left: () => void) {
    this.name = joined.channel
    this.#facts = joined
    this.#socket = socket
    this.#left = left
    this.on = this.#events.on
    this.members.push(...joined.members)
  }

  get settings(): ChannelSettings {
    return this.#facts.settings
  }
  /** The player who made it, if a player did. */
  get owner(): string | null {
    return this.#facts.owner
  }
  get self(): contract.ChannelSelf {
    return this.#facts.self
  }

  /** To everybody in the channel. Up to 16 KB of JSON, 20 a second. */
  send(type: string, data?: unknown) {
    if (this.#phase === 'over') return this.warn(new SvcError('not_in_channel'))
    if (this.#phase === 'joined') return this.#tell(type, data)
    if (this.#queued.length >= QUEUED_MAX) return this.warn(new SvcError('queue_full'))
    this.#queued.push({ type, data })
  }

  /** Its owner only. */
  async moderate(moderation: Moderation): Promise<void> {
    const fields = { channel: this.name, ...moderation }
    await this.#socket.request<typeof contract.channelModerate>('channelModerate', fields)
  }

  async leave(): Promise<void> {
    const isConnected = this.#phase === 'joined'
    this.#over()
    if (!isConnected) return
    await this.#socket.request<typeof contract.channelLeave>('channelLeave', { channel: this.name })
  }

  // --- called by channels.ts

  lost() {
    if (this.#phase !== 'joined') return
    this.#phase = 'reconnecting'
    this.#events.emit('reconnecting')
  }

  end(reason: string) {
    if (this.#phase === 'over') return
    this.#over()
    this.#events.emit('closed', reason)
  }

  warn(error: SvcError) {
    if (!this.#events.emit('warn', error)) console.warn(error)
  }

  receive(frame: ChannelFrame) {
    switch (frame.t) {
      case 'channel_joined':
        return this.#joined(frame)
      case 'channel_player_joined':
        if (!this.members.some(({ id }) => id === frame.player.id)) this.members.push(frame.player)
        return void this.#events.emit('member_joined', frame.player)
      case 'channel_player_left':
        return this.#gone(frame.playerId)
      case 'channel_message':
        return void this.#events.emit('message', frame.type, frame.data, frame.from, frame.at)
      case 'channel_self':
        this.#facts = {
          ...this.#facts,
          self: { canSend: frame.canSend, mutedUntil: frame.mutedUntil },
        }
        return void this.#events.emit('self', this.self)
      case 'channel_closed':
        return this.end(frame.reason)
    }
  }

  // --- its own

  /** Comes again after a reconnect, and whenever the list of members is to be replaced. */
  #joined(joined: contract.ChannelJoined) {
    this.#facts = joined
    this.members.splice(0, this.members.length, ...joined.members)
    if (this.#phase !== 'reconnecting') return
    this.#phase = 'joined'
    const queued = this.#queued
    this.#queued = []
    queued.forEach(({ type, data }) => this.#tell(type, data))
    this.#events.emit('reconnected')
  }

  #gone(playerId: string) {
    const at = this.members.findIndex(({ id }) => id === playerId)
    const [member] = at < 0 ? [] : this.members.splice(at, 1)
    if (member) this.#events.emit('member_left', member)
  }

  #tell(type: string, data: unknown) {
    const fields = { channel: this.name, type, ...(data !== undefined && { data }) }
    this.#socket.tell<typeof contract.channelSend>('channelSend', fields)
  }

  #over() {
    this.#phase = 'over'
    this.#queued = []
    this.#left()
  }
}
