// The only file of the SDK that reads the clock and random numbers.

/** The functions of the platform that the SDK uses. */
export type Platform = {
  /** Sends HTTP requests. */
  fetch: Fetch
  /** Node 20 has no WebSocket: pass one to `connect`, for example that of the package `ws`. */
  WebSocket: WebSocketConstructor | undefined
  /** The time in milliseconds since 1970. */
  now(): number
  /** A random number from 0 up to, but not including, 1. */
  random(): number
  /** @internal The window of a page; undefined in Node and in workers. */
  page: Window | undefined
  /** @internal Web Locks, which not every browser has. */
  locks: Pick<LockManager, 'request'> | undefined
}

/** The part of `fetch` that the SDK uses. */
export type Fetch = (url: string, request?: RequestInit) => Promise<Response>

/** The constructor of a WebSocket. */
export type WebSocketConstructor = new (url: string) => WebSocketLike

/** The part of a WebSocket that the SDK uses; browsers and packages agree on these types only. */
export type WebSocketLike = {
  onopen: unknown
  onclose: unknown
  onerror: unknown
  onmessage: unknown
  /** Sends a text message. */
  send(text: string): void
  /** Closes the connection. */
  close(code?: number): void
}

/** The part of `localStorage` that the session uses. */
export type KeyValueStorage = {
  /** Returns the stored text, or null. */
  getItem(key: string): string | null
  /** Stores a text. */
  setItem(key: string, value: string): void
  /** Removes a stored text. */
  removeItem(key: string): void
}

/** What the current browser or Node offers. */
export function thisPlatform(): Platform {
  return {
    fetch: (url, request) => globalThis.fetch(url, request),
    WebSocket: globalThis.WebSocket as WebSocketConstructor | undefined,
    now: () => Date.now(),
    random: () => Math.random(),
    page: 'document' in globalThis ? globalThis.window : undefined,
    locks: globalThis.navigator?.locks as Platform['locks'],
  }
}

/** Whether the code runs in a page or in one of its workers, where everyone can read it. */
export const isInBrowser = (): boolean => 'document' in globalThis || 'importScripts' in globalThis

/** Calls `onResumed` when the network is back, or the page: from the background, from sleep, from the back/forward cache. */
export function onResume(page: Window | undefined, onResumed: () => void, signal: AbortSignal) {
  const { document } = page ?? {}
  const connection = (page?.navigator as { connection?: EventTarget } | undefined)?.connection
  // Not in every browser.
  connection?.addEventListener('change', onResumed, { signal })
  page?.addEventListener('online', onResumed, { signal })
  page?.addEventListener('pageshow', ({ persisted }) => persisted && onResumed(), { signal })
  document?.addEventListener('visibilitychange', () => document.hidden || onResumed(), { signal })
}

let isLeaving = false

/** Whether the page may be gone before a request is answered: it is in the background, or was just left. */
export const isHidden = (page: Window | undefined): boolean => isLeaving || page?.document.hidden === true

/** Whether the page is in one of the events of `onLeave`, after which it may be gone. */
export const isBeingLeft = (): boolean => isLeaving

/** Calls `left` when the page goes to the background or is left, before its own listeners of the same event. */
export function onLeave(page: Window | undefined, left: () => void, signal: AbortSignal) {
  function leave() {
    isLeaving = true
    setTimeout(() => (isLeaving = false))
    left()
  }
  const options = { signal, capture: true }
  page?.addEventListener('pagehide', leave, options)
  page?.addEventListener('visibilitychange', () => page.document.hidden && leave(), options)
}

/** Unpredictable text, for verifiers and nonces. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return base64Url(bytes)
}

/** Encodes bytes as base64url without padding. */
export const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Milliseconds since some moment, with fractions. It does not jump when the clock is set. */
export const monotonicNow = (): number => performance.now()

/** Resolves after `ms` milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Rejects with the error of `late` if the work takes longer. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}

/** Where a series of numbers begins that must not meet an earlier one. */
export const randomStart = (): number => Math.floor(Math.random() * 2 ** 52)
