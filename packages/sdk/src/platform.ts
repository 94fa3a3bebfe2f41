/** What the SDK takes from the machine it runs on; this is its only file that asks for time and chance. */
export type Platform = {
  fetch: (url: string, request?: RequestInit) => Promise<Response>
  /** Node 20 has none of its own: give `connect` one, such as that of the package `ws`. */
  WebSocket: WebSocketConstructor | undefined
  /** Milliseconds. */
  now(): number
  /** From 0 up to 1. */
  random(): number
  /** The window of a page; undefined in Node and in workers. */
  page: Window | undefined
  /** Web Locks, which not every browser has. */
  locks: Pick<LockManager, 'request'> | undefined
}

export type WebSocketConstructor = new (url: string) => WebSocket

/** What of `localStorage` the session needs. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

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
export function onAwake(page: Window | undefined, awake: () => void, signal: AbortSignal) {
  const { document } = page ?? {}
  page?.addEventListener('online', awake, { signal })
  page?.addEventListener('pageshow', ({ persisted }) => persisted && awake(), { signal })
  document?.addEventListener('visibilitychange', () => document.hidden || awake(), { signal })
}

/** Unguessable, for verifiers and nonces. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return base64Url(bytes)
}

export const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function inTime<T>(work: Promise<T>, withinMs: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), withinMs)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
