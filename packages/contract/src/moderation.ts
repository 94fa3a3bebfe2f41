import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import {
  Actor,
  BY_PLAYER,
  CLEANED,
  Cursor,
  EnvironmentParams,
  Id,
  IdParam,
  Limit,
  Nullable,
  OF_KEYS_ONLY,
  OpaqueToken,
  Timestamp,
} from './common/schemas.ts'

/** Bans, appeals and age groups. Always available; no feature to enable. */

/** An appeal as the player sees it. */
export type AppealView = Static<typeof AppealView>
/** `resolvedAt` is null while it is open. `response` is null until a moderator has written one. */
export const AppealView = Type.Object({
  id: Id,
  status: Type.Union([Type.Literal('open'), Type.Literal('accepted'), Type.Literal('rejected')]),
  message: Type.String(BY_PLAYER),
  response: Nullable(Type.String()),
  createdAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
})

/** One ban, active or ended. Developers get a `SanctionEntry`. */
export type SanctionView = Static<typeof SanctionView>
/** A ban as its player sees it: the public note, never who set it. `endedAt` is null exactly while it is active. */
export const SanctionView = Type.Object({
  id: Id,
  kind: Type.Literal('ban'),
  active: Type.Boolean(),
  note: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
  appeal: Type.Optional(AppealView),
})

/** A ban as developers see it. */
export type SanctionEntry = Static<typeof SanctionEntry>
/** Players never get `by` (DSH-05). */
export const SanctionEntry = Type.Object({
  ...SanctionView.properties,
  by: Nullable(Actor, 'who set it last; null for bans that an earlier version set'),
})

/** A text of only white space is rejected. */
const Message = Type.String({
  ...CLEANED,
  minLength: 1,
  maxLength: 2_000,
  pattern: '\\S',
  patternErrorMessage: 'must contain more than spaces',
})

/** List your bans, newest first. */
export const listOwnSanctions = endpoint('GET /v1/players/me/sanctions', {
  summary: 'List your bans, newest first',
  caller: 'player',
  response: Type.Object({ sanctions: Type.Array(SanctionView) }),
})

/** Appeal a ban. */
export const appealSanction = endpoint('POST /v1/players/me/sanctions/:sanctionId/appeal', {
  summary: 'Appeal a ban; possible once per ban',
  caller: 'player',
  whileBanned: true,
  status: 201,
  params: Type.Object({ sanctionId: IdParam }),
  body: Type.Object({ message: Message }),
  response: Type.Object({ appeal: AppealView }),
  errors: ['sanction_not_found', 'appeal_exists', 'ban_not_active'],
})

/** Appeal a ban with the refresh token that it revoked. */
export const appealWithToken = endpoint('POST /v1/auth/appeal', {
  summary: 'Appeal a ban with the refresh token that it revoked',
  caller: 'public',
  status: 201,
  signIn: true,
  body: Type.Object({ refreshToken: OpaqueToken, sanctionId: Type.Optional(IdParam), message: Message }),
  response: Type.Object({ appeal: AppealView }),
  errors: ['invalid_refresh_token', 'sanction_not_found', 'appeal_exists', 'ban_not_active'],
})

/** The result of a ban or an unban. */
export type BannedPlayer = Static<typeof BannedPlayer>
/** After an unban the reason and the times are null (BAN-10). `banExpiresAt` is also null for a ban without end. */
export const BannedPlayer = Type.Object({
  id: Id,
  banned: Type.Boolean(),
  bannedAt: Nullable(Timestamp),
  banReason: Nullable(Type.String()),
  revokedSessions: Type.Integer(),
  banExpiresAt: Nullable(Timestamp),
})

const OnePlayer = {
  caller: 'admin',
  params: Type.Object({ playerId: IdParam }),
  errors: ['player_not_found'],
} as const

const BanReason = Type.String({ ...CLEANED, maxLength: 500, description: 'shown to the player' })
const BAN_HOURS = { exclusiveMinimum: 0, maximum: 8_784 }

/** Ban a player. */
export const banPlayer = endpoint('POST /v1/admin/players/:playerId/ban', {
  ...OnePlayer,
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  summary: 'Ban a player; immediately ends sessions, closes connections, and rejects sign-ins and writes',
  body: Type.Object({
    reason: Type.Optional(BanReason),
    durationHours: Type.Optional(
      Type.Number({
        ...BAN_HOURS,
        description: 'only with a secret key; if omitted, the ban lasts until you lift it',
        ...OF_KEYS_ONLY,
      }),
    ),
  }),
  agent: { development: 'write', production: 'destructive' },
  response: Type.Object({ player: BannedPlayer }),
})

/** Ban a player for a time, as a developer. With a secret key, `banPlayer` does the same. */
export const banPlayerForTime = endpoint(
  'POST /v1/projects/:projectId/environments/:env/x/players/:playerId/ban',
  {
    caller: 'developer',
    role: { development: ['developer', 'moderator'], production: 'moderator' },
    summary: 'Ban a player for a time; the ban ends by itself',
    params: Type.Object({ ...EnvironmentParams.properties, playerId: IdParam }),
    body: Type.Object({ reason: Type.Optional(BanReason), durationHours: Type.Number(BAN_HOURS) }),
    agent: { development: 'write', production: 'destructive' },
    response: Type.Object({ player: BannedPlayer }),
    errors: ['player_not_found'],
  },
)

/** Unban a player. */
export const unbanPlayer = endpoint('POST /v1/admin/players/:playerId/unban', {
  ...OnePlayer,
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  summary: 'Lift a ban',
  body: Type.Object({}),
  agent: 'write',
  response: Type.Object({ player: BannedPlayer }),
})

/** An appeal as moderators see it, with its player and ban. */
export type AppealEntry = Static<typeof AppealEntry>
/** `sanction` is the ban that is appealed, without who set it. */
export const AppealEntry = Type.Object({
  ...AppealView.properties,
  player: Type.Object({ id: Id, displayName: Type.String(BY_PLAYER) }),
  sanction: Type.Object({
    id: Id,
    active: Type.Boolean(),
    note: Nullable(Type.String()),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
  }),
})

/** List the appeals of the environment, newest first. */
export const listAppeals = endpoint('GET /v1/admin/appeals', {
  summary: 'List the appeals of the environment, newest first',
  caller: 'admin',
  role: ['developer', 'moderator'],
  query: Type.Object({
    status: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('accepted'), Type.Literal('rejected')]),
    ),
    cursor: Type.Optional(Cursor),
    limit: Limit(),
  }),
  agent: 'read',
  response: Type.Object({ appeals: Type.Array(AppealEntry), nextCursor: Nullable(Type.String()) }),
})

/** Resolve an appeal. */
export const resolveAppeal = endpoint('POST /v1/admin/appeals/:appealId/resolve', {
  summary: 'Resolve an appeal; accepting it lifts the ban',
  caller: 'admin',
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  params: Type.Object({ appealId: IdParam }),
  body: Type.Object({
    accept: Type.Boolean(),
    response: Type.Optional(Type.String({ ...CLEANED, maxLength: 2_000 })),
  }),
  agent: 'write',
  response: Type.Object({ appeal: AppealEntry }),
  errors: ['appeal_not_found', 'appeal_already_resolved'],
})

// --- age groups

/** An age group, from the strictest to the least strict. */
export type AgeBand = Static<typeof AgeBand>
/** `child` is under 13, `teen` is under 18. */
export const AgeBand = Type.Union([Type.Literal('child'), Type.Literal('teen'), Type.Literal('adult')])

/** The age group of a player and what it allows. */
export type AgeProfile = Static<typeof AgeProfile>
/** `ageBand` is the one that applies. `declaredAgeBand` is null until it is declared or corrected (AGE-07). */
export const AgeProfile = Type.Object({
  ageBand: AgeBand,
  declaredAgeBand: Nullable(AgeBand),
  capabilities: Type.Object({
    directPeer: Type.Boolean(),
    voice: Type.Boolean(),
    publicXProfile: Type.Boolean(),
    newsOptIn: Type.Boolean(),
  }),
})

/** Get your age group and what it allows. */
export const readAgeProfile = endpoint('GET /v1/social/profile', {
  summary: 'Get your age group and what it allows',
  caller: 'player',
  response: AgeProfile,
})

/** Declare your age group. */
export const declareAge = endpoint('PUT /v1/social/age', {
  summary: 'Declare your age group; afterwards it can only become stricter',
  caller: 'player',
  body: Type.Object({ band: AgeBand }),
  response: AgeProfile,
  errors: ['age_change_not_allowed'],
})

/** An age signal from the operating system. */
export type AgeSignal = Static<typeof AgeSignal>
/** Bounds are in years. A signal that is not clear changes nothing (AGE-06). */
export const AgeSignal = Type.Object({
  platform: Type.Union([Type.Literal('ios'), Type.Literal('android')]),
  status: Type.String({ minLength: 1, maxLength: 64 }),
  lowerBound: Type.Optional(Type.Integer({ minimum: 0, maximum: 150 })),
  upperBound: Type.Optional(Type.Integer({ minimum: 0, maximum: 150 })),
  source: Type.Optional(Type.String({ maxLength: 64 })),
  supervised: Type.Optional(Type.Boolean()),
})

/** Report an age signal from the operating system. */
export const reportAgeSignal = endpoint('POST /v1/players/me/age-signal', {
  summary: 'Report an age signal from the operating system; it can only make the age group stricter',
  caller: 'player',
  body: AgeSignal,
  response: AgeProfile,
})

/** Correct a player’s age group; in either direction. */
export const correctAge = endpoint('PUT /v1/admin/players/:playerId/age', {
  ...OnePlayer,
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  summary: 'Correct a player’s age group; in either direction',
  body: Type.Object({ band: AgeBand }),
  agent: 'write',
  response: AgeProfile,
})
