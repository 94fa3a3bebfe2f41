import type { RequestOf } from '@svc/contract/common/endpoint'
import type * as contract from '@svc/contract/realtime/channels'

import { isSvcError, newError, SvcError } from '../http/errors.ts'
import { onDemand } from '../on-demand.ts'
import type { Call, CallOptions } from '../voice/voice.ts'
import type { ChannelEvents, ChannelMember, VoiceFrame } from './channel-events.ts'
import type { On } from './events.ts'
import type { Received } from './frames.ts'
import { createPresence, type Presence } from './presence.ts'
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

type ChannelSocket = Pick<Socket, 'sendEvent' | 'request' | 'open'>

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
  /** @internal */
  readonly presence: Presence<ChannelEvents, ChannelFrame>

  readonly #socket: ChannelSocket
  #info: Pick<contract.ChannelJoined, 'settings' | 'owner' | 'self' | 'voice'>

  /** @internal */
  constructor(joined: contract.ChannelJoined, socket: ChannelSocket, left: () => void) {
    this.name = joined.channel
    this.#info = joined
    this.#socket = socket
    this.presence = createPresence({
      socket,
      leftCode: 'not_in_channel',
      receive: (frame) => this.#receive(frame),
      left,
    })
    this.on = this.presence.on
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
    this.presence.send('channelSend', { channel: this.name, type, ...(data !== undefined && { data }) })
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
    const { phase, emit, leave } = this.presence
    emit('left')
    leave()
    if (phase !== 'present') return
    const leaving = this.#socket.request<typeof contract.channelLeave>('channelLeave', { channel: this.name })
    // If the connection was lost, the service removes the member, too.
    await leaving.catch((error: unknown) => {
      if (!isSvcError(error, 'network_error')) throw error
    })
  }

  #receive(frame: ChannelFrame) {
    const { emit, phase } = this.presence
    if (phase === 'over') return
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
        return void emit('message', frame.type, frame.data, frame.from, frame.at)
      case 'channel_self':
        return this.#setSelf(frame)
      case 'channel_closed':
        return this.presence.end(frame.reason)
      default:
        return void emit('voice', frame)
    }
  }

  /** Sent again after a reconnect, and when the member list is replaced: emits the differences. */
  #joined({ settings, owner, self, members, voice }: contract.ChannelJoined) {
    const isBack = this.presence.connected()
    this.presence.sendQueued()
    this.#info = { ...this.#info, settings, owner, voice }
    const ids = new Set(members.map(({ id }) => id))
    const gone = this.members.filter(({ id }) => !ids.has(id))
    gone.forEach(({ id }) => this.#memberLeft(id))
    members.forEach((member) => this.#memberJoined(member))
    members.forEach(({ id, displayName }) => this.#renamed(id, displayName))
    this.members.splice(0, this.members.length, ...members)
    if (JSON.stringify(self) !== JSON.stringify(this.self)) this.#setSelf(self)
    if (isBack && this.presence.phase === 'present') this.presence.emit('reconnected')
  }

  #memberJoined(member: ChannelMember) {
    if (this.members.some(({ id }) => id === member.id)) return
    this.members.push(member)
    this.presence.emit('member_joined', member)
  }

  #memberLeft(playerId: string) {
    const at = this.members.findIndex(({ id }) => id === playerId)
    const [member] = at < 0 ? [] : this.members.splice(at, 1)
    if (member) this.presence.emit('member_left', member)
  }

  #renamed(playerId: string, displayName: string | null) {
    const member = this.members.find(({ id }) => id === playerId)
    if (!member || member.displayName === displayName) return
    member.displayName = displayName
    this.presence.emit('member_renamed', member)
  }

  #setSelf({ canSend, muted, mutedUntil }: contract.ChannelSelf) {
    this.#info = { ...this.#info, self: { canSend, muted, mutedUntil } }
    this.presence.emit('self', this.self)
  }
}
