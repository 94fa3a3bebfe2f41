import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

import type { SessionView } from '@svc/contract/players'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { PageResponse } from '../../platform/http/responses.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { RefreshChains } from './refresh-chains.ts'
import { createSessionCookie, type KeptToken, SESSION_PATH } from './session-cookie.ts'

type BrowserSessionDeps = {
  chains: Pick<RefreshChains, 'refresh' | 'requireNewest' | 'identify' | 'logOut'>
  /** Children get no cookie. */
  isChild(environment: Environment, playerId: string): Promise<boolean>
  findKey(key: string): Awaitable<{ type: string; environment: Environment } | undefined>
  isSecure: boolean
  newNonce(): string
}

/** A request to the host of an app. */
type HostRequest = {
  app: { environment: Environment }
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Readable
  timing(): Parameters<RefreshChains['refresh']>[2]
}
type Body = { refreshToken?: string; nonce?: string }

/**
 * `/.svc/session` on the host of an app. The browser keeps a copy of the refresh token in a cookie that scripts cannot read: Safari
 * removes what scripts store after seven days without a visit, and a guest has no other access.
 *
 * - `POST { refreshToken, nonce? }` is a refresh, as `POST /v1/auth/refresh`; the cookie gets the new token with the same response. The
 *   response and the cookie have the nonce for the next one.
 * - `POST { nonce? }` refreshes the token of the cookie; without a usable one it answers `{}`. It never revokes a session.
 * - `PUT { refreshToken, nonce? }` writes the cookie for a new session.
 * - `DELETE { refreshToken? }` signs out and removes the cookie.
 *
 * `isKept` in the responses: the request had the cookie, so the browser keeps it.
 */
export function createBrowserSession({ chains, isChild, findKey, isSecure, newNonce }: BrowserSessionDeps) {
  const cookie = createSessionCookie({ isSecure })

  /** A page of another host cannot send this header: it would need a permission (CORS), which this path never gives. */
  async function requireOwnPage({ app: { environment }, headers }: HostRequest) {
    const text = headers['x-svc-key']
    if (typeof text !== 'string' || text === '') throw new ApiError('key_required')
    const key = await findKey(text)
    if (!key || key.environment.id !== environment.id) throw new ApiError('invalid_key')
    if (key.type !== 'publishable') throw new ApiError('publishable_key_required')
    const { origin, host = '' } = headers
    if (origin !== undefined && hostNameOf(origin) !== hostNameOf(host))
      throw new ApiError('origin_not_allowed')
  }

  const hasCookie = ({ headers }: HostRequest) => cookie.read(headers.cookie) !== undefined

  function answerKept(request: HostRequest, session: SessionView) {
    const nonce = newNonce()
    const { refreshToken } = session
    return answer({ ...session, nonce, isKept: hasCookie(request) }, cookie.write({ refreshToken, nonce }))
  }

  async function refresh(request: HostRequest, token: KeptToken) {
    const { environment } = request.app
    try {
      const session = await chains.refresh(environment, token, request.timing())
      if (await isChild(environment, session.player.id)) return answer(session, cookie.removal)
      return answerKept(request, session)
    } catch (error) {
      if (!isEnd(error)) throw error
      return answer(error.body, cookie.removal, error.status)
    }
  }

  async function keep(request: HostRequest, token: KeptToken) {
    const { environment } = request.app
    const { playerId } = await chains.requireNewest(environment.id, token.refreshToken)
    if (await isChild(environment, playerId)) return answer({}, cookie.removal)
    return answer({ isKept: hasCookie(request) }, cookie.write(token))
  }

  async function resume(request: HostRequest, nonce: string | undefined) {
    const { environment } = request.app
    const kept = cookie.read(request.headers.cookie)
    if (!kept) return answer({})
    try {
      const { playerId } = await chains.identify(environment.id, kept.refreshToken)
      if (await isChild(environment, playerId)) return answer({}, cookie.removal)
      const token = { ...kept, nonce: kept.nonce ?? nonce }
      return answerKept(request, await chains.refresh(environment, token, request.timing(), 'cookie'))
    } catch (error) {
      if (!isEnd(error)) throw error
      return answer({}, cookie.removal)
    }
  }

  return async (request: HostRequest): Promise<PageResponse> => {
    const { method, headers } = request
    const { environment } = request.app
    const sent = await text(request.body)
    if (request.path !== SESSION_PATH) throw new ApiError('not_found')
    if (!METHODS.includes(method)) return NO_SUCH_METHOD
    await requireOwnPage(request)
    const { refreshToken, nonce } = bodyOf(sent)

    if (method === 'POST')
      return refreshToken === undefined ? resume(request, nonce) : refresh(request, { refreshToken, nonce })
    if (method === 'PUT') return keep(request, { refreshToken: refreshToken ?? '', nonce })
    await chains.logOut(environment, refreshToken ?? cookie.read(headers.cookie)?.refreshToken ?? '')
    return answer({}, cookie.removal)
  }
}

/** Without scheme and port, which a proxy in front of the service may change. */
const hostNameOf = (origin: string) =>
  origin
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/:\d*$/, '')

/** Whether the token can never be used again, or is not the newest. */
const isEnd = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'session_revoked' || error.code === 'invalid_refresh_token')

const METHODS = ['POST', 'PUT', 'DELETE']

const answer = (body: SessionView | object, setCookie?: string, status = 200): PageResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  headers: { 'Cache-Control': 'no-store', ...(setCookie !== undefined && { 'Set-Cookie': setCookie }) },
  body: JSON.stringify(body),
})

const NO_SUCH_METHOD: PageResponse = {
  status: 405,
  type: 'application/json; charset=utf-8',
  headers: { 'Cache-Control': 'no-store', Allow: METHODS.join(', ') },
  body: JSON.stringify(new ApiError('method_not_allowed').body),
}

function bodyOf(sent: string): Body {
  if (sent === '') return {}
  const body: unknown = parsed(sent)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidField('$', 'must be an object')
  const { refreshToken, nonce } = body as Record<string, unknown>
  return {
    ...(refreshToken !== undefined && { refreshToken: shortText('refreshToken', refreshToken, 1, 256) }),
    ...(nonce !== undefined && { nonce: shortText('nonce', nonce, 8, 128) }),
  }
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent)
  } catch {
    throw new ApiError('invalid_json')
  }
}

function shortText(name: string, value: unknown, min: number, max: number): string {
  if (typeof value === 'string' && value.length >= min && value.length <= max) return value
  throw invalidField(`$.${name}`, `must be text of ${min} to ${max} characters`)
}
