// The only file of the SDK that asks for time and chance.

/** What the SDK takes from the machine it runs on. */
export type Platform = {
  /** Sends HTTP requests. */
  fetch: Fetch
  /** Node 20 has none of its own: give `connect` one, such as that of the package `ws`. */
  WebSocket: WebSocketConstructor | undefined
  /** Milliseconds. */
  now(): number
  /** From 0 up to 1. */
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

/** What the SDK uses of one; the types of a browser's and those of packages agree on no more than that. */
export type WebSocketLike = {
  onopen: unknown
  onclose: unknown
  onerror: unknown
  onmessage: unknown
  send(text: string): void
  close(): void
}

/** What of `localStorage` the session needs. */
export type KeyValueStorage = {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
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

/** A page or a worker of one: code that anybody can read. */
export const isInBrowser = (): boolean => 'document' in globalThis || 'importScripts' in globalThis

/** The network is back, or the page is: out of the background, out of sleep, out of the back/forward cache. */
export function onAwake(page: Window | undefined, onResumed: () => void, signal: AbortSignal) {
  const { document } = page ?? {}
  page?.addEventListener('online', onResumed, { signal })
  page?.addEventListener('pageshow', ({ persisted }) => persisted && onResumed(), { signal })
  document?.addEventListener('visibilitychange', () => document.hidden || onResumed(), { signal })
}

/** Unguessable, for verifiers and nonces. */
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
