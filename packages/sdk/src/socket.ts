import type { FieldsOf, Frame, ReplyOf } from '@svc/contract/frame'
import type { auth } from '@svc/contract/realtime'

import { isTransient, isSvcError, refusal, SvcError } from './errors.ts'
import { type AnyFrame, CLOSED, type Reply, type Welcome } from './frames.ts'
import { withTimeout, pause, type Platform } from './platform.ts'
import { type Closed, type Link, LinkClosed, openLink } from './socket-connection.ts'

/** Rooms and channels: they share the one connection of a player. */
export type User = {
  /** While one needs it, a lost connection is made again. */
  isInUse(): boolean
  receive(frame: AnyFrame): void
  lost(): void
  back(welcome: Welcome): void
  /** For good: banned, replaced by another tab, signed out. */
  ended(error: SvcError): void
}

/** What `Socket` takes. */
export type SocketDeps = {
  url: string
  key: string
  platform: Pick<Platform, 'WebSocket' | 'random'>
  /** Undefined: there is no player, and the connection is anonymous. */
  accessToken(): Promise<string | undefined>
  refreshed(staleToken: string): Promise<string>
}

type Pending = { resolve(data: unknown): void; reject(error: SvcError): void; timer: unknown }

const REPLY_TIMEOUT_MS = 15_000
const PROBE_MS = 5_000
/** A network that goes away says nothing: after so long a silence the service is asked whether it is still there. */
const SILENT_MAX_MS = 20_000
const FIRST_ATTEMPTS_MAX = 4
const PENDING_MAX = 256
const BACKOFF_MS = { first: 200, max: 8_000, afterAbuse: 5_000 }

/** The one WebSocket of a player: made when it is first needed, made again when it is lost. */
export class Socket {
  readonly #deps: SocketDeps
  readonly #users: User[] = []
  readonly #pending = new Map<number, Pending>()
  #link: Link | undefined
  /** What the link was made with; undefined: anonymous. */
  #token: string | undefined
  #isOutdated = false
  #renewals = 0
  #hasHeard = false
  #listening: ReturnType<typeof setInterval> | undefined
  #opening: Promise<void> | undefined
  /** Rejects everyone waiting for the connection. */
  #refuse: (error: SvcError) => void = () => {}
  /** Raised when what is under way is no longer wanted: signed out, or another player. */
  #age = 0
  #unwanted = new AbortController()
  #isClosed = false
  #rid = 0
  #wake: () => void = () => {}

  constructor(deps: SocketDeps) {
    this.#deps = deps
  }

  join(user: User) {
    this.#users.push(user)
  }

  get isOpen(): boolean {
    return this.#link !== undefined
  }

  /** Asks, and waits for the answer; a connection that is being made (again) is waited for. */
  async request<F extends Frame>(
    t: F['t'],
    fields: FieldsOf<F>,
    withinMs = REPLY_TIMEOUT_MS,
  ): Promise<ReplyOf<F>> {
    if (!this.#link) await this.open(withinMs)
    const renewals = this.#renewals
    try {
      return (await this.#ask({ t, ...(fields as object) }, withinMs)) as ReplyOf<F>
    } catch (error) {
      // We have dropped it ourselves, to go on as a player. What can be asked without one does no harm twice.
      if (renewals === this.#renewals || !isSvcError(error, 'network_error')) throw error
      return this.request(t, fields, withinMs)
    }
  }

  /** Says it and waits for nothing; false: there is no connection just now. A refusal comes as a `warn`. */
  sendEvent<F extends Frame>(t: F['t'], fields: FieldsOf<F>): boolean {
    this.#link?.send({ t, ...(fields as object) })
    return this.#link !== undefined
  }

  async open(withinMs = REPLY_TIMEOUT_MS): Promise<Welcome> {
    if (this.#isClosed) throw new SvcError('aborted', { message: 'svc.close() was called' })
    const renewals = this.#renewals
    if (!this.#link)
      await withTimeout(this.#opening ?? this.#start(), withinMs, () => new SvcError('network_error'))
    if (!this.#link && renewals !== this.#renewals) return this.open(withinMs)
    if (!this.#link) throw new SvcError('network_error')
    return this.#link.welcome
  }

  /** Everybody is told; the next request makes a new connection. */
  end(error: SvcError) {
    this.#age++
    this.#unwanted.abort()
    this.#unwanted = new AbortController()
    this.#unlink()
    this.#refuse(error)
    this.#opening = undefined
    this.#wake()
    this.#failPending(error)
    for (const user of this.#users) user.ended(error)
  }

  close() {
    this.#isClosed = true
    this.end(new SvcError('aborted'))
  }

  /** Who was anonymous is a player now: the same rooms and channels, on a connection of the player. */
  renew() {
    this.#isOutdated = true
    this.#renewals++
    this.#link?.drop()
  }

  /** The network or the page is back: try now, or find out whether the connection has outlived it. */
  onResumed() {
    this.#wake()
    this.#probe(PROBE_MS)
  }

  #start(lost?: Closed): Promise<void> {
    const opening = new Promise<void>((resolve, reject) => {
      this.#refuse = reject
      this.#connect(lost).then(resolve, reject)
    }).finally(() => {
      if (this.#opening === opening) this.#opening = undefined
    })
    opening.catch(() => {})
    this.#opening = opening
    return opening
  }

  async #connect(lost: Closed | undefined): Promise<void> {
    const age = this.#age
    let staleToken = lost && isAboutToken(lost) ? this.#token : undefined
    let isFresh = false
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0 || lost) await this.#backoff(attempt, lost)
      if (age !== this.#age) throw new SvcError('aborted')
      if (attempt > 0 && lost && !this.#isNeeded()) throw new SvcError('aborted')

      let token: string | undefined
      try {
        this.#isOutdated = false
        token = await (staleToken === undefined ? this.#deps.accessToken() : this.#deps.refreshed(staleToken))
        isFresh = staleToken !== undefined || token === undefined
        staleToken = undefined
        if (age !== this.#age) throw new SvcError('aborted')
        const link = await this.#openLink(token, age)
        if (age !== this.#age) return link.drop()
        this.#token = token
        return this.#welcomed(link)
      } catch (error) {
        if (!this.#isFinal(error, attempt, isFresh)) {
          if (error instanceof LinkClosed && isAboutToken(error.closed)) staleToken = token
          continue
        }
        const failure = error instanceof LinkClosed ? error.asError : (error as SvcError)
        if (age === this.#age) this.end(failure)
        throw failure
      }
    }
  }

  /** What trying again cannot change. */
  #isFinal(error: unknown, attempt: number, isFresh: boolean): boolean {
    const isTriedEnough = attempt + 1 >= FIRST_ATTEMPTS_MAX && !this.#isNeeded()
    if (!(error instanceof LinkClosed))
      return isTriedEnough || !(isSvcError(error, 'network_error', 'refresh_race') || isTransient(error))
    const { code, reason } = error.closed
    if (code === CLOSED.forbidden || code === CLOSED.replaced) return true
    // A token that was refreshed a moment ago is no better the next time, and another token is no better key.
    if (code === CLOSED.unauthorized) return isFresh || /_key(_required)?$/.test(reason)
    return isTriedEnough
  }

  #openLink(token: string | undefined, age: number): Promise<Link> {
    const { platform, url } = this.#deps
    const { WebSocket } = platform
    if (!WebSocket)
      throw new SvcError('not_available', {
        message: 'this Node version has no WebSocket: pass one to connect({ platform: { WebSocket } })',
      })
    return openLink({
      WebSocket,
      url,
      auth: this.#credentials(token),
      signal: this.#unwanted.signal,
      receive: (frame) => age === this.#age && this.#receive(frame),
      closed: (how) => age === this.#age && this.#closed(how),
    })
  }

  #credentials = (token: string | undefined): FieldsOf<typeof auth> => ({
    key: this.#deps.key,
    ...(token === undefined ? { anon: true } : { token }),
  })

  #welcomed(link: Link) {
    this.#link = link
    this.#listening = setInterval(() => this.#listen(), SILENT_MAX_MS)
    if (this.#isOutdated) return link.drop()
    for (const user of this.#users) user.back(link.welcome)
  }

  #unlink() {
    this.#link = undefined
    clearInterval(this.#listening)
  }

  #receive(frame: AnyFrame) {
    this.#hasHeard = true
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
    this.#unlink()
    const { asError } = new LinkClosed(how)
    if (how.code === CLOSED.forbidden || how.code === CLOSED.replaced) return this.end(asError)
    this.#failPending(new SvcError('network_error', { message: 'the connection was lost' }))
    for (const user of this.#users) user.lost()
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

  /** With jitter, so that everybody who was thrown out by a restart does not come back at the same moment. */
  async #backoff(attempt: number, lost: Closed | undefined) {
    const longest = Math.min(BACKOFF_MS.first * 2 ** attempt, BACKOFF_MS.max)
    const least = attempt === 0 && lost?.code === CLOSED.rateLimitAbuse ? BACKOFF_MS.afterAbuse : 0
    const woken = new Promise<void>((resolve) => (this.#wake = resolve))
    await Promise.race([pause(least + longest * (0.5 + this.#deps.platform.random() / 2)), woken])
  }

  #listen() {
    if (!this.#hasHeard) this.#probe(REPLY_TIMEOUT_MS)
    this.#hasHeard = false
  }

  /** The service knows no such frame, and any answer will do: without one the connection is given up. */
  #probe(withinMs: number) {
    if (this.#link) this.#ask({ t: 'ping' }, withinMs).catch(() => {})
  }

  async #ask(frame: object, withinMs: number): Promise<unknown> {
    const link = this.#link
    if (!link || this.#pending.size >= PENDING_MAX) throw new SvcError('network_error')
    const rid = ++this.#rid

    return new Promise((resolve, reject) => {
      link.send({ ...frame, rid })
      const timer = setTimeout(() => {
        this.#pending.delete(rid)
        reject(new SvcError('network_error', { message: 'no reply came' }))
        link.drop()
      }, withinMs)
      this.#pending.set(rid, { resolve, reject, timer })
    })
  }
}

const isAboutToken = ({ code }: Closed) => code === CLOSED.unauthorized || code === CLOSED.tokenExpired
