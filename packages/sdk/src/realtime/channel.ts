import type { RequestOf } from '@svc/contract/common/endpoint'
import type * as contract from '@svc/contract/realtime/channels'

import { isSvcError, newError, SvcError } from '../http/errors.ts'
import { onDemand } from '../on-demand.ts'
import type { Call, CallOptions } from '../voice/voice.ts'
import type { ChannelEvents, ChannelMember, VoiceFrame } from './channel-events.ts'
import { createEventBuffer } from './event-buffer.ts'
import { createEvents, type On } from './events.ts'
import type { Received } from './frames.ts'
import type { Socket } from './socket.ts'

/** The rules of a channel. */
export type ChannelSettings = contract.ChannelJoined['settings']
/** A moderation operation on one player. */
export type Moderation = RequestOf<typeof contract.moderateChannel>['body']

type VoiceMode = contract.ChannelVoice | { mode: null }
/** `channel.voice`: the mode of the call, and `join`. `mode` is null if the channel has no voice calls. */
export type VoiceCalls = VoiceMode & {
  /**
   * Joins the call; rejects with `voice_disabled` if the channel has none. Call it in a click handler: the browser asks for the
   * microphone first, and may play sound afterwards. Without `microphone` you only listen.
   *
   * @example
   * talkButton.onclick = async () => {
   *   const call = await channel.voice.join()
   *   call.on('speaking', (playerId, isSpeaking) => console.log(playerId, isSpeaking))
   * }
   */
  join(options?: CallOptions): Promise<Call>
}

/** The frames that a channel receives. */
export type ChannelFrame =
  | Received<typeof contract.channelJoined>
  | Received<typeof contract.channelPlayerJoined>
  | Received<typeof contract.channelPlayerLeft>
  | Received<typeof contract.channelPlayerRenamed>
  | Received<typeof contract.channelMessage>
  | Received<typeof contract.channelSelf>
  | Received<typeof contract.channelClosed>
  | VoiceFrame

type Message = { type: string; data?: unknown }
type ChannelSocket = Pick<Socket, 'sendEvent' | 'request' | 'open'>

const QUEUED_MAX = 64

/** A channel that the player is in. */
export class Channel {
  /** The name, with `@` if a server or a player owns the channel. */
  readonly name: string
  /** Always the same array. */
  readonly members: ChannelMember[] = []
  /**
   * Adds a listener; returns a function that removes it.
   *
   * @example
   * channel.on('message', (type, data) => console.log(type, data)) // → chat { text: 'Hello' }
   * channel.send('chat', { text: 'Hello' })
   */
  readonly on: On<ChannelEvents>

  readonly #socket: ChannelSocket
  readonly #events = createEvents<ChannelEvents>()
  readonly #onLeft: () => void
  readonly #buffer = createEventBuffer<ChannelFrame>((frame) => this.#receive(frame))
  #info: Pick<contract.ChannelJoined, 'settings' | 'owner' | 'self' | 'voice'>
  #phase: 'joined' | 'reconnecting' | 'over' = 'joined'
  #queued: Message[] = []

  /** @internal */
  constructor(joined: contract.ChannelJoined, socket: ChannelSocket, left: () => void) {
    this.name = joined.channel
    this.#info = joined
    this.#socket = socket
    this.#onLeft = left
    this.on = this.#events.on
    this.members.push(...joined.members)
  }

  /** The rules of the channel. */
  get settings(): ChannelSettings {
    return this.#info.settings
  }
  /** The id of the player who created the channel; null if a server did, or if nobody owns it. */
  get owner(): string | null {
    return this.#info.owner
  }
  /** What you may do in the channel now. */
  get self(): contract.ChannelSelf {
    return this.#info.self
  }

  /** The voice calls of the channel. */
  get voice(): VoiceCalls {
    const { voice } = this.#info
    if (!voice) return { mode: null, join: () => Promise.reject(new SvcError('voice_disabled')) }
    return {
      ...voice,
      ...onDemand<Pick<VoiceCalls, 'join'>>(
        async () => {
          const { joinCall } = await import('../voice/voice.ts')
          return { join: (options) => joinCall(this, this.#socket, newError, options) }
        },
        { join: 1 },
      ),
    }
  }

  /**
   * Sends a message to all members. Up to 16 KB of JSON, 20 per second.
   *
   * @example
   * channel.send('chat', { text: 'Hello' })
   */
  send(type: string, data?: unknown) {
    if (this.#phase === 'over') return this.warn(new SvcError('not_in_channel'))
    const message = { type, ...(data !== undefined && { data }) }
    if (this.#phase === 'joined') return this.#sendMessage(message)
    if (this.#queued.length >= QUEUED_MAX) return this.warn(new SvcError('queue_full'))
    // A copy: the caller may change the object later.
    this.#queued.push(JSON.parse(JSON.stringify(message)))
  }

  /**
   * Mutes, kicks or bans a player, and so on; owner only.
   *
   * @example
   * await channel.moderate({ op: 'mute', playerId, seconds: 60 })
   */
  async moderate(moderation: Moderation): Promise<void> {
    const fields = { channel: this.name, ...moderation }
    await this.#socket.request<typeof contract.channelModerate>('channelModerate', fields)
  }

  /**
   * Leaves the channel.
   *
   * @example
   * await channel.leave()
   */
  async leave(): Promise<void> {
    const isConnected = this.#phase === 'joined'
    this.#events.emit('left')
    this.#over()
    if (!isConnected) return
    const leaving = this.#socket.request<typeof contract.channelLeave>('channelLeave', { channel: this.name })
    // If the connection was lost, the service removes the member, too.
    await leaving.catch((error: unknown) => {
      if (!isSvcError(error, 'network_error')) throw error
    })
  }

  // --- called by channels.ts

  /** @internal The caller has the channel: buffered events can be delivered. */
  deliverBuffered(): this {
    this.#buffer.flushSoon()
    return this
  }

  /** @internal */
  disconnected() {
    this.#buffer.open()
    if (this.#phase !== 'joined') return
    this.#phase = 'reconnecting'
    this.#events.emit('reconnecting')
  }

  /** @internal */
  end(reason: string, error?: SvcError) {
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
  receive(frame: ChannelFrame) {
    this.#buffer.receive(frame)
  }

  // --- private

  #receive(frame: ChannelFrame) {
    if (this.#phase === 'over') return
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all other frames are those of the call
    switch (frame.t) {
      case 'channel_joined':
        return this.#joined(frame)
      case 'channel_player_joined':
        return this.#memberJoined(frame.player)
      case 'channel_player_left':
        return this.#memberLeft(frame.playerId)
      case 'channel_player_renamed':
        return this.#renamed(frame.playerId, frame.displayName)
      case 'channel_message':
        return void this.#events.emit('message', frame.type, frame.data, frame.from, frame.at)
      case 'channel_self':
        return this.#setSelf(frame)
      case 'channel_closed':
        return this.end(frame.reason)
      default:
        return void this.#events.emit('voice', frame)
    }
  }

  /** Sent again after a reconnect, and when the member list is replaced: emits the differences. */
  #joined({ settings, owner, self, members, voice }: contract.ChannelJoined) {
    const isBack = this.#phase === 'reconnecting'
    this.#phase = 'joined'
    this.#queued.splice(0).forEach((message) => this.#sendMessage(message))

    this.#info = { ...this.#info, settings, owner, voice }
    const ids = new Set(members.map(({ id }) => id))
    const gone = this.members.filter(({ id }) => !ids.has(id))
    gone.forEach(({ id }) => this.#memberLeft(id))
    members.forEach((member) => this.#memberJoined(member))
    members.forEach(({ id, displayName }) => this.#renamed(id, displayName))
    this.members.splice(0, this.members.length, ...members)
    if (JSON.stringify(self) !== JSON.stringify(this.self)) this.#setSelf(self)
    if (isBack && this.#phase === 'joined') this.#events.emit('reconnected')
  }

  #memberJoined(member: ChannelMember) {
    if (this.members.some(({ id }) => id === member.id)) return
    this.members.push(member)
    this.#events.emit('member_joined', member)
  }

  #memberLeft(playerId: string) {
    const at = this.members.findIndex(({ id }) => id === playerId)
    const [member] = at < 0 ? [] : this.members.splice(at, 1)
    if (member) this.#events.emit('member_left', member)
  }

  #renamed(playerId: string, displayName: string | null) {
    const member = this.members.find(({ id }) => id === playerId)
    if (!member || member.displayName === displayName) return
    member.displayName = displayName
    this.#events.emit('member_renamed', member)
  }

  #setSelf({ canSend, muted, mutedUntil }: contract.ChannelSelf) {
    this.#info = { ...this.#info, self: { canSend, muted, mutedUntil } }
    this.#events.emit('self', this.self)
  }

  #sendMessage(message: Message) {
    this.#socket.sendEvent<typeof contract.channelSend>('channelSend', { channel: this.name, ...message })
  }

  #over() {
    this.#phase = 'over'
    this.#queued = []
    this.#onLeft()
  }
}
