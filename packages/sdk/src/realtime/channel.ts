import type * as contract from '@svc/contract/realtime/channels'

import type { isSvcError, NewError } from '../http/errors.ts'
import type { onDemand } from '../on-demand.ts'
import type { Call, CallOptions } from '../voice/voice.ts'
import type { ChannelEvents, ChannelMember, ChannelSelf, VoiceFrame } from './channel-events.ts'
import type { On } from './events.ts'
import type { Received } from './frames.ts'
import { isSame } from './patches.ts'
import type { createPresence, Presence } from './presence.ts'
import type { Socket } from './socket.ts'

/** The rules of a channel. */
export type ChannelSettings = {
  join: 'everyone' | 'invited'
  send: 'everyone' | 'speakers' | 'server'
  /** Whether visitors without a player may join and listen. */
  open: boolean
  maxMembers: number
}
/** What the owner of a channel does with one player. */
export type Moderation = {
  op: 'invite' | 'uninvite' | 'allowSend' | 'disallowSend' | 'mute' | 'unmute' | 'kick' | 'ban' | 'unban'
  playerId: string
  /** How long a mute or a ban lasts (default: until it is undone). */
  seconds?: number
}

type VoiceMode = contract.ChannelVoice | { mode: null }
/** `channel.voice`: how calls in this channel are connected. `mode` is null if the channel has no voice. */
export type VoiceCalls = VoiceMode & {
  /**
   * Joins the call, as `channel.joinVoice` does.
   *
   * @example
   * talkButton.onclick = () => channel.voice.join()
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

/** What a channel takes from the file that every page loads. */
export type ChannelTools = {
  socket: Pick<Socket, 'sendEvent' | 'request' | 'open'>
  createPresence: typeof createPresence
  isSvcError: typeof isSvcError
  newError: NewError
  onDemand: typeof onDemand
}

/** A channel that you are in, from `svc.channels`. */
export class Channel {
  /** The name, with `@` if a server or a player owns the channel. */
  readonly name: string
  /** The members, including you. Always the same array. */
  readonly members: ChannelMember[] = []
  /**
   * Adds a listener for an event. Returns a function that removes it.
   *
   * @example
   * channel.on('message', (type, data) => {
   *   console.log(type, data) // → chat { text: 'Hello' }
   * })
   * channel.send('chat', { text: 'Hello' })
   */
  readonly on: On<ChannelEvents>
  /** @internal */
  readonly presence: Presence<ChannelEvents, ChannelFrame>

  readonly #tools: ChannelTools
  #info: Pick<contract.ChannelJoined, 'settings' | 'owner' | 'self' | 'voice'>

  /** @internal */
  constructor(joined: contract.ChannelJoined, tools: ChannelTools, left: () => void) {
    this.name = joined.channel
    this.#info = joined
    this.#tools = tools
    this.presence = tools.createPresence({
      socket: tools.socket,
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
  get self(): ChannelSelf {
    return this.#info.self
  }

  /** How calls in this channel are connected; `voice.mode` is null if the channel has no voice. */
  get voice(): VoiceCalls {
    const { voice } = this.#info
    const { socket, newError, onDemand } = this.#tools
    if (!voice) return { mode: null, join: () => Promise.reject(newError('voice_disabled')) }
    return {
      ...voice,
      ...onDemand<Pick<VoiceCalls, 'join'>>(
        async () => {
          const { joinCall } = await import('../voice/voice.ts')
          return { join: (options) => joinCall(this, socket, newError, options) }
        },
        { join: 1 },
      ),
    }
  }

  /**
   * Sends a message to all members, including you: up to 16 KB of JSON, 20 per second. It does not wait for a response; if the service
   * rejects the message, the channel emits `warn`.
   *
   * @example
   * channel.send('chat', { text: 'Hello' })
   */
  send(type: string, data?: unknown) {
    this.presence.send('channelSend', { channel: this.name, type, data })
  }

  /**
   * Invites, mutes, kicks or bans a player. Only the owner of the channel can do this.
   *
   * @throws `owner_only` You do not own this channel.
   *
   * @example
   * await channel.moderate({ op: 'mute', playerId, seconds: 60 })
   */
  async moderate(moderation: Moderation): Promise<void> {
    const fields = { channel: this.name, ...moderation }
    await this.#tools.socket.request<typeof contract.channelModerate>('channelModerate', fields)
  }

  /**
   * Joins the channel's voice call. Call it in a click handler: the browser asks for the microphone, and plays sound only after a
   * click. A player who is already in the call gets the same `Call`.
   *
   * @param options `microphone: false` only listens.
   * @throws `voice_disabled` The channel was created without voice.
   * @throws `microphone_denied` The browser or the player refused access to the microphone.
   * @throws `microphone_not_found` This device has no microphone. Join with `microphone: false`.
   * @throws `voice_suspended` The operator stopped the calls, or the developer owes money for calls through the voice server.
   * @throws `voice_unavailable` The relay is restarting or too busy, or there is no TURN server.
   * @example
   * talkButton.onclick = async () => {
   *   const call = await channel.joinVoice()
   *   call.on('speaking', (playerId, isSpeaking) => console.log(playerId, isSpeaking))
   * }
   */
  joinVoice(options?: CallOptions): Promise<Call> {
    return this.voice.join(options)
  }

  /**
   * Leaves the channel and its call.
   *
   * @example
   * await channel.leave()
   */
  async leave(): Promise<void> {
    const { phase, emit, leave } = this.presence
    emit('left')
    leave()
    if (phase !== 'present') return
    const leaving = this.#tools.socket.request<typeof contract.channelLeave>('channelLeave', {
      channel: this.name,
    })
    // If the connection was lost, the service removes the member as well.
    await leaving.catch((error: unknown) => {
      if (!this.#tools.isSvcError(error, 'network_error')) throw error
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
    if (!isSame(self, this.self)) this.#setSelf(self)
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

  #setSelf({ canSend, muted, mutedUntil }: ChannelSelf) {
    this.#info = { ...this.#info, self: { canSend, muted, mutedUntil } }
    this.presence.emit('self', this.self)
  }
}
