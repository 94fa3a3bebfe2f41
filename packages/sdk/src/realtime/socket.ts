import type { FieldsOf, Frame, ReplyOf } from '@svc/contract/common/frame'
import type { auth } from '@svc/contract/realtime/realtime'

import { isTransient, isSvcError, refusal, SvcError } from '../http/errors.ts'
import { monotonicNow, withTimeout, pause, type Platform } from '../http/platform.ts'
import { backoffMs, LONG_OUTAGE_MS } from './backoff.ts'
import { type AnyFrame, CLOSED, type Reply, type Welcome } from './frames.ts'
import {
  type Closed,
  type SocketConnection,
  ConnectionClosedError,
  openSocketConnection,
} from './socket-connection.ts'

/** A user of the connection: rooms and channels share one connection per player. */
export type User = {
  /** While any user returns true, a lost connection is opened again. */
  isInUse(): boolean
  receive(frame: AnyFrame): void
  disconnected(): void
  connected(welcome: Welcome): void
  /** The connection will not be opened again: banned, replaced by another tab, signed out. */
  ended(error: SvcError): void
}

/** What `Socket` takes. */
export type SocketDeps = {
  url: string
  key: string
  platform: Pick<Platform, 'WebSocket' | 'random' | 'page'>
  /** Resolves with undefined if there is no player; the connection is then anonymous. */
  accessToken(): Promise<string | undefined>
  refreshed(staleToken: string): Promise<string>
  /** The connection will not be opened again. */
  ended(error: SvcError): void
}

type Pending = { resolve(data: unknown): void; reject(error: SvcError): void; timer: unknown }

/** An older attempt starts again when the network or the page is back. */
const RESTART_AFTER_MS = 1_000
const REPLY_TIMEOUT_MS = 15_000
const PROBE_MS = 5_000
/** The service is probed if something was sent and nothing has come for this long: the loss is noticed in 8 s. */
const SILENCE_MS = 3_000
/**
 * A client that only listens probes the service after a silence, too. While a room or a channel is open, the loss is noticed after two
 * checks and the probe at the latest, in 17 s. Otherwise every third check is enough.
 */
const CHECK_MS = 6_000
const CHECKS_IDLE = 3
const FIRST_ATTEMPTS_MAX = 4
/** A new token that is refused twice, this far apart, is refused for good. Once may be a service in trouble. */
const REFUSED_AGAIN_MS = 2_000
const PENDING_MAX = 256

/** The one WebSocket of a player: opened when it is first needed, and opened again when it is lost. */
export class Socket {
  readonly #deps: SocketDeps
  readonly #users: User[] = []
  readonly #pending = new Map<number, Pending>()
  #connection: SocketConnection | undefined
  /** The access token of the connection; undefined if it is anonymous. */
  #token: string | undefined
  #isOutdated = false
  #renewals = 0
  /** How many frames have come. */
  #received = 0
  #receivedBefore = 0
  #checks = 0
  #checkTimer: ReturnType<typeof setInterval> | undefined
  /** Set from a frame that was sent to the next that comes. */
  #silenceTimer: ReturnType<typeof setTimeout> | undefined
  #opening: Promise<void> | undefined
  /** Rejects all callers that wait for the connection. */
  #rejectWaiting: (error: SvcError) => void = () => {}
  /** Increases when work in flight becomes obsolete: after a sign-out, or for another player. */
  #generation = 0
  #abortController = new AbortController()
  #isClosed = false
  #rid = 0
  /** Ends a wait, or an attempt that hangs. */
  #wake: () => void = () => {}
  /** The network or the page has come back. */
  #isWoken = false

  constructor(deps: SocketDeps) {
    this.#deps = deps
  }

  join(user: User) {
    this.#users.push(user)
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /** Sends a request and resolves with its reply; waits for the connection if there is none. */
  async request<F extends Frame>(
    t: F['t'],
    fields: FieldsOf<F>,
    timeoutMs = REPLY_TIMEOUT_MS,
  ): Promise<ReplyOf<F>> {
    if (!this.#connection) await this.open(timeoutMs)
    const renewals = this.#renewals
    try {
      return (await this.#ask({ t, ...(fields as object) }, timeoutMs)) as ReplyOf<F>
    } catch (error) {
      // `renew` closed the connection. Requests of anonymous clients are safe to repeat.
      if (renewals === this.#renewals || !isSvcError(error, 'network_error')) throw error
      return this.request(t, fields, timeoutMs)
    }
  }

  /** Sends a frame without a reply; returns false if there is no connection. An error arrives as a `warn` frame. */
  sendEvent<F extends Frame>(t: F['t'], fields: FieldsOf<F>): boolean {
    if (this.#connection) this.#send(this.#connection, { t, ...(fields as object) })
    return this.#connection !== undefined
  }

  async open(timeoutMs = REPLY_TIMEOUT_MS): Promise<Welcome> {
    if (this.#isClosed) throw new SvcError('aborted', { message: 'svc.close() was called' })
    const renewals = this.#renewals
    if (!this.#connection)
      await withTimeout(this.#opening ?? this.#start(), timeoutMs, () => new SvcError('network_error'))
    if (!this.#connection && renewals !== this.#renewals) return this.open(timeoutMs)
    if (!this.#connection) throw new SvcError('network_error')
    return this.#connection.welcome
  }

  /** Closes the connection and notifies all users; the next request opens a new one. */
  end(error: SvcError) {
    this.#generation++
    this.#abortController.abort()
    this.#clearConnection()
    this.#rejectWaiting(error)
    this.#opening = undefined
    this.#wake()
    this.#failPending(error)
    this.#deps.ended(error)
    for (const user of this.#users) user.ended(error)
  }

  close() {
    this.#isClosed = true
    this.end(new SvcError('aborted'))
  }

  /** An anonymous client has signed in: opens a connection of the player for the same rooms and channels. */
  renew() {
    this.#isOutdated = true
    this.#renewals++
    this.#connection?.drop()
  }

  /** The network or the page is back: reconnect now, or probe whether the connection still works. */
  onResumed() {
    this.#isWoken = true
    this.#wake()
    this.#probe(PROBE_MS)
  }

  #start(lastClose?: Closed): Promise<void> {
    this.#isWoken = false
    const opening = new Promise<void>((resolve, reject) => {
      this.#rejectWaiting = reject
      this.#connect(lastClose).then(resolve, reject)
    }).finally(() => {
      if (this.#opening === opening) this.#opening = undefined
    })
    opening.catch(() => {})
    this.#opening = opening
    return opening
  }

  async #connect(lastClose: Closed | undefined): Promise<void> {
    const generation = this.#generation
    let staleToken = lastClose && isAboutToken(lastClose) ? this.#token : undefined
    let isFresh = false
    /** When a new token was refused first. */
    let refusedAt = 0
    let lostAt = monotonicNow()
    let attemptedAt = lostAt
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0 || lastClose) {
        await this.#backoff(attempt, lastClose, lostAt, attemptedAt)
        attemptedAt = monotonicNow()
        // Begins from the start: the network may need some more seconds.
        if (this.#isWoken) {
          attempt = 0
          lostAt = attemptedAt
        }
        this.#isWoken = false
      }
      if (generation !== this.#generation) throw new SvcError('aborted')
      if (attempt > 0 && lastClose && !this.#isNeeded()) throw new SvcError('aborted')

      let token: string | undefined
      try {
        this.#isOutdated = false
        token = await (staleToken === undefined ? this.#deps.accessToken() : this.#deps.refreshed(staleToken))
        isFresh = staleToken !== undefined || token === undefined
        staleToken = undefined
        if (generation !== this.#generation) throw new SvcError('aborted')
        const connection = await this.#openConnection(token, generation)
        if (generation !== this.#generation) return connection.drop()
        this.#token = token
        return this.#welcomed(connection)
      } catch (error) {
        const isRefused = error instanceof ConnectionClosedError && isAboutToken(error.closed)
        if (isRefused && isFresh) refusedAt ||= monotonicNow()
        if (!this.#isFinal(error, attempt, isFresh && monotonicNow() > refusedAt + REFUSED_AGAIN_MS)) {
          if (isRefused) staleToken = token
          continue
        }
        const failure = error instanceof ConnectionClosedError ? error.asError : (error as SvcError)
        if (generation === this.#generation) this.end(failure)
        throw failure
      }
    }
  }

  /** Whether a retry cannot succeed. */
  #isFinal(error: unknown, attempt: number, isRefusedAgain: boolean): boolean {
    const isTriedEnough = attempt + 1 >= FIRST_ATTEMPTS_MAX && !this.#isNeeded()
    if (!(error instanceof ConnectionClosedError))
      return isTriedEnough || !(isSvcError(error, 'network_error', 'refresh_race') || isTransient(error))
    const { code, reason } = error.closed
    // A new token does not help against an invalid key.
    if (code === CLOSED.forbidden || code === CLOSED.replaced || /_key/.test(reason)) return true
    return code !== CLOSED.tokenExpired && isAboutToken(error.closed) ? isRefusedAgain : isTriedEnough
  }

  #openConnection(token: string | undefined, generation: number): Promise<SocketConnection> {
    const { platform, url } = this.#deps
    const { WebSocket } = platform
    if (!WebSocket)
      throw new SvcError('not_available', {
        message:
          'Node 20 has no WebSocket: use Node 22, or the package ws: connect({ platform: { WebSocket } })',
      })
    const abortController = (this.#abortController = new AbortController())
    const begunAt = monotonicNow()
    this.#wake = () => monotonicNow() - begunAt > RESTART_AFTER_MS && abortController.abort()
    return openSocketConnection({
      WebSocket,
      url,
      auth: this.#credentials(token),
      signal: abortController.signal,
      receive: (frame) => generation === this.#generation && this.#receive(frame),
      closed: (how) => generation === this.#generation && this.#closed(how),
    }).finally(() => (this.#wake = () => {}))
  }

  #credentials = (token: string | undefined): FieldsOf<typeof auth> => ({
    key: this.#deps.key,
    ...(token === undefined ? { anon: true } : { token }),
  })

  #welcomed(connection: SocketConnection) {
    this.#connection = connection
    this.#checkTimer = setInterval(() => this.#checkSilence(), CHECK_MS)
    if (this.#isOutdated) return connection.drop()
    for (const user of this.#users) user.connected(connection.welcome)
  }

  #clearConnection() {
    this.#connection = undefined
    clearInterval(this.#checkTimer)
    this.#endSilence()
  }

  #endSilence() {
    clearTimeout(this.#silenceTimer)
    this.#silenceTimer = undefined
  }

  #receive(frame: AnyFrame) {
    this.#received++
    this.#endSilence()
    if (frame.t === 'reply') return this.#replied(frame as Reply)
    for (const user of this.#users) user.receive(frame)
  }

  #replied({ rid, ok, data, error }: Reply) {
    const pending = this.#pending.get(Number(rid))
    if (!pending) return
    this.#pending.delete(Number(rid))
    clearTimeout(pending.timer as number)
    if (ok) pending.resolve(data)
    else pending.reject(refusal(error))
  }

  #closed(how: Closed) {
    this.#clearConnection()
    const { asError } = new ConnectionClosedError(how)
    if (how.code === CLOSED.forbidden || how.code === CLOSED.replaced) return this.end(asError)
    this.#failPending(new SvcError('network_error', { message: 'the connection was lost' }))
    for (const user of this.#users) user.disconnected()
    if (this.#isNeeded()) void this.#start(how)
  }

  #failPending(error: SvcError) {
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject, timer } of waiting) {
      clearTimeout(timer as number)
      reject(error)
    }
  }

  #isNeeded = () => this.#users.some((user) => user.isInUse())

  async #backoff(attempt: number, lastClose: Closed | undefined, lostAt: number, attemptedAt: number) {
    if (this.#isWoken) return
    const now = monotonicNow()
    const woken = new Promise<void>((resolve) => (this.#wake = resolve))
    // Nobody looks at the page: it connects when somebody does, or when the network is back.
    if (now - lostAt > LONG_OUTAGE_MS && this.#deps.platform.page?.document.hidden) return woken
    const isAfterAbuse = attempt === 0 && lastClose?.code === CLOSED.rateLimitAbuse
    const waitMs = backoffMs(attempt, now - lostAt, this.#deps.platform.random(), isAfterAbuse)
    // An attempt that hung was a part of the wait.
    await Promise.race([woken, pause(Math.max(waitMs - (now - attemptedAt), waitMs / 8))])
  }

  #checkSilence() {
    if (++this.#checks % CHECKS_IDLE && !this.#isNeeded()) return
    if (this.#received === this.#receivedBefore) this.#probe(PROBE_MS)
    this.#receivedBefore = this.#received
  }

  #send(connection: SocketConnection, frame: object) {
    this.#silenceTimer ??= setTimeout(() => this.#probe(PROBE_MS), SILENCE_MS)
    connection.send(frame)
  }

  /** Anything that comes shows that the connection works; without it the connection is closed. */
  #probe(timeoutMs: number) {
    if (this.#connection) this.#ask({ t: 'ping' }, timeoutMs).catch(() => {})
  }

  async #ask(frame: object, timeoutMs: number): Promise<unknown> {
    const connection = this.#connection
    if (!connection || this.#pending.size >= PENDING_MAX) throw new SvcError('network_error')
    const rid = ++this.#rid
    const received = this.#received

    return new Promise((resolve, reject) => {
      this.#send(connection, { ...frame, rid })
      const timer = setTimeout(() => {
        this.#pending.delete(rid)
        reject(new SvcError('network_error', { message: 'no reply came' }))
        if (received === this.#received) connection.drop()
      }, timeoutMs)
      this.#pending.set(rid, { resolve, reject, timer })
    })
  }
}

/** `unauthorized` is the reason of a service that got no auth frame in time: it has not looked at the token. */
const isAboutToken = ({ code, reason }: Closed) =>
  code === CLOSED.tokenExpired || (code === CLOSED.unauthorized && reason !== 'unauthorized')
