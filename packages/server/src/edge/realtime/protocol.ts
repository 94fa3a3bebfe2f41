import type { ErrorCode } from '@svc/contract/errors'
import type { FieldsOf } from '@svc/contract/frame'
import { LIMITS } from '@svc/contract/limits'
import { type auth, CLOSE_CODES, RID_LENGTH_MAX } from '@svc/contract/realtime'

import { ApiError } from '../../platform/api-error.ts'
import { parseText, requireSound } from '../http/json.ts'
import type { Connection, Identity } from './connection.ts'
import { type createFrames, shortened } from './frames.ts'

type Rid = string | number
type Fields = { t: string; channel?: unknown }
type Parsed = { fields: Fields; rid: Rid | undefined; text: string }
/** No frame of ours; `rid` is what its sender waits for, if that much could be read. */
type Broken = { refusal: ApiError; rid: Rid | undefined }

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
    if ('refusal' in parsed) return broken(connection, parsed)
    if (parsed.fields.t === 'auth') return authenticateAgain(connection, connection.identity, parsed)
    return request(connection, connection.identity, parsed)
  }

  function request(connection: Connection, identity: Identity, { fields, rid, text }: Parsed): unknown {
    const refuse = (error: unknown) => refused(connection, fields, rid, asApiError(error))
    try {
      const answer = frames.handle(connection, identity, fields, text)
      if (answer instanceof Promise) return answer.then((data) => answered(connection, rid, data), refuse)
      answered(connection, rid, answer)
    } catch (error) {
      refuse(error)
    }
    return undefined
  }

  async function authenticate(connection: Connection, parsed: Parsed | Broken) {
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

  return {
    receive,
    receiveBinary: (connection: Connection) =>
      broken(connection, { refusal: invalid('binary'), rid: undefined }),
  }
}

function overRate(connection: Connection, rate: 'drop' | 'warn' | 'abuse') {
  if (rate === 'warn') connection.warn(new ApiError('rate_limited'))
  if (rate === 'abuse') connection.close(CLOSE_CODES.rateLimitAbuse, 'rate_limited')
}

/** WSK-10: the third broken frame ends the connection; before it has said who it is, the first does. */
function broken(connection: Connection, { refusal, rid }: Broken) {
  connection.brokenFrames++
  if (!connection.identity) return connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
  if (connection.brokenFrames > LIMITS.brokenFramesMax)
    return connection.close(CLOSE_CODES.unauthorized, 'invalid_frame')
  if (rid === undefined) connection.warn(refusal)
  else replyRefusal(connection, rid, refusal)
}

function answered(connection: Connection, rid: Rid | undefined, data: unknown) {
  if (rid !== undefined) connection.tell({ t: 'reply', rid, ok: true, data })
}

/** WSK-08 */
function refused(connection: Connection, { t, channel }: Fields, rid: Rid | undefined, refusal: ApiError) {
  if (rid !== undefined) return replyRefusal(connection, rid, refusal)
  const named = typeof channel === 'string' ? { channel: shortened(channel) } : {}
  connection.warn(refusal, { request: shortened(t), ...named })
}

const replyRefusal = (connection: Connection, rid: Rid, refusal: ApiError) =>
  connection.tell({ t: 'reply', rid, ok: false, ...refusal.body })

/** `text` is UTF-8: the reader of frames ends a connection that sends anything else. */
function parse(payload: Buffer): Parsed | Broken {
  let rid: Rid | undefined
  try {
    const text = payload.toString()
    const value = parseText(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('not an object')
    const frame = value as { t?: unknown; rid?: unknown }
    if (isRid(frame.rid)) rid = frame.rid
    else if (frame.rid !== undefined) throw invalid('rid is neither a number nor a short string')
    if (typeof frame.t !== 'string') throw invalid('t is missing')
    requireSound(text, value)
    return { fields: value as Fields, rid, text }
  } catch (error) {
    const { details } = error as ApiError
    return { refusal: invalid(String(details?.['reason'])), rid }
  }
}

const invalid = (reason: string) => new ApiError('invalid_frame', { reason })

/** One that can be sent back as it came. */
function isRid(rid: unknown): rid is Rid {
  if (typeof rid !== 'string') return Number.isFinite(rid)
  return isShort(rid) && rid.isWellFormed() && !rid.includes('\0')
}

/** A code point is one or two units of a string. */
const isShort = (rid: string) =>
  rid.length <= RID_LENGTH_MAX ||
  (rid.length <= 2 * RID_LENGTH_MAX && Array.from(rid).length <= RID_LENGTH_MAX)

function firstFrame(parsed: Parsed | Broken): { fields: FieldsOf<typeof auth>; rid: Rid | undefined } {
  if ('refusal' in parsed || parsed.fields.t !== 'auth') throw new ApiError('unauthorized')
  const fields = authFields(parsed.fields)
  if (!fields) throw new ApiError('unauthorized')
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
