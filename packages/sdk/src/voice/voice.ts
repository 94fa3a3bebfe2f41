import type { VoiceJoined, VoiceMember } from '@svc/contract/realtime/voice'

import type { SvcError } from '../http/errors.ts'
import { pause, thisPlatform } from '../http/platform.ts'
import type { ChannelEvents, ChannelMember, VoiceFrame } from '../realtime/channel-events.ts'
import { createEvents, type On } from '../realtime/events.ts'
import type { Socket } from '../realtime/socket.ts'
import type { CallRequest, Media } from './media.ts'
import { openVoiceMesh } from './mesh.ts'
import { createMeter } from './meter.ts'
import { type ErrorClass, mediaDevices, openMicrophone, type Processing } from './microphone.ts'
import { createPlayback } from './playback.ts'
import { openRelay } from './relay.ts'

/** What `channel.voice.join` takes. */
export type CallOptions = {
  /** False: only listen; the browser does not ask for the microphone. */
  microphone?: boolean
  /** A microphone from `call.devices()`. */
  deviceId?: string
  processing?: Processing
}

/** A member of the call. */
export type CallMember = {
  id: string
  displayName: string | null
  canSpeak: boolean
  isSpeaking: boolean
  volume: number
}

/** A microphone or a speaker. The label is empty until the player has allowed the microphone. */
export type AudioDevice = { readonly deviceId: string; readonly label: string }

/** The events of a call. */
export type CallEvents = {
  /** Somebody came or left, or may speak or no longer. */
  members: [members: CallMember[]]
  speaking: [playerId: string, isSpeaking: boolean]
  /** How loud a member is, you too, from 0 to 1; five times a second. */
  level: [playerId: string, level: number]
  /** By yourself, or by the rules of the channel. */
  muted: [isMuted: boolean, by: 'self' | 'channel']
  /** The browser plays no sound before the player clicks: show a button that calls `resumePlayback`. */
  playback_blocked: []
  /** A device was plugged in or out. */
  devices: []
  reconnecting: []
  reconnected: []
  /** `left`, `time_limit`, `suspended`, or the code of the reason. */
  closed: [reason: string]
  warn: [error: SvcError]
}

/** The channel, as its call sees it. */
type CallChannel = {
  readonly name: string
  readonly members: ChannelMember[]
  readonly on: On<ChannelEvents>
  leave(): Promise<void>
}
type CallSocket = Pick<Socket, 'request' | 'open'>

const LEVEL_INTERVAL_MS = 200
const REJOIN_FIRST_MS = 50
const REJOIN_SPREAD_MS = 250
const REJOIN_MAX_MS = 8_000
const REJOIN_FOR_MS = 60_000
/** For a relay server that is just restarting. */
const START_FOR_MS = 2_000

const calls = new WeakMap<CallChannel, Promise<Call>>()

/** Joins the call of a channel; a player who is in it already, or is joining, gets the same call. Loaded by `channel.voice.join`. */
export function joinCall(
  channel: CallChannel,
  socket: CallSocket,
  Failure: ErrorClass,
  options: CallOptions = {},
): Promise<Call> {
  const joining = calls.get(channel) ?? join(channel, socket, Failure, options)
  calls.set(channel, joining)
  joining.catch(() => calls.delete(channel))
  return joining
}

async function join(
  channel: CallChannel,
  socket: CallSocket,
  Failure: ErrorClass,
  options: CallOptions,
): Promise<Call> {
  if (typeof RTCPeerConnection === 'undefined')
    throw new Failure('not_available', { message: 'voice calls need a browser with WebRTC' })
  // The microphone first, in the gesture of the caller: a page that has it may play sound.
  const microphone = options.microphone === false ? undefined : await openMicrophone(options, Failure)
  const call = new Call(channel, socket, Failure, { options, track: microphone?.track })
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

/** A call the player is in. */
export class Call {
  /** Adds a listener; returns a function that removes it. */
  readonly on: On<CallEvents>

  readonly #channel: CallChannel
  readonly #socket: CallSocket
  readonly #Failure: ErrorClass
  readonly #options: CallOptions
  readonly #request: CallRequest
  readonly #events = createEvents<CallEvents>()
  readonly #playback = createPlayback(() => this.#events.emit('playback_blocked'))
  readonly #meter = createMeter()
  readonly #volumes = new Map<string, number>()
  readonly #speaking = new Set<string>()
  /** Who had a level above 0 the last time. */
  readonly #heard = new Set<string>()
  readonly #stops: (() => void)[] = []
  #track: MediaStreamTrack | undefined
  #members: readonly VoiceMember[] = []
  #media: Media | undefined
  /** The last of its kind: it comes before the reply to voiceJoin, when there is no connection yet. */
  #speakers: VoiceFrame | undefined
  #me = ''
  #isMuted = false
  #isReplacingTrack = false
  /** The attempt to connect that is under way will fail, or has failed, because of a loss. */
  #isLost = false
  #retryNow = () => {}
  /** When the first attempt to connect failed; undefined once sound can be heard again, or nobody else is in the call. */
  #silentSince: number | undefined
  #phase: 'connecting' | 'open' | 'over' = 'connecting'
  #levelTimer: ReturnType<typeof setInterval> | undefined

  /** @internal */
  constructor(
    channel: CallChannel,
    socket: CallSocket,
    Failure: ErrorClass,
    { options, track }: { options: CallOptions; track: MediaStreamTrack | undefined },
  ) {
    this.#channel = channel
    this.#socket = socket
    this.#Failure = Failure
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
    this.#useTrack(track)
  }

  /** Everybody in the call, you too. */
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

  /** Sends nothing until `unmute`. */
  mute() {
    this.#setMuted(true)
  }
  /** Sends again. */
  unmute() {
    this.#setMuted(false)
  }

  /** How loud you hear a member, from 0 to 1. */
  setVolume(playerId: string, volume: number) {
    this.#volumes.set(playerId, Math.min(1, Math.max(0, volume)))
    this.#media?.setVolume(playerId, this.#volumeOf(playerId))
  }

  /** The microphones and speakers of this device. */
  async devices(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }> {
    const all = await mediaDevices(this.#Failure).enumerateDevices()
    return {
      microphones: all.filter(({ kind }) => kind === 'audioinput'),
      speakers: all.filter(({ kind }) => kind === 'audiooutput'),
    }
  }

  /** Changes the microphone; also for a player who only listened. */
  async setMicrophone(deviceId?: string): Promise<void> {
    const { track, isReplaced } = await openMicrophone({ ...this.#options, deviceId }, this.#Failure)
    if (this.#phase === 'over') return track.stop()
    this.#track?.stop()
    this.#useTrack(track)
    if (isReplaced) this.warnOfDevice()
    await this.#media?.setTrack(this.#sentTrack())
  }

  /** Changes the speaker, in browsers that can. */
  setSpeaker(deviceId: string) {
    this.#playback.setSpeaker(deviceId)
  }

  /** Plays what the browser has blocked; call it in a click handler. */
  resumePlayback() {
    this.#playback.resume()
  }

  /** Leaves the call. */
  async leave(): Promise<void> {
    if (this.#phase === 'over') return
    this.stop('left')
    await this.#request('voiceLeave', {}).catch(() => {})
  }

  /** @internal Errors go to the caller, but a loss of the relay server meanwhile is repaired, as a later one is. */
  async start() {
    const { playerId } = await this.#socket.open()
    this.#me = playerId ?? ''
    const again = () => void this.#rejoin()
    const network = (navigator as { connection?: EventTarget & { type?: string } }).connection
    let networkType = network?.type
    this.#stops.push(
      this.#channel.on('voice', (frame) => this.#receive(frame)),
      this.#channel.on('self', ({ canSend }) => this.#events.emit('muted', !canSend, 'channel')),
      this.#channel.on('reconnected', again),
      this.#channel.on('closed', (reason) => this.stop(reason)),
      this.#stopWithChannel(),
      listen(window, 'online', again),
      // It also comes when the estimated speed changes: that is no reason.
      listen(network, 'change', () => {
        if (network?.type === networkType) return
        networkType = network?.type
        again()
      }),
      listen(navigator.mediaDevices as MediaDevices | undefined, 'devicechange', () =>
        this.#devicesChanged(),
      ),
    )
    try {
      await this.#connect()
    } catch (error) {
      if (!this.#isLost && codeOf(error) !== 'voice_unavailable') throw this.#asFailure(error)
      await this.#connectAgain(this.#isLost ? REJOIN_FOR_MS : START_FOR_MS)
    }
    if (!this.#isOver()) this.#phase = 'open'
  }

  /** A player who leaves the channel is out of its call, and `leave` of the channel reports nothing. */
  #stopWithChannel(): () => void {
    const { leave } = this.#channel
    this.#channel.leave = () => {
      this.stop('left')
      return leave.call(this.#channel)
    }
    return () => void (this.#channel.leave = leave)
  }

  /** @internal */
  stop(reason: string) {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    calls.delete(this.#channel)
    this.#retryNow()
    clearInterval(this.#levelTimer)
    this.#stops.forEach((stop) => stop())
    this.#media?.close()
    this.#playback.close()
    this.#meter.close()
    this.#track?.stop()
    this.#events.emit('closed', reason)
  }

  /** @internal */
  warnOfDevice() {
    const message = 'The microphone is gone; the default one is used.'
    this.#warn(new this.#Failure('microphone_not_found', { message }))
  }

  async #connect() {
    this.#media?.close()
    this.#media = undefined
    const joined: VoiceJoined = await this.#request('voiceJoin', {})
    if (this.#isOver()) return
    const open = joined.mode === 'p2p' ? openVoiceMesh : openRelay
    const media = open(joined, {
      me: this.#me,
      request: this.#request,
      playback: this.#playback,
      now: thisPlatform().now,
      track: () => this.#sentTrack(),
      ownLevel: () => this.#meter.levelOf(this.#sentTrack()),
      volumeOf: (playerId) => this.#volumeOf(playerId),
      speaking: (playerId, isSpeaking) => this.#setSpeaking(playerId, isSpeaking),
      connected: () => {
        if (this.#media === media) this.#silentSince = undefined
      },
      silent: () => {
        if (this.#media === media) this.#silentSince ??= thisPlatform().now()
      },
      failed: () => {
        if (this.#media === media) this.#mediaFailed()
      },
    })
    this.#media = media
    media.setMembers(this.#members)
    if (this.#speakers) media.receive(this.#speakers)
    await media.ready
  }

  /** A mesh joins again without hearing anybody, so each attempt succeeds: the minute begins with the first failure. */
  #mediaFailed() {
    const silentMs = thisPlatform().now() - (this.#silentSince ?? Infinity)
    if (silentMs > REJOIN_FOR_MS) this.stop('network_error')
    else void this.#rejoin()
  }

  /** After a loss. An attempt that is under way fails, and is repeated. */
  async #rejoin() {
    this.#isLost = true
    this.#retryNow()
    if (this.#phase === 'connecting') return this.#media?.close()
    if (this.#isOver()) return
    this.#phase = 'connecting'
    for (const id of this.#speaking) this.#setSpeaking(id, false)
    this.#events.emit('reconnecting')
    try {
      await this.#connectAgain()
      if (this.#isOver()) return
      this.#phase = 'open'
      this.#events.emit('reconnected')
    } catch (error) {
      this.stop(codeOf(error))
    }
  }

  async #connectAgain(forMs = REJOIN_FOR_MS): Promise<void> {
    const { now, random } = thisPlatform()
    const until = now() + forMs
    let waitMs = REJOIN_FIRST_MS + random() * REJOIN_SPREAD_MS
    for (; ; waitMs = Math.min(REJOIN_MAX_MS, waitMs * 2)) {
      const toldToRetry = new Promise<void>((resolve) => void (this.#retryNow = resolve))
      await Promise.race([pause(waitMs), toldToRetry])
      if (this.#isOver()) return
      try {
        return await this.#connect()
      } catch (error) {
        if (!RETRIED.includes(codeOf(error)) || now() > until) throw error
      }
    }
  }

  #receive(frame: VoiceFrame) {
    if (frame.t === 'voice_closed')
      return frame.reason === 'unavailable' ? void this.#rejoin() : this.stop(frame.reason)
    if (frame.t === 'voice_state') {
      this.#members = frame.members
      if (frame.members.length < 2) this.#silentSince = undefined
      for (const id of this.#speaking)
        if (!frame.members.some((member) => member.id === id)) this.#setSpeaking(id, false)
      this.#media?.setMembers(frame.members)
      return void this.#events.emit('members', this.members)
    }
    if (frame.t === 'voice_speakers') this.#speakers = frame
    this.#media?.receive(frame)
  }

  #setMuted(isMuted: boolean) {
    if (this.#isMuted === isMuted) return
    this.#isMuted = isMuted
    void this.#media?.setTrack(this.#sentTrack())
    this.#events.emit('muted', isMuted, 'self')
  }

  #setSpeaking(playerId: string, isSpeaking: boolean) {
    if (this.#speaking.has(playerId) === isSpeaking) return
    if (isSpeaking) this.#speaking.add(playerId)
    else this.#speaking.delete(playerId)
    this.#events.emit('speaking', playerId, isSpeaking)
  }

  async #readLevels() {
    const levels = (await this.#media?.levels()) ?? new Map<string, number>()
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
  #isOver = (): boolean => this.#phase === 'over'

  #asFailure(error: unknown): unknown {
    if (error instanceof this.#Failure) return error
    return new this.#Failure('network_error', { message: (error as Error).message })
  }

  #warn(error: SvcError) {
    if (!this.#events.emit('warn', error)) console.warn(error)
  }
}

/**
 * What is no error of the service, such as a connection that was closed meanwhile, counts as one of the network. The browser's own
 * errors have a number as `code`.
 */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : 'network_error'
}

const RETRIED: string[] = [
  'voice_unavailable',
  'service_unavailable',
  'network_error',
  'not_in_channel',
  'rate_limited',
  'internal_error',
]

function listen(target: EventTarget | undefined, name: string, listener: () => void): () => void {
  target?.addEventListener(name, listener)
  return () => target?.removeEventListener(name, listener)
}
