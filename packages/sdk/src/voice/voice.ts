import type { VoiceMember } from '@svc/contract/realtime/voice'

import type { NewError, SvcError } from '../http/errors.ts'
import type { ChannelEvents, ChannelMember, VoiceFrame } from '../realtime/channel-events.ts'
import { createEvents, type On } from '../realtime/events.ts'
import type { Socket } from '../realtime/socket.ts'
import { createCallConnection } from './call-connection.ts'
import type { CallRequest } from './media.ts'
import { createMeter } from './meter.ts'
import { mediaDevices, openMicrophone, type Processing } from './microphone.ts'
import { createPlayback } from './playback.ts'

/** Options for `channel.joinVoice`. */
export type CallOptions = {
  /** False: only listen; the browser does not ask for the microphone. */
  microphone?: boolean
  /** A microphone from `call.devices()`. */
  deviceId?: string
  /** Echo cancellation and so on; all are on by default. */
  processing?: Processing
}

/** A member of the call. */
export type CallMember = {
  id: string
  /** Null for a moment if the member has just joined or left the channel. */
  displayName: string | null
  /** Whether the rules of the channel let the member speak. */
  canSpeak: boolean
  isSpeaking: boolean
  /** How loud you hear the member, from 0 to 1. */
  volume: number
}

/** A microphone or a speaker. The label is empty until the player has allowed the microphone. */
export type AudioDevice = { readonly deviceId: string; readonly label: string }

/** The events of a call. */
export type CallEvents = {
  /** Someone joined or left, or may now (or no longer) speak. */
  members: [members: CallMember[]]
  /** A member, perhaps you, started or stopped speaking. */
  speaking: [playerId: string, isSpeaking: boolean]
  /** How loud a member, perhaps you, is speaking: 0 to 1, five times a second. */
  level: [playerId: string, level: number]
  /** You were muted or unmuted: by yourself, which the other members are not told, or by the rules of the channel. */
  muted: [isMuted: boolean, by: 'self' | 'channel']
  /** The browser stays silent until the first click: show a button that calls `resumePlayback`. */
  playback_blocked: []
  /** A device was plugged in or unplugged. */
  devices: []
  /** The connection was lost. */
  reconnecting: []
  /** The connection is back. */
  reconnected: []
  /** The call has ended for you: `left`, `replaced` (you connected in another tab or on another device), `time_limit`, `suspended`, or an error code. */
  closed: [reason: string]
  /** Something went wrong, and the call goes on. */
  warn: [error: SvcError]
}

/** The channel, as its call sees it. */
type CallChannel = {
  readonly name: string
  readonly members: ChannelMember[]
  readonly on: On<ChannelEvents>
}
type CallSocket = Pick<Socket, 'request' | 'open'>

const LEVEL_INTERVAL_MS = 200

const calls = new WeakMap<CallChannel, Promise<Call>>()

/** Joins the call of a channel; a player who is in it already, or is joining, gets the same call. Loaded by `channel.voice.join`. */
export function joinCall(
  channel: CallChannel,
  socket: CallSocket,
  newError: NewError,
  options: CallOptions = {},
): Promise<Call> {
  const joining = calls.get(channel) ?? join(channel, socket, newError, options)
  calls.set(channel, joining)
  joining.catch(() => calls.delete(channel))
  return joining
}

async function join(
  channel: CallChannel,
  socket: CallSocket,
  newError: NewError,
  options: CallOptions,
): Promise<Call> {
  if (typeof RTCPeerConnection === 'undefined')
    throw newError('not_available', { message: 'voice calls need a browser with WebRTC' })
  // The microphone first, in the gesture of the caller: a page that has it may play sound.
  const microphone = options.microphone === false ? undefined : await openMicrophone(options, newError)
  const call = new Call(channel, socket, newError, { options, track: microphone?.track })
  try {
    await call.start()
  } catch (error) {
    call.stop('failed')
    throw error
  }
  // When the caller has its listeners.
  if (microphone?.isReplaced) setTimeout(() => call.warnOfDevice())
  return call
}

/** A voice call that you are in, from `channel.joinVoice`. */
export class Call {
  /**
   * Adds a listener for an event. Returns a function that removes it.
   *
   * @example
   * call.on('members', (members) => {
   *   for (const { displayName } of members) console.log(displayName)
   * })
   */
  readonly on: On<CallEvents>

  readonly #channel: CallChannel
  readonly #socket: CallSocket
  readonly #newError: NewError
  readonly #options: CallOptions
  readonly #request: CallRequest
  readonly #events = createEvents<CallEvents>()
  readonly #playback = createPlayback(() => this.#events.emit('playback_blocked'))
  readonly #meter = createMeter()
  readonly #volumes = new Map<string, number>()
  readonly #speaking = new Set<string>()
  /** Who had a level above 0 the last time. */
  readonly #heard = new Set<string>()
  readonly #ended = new AbortController()
  readonly #connection: ReturnType<typeof createCallConnection>
  #track: MediaStreamTrack | undefined
  #members: readonly VoiceMember[] = []
  #isMuted = false
  #isReplacingTrack = false
  #levelTimer: ReturnType<typeof setInterval> | undefined

  /** @internal */
  constructor(
    channel: CallChannel,
    socket: CallSocket,
    newError: NewError,
    { options, track }: { options: CallOptions; track: MediaStreamTrack | undefined },
  ) {
    this.#channel = channel
    this.#socket = socket
    this.#newError = newError
    this.#options = options
    this.#request = (t, fields) => socket.request(t, { channel: channel.name, ...fields } as never) as never
    this.on = (name, listener) => {
      if (name === 'level' || name === 'speaking')
        this.#levelTimer ??= setInterval(() => void this.#readLevels(), LEVEL_INTERVAL_MS)
      const off = this.#events.on(name, listener)
      // It is blocked before the caller of `join` has the call.
      if (name === 'playback_blocked' && this.#playback.isBlocked) setTimeout(listener as () => void)
      return off
    }
    this.#connection = createCallConnection({
      signal: this.#ended.signal,
      request: this.#request,
      playback: this.#playback,
      track: this.#sentTrack,
      ownLevel: () => this.#meter.levelOf(this.#sentTrack()),
      volumeOf: this.#volumeOf,
      speaking: (playerId, isSpeaking) => this.#setSpeaking(playerId, isSpeaking),
      reconnecting: () => {
        for (const id of this.#speaking) this.#setSpeaking(id, false)
        this.#events.emit('reconnecting')
      },
      reconnected: () => this.#events.emit('reconnected'),
      failed: (reason) => this.stop(reason),
    })
    this.#useTrack(track)
  }

  /** Everyone in the call, including you. */
  get members(): CallMember[] {
    return this.#members.map(({ id, canSpeak }) => ({
      id,
      canSpeak,
      displayName: this.#channel.members.find((member) => member.id === id)?.displayName ?? null,
      isSpeaking: this.#speaking.has(id),
      volume: this.#volumeOf(id),
    }))
  }

  /** Whether you have muted yourself. */
  get isMuted(): boolean {
    return this.#isMuted
  }

  /**
   * Mutes your microphone.
   *
   * @example
   * call.mute()
   * console.log(call.isMuted) // → true
   */
  mute() {
    this.#setMuted(true)
  }
  /**
   * Unmutes your microphone.
   *
   * @example
   * call.unmute()
   * console.log(call.isMuted) // → false
   */
  unmute() {
    this.#setMuted(false)
  }

  /**
   * Sets how loud you hear a member, from 0 to 1.
   *
   * @example
   * for (const { id } of call.members) call.setVolume(id, 0.5)
   */
  setVolume(playerId: string, volume: number) {
    this.#volumes.set(playerId, Math.min(1, Math.max(0, volume)))
    this.#connection.media?.setVolume(playerId, this.#volumeOf(playerId))
  }

  /**
   * Lists the microphones and speakers of this device.
   *
   * @example
   * const { microphones } = await call.devices()
   * for (const { label, deviceId } of microphones) {
   *   microphoneList.add(new Option(label, deviceId))
   * }
   */
  async devices(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }> {
    const all = await mediaDevices(this.#newError).enumerateDevices()
    return {
      microphones: all.filter(({ kind }) => kind === 'audioinput'),
      speakers: all.filter(({ kind }) => kind === 'audiooutput'),
    }
  }

  /**
   * Changes the microphone. A player who only listened can speak from then on.
   *
   * @param deviceId A microphone from `call.devices()`; the default one if omitted.
   * @throws `microphone_denied` The browser or the player refused access to the microphone.
   *
   * @example
   * microphoneList.onchange = () => call.setMicrophone(microphoneList.value)
   */
  async setMicrophone(deviceId?: string): Promise<void> {
    const { track, isReplaced } = await openMicrophone({ ...this.#options, deviceId }, this.#newError)
    if (this.#isOver()) return track.stop()
    this.#track?.stop()
    this.#useTrack(track)
    if (isReplaced) this.warnOfDevice()
    await this.#connection.setTrack(this.#sentTrack())
  }

  /**
   * Changes the speaker, in browsers that support it.
   *
   * @example
   * const { speakers } = await call.devices()
   * if (speakers[0]) call.setSpeaker(speakers[0].deviceId)
   */
  setSpeaker(deviceId: string) {
    this.#playback.setSpeaker(deviceId)
  }

  /**
   * Plays the sound that the browser blocked. Call it in a click handler, after the event `playback_blocked`.
   *
   * @example
   * call.on('playback_blocked', () => (soundButton.hidden = false))
   * soundButton.onclick = () => call.resumePlayback()
   */
  resumePlayback() {
    this.#playback.resume()
  }

  /**
   * Leaves the call. You stay in the channel.
   *
   * @example
   * await call.leave()
   */
  async leave(): Promise<void> {
    if (this.#isOver()) return
    this.stop('left')
    await this.#request('voiceLeave', {}).catch(() => {})
  }

  /** @internal */
  async start() {
    const { playerId } = await this.#socket.open()
    const { signal } = this.#ended
    const stops = [
      this.#channel.on('voice', (frame) => this.#receive(frame)),
      this.#channel.on('self', ({ canSend }) => this.#events.emit('muted', !canSend, 'channel')),
      this.#channel.on('reconnected', () => void this.#connection.rejoin()),
      this.#channel.on('closed', (reason) => this.stop(reason)),
      this.#channel.on('left', () => this.stop('left')),
    ]
    signal.addEventListener('abort', () => stops.forEach((stop) => stop()))
    const devices = navigator.mediaDevices as MediaDevices | undefined
    devices?.addEventListener('devicechange', () => this.#devicesChanged(), { signal })
    try {
      await this.#connection.start(playerId ?? '')
    } catch (error) {
      // The browser's own errors have a number as `code`, or none.
      if (typeof (error as SvcError).code === 'string') throw error
      throw this.#newError('network_error', { message: (error as Error).message })
    }
  }

  /** @internal */
  stop(reason: string) {
    if (this.#isOver()) return
    this.#ended.abort()
    calls.delete(this.#channel)
    clearInterval(this.#levelTimer)
    this.#playback.close()
    this.#meter.close()
    this.#track?.stop()
    this.#events.emit('closed', reason)
  }

  /** @internal */
  warnOfDevice() {
    const message = 'The microphone is gone; the default one is used.'
    this.#warn(this.#newError('microphone_not_found', { message }))
  }

  #receive(frame: VoiceFrame) {
    if (frame.t === 'voice_closed')
      return frame.reason === 'unavailable' ? void this.#connection.rejoin() : this.stop(frame.reason)
    if (frame.t !== 'voice_state') return this.#connection.receive(frame)
    this.#members = frame.members
    for (const id of this.#speaking)
      if (!frame.members.some((member) => member.id === id)) this.#setSpeaking(id, false)
    this.#connection.setMembers(frame.members)
    this.#events.emit('members', this.members)
  }

  #setMuted(isMuted: boolean) {
    if (this.#isMuted === isMuted) return
    this.#isMuted = isMuted
    void this.#connection.setTrack(this.#sentTrack())
    this.#events.emit('muted', isMuted, 'self')
  }

  #setSpeaking(playerId: string, isSpeaking: boolean) {
    if (this.#speaking.has(playerId) === isSpeaking) return
    if (isSpeaking) this.#speaking.add(playerId)
    else this.#speaking.delete(playerId)
    this.#events.emit('speaking', playerId, isSpeaking)
  }

  async #readLevels() {
    const levels = (await this.#connection.media?.levels()) ?? new Map<string, number>()
    for (const playerId of this.#heard) if (!levels.has(playerId)) levels.set(playerId, 0)
    this.#heard.clear()
    for (const [playerId, level] of levels) {
      if (level > 0) this.#heard.add(playerId)
      this.#events.emit('level', playerId, level)
    }
  }

  #useTrack(track: MediaStreamTrack | undefined) {
    this.#track = track
    // Unplugged.
    if (track) track.onended = () => this.#devicesChanged()
  }

  #devicesChanged() {
    this.#events.emit('devices')
    if (this.#track?.readyState !== 'ended' || this.#isReplacingTrack) return
    this.#isReplacingTrack = true
    this.setMicrophone()
      .then(
        () => this.warnOfDevice(),
        // The next device that is plugged in is used.
        (error: unknown) => this.#warn(error as SvcError),
      )
      .finally(() => void (this.#isReplacingTrack = false))
  }

  #sentTrack = (): MediaStreamTrack | null => (this.#isMuted ? null : (this.#track ?? null))
  #volumeOf = (playerId: string): number => this.#volumes.get(playerId) ?? 1
  #isOver = (): boolean => this.#ended.signal.aborted

  #warn(error: SvcError) {
    if (!this.#events.emit('warn', error)) console.warn(error)
  }
}
