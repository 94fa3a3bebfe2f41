import type { FieldsOf, Frame, ReplyOf } from '@svc/contract/frame'
import type { auth } from '@svc/contract/realtime'

import { isSvcError, refusal, SvcError } from './errors.ts'
import { type AnyFrame, CLOSED, type Reply, type Welcome } from './frames.ts'
import { type Closed, type Link, LinkClosed, openLink } from './link.ts'
import { inTime, pause, type Platform } from './platform.ts'

/** Rooms and channels: they share the one connection of a player. */
export type User = {
  /** While one needs it, a lost connection is made again. */
  needsIt(): boolean
  receive(frame: AnyFrame): void
  lost(): void
  back(welcome: Welcome): void
  /** For good: banned, replaced by another tab, signed out. */
  ended(error: SvcError): void
}

export type SocketNeeds = {
  url: string
  key: string
  platform: Pick<Platform, 'WebSocket' | 'random' | 'page'>
  accessToken(): Promise<string>
  refreshed(staleToken: string): Promise<string>
}

type Pending = { resolve(data: unknown): void; reject(error: SvcError): void; timer: unknown }

const REPLY_WITHIN_MS = 15_000
const PROBE_MS = 5_000
const FIRST_ATTEMPTS_MAX = 4
const PENDING_MAX = 256
const BACKOFF_MS = { first: 200, max: 8_000, afterAbuse: 5_000 }

/** The one WebSocket of a player: made when it is first needed, made again when it is lost. */
export class Socket {
  readonly #needs: SocketNeeds
  readonly #users: User[] = []
  readonly #pending = new Map<number, Pending>()
  readonly #closing = new AbortController()
  #link: Link | undefined
  /** What the link was made with. */
  #token = ''
  #opening: Promise<void> | undefined
  /** Raised when what is under way is no longer wanted: signed out, or another player. */
  #age = 0
  #rid = 0
  #wake: () => void = () => {}

  constructor(needs: SocketNeeds) {
    this.#needs = needs
    const { signal } = this.#closing
    needs.platform.page?.addEventListener('online', () => this.#online(), { signal })
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
    withinMs = REPLY_WITHIN_MS,
  ): Promise<ReplyOf<F>> {
    if (!this.#link) await this.open(withinMs)
    const link = this.#link
    if (!link || this.#pending.size >= PENDING_MAX) throw new SvcError('network_error')
    const rid = ++this.#rid

    return new Promise((resolve, reject) => {
      link.send({ t, ...(fields as object), rid })
      const timer = setTimeout(() => {
        reject(new SvcError('network_error', { message: `no reply to ${t}` }))
        this.#pending.delete(rid)
        link.drop()
      }, withinMs)
      this.#pending.set(rid, { resolve: resolve as Pending['resolve'], reject, timer })
    })
  }

  /** Says it and waits for nothing; false: there is no connection just now. A refusal comes as a `warn`. */
  tell<F extends Frame>(t: F['t'], fields: FieldsOf<F>): boolean {
    this.#link?.send({ t, ...(fields as object) })
    return this.#link !== undefined
  }

  async open(withinMs = REPLY_WITHIN_MS): Promise<Welcome> {
    if (!this.#link)
      await inTime(this.#opening ?? this.#start(), withinMs, () => new SvcError('network_error'))
    if (!this.#link) throw new SvcError('network_error')
    return this.#link.welcome
  }

  /** Everybody is told; the next request makes a new connection. */
  end(error: SvcError) {
    this.#age++
    this.#link?.drop()
    this.#link = undefined
    this.#opening = undefined
    this.#wake()
    this.#failPending(error)
    for (const user of this.#users) user.ended(error)
  }

  close() {
    this.#closing.abort()
    this.end(new SvcError('aborted'))
  }

  #start(lost?: Closed): Promise<void> {
    const opening = this.#connect(lost).finally(() => {
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

      let token = ''
      try {
        token = await (staleToken === undefined
          ? this.#needs.accessToken()
          : this.#needs.refreshed(staleToken))
        isFresh = staleToken !== undefined
        staleToken = undefined
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
      return isTriedEnough || !isSvcError(error, 'network_error', 'refresh_race')
    const { code, reason } = error.closed
    if (code === CLOSED.forbidden || code === CLOSED.replaced) return true
    // A token that was refreshed a moment ago is no better the next time, and another token is no better key.
    if (code === CLOSED.unauthorized) return isFresh || /_key(_required)?$/.test(reason)
    return isTriedEnough
  }

  #openLink(token: string, age: number): Promise<Link> {
    const { platform, url, key } = this.#needs
    const { WebSocket } = platform
    if (!WebSocket)
      throw new SvcError('not_available', { message: 'give connect() a WebSocket: this Node has none' })
    return openLink({
      WebSocket,
      url,
      auth: { key, token },
      receive: (frame) => age === this.#age && this.#receive(frame),
      closed: (how) => age === this.#age && this.#closed(how),
    })
  }

  #welcomed(link: Link) {
    this.#link = link
    for (const user of this.#users) user.back(link.welcome)
  }

  #receive(frame: AnyFrame) {
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
    this.#link = undefined
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

  #isNeeded = () => this.#users.some((user) => user.needsIt())

  /** With jitter, so that everybody who was thrown out by a restart does not come back at the same moment. */
  async #backoff(attempt: number, lost: Closed | undefined) {
    const longest = Math.min(BACKOFF_MS.first * 2 ** attempt, BACKOFF_MS.max)
    const least = attempt === 0 && lost?.code === CLOSED.rateLimitAbuse ? BACKOFF_MS.afterAbuse : 0
    const woken = new Promise<void>((resolve) => (this.#wake = resolve))
    await Promise.race([pause(least + longest * (0.5 + this.#needs.platform.random() / 2)), woken])
  }

  /** The network is back: try now, or find out whether the connection has outlived it. */
  #online() {
    this.#wake()
    if (!this.#link) return
    void this.#needs
      .accessToken()
      .then((token) => this.request<typeof auth>('auth', { key: this.#needs.key, token }, PROBE_MS))
      .catch(() => {})
  }
}

const isAboutToken = ({ code }: Closed) => code === CLOSED.unauthorized || code === CLOSED.tokenExpired
