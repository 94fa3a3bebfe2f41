import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { BY_PLAYER, Cursor, Id, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'

/** Stats: reported values, combined per period in the config's time zone, with integrity rules. */

/** Why a reported value was rejected. */
export type RejectedReason = Static<typeof RejectedReason>
const RejectedReason = Type.Enum([
  'unknown_stat',
  'server_only',
  'invalid_value',
  'above_max_per_submit',
  'below_min',
  'above_max',
  'verification_rejected',
  'verification_unavailable',
])

/** Get your all-time values for all reported stats. */
export const readStats = endpoint('GET /v1/stats', {
  summary: 'Get your all-time values for all reported stats',
  caller: 'player',
  feature: 'stats',
  response: Type.Object({ stats: Type.Record(Type.String(), Type.Number()) }),
})

/** The values of one stat: of all time, and of the current day, week and month. */
export type PeriodValues = Static<typeof PeriodValues>
/** STA-05: days, weeks (from Monday) and months of `resetTimeZone`. */
export const PeriodValues = Type.Object({
  allTime: Type.Number(),
  daily: Type.Number(),
  weekly: Type.Number(),
  monthly: Type.Number(),
})

/** A reported value that was rejected. */
export type Rejected = Static<typeof Rejected>
/** `value` is what was reported, of any type. */
export const Rejected = Type.Object({
  key: Type.String(BY_PLAYER),
  value: Type.Unknown(BY_PLAYER),
  reason: RejectedReason,
})

/** The result of a report. */
export type Submitted = Static<typeof Submitted>
/** A rejected value does not affect the others: accepted ones are stored (STA-08). */
export const Submitted = Type.Object({
  stats: Type.Record(Type.String(), PeriodValues, { description: 'the accepted values only' }),
  rejected: Type.Array(Rejected),
  unlocked: Type.Array(Type.Unknown(), { description: 'empty in this version' }),
})

/** Report values. */
export const submitStats = endpoint('POST /v1/stats', {
  summary: `Report values; at most ${LIMITS.statsPerSubmitMax} stats at once. Rejected values are returned with a reason`,
  caller: 'player',
  feature: 'stats',
  idempotent: 'inHandler',
  body: Type.Object({ stats: Type.Record(Type.String(), Type.Unknown()) }),
  response: Submitted,
  errors: ['too_many_stats'],
})

/** Report values of a player as the developer's server. */
export const submitPlayerStats = endpoint('POST /v1/admin/x/players/:playerId/stats', {
  summary: `Report a player’s values from your server; at most ${LIMITS.statsPerSubmitMax} stats at once. The rules of the config apply, but neither the webhook nor the limit per minute`,
  caller: 'admin',
  role: { development: 'developer', production: 'admin' },
  feature: 'stats',
  params: Type.Object({ playerId: IdParam }),
  body: Type.Object({ stats: Type.Record(Type.String(), Type.Unknown()) }),
  agent: 'write',
  response: Submitted,
  errors: ['too_many_stats', 'player_not_found'],
})

/** Only developers see it. Nothing else happens to the player (STA-16). */
export type Signal = Static<typeof Signal>
/** A rejected value, stored for the developer (STA-16); a long one is truncated and stored as a text. */
export const Signal = Type.Object({
  id: Type.String(),
  at: Timestamp,
  key: Type.String(BY_PLAYER),
  value: Type.Unknown(BY_PLAYER),
  reason: RejectedReason,
})

/** Get the signing secret of the stats verification webhook. */
export const readWebhookSecret = endpoint('GET /v1/admin/integrity/webhook-secret', {
  summary: 'Get the signing secret of the stats verification webhook',
  caller: 'admin',
  role: { development: 'developer', production: 'admin' },
  response: Type.Object({ secret: Type.String({ pattern: '^whsec_' }) }),
})

/** One call of the stats verification webhook. */
export type Delivery = Static<typeof Delivery>
/** `status` and `answer` are null if there was no response. `error` is null if the answer was valid. */
export const Delivery = Type.Object({
  id: Type.String(),
  at: Timestamp,
  kind: Type.Union([Type.Literal('stats.verify'), Type.Literal('test'), Type.Literal('replay')], {
    description: 'replay: an earlier delivery, sent again',
  }),
  url: Type.String(),
  status: Nullable(Type.Integer({ description: 'HTTP status of the response; null if there was none' })),
  durationMs: Type.Integer(),
  outcome: Type.Union([Type.Literal('answered'), Type.Literal('failed')], {
    description: 'failed: onFailure decides',
  }),
  error: Nullable(Type.String({ description: 'why it failed' })),
  answer: Nullable(
    Type.String({
      ...BY_PLAYER,
      description: `the first ${LIMITS.webhookAnswerKeptLength} characters of the answer`,
    }),
  ),
})

const KEPT = LIMITS.webhookDeliveriesMax

/** List the last webhook deliveries, newest first. */
export const listWebhookDeliveries = endpoint('GET /v1/admin/integrity/webhook-deliveries', {
  summary: `List the last ${KEPT} webhook deliveries, newest first`,
  caller: 'admin',
  role: 'developer',
  query: Type.Object({ limit: Limit(50, KEPT) }),
  agent: 'read',
  response: Type.Object({ deliveries: Type.Array(Delivery) }),
})

/** Send an earlier delivery again. */
export const replayWebhookDelivery = endpoint('POST /v1/admin/integrity/webhook-deliveries/:id/replay', {
  summary: 'Resend an earlier delivery to the webhook; the response does not change any stats',
  caller: 'admin',
  role: 'developer',
  params: Type.Object({ id: IdParam }),
  agent: 'write',
  response: Type.Object({ delivery: Delivery }),
  errors: ['delivery_not_found', 'webhook_not_configured'],
})

/** List rejected values. */
export const listSignals = endpoint('GET /v1/admin/integrity/signals', {
  summary: 'List rejected values of all players, newest first',
  caller: 'admin',
  role: ['developer', 'moderator'],
  query: Type.Object({
    reason: Type.Optional(RejectedReason),
    cursor: Type.Optional(Cursor),
    limit: Limit(),
  }),
  agent: 'read',
  response: Type.Object({
    signals: Type.Array(
      Type.Object({
        ...Signal.properties,
        player: Type.Object({ id: Id, displayName: Type.String(BY_PLAYER) }),
      }),
    ),
    nextCursor: Nullable(Type.String()),
  }),
})

/** Send a test delivery to the configured webhook. */
export const testWebhook = endpoint('POST /v1/admin/integrity/webhook-test', {
  summary: 'Send a test delivery to the configured webhook; no player data is stored',
  caller: 'admin',
  role: 'developer',
  agent: 'write',
  response: Type.Object({ delivery: Delivery }),
  errors: ['webhook_not_configured'],
})
