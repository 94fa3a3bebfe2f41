import type { ErrorCode } from '@svc/contract/errors'
import type { FieldsOf } from '@svc/contract/frame'
import { LIMITS } from '@svc/contract/limits'
import { type auth, CLOSE_CODES } from '@svc/contract/realtime'

import { ApiError } from '../../platform/api-error.ts'
import { parseJson } from '../http/json.ts'
import type { Connection, Identity } from './connection.ts'
import type { createFrames } from './frames.ts'

type Rid = string | number
type Parsed = { fields: { t: string }; rid: Rid | undefined; text: string }

export type ProtocolNeeds = {
  frames: ReturnType<typeof createFrames>
  /** Proves who is there, makes room for it, and welcomes it. Refusals are thrown. */
  admit(connection: Connection, fields: FieldsOf<typeof auth>): Promise<void>
  isSamePlayer(identity: Identity, fields: FieldsOf<typeof auth>): Promise<boolean>
  /** Throws away nothing: what is no refusal of ours is a bug. */
  asApiError(error: unknown): ApiError
  nowMs(): number
}

/** What one connection says, from its first frame on: auth, then requests, each answered in turn. */
export function createProtocol({ frames, admit, isSamePlayer, asApiError, nowMs }: ProtocolNeeds) {
  function receive(connection: Connection, payload: Buffer): unknown {
    const nowThen = nowMs()
    connection.heardAtMs = nowThen
    const rate = connection.rate.take(nowThen)
    if (rate !== 'ok') return overRate(connection, rate)

    const parsed = parse(payload)
    if (!connection.identity) return authenticate(connection, parsed)
    if (parsed instanceof ApiError) return broken(connection, parsed)
    if (parsed.fields.t === 'auth') return authenticateAgain(connection, connection.identity, parsed)
    return request(connection, connection.identity, parsed)
  }

  function request(connection: Connection, identity: Identity, { fields, rid, text }: Parsed): unknown {
    const refuse = (error: unknown) => refused(connection, fields.t, rid, asApiError(error))
    try {
      const answer = frames.handle(connection, identity, fields, text)
      if (answer instanceof Promise) return answer.then((data) => answered(connection, rid, data), refuse)
      answered(connection, rid, answer)
    } catch (error) {
      refuse(error)
    }
    return undefined
  }

  async function authenticate(connection: Connection, parsed: Parsed | ApiError) {
    try {
      const { fields, rid } = firstFrame(parsed)
      await admit(connection, fields)
      answered(connection, rid, {})
    } catch (error) {
      const { code } = asApiError(error)
      connection.close(closeCodeOf(code), code)
    }
  }

  /** WSK-11: the same player may send it again, as a client does that has just refreshed; it changes nothing. */
  async function authenticateAgain(connection: Connection, identity: Identity, parsed: Parsed) {
    const fields = authFields(parsed.fields)
    const isSame = fields !== undefined && (await isSamePlayer(identity, fields).catch(() => false))
    if (isSame) answered(connection, parsed.rid, {})
    else connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
  }

  return { receive, broken: (connection: Connection, refusal: ApiError) => broken(connection, refusal) }
}

function overRate(connection: Connection, rate: 'drop' | 'warn' | 'abuse') {
  if (rate === 'warn') connection.warn(new ApiError('rate_limited'))
  if (rate === 'abuse') connection.close(CLOSE_CODES.rateLimitAbuse, 'rate_limited')
}

/** WSK-10: the third broken frame ends the connection; before it has said who it is, the first does. */
function broken(connection: Connection, refusal: ApiError) {
  connection.brokenFrames++
  if (!connection.identity) return connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
  if (connection.brokenFrames > LIMITS.brokenFramesMax)
    return connection.close(CLOSE_CODES.unauthorized, 'invalid_frame')
  connection.warn(refusal)
}

function answered(connection: Connection, rid: Rid | undefined, data: unknown) {
  if (rid !== undefined) connection.tell({ t: 'reply', rid, ok: true, data })
}

/** WSK-08 */
function refused(connection: Connection, t: string, rid: Rid | undefined, refusal: ApiError) {
  if (rid === undefined) connection.warn(refusal, t.slice(0, 64))
  else connection.tell({ t: 'reply', rid, ok: false, ...refusal.body })
}

function parse(payload: Buffer): Parsed | ApiError {
  try {
    const { text, value } = parseJson(payload)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return brokenFrame('not an object')
    const { t, rid } = value as { t?: unknown; rid?: unknown }
    if (typeof t !== 'string') return brokenFrame('t is missing')
    if (rid !== undefined && !isRid(rid)) return brokenFrame('rid is neither a number nor a short string')
    return { fields: value as { t: string }, rid, text }
  } catch (error) {
    return brokenFrame(error instanceof ApiError ? String(error.details?.['reason']) : 'not JSON')
  }
}

const brokenFrame = (reason: string) => new ApiError('invalid_frame', { reason })

const isRid = (rid: unknown): rid is Rid =>
  typeof rid === 'number' || (typeof rid === 'string' && rid.length <= 64)

function firstFrame(parsed: Parsed | ApiError): { fields: FieldsOf<typeof auth>; rid: Rid | undefined } {
  const fields =
    parsed instanceof ApiError || parsed.fields.t !== 'auth' ? undefined : authFields(parsed.fields)
  if (!fields || parsed instanceof ApiError) throw new ApiError('unauthorized')
  return { fields, rid: parsed.rid }
}

/** By hand: it is the one frame that comes before any schema has been compiled. */
function authFields(frame: object): FieldsOf<typeof auth> | undefined {
  const { key, token, anon } = frame as { key?: unknown; token?: unknown; anon?: unknown }
  if (typeof key !== 'string') return undefined
  if (anon === true) return token === undefined ? { key, anon } : undefined
  return typeof token === 'string' && anon === undefined ? { key, token } : undefined
}

const CLOSE_CODE_OF: Partial<Record<ErrorCode, number>> = {
  token_expired: CLOSE_CODES.tokenExpired,
  player_banned: CLOSE_CODES.forbidden,
  feature_disabled: CLOSE_CODES.forbidden,
  feature_unavailable: CLOSE_CODES.forbidden,
  origin_not_allowed: CLOSE_CODES.forbidden,
  service_unavailable: CLOSE_CODES.restarting,
  internal_error: CLOSE_CODES.restarting,
}

/** WSK-04 */
export const closeCodeOf = (code: ErrorCode): number => CLOSE_CODE_OF[code] ?? CLOSE_CODES.unauthorized
