import type { KeyValueStorage } from '../http/platform.ts'

/** No other host of the domain can read or set a cookie with this prefix. */
const PREFIX = '__Host-'
/** `Partitioned`: one for each site that embeds the page, and none for the page itself. */
const ATTRIBUTES = 'Path=/; Secure; SameSite=None; Partitioned'
/** As long as a session that is not used. */
const LIFETIME_SECONDS = 90 * 24 * 60 * 60
/** All of them: each request to the host of the page carries them, and servers reject headers of 16 KB. */
const COOKIES_LENGTH_MAX = 6_000

let hasWarned = false

/**
 * Called where the browser blocks `localStorage`. In a frame of another site Chromium still allows partitioned cookies: returns a
 * storage in these. Where it does not, a warning in the console says once what this means for players.
 */
export function openEmbeddedStorage({ document, top, self }: Window): KeyValueStorage | undefined {
  if (top === self) return undefined
  const nameOf = (key: string) => PREFIX + encodeURIComponent(key)
  const write = (key: string, text: string, seconds: number) =>
    void (document.cookie = `${nameOf(key)}=${text}; Max-Age=${seconds}; ${ATTRIBUTES}`)

  const storage: KeyValueStorage = {
    getItem(key) {
      const [, text] =
        document.cookie
          .split('; ')
          .map((cookie) => cookie.split('='))
          .find(([name]) => name === nameOf(key)) ?? []
      return text === undefined ? null : decodeURIComponent(text)
    },
    setItem(key, value) {
      const text = encodeURIComponent(value)
      if (document.cookie.length + text.length < COOKIES_LENGTH_MAX) write(key, text, LIFETIME_SECONDS)
      if (storage.getItem(key) !== value) throw new Error('the cookie was not stored')
    },
    removeItem: (key) => write(key, '', 0),
  }

  try {
    storage.setItem('svc', '1')
    storage.removeItem('svc')
    return storage
  } catch {
    // Also where the frame has an opaque origin.
  }
  if (!hasWarned)
    console.warn(
      'svc: the browser blocks the storage of this embedded page, so a guest is lost with the page. Offer a sign-in, or open the page in a tab of its own: docs/guide/players#in-a-frame-on-another-site',
    )
  hasWarned = true
  return undefined
}
