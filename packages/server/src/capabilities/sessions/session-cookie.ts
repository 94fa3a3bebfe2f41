import { DAY_MS, SECOND_MS } from '../../platform/clock.ts'

/** The path of the cookie: no other request carries it, so neither files nor functions of the app receive the token. */
export const SESSION_PATH = '/.svc/session'

const LIFETIME_SECONDS = (90 * DAY_MS) / SECOND_MS

/** The cookie that contains the refresh token. `isSecure`: the apps are served over https. */
export function createSessionCookie({ isSecure }: { isSecure: boolean }) {
  // With this prefix browsers reject a cookie that was set without https.
  const name = isSecure ? '__Secure-svc-session' : '__svc-session'
  const wanted = new RegExp(`(?:^|; ?)${name}=([^;]*)`, 'g')
  const attributes = `Path=${SESSION_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  return {
    /** Undefined if there is none, or several: then another host of the domain has set one of them. */
    read(header: string | undefined): string | undefined {
      const [first, ...others] = (header ?? '').matchAll(wanted)
      return others.length === 0 ? first?.[1] || undefined : undefined
    },
    write: (refreshToken: string) => `${name}=${refreshToken}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`,
    removal: `${name}=; Max-Age=0; ${attributes}`,
  }
}
