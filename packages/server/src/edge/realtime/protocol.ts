import type { ErrorCode } from '@svc/contract/common/errors'
import type { FieldsOf } from '@svc/contract/common/frame'
import { LIMITS } from '@svc/contract/common/limits'
import { type auth, CLOSE_CODES, RID_LENGTH_MAX } from '@svc/contract/realtime/realtime'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { MINUTE_MS } from '../../platform/clock.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import { REPLY_FOLLOWS } from '../../platform/reply-follows.ts'
import { isObject, problemIn } from '../json/interpreted.ts'
import type { Connection, Identity } from './connection.ts'
import { type createFrames, shortened } from './frames.ts'
import { readPlainMessage } from './plain-message.ts'

type Rid = string | number
type Fields = { t: string; channel?: unknown }
/** `raw` is known if the frame is a plain message. */
type Request = { fields: Fields; rid: Rid | undefined; text: string; raw?: string }
/** A JSON object whose `t` or `rid` is invalid; `rid` is set if it is valid. */
type Refused = { refusal: ApiError; t: string | undefined; rid: Rid | undefined }
/** Not a JSON object. */
type Broken = { reason: string }
type Parsed = Request | Refused | Broken

type ProtocolDeps = {
  frames: ReturnType<typeof createFrames>
  /** Authenticates and registers the connection, then sends `welcome`. Refusals are thrown. */
  acceptConnection(connection: Connection, fields: FieldsOf<typeof auth>): Promise<void>
  isSamePlayer(identity: Identity, fields: FieldsOf<typeof auth>): Promise<boolean>
  /** An error that is not an ApiError is a bug, and is logged. */
  asApiError(error: unknown): ApiError
  /** Of the clock. */
  elapsedMs(): number
}

/** The protocol of one connection: auth first, then requests, answered in order. */
export function createProtocol({
  frames,
  acceptConnection,
  isSamePlayer,
  asApiError,
  elapsedMs,
}: ProtocolDeps) {
  function receive(connection: Connection, payload: Buffer): unknown {
    const receivedAtMs = elapsedMs()
    connection.lastReceivedAtMs = receivedAtMs
    const rate = connection.rate.take(receivedAtMs, payload.length, connection)
    if (rate !== 'ok') return overRate(connection, rate, payload)

    const text = payload.toString()
    const { identity } = connection
    // Nearly all frames are messages. The others are parsed.
    const message = identity && readPlainMessage(text)
    if (message && message.fields.t !== 'auth') return request(connection, identity, message)
    const parsed = parse(text)
    if (!identity) return authenticate(connection, parsed)
    if ('reason' in parsed) return broken(connection, parsed.reason, receivedAtMs)
    if ('refusal' in parsed) return refused(connection, parsed, parsed.rid, parsed.refusal)
    if (parsed.fields.t === 'auth') return authenticateAgain(connection, identity, parsed)
    return request(connection, identity, parsed)
  }

  function request(connection: Connection, identity: Identity, received: Request): unknown {
    try {
      const answer = frames.handle(connection, identity, received)
      if (answer instanceof Promise) return answerLater(connection, received, answer)
      answered(connection, received.rid, answer)
    } catch (error) {
      refused(connection, received.fields, received.rid, asApiError(error))
    }
    return undefined
  }

  const answerLater = (connection: Connection, { fields, rid }: Request, answer: Promise<unknown>) =>
    answer.then(
      (data) => answered(connection, rid, data),
      (error: unknown) => refused(connection, fields, rid, asApiError(error)),
    )

  async function authenticate(connection: Connection, parsed: Parsed) {
    try {
      const { fields, rid } = firstFrame(parsed)
      await acceptConnection(connection, fields)
      answered(connection, rid, {})
    } catch (error) {
      closeFor(connection, asApiError(error))
    }
  }

  /** WSK-11: the same player may authenticate again, for example after a refresh; this changes nothing. */
  async function authenticateAgain(connection: Connection, identity: Identity, parsed: Request) {
    const fields = authFields(parsed.fields)
    try {
      if (!fields || !(await isSamePlayer(identity, fields))) throw new ApiError('unauthorized')
      answered(connection, parsed.rid, {})
    } catch (error) {
      const refusal = asApiError(error)
      if (isTemporary(refusal)) refused(connection, parsed.fields, parsed.rid, refusal)
      else connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
    }
  }

  return {
    receive,
    receiveBinary: (connection: Connection) => broken(connection, 'binary', elapsedMs()),
  }
}

/** A request with a `rid` is answered, because its sender would wait until a time-out; but only so many, and others are not read. */
function overRate(connection: Connection, rate: 'drop' | 'warn' | 'abuse', payload: Buffer) {
  if (rate === 'abuse') return connection.refuse('rate_limited')
  const refusal = new ApiError('rate_limited')
  if (rate === 'warn') connection.warn(refusal)
  if (!connection.identity || !payload.includes('"rid"') || !connection.rate.takeReply()) return
  const parsed = parse(payload.toString())
  if ('fields' in parsed && parsed.rid !== undefined) refused(connection, parsed.fields, parsed.rid, refusal)
}

/** WSK-10: the third invalid frame within a minute closes the connection; before authentication the first one does. */
function broken(connection: Connection, reason: string, nowMs: number) {
  if (!connection.identity) return connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
  const recent = connection.brokenAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
  connection.brokenAtMs = [...recent, nowMs]
  if (recent.length >= LIMITS.brokenFramesPerMinuteMax)
    return connection.close(CLOSE_CODES.unauthorized, 'invalid_frame')
  connection.warn(new ApiError('invalid_frame', { reason }))
}

function answered(connection: Connection, rid: Rid | undefined, data: unknown) {
  if (rid === undefined || data === REPLY_FOLLOWS) return
  if (data instanceof RawJson) connection.sendText(replyText(rid, data.text))
  else connection.sendEvent({ t: 'reply', rid, ok: true, data })
}

const replyText = (rid: Rid, data: string) =>
  `{"t":"reply","rid":${JSON.stringify(rid)},"ok":true,"data":${data}}`

type Named = { t: string | undefined; channel?: unknown }

/** WSK-08 */
function refused(connection: Connection, { t, channel }: Named, rid: Rid | undefined, refusal: ApiError) {
  if (rid !== undefined) return connection.sendEvent({ t: 'reply', rid, ok: false, ...refusal.body })
  connection.warn(refusal, {
    ...(t !== undefined && { request: shortened(t) }),
    ...(typeof channel === 'string' && { channel: shortened(channel) }),
  })
}

/** `text` is valid UTF-8: the frame reader closes the connection otherwise. */
function parse(text: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { reason: (error as SyntaxError).message }
  }
  if (!isObject(value)) return { reason: 'not an object' }

  const { t, rid: input } = value
  const rid = isRid(input) ? input : undefined
  if (rid === undefined && input !== undefined && input !== null)
    return {
      refusal: invalidField('$.rid', ridProblem(input)),
      t: typeof t === 'string' ? t : undefined,
      rid,
    }
  if (typeof t !== 'string') return { refusal: invalidField('$.t', 'must be text'), t: undefined, rid }
  return { fields: value as Fields, rid, text }
}

/** A rid that can be returned unchanged (WSK-07). */
function isRid(rid: unknown): rid is Rid {
  if (typeof rid !== 'string') return Number.isSafeInteger(rid)
  return isShort(rid) && problemIn(rid) === undefined
}

const ridProblem = (rid: unknown): string =>
  (typeof rid === 'string' ? problemIn(rid)?.message : undefined) ??
  `must be text of at most ${RID_LENGTH_MAX} characters or an integer of at most 2^53 - 1`

/** A code point takes one or two code units of a string. */
const isShort = (rid: string) =>
  rid.length <= RID_LENGTH_MAX ||
  (rid.length <= 2 * RID_LENGTH_MAX && Array.from(rid).length <= RID_LENGTH_MAX)

function firstFrame(parsed: Parsed): { fields: FieldsOf<typeof auth>; rid: Rid | undefined } {
  if (!('fields' in parsed) || parsed.fields.t !== 'auth') throw new ApiError('unauthorized')
  const fields = authFields(parsed.fields)
  if (!fields) throw new ApiError('unauthorized')
  return { fields, rid: parsed.rid }
}

/** Checked without a schema: this frame arrives before any schema is compiled. Null and `anon: false` count as absent. */
function authFields(frame: object): FieldsOf<typeof auth> | undefined {
  const { key, token, anon } = frame as { key?: unknown; token?: unknown; anon?: unknown }
  if (typeof key !== 'string' || problemIn(frame)) return undefined
  const hasToken = token !== undefined && token !== null
  if (anon === true) return hasToken ? undefined : { key, anon }
  const isPlayer = anon === undefined || anon === null || anon === false
  return isPlayer && typeof token === 'string' ? { key, token } : undefined
}

const CLOSE_CODE_OF: Partial<Record<ErrorCode, number>> = {
  token_expired: CLOSE_CODES.tokenExpired,
  player_banned: CLOSE_CODES.forbidden,
  feature_disabled: CLOSE_CODES.forbidden,
  feature_unavailable: CLOSE_CODES.forbidden,
  origin_not_allowed: CLOSE_CODES.forbidden,
}

/** WSK-22: the service could not check the client. That is no refusal, so the client must try again. */
export const isTemporary = ({ status }: ApiError): boolean => status >= 500 || status === 429

/** Closes a connection for this reason. A banned player first receives the ban, its reason and its end (BAN-08). */
export function closeFor(connection: Connection, refusal: ApiError) {
  if (refusal.code === 'player_banned' && refusal.details?.['sanctionId'] !== undefined)
    connection.warn(new ApiError('player_banned', banDetailsOf(refusal.details)))
  const code = isTemporary(refusal) ? CLOSE_CODES.restarting : closeCodeOf(refusal.code)
  connection.close(code, refusal.code)
}

/** Times in frames are milliseconds (GEN-02). */
const banDetailsOf = ({ sanctionId, note, expiresAt }: Record<string, unknown>) => ({
  sanctionId,
  note,
  expiresAt: typeof expiresAt === 'string' ? Date.parse(expiresAt) : null,
})

/** The close code of a refusal (WSK-04). */
export const closeCodeOf = (code: ErrorCode): number => CLOSE_CODE_OF[code] ?? CLOSE_CODES.unauthorized
