import { realtimeUrlOf } from '../realtime/realtime-url.ts'
import { attempt, readJson } from '../session/storage.ts'
import { isSvcError, SvcError } from './errors.ts'
import { type KeyValueStorage, type Platform, withTimeout } from './platform.ts'
import { playerRetry, repeated, type RetryPolicy } from './retry.ts'

/** `/.svc/init.json` of an app that the service hosts: the same code runs in development and in production. */
export type Hosted = {
  apiUrl: string
  realtimeUrl?: string
  key: string
  /** Whether the host of the page has `/.svc/session`. */
  keepsSession?: boolean
}

/** The URL and the key of the service. */
export type ServiceLocation = {
  url: string
  realtimeUrl: string
  key: string
  storageKey: string
  /** Whether the host of the page keeps a copy of the session, which survives the loss of the storage. */
  isKept?: boolean | undefined
}
type PartialLocation = { [Part in keyof ServiceLocation]?: ServiceLocation[Part] } & {
  storage?: KeyValueStorage
}

const PATH = '/.svc/init.json'
const TIMEOUT_MS = 15_000
/** A page that has been here before then starts with the response of that visit. */
const START_WAIT_MS = 3_000
const KEPT_KEY = 'svc.init'

/** Reads URL and key from the options, or from `/.svc/init.json` of the page. */
export async function resolveService(
  { fetch, page, random }: Pick<Platform, 'fetch' | 'page' | 'random'>,
  { url, key, realtimeUrl, storageKey, storage }: PartialLocation,
  retry: RetryPolicy = playerRetry(random),
): Promise<ServiceLocation> {
  if (url !== undefined && key !== undefined)
    return locationOf(url, key, realtimeUrl, storageKey ?? `svc.session.${key}`)
  if (!page)
    throw new SvcError('invalid_options', { message: 'outside a browser, pass { url, key } to connect()' })

  // A hosted app has a separate origin and so a separate storage. Its key may change at any time, so it is not part of the name.
  const hosted = await readOrKept(fetch, storage ?? attempt(() => page.localStorage), retry)
  const socketUrl = realtimeUrl ?? hosted.realtimeUrl
  return {
    ...locationOf(url ?? hosted.apiUrl, key ?? hosted.key, socketUrl, storageKey ?? 'svc.session'),
    // The host keeps one session, so only the client without a storage or a name of its own may use it.
    isKept: hosted.keepsSession && !(url ?? key ?? storageKey ?? storage),
  }
}

/** The response of the last visit is used if there is none now; one that is late is for the next visit. A first visit has to wait. */
async function readOrKept(
  fetch: Platform['fetch'],
  storage: KeyValueStorage | undefined,
  retry: RetryPolicy,
): Promise<Hosted> {
  async function read(): Promise<Hosted> {
    const init = await readInit(fetch)
    attempt(() => storage?.setItem(KEPT_KEY, JSON.stringify(init)))
    return init
  }
  const kept = attempt(() => storage && readJson<Hosted>(storage, KEPT_KEY))
  if (!isHosted(kept)) return repeated(read, retry, { route: `GET ${PATH}`, mayRepeat: true })
  return withTimeout(read(), START_WAIT_MS, () => new SvcError('network_error')).catch((error: unknown) => {
    if (isSvcError(error, 'invalid_options')) throw error
    return kept
  })
}

const isHosted = (init: Partial<Hosted> | undefined): init is Hosted => Boolean(init?.apiUrl && init.key)

async function readInit(fetch: Platform['fetch']): Promise<Hosted> {
  const response = await fetch(PATH, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw new SvcError('network_error', { message: `no response to ${PATH}: ${String(error)}` })
  })
  const received = response.ok
    ? ((await response.json().catch(() => undefined)) as Hosted | undefined)
    : undefined
  if (isHosted(received)) return received
  const { status } = response
  // Development servers answer with a page of the game, networks with one of their own.
  const message = `${PATH} has status ${status}: if the service does not host this page, pass { url, key } to connect()`
  throw new SvcError(status === 404 ? 'invalid_options' : 'unexpected_answer', { message, status })
}

function locationOf(
  url: string,
  key: string,
  realtimeUrl: string | undefined,
  storageKey: string,
): ServiceLocation {
  if (!/^https?:\/\//.test(url))
    throw new SvcError('invalid_options', { message: `url must begin with http:// or https://, not ${url}` })
  return {
    url,
    key,
    storageKey,
    realtimeUrl: realtimeUrl ?? realtimeUrlOf(url),
  }
}
