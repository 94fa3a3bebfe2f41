import { DAY_MS, SECOND_MS } from '../../platform/clock.ts'

/** The path of the cookie: no other request carries it, so neither files nor functions of the app receive the token. */
export const SESSION_PATH = '/.svc/session'

const LIFETIME_SECONDS = (90 * DAY_MS) / SECOND_MS

/** With the nonce of its next use, so that the browser can repeat that although it has lost everything else (SES-20). */
export type KeptToken = { refreshToken: string; nonce?: string | undefined }

/** In neither a refresh token nor a nonce that is kept. */
const SEPARATOR = '~'
const KEPT_NONCE = /^[\w-]+$/

/** The cookie that contains the refresh token and its nonce. `isSecure`: the apps are served over https. */
export function createSessionCookie({ isSecure }: { isSecure: boolean }) {
  // With this prefix browsers reject a cookie that was set without https.
  const name = isSecure ? '__Secure-svc-session' : '__svc-session'
  const wanted = new RegExp(`(?:^|; ?)${name}=([^;]*)`, 'g')
  const attributes = `Path=${SESSION_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  return {
    /** Undefined if there is none, or several: then another host of the domain has set one of them. */
    read(header: string | undefined): KeptToken | undefined {
      const [first, ...others] = (header ?? '').matchAll(wanted)
      const [refreshToken, nonce] = first?.[1]?.split(SEPARATOR) ?? []
      return refreshToken && others.length === 0 ? { refreshToken, nonce } : undefined
    },
    write({ refreshToken, nonce = '' }: KeptToken) {
      // Another text of a client could end the value.
      const end = KEPT_NONCE.test(nonce) ? SEPARATOR + nonce : ''
      return `${name}=${refreshToken}${end}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`
    },
    removal: `${name}=; Max-Age=0; ${attributes}`,
  }
}
