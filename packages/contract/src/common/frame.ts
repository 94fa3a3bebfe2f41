import type { Static, TObject, TSchema } from 'typebox'

import type { ErrorCode } from './errors.ts'
import type { FeatureName } from './features.ts'

/** One row of the specification's WebSocket tables, as data: a request frame, with its `t`. */
export type Frame = {
  t: string
  summary: string
  /** Checked before anything is read or written. */
  feature?: FeatureName
  /** A connection without a player is rejected with `player_required`. */
  player?: true
  fields: TObject
  /** `data` of the reply. */
  reply: TSchema
  /** Codes of this frame alone; those of every frame are added by `frameErrorsOf`. */
  errors?: readonly ErrorCode[]
  /** The member whose text is passed on unchanged, so that not even `1.0` becomes `1`. */
  rawMember?: string
  /** The member, an object, whose members are passed on in this way. */
  rawMembersOf?: string
}

/** A frame that the service sends without a request. */
export type ServerEvent = { t: string; summary: string; fields: TObject }

/** Declares a request frame; keeps the literal types of its name and schemas. */
export const frame = <const T extends string, const Rest extends Omit<Frame, 't'>>(
  t: T,
  rest: Rest,
): Rest & { t: T } => ({ t, ...rest })

/** Declares an event frame. */
export const serverEvent = <const T extends string, Fields extends TObject>(
  t: T,
  summary: string,
  fields: Fields,
): { t: T; summary: string; fields: Fields } => ({ t, summary, fields })

/** The type of the fields of a request frame. */
export type FieldsOf<F extends Frame> = Static<F['fields']>
/** The type of `data` in the reply to a frame. */
export type ReplyOf<F extends Frame> = Static<F['reply']>
/** Without `t`, which the sender adds. */
export type EventOf<E extends ServerEvent> = Static<E['fields']>

const EVERY_FRAME = [
  'invalid_frame',
  'invalid_request',
  'rate_limited',
  'internal_error',
  'service_unavailable',
] as const

/** Every error code that a frame may get. */
export const frameErrorsOf = ({ errors = [], feature, player }: Frame): ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...errors,
    ...(feature ? (['feature_disabled', 'feature_unavailable'] as const) : []),
    ...(player ? (['player_required'] as const) : []),
    ...EVERY_FRAME,
  ]),
]
