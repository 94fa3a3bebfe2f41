import type { IncomingHttpHeaders } from 'node:http'

import { NOT_OWNER, REFUSAL } from './owners/nodes.ts'

type Known = {
  requestId: string
  address: string
  /** `https:` or `http:`. */
  protocol: string
  player: { id: string; isBanned: boolean } | undefined
}

/** Headers of one connection (RFC 9110, 7.6.1), or set by proxies: those of callers are not passed on. */
const NOT_PASSED_ON = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'forwarded',
  'expect',
])
/** Names that only the service may use. `svc-signature` proves itself: only the service knows the secret that signs it. */
const OURS = /^(?:svc-(?!signature$)|cf-|x-forwarded-)/

/** Without those of the connection, and without those that `refused` matches. */
export function passedHeaders(headers: IncomingHttpHeaders, refused = OURS): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {}
  for (const name in headers)
    if (!NOT_PASSED_ON.has(name) && !refused.test(name)) passed[name] = headers[name]
  return passed
}

/** The headers that the code gets; `svc-*` of the caller are dropped, so that callers cannot forge an identity. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { requestId, address, protocol, player }: Known,
): IncomingHttpHeaders {
  const passed = passedHeaders(headers)
  passed['svc-request-id'] = requestId
  passed['svc-client-ip'] = address
  // Code that was written for Workers reads these.
  passed['cf-connecting-ip'] = address
  passed['x-forwarded-for'] = address
  passed['x-forwarded-proto'] = protocol.slice(0, -1)
  if (player) {
    passed['svc-player-id'] = player.id
    passed['svc-player-banned'] = player.isBanned ? '1' : '0'
  }
  return passed
}

/**
 * Not for callers: the edge writes the id of the request, two headers are only for nodes, and one would make browsers remove the cookies
 * of all apps below the same registrable domain.
 */
const NOT_SENT_BACK = new Set(['x-request-id', NOT_OWNER, REFUSAL, 'clear-site-data'])

/** Name, value, name, value …. Cookies lose their domain: no app may set one for another. */
export function responseHeaders(headers: IncomingHttpHeaders): string[] {
  const list: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || NOT_PASSED_ON.has(name) || NOT_SENT_BACK.has(name)) continue
    if (name === 'set-cookie')
      for (const cookie of [value].flat()) list.push('Set-Cookie', withoutDomain(cookie))
    else if (typeof value === 'string') list.push(name, value)
    else for (const each of value) list.push(name, each)
  }
  return list
}

/** RFC 6265, 5.2: attributes follow the first semicolon, in any case, with blanks around. */
const withoutDomain = (cookie: string): string => {
  const [pair = '', ...attributes] = cookie.split(';')
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))].join(';')
}
