import type { Addresses } from '../callers/origins.ts'

/** No inline script or style, nothing from another origin, and no text that becomes HTML or script. */
const policyOf = (frames: string) =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `font-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `frame-src ${frames}`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ')

/** Headers of the dashboard and the docs: a script that gets into a page of theirs could use the session of a developer. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': policyOf(`'none'`),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
}

/** Games that run on the machine of the developer. A policy cannot name `[::1]`. */
const LOOPBACK = 'http://localhost:* http://*.localhost:* http://127.0.0.1:*'

/** The dashboard shows mails and games in frames. No other page of this origin allows one. */
export function appHeaders({ baseUrl, appsDomain }: Addresses) {
  const { protocol, port } = new URL(baseUrl)
  const hosted = `${protocol}//*.${appsDomain}${port && `:${port}`}`
  return { ...PAGE_HEADERS, 'Content-Security-Policy': policyOf(`'self' ${hosted} ${LOOPBACK}`) }
}
