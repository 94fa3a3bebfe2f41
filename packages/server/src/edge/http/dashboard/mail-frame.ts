import { createHash } from 'node:crypto'

import type { PageResponse } from '../../../platform/http/responses.ts'
import { PAGE_HEADERS } from './page-headers.ts'

/**
 * Shows the HTML that the Mailbox sends it, and reports its height. Links lead nowhere: the Mailbox shows them as buttons. What could load
 * another page is removed; the policy allows no other script, no request and no form.
 */
const SCRIPT = `
const host = location.origin
const report = () => parent.postMessage(Math.ceil(document.body.getBoundingClientRect().height), host)
addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== host || typeof data !== 'string') return
  const mail = new DOMParser().parseFromString(data, 'text/html')
  for (const element of mail.querySelectorAll('script, meta, base, link, iframe, object, embed')) element.remove()
  document.replaceChild(document.adoptNode(mail.documentElement), document.documentElement)
  new ResizeObserver(report).observe(document.body)
})
addEventListener('click', (event) => event.preventDefault(), true)
parent.postMessage('ready', host)
`

/** `sandbox` makes the origin opaque: the page has no access to the storage of the dashboard, in a frame or by its address. */
const POLICY = [
  `sandbox allow-scripts`,
  `default-src 'none'`,
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  `style-src 'unsafe-inline'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'self'`,
].join('; ')

export const MAIL_FRAME: PageResponse = {
  headers: { ...PAGE_HEADERS, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' },
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mail</title></head><body><script>${SCRIPT}</script></body></html>`,
}
