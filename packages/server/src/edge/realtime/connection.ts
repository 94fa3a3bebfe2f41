import type { ErrorCode } from '@svc/contract/common/errors'
import { LIMITS } from '@svc/contract/common/limits'
import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import type { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { ridOfPing } from './client-ping.ts'
import { ANONYMOUS_RATE, Bucket, CONTROL_RATE, FrameRate } from './frame-rate-limit.ts'
import type { SocketHandlers, WebSocketConnection } from './websocket/connection.ts'
import { textFrame } from './websocket/frame.ts'

/** The authenticated client. */
export type Identity = {
  environment: Environment
  /** A publishable key, so it is not a secret. */
  key: string
  /** Null for an anonymous connection. */
  player: Player | null
  /** Changes when the player is renamed. */
  displayName: string | null
  /** The value of `Connections.renames` before the name was looked up. */
  renamesBefore: number
}

/** What is done with the input of clients. One object for all connections: functions of each connection would be 0.5 KB of memory. */
export type ClientInput = {
  /** How many frames clients have sent. */
  framesReceived: number
  /** Of the clock: all times of connections are by it. */
  elapsedMs(): number
  /** A complete frame. Frames that arrive before the returned promise is settled wait for it. */
  frame(connection: Connection, payload: Buffer): unknown
  binary(connection: Connection): void
  closed(connection: Connection, code: number): void
}

/** Reading from a client stops while this many of its frames wait for an earlier one. */
const WAITING_FRAMES_MAX = 32
const WAITING_BYTES_MAX = 64 * 1024
/**
 * Frames above the client limit are snapshots that the client requested (a full room is 1.1 MiB and is sent twice, in
 * `room_joined` and in the reply). They do not count towards the slow-consumer limit.
 */
const SNAPSHOT_BYTES_MAX = 3 * 1024 * 1024

const NONE: readonly number[] = []

/** One client, from its upgrade to its close. Its frames are handled in order. */
export class Connection implements SocketHandlers {
  readonly ref: string
  readonly link: WebSocketConnection
  /** The Origin header of the upgrade request, sent by browsers. */
  readonly origin: string | undefined
  /** For limits per address. */
  readonly clientAddress: string
  readonly openedAtMs: number
  /** Actor name → owner node, for the actors in which this connection is a member. */
  readonly memberships = new Map<string, string>()
  readonly rate: FrameRate
  /** Shared by all connections. */
  readonly #sent: { frames: number }
  readonly #input: ClientInput
  readonly #controlRate: Bucket
  lastReceivedAtMs: number
  /** How often in a row, once per second, nothing had come. */
  silentLooks = 0
  pingedAtMs: number
  /** Times of the broken frames of the last minute. */
  brokenAtMs: readonly number[] = NONE
  identity: Identity | undefined
  #busy: Promise<unknown> | undefined
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** Bytes of the snapshots that may still be queued. */
  #snapshotBytes = 0

  constructor(
    link: WebSocketConnection,
    from: {
      ref: string
      origin: string | undefined
      clientAddress: string
      nowMs: number
      isLimited: boolean
      sent: { frames: number }
      input: ClientInput
    },
  ) {
    this.link = link
    this.#sent = from.sent
    this.#input = from.input
    this.ref = from.ref
    this.origin = from.origin
    this.clientAddress = from.clientAddress
    this.openedAtMs = from.nowMs
    this.lastReceivedAtMs = this.pingedAtMs = from.nowMs
    this.rate = new FrameRate(ANONYMOUS_RATE, from)
    this.#controlRate = new Bucket(CONTROL_RATE, from.nowMs)
  }

  /** The local address that the client reached; a relay on this machine has the same. Few connections need it. */
  get localAddress(): string {
    return this.link.localAddress ?? '127.0.0.1'
  }

  /** The auth frame has arrived, and the service has not answered it yet. */
  get isAuthenticating(): boolean {
    return !this.identity && this.#busy !== undefined
  }

  get isInRoom(): boolean {
    for (const name of this.memberships.keys()) if (name.startsWith('room:')) return true
    return false
  }

  message(payload: Buffer) {
    this.#input.framesReceived++
    this.silentLooks = 0
    const pingRid = this.identity && ridOfPing(payload)
    if (pingRid === undefined) this.#receive(payload)
    else this.#answerPing(pingRid)
  }

  /** WSK-20: a page cannot send WebSocket pings. Requests that take long do not delay the answer. */
  #answerPing(rid: string) {
    this.control()
    this.pong()
    this.sendText(`{"t":"reply","rid":${rid},"ok":true,"data":{}}`)
  }

  binary() {
    this.#input.binary(this)
  }

  pong() {
    this.silentLooks = 0
    this.lastReceivedAtMs = this.#input.elapsedMs()
  }

  /** Clients have no reason to send many. */
  control() {
    if (!this.#controlRate.take(this.#input.elapsedMs())) this.refuse('rate_limited')
  }

  closed(code: number) {
    this.#input.closed(this, code)
  }

  #receive(payload: Buffer) {
    if (this.#busy) {
      this.#waiting.push(Buffer.from(payload))
      this.#waitingBytes += payload.length
      const isFull = this.#waiting.length >= WAITING_FRAMES_MAX || this.#waitingBytes >= WAITING_BYTES_MAX
      if (isFull) this.link.pause()
      return
    }
    const work = this.#input.frame(this, payload)
    if (work instanceof Promise) this.queueBehind(work)
  }

  /** Frames that arrive before `work` ends wait for it. */
  queueBehind(work: Promise<unknown>) {
    const busy = (this.#busy ? Promise.all([this.#busy, work]) : work).finally(() => {
      if (this.#busy !== busy) return
      this.#busy = undefined
      this.#processNext()
    })
    this.#busy = busy
  }

  #processNext() {
    while (!this.#busy) {
      const payload = this.#waiting.shift()
      if (!payload) break
      this.#waitingBytes -= payload.length
      this.#receive(payload)
    }
    if (this.#waiting.length === 0) this.link.resume()
  }

  /** Closes a client that does not read, so that its queue stays small (WSK-17). One tick may exceed the limit. */
  send(frame: Buffer) {
    const { link } = this
    if (this.#snapshotBytes > 0 && link.queuedBytes === 0) this.#snapshotBytes = 0
    if (frame.length > LIMITS.frameBytesMax)
      this.#snapshotBytes = Math.min(SNAPSHOT_BYTES_MAX, this.#snapshotBytes + frame.length)
    link.send(frame)
    this.#sent.frames++
    if (link.isBackpressured && link.queuedBytes > LIMITS.sendBufferBytesMax + this.#snapshotBytes)
      this.close(CLOSE_CODES.rateLimitAbuse, 'slow_consumer')
  }

  sendEvent(event: object) {
    this.sendText(JSON.stringify(event))
  }

  /** Sends an event that is already JSON text. */
  sendText(text: string) {
    this.send(textFrame(text))
  }

  /** `about` repeats fields of the refused request. */
  warn(refusal: ApiError, about: { request?: string; channel?: string } = {}) {
    this.sendEvent({ t: 'warn', ...refusal.body.error, ...about })
  }

  /** Closes an abused connection and ignores what it still sends. */
  refuse(reason: ErrorCode) {
    this.#waiting = []
    this.link.refuse(this.identity ? CLOSE_CODES.rateLimitAbuse : CLOSE_CODES.policyViolation, reason)
  }

  /** The reason is an error code (WSK-05). */
  close(code: number, reason: string) {
    this.#waiting = []
    this.link.close(code, reason)
  }
}
