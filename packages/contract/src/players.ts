import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import {
  BY_PLAYER,
  Deleted,
  Empty,
  Id,
  IdParam,
  Limit,
  Line,
  Nullable,
  OpaqueToken,
  Timestamp,
} from './common/schemas.ts'
import { Email, Password } from './developers/developers.ts'
import { AgeProfile, SanctionEntry } from './moderation.ts'
import { deleteSave, SaveKey, SaveSummary, writeSave } from './saves.ts'
import { PeriodValues, Signal } from './stats.ts'

/** Players: guests, accounts with an email, their data, and the view of developers. */

/** A display name. */
export const DisplayName = Line(1, LIMITS.displayNameLengthMax)

/** A sign-in method of a player. */
export type PlayerIdentity = Static<typeof PlayerIdentity>
/** A guest has exactly one, with provider `guest` (PLY-02). Other players never see it (PLY-04). */
export const PlayerIdentity = Type.Object({
  provider: Type.String({ description: 'guest, email, google, discord, apple or x' }),
  linkedAt: Timestamp,
  email: Type.Optional(Type.String({ ...BY_PLAYER, description: 'only for the provider `email`' })),
})

/** The profile of the signed-in player. `email` is null without an email sign-in; `avatarUrl` is always null. */
export type PlayerView = Static<typeof PlayerView>
/** A player as the player sees it (PLY-01 … PLY-05). */
export const PlayerView = Type.Object({
  id: Id,
  displayName: Type.String(BY_PLAYER),
  isGuest: Type.Boolean({ description: 'true until a sign-in method is added' }),
  createdAt: Timestamp,
  identities: Type.Array(PlayerIdentity),
  emailVerified: Type.Boolean(),
  email: Nullable(Type.String(BY_PLAYER)),
  avatarUrl: Nullable(Type.String()),
})

/** A new session: the player and its tokens. */
export type SessionView = Static<typeof SessionView>
/** The tokens are returned only here. A refresh returns new ones. */
export const SessionView = Type.Object({
  player: PlayerView,
  accessToken: Type.String({
    description: 'a JWT, valid for 15 minutes; send it as Authorization: Bearer …',
  }),
  expiresIn: Type.Integer({ description: 'seconds' }),
  refreshToken: Type.String({ description: 'valid for 90 days; replaced on every use' }),
})

const NewsOptIn = Type.Optional(
  Type.Boolean({ description: 'whether the box of GET /v1/news/box was checked' }),
)
const RedirectUrl = Type.Optional(
  Type.String({
    maxLength: 2_048,
    description: 'where the link leads, one of auth.redirectUrls; a built-in page if omitted',
  }),
)
const Language = Type.Optional(
  Type.String({
    minLength: 2,
    maxLength: 35,
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
    patternErrorMessage: 'must be a language code like en or pt-BR',
    description: 'language of the email, such as pt-BR',
  }),
)
/** Create a guest player. */
export const signInAsGuest = endpoint('POST /v1/auth/guest', {
  summary: 'Create a guest player',
  caller: 'public',
  guest: true,
  idempotent: true,
  body: Type.Object({ displayName: Type.Optional(DisplayName) }),
  response: SessionView,
})

/** Create a player with email and password. */
export const signUpWithEmail = endpoint('POST /v1/auth/email/signup', {
  summary: 'Create a player with email and password',
  caller: 'public',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({
    email: Email,
    password: Password,
    displayName: Type.Optional(DisplayName),
    newsOptIn: NewsOptIn,
    redirectUrl: RedirectUrl,
    language: Language,
  }),
  response: SessionView,
  errors: ['email_taken', 'redirect_url_not_allowed'],
})

/** Sign in with email and password. */
export const logInWithEmail = endpoint('POST /v1/auth/email/login', {
  summary: 'Sign in with email and password; the response does not reveal whether the email is registered',
  caller: 'public',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({ email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 256 }) }),
  response: SessionView,
  errors: ['invalid_credentials', 'player_banned'],
})

/** Add an email and a password to the current player. */
export const linkEmail = endpoint('POST /v1/auth/link/email', {
  summary: 'Add an email and a password to the current player; a guest keeps all data',
  caller: 'player',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({
    email: Email,
    password: Password,
    newsOptIn: NewsOptIn,
    redirectUrl: RedirectUrl,
    language: Language,
  }),
  response: Type.Object({ player: PlayerView }),
  errors: ['email_taken', 'identity_already_linked', 'redirect_url_not_allowed'],
})

/** Confirm an email address with the token from the link; it works once, for 24 hours. */
export const verifyPlayerEmail = endpoint('POST /v1/auth/email/verify', {
  summary: 'Confirm an email address with the token from the link; it works once, for 24 hours',
  caller: 'public',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({ token: OpaqueToken }),
  response: Type.Object({ verified: Type.Literal(true) }),
  errors: ['invalid_or_expired_token'],
})

/** Send the verification email again, at most once a minute. */
export const resendPlayerVerification = endpoint('POST /v1/auth/email/resend', {
  summary: 'Send the verification email again, at most once a minute; earlier links stop working',
  caller: 'player',
  feature: 'emailLogin',
  body: Type.Object({ redirectUrl: RedirectUrl, language: Language }),
  response: Type.Object({ sent: Type.Boolean({ description: 'false if the email is already verified' }) }),
  errors: ['no_email', 'redirect_url_not_allowed'],
})

/** Send an email with a password reset link. */
export const forgotPlayerPassword = endpoint('POST /v1/auth/password/forgot', {
  summary:
    'Send an email with a password reset link; the response does not reveal whether the account exists',
  caller: 'public',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({
    email: Type.String({ maxLength: 1_024 }),
    redirectUrl: RedirectUrl,
    language: Language,
  }),
  response: Empty,
  errors: ['redirect_url_not_allowed'],
})

/** Set a new password with the token of its link (30 minutes, once). */
export const resetPlayerPassword = endpoint('POST /v1/auth/password/reset', {
  summary:
    'Set a new password with the token from the link; it works once, for 30 minutes. Signs out everywhere, and removes sign-in methods that were added before the email was verified',
  caller: 'public',
  feature: 'emailLogin',
  signIn: true,
  body: Type.Object({ token: OpaqueToken, password: Password, language: Language }),
  response: Empty,
  errors: ['invalid_or_expired_token'],
})

/** Get your profile. */
export const readPlayer = endpoint('GET /v1/players/me', {
  summary: 'Get your profile',
  caller: 'player',
  response: Type.Object({ player: PlayerView }),
})

/** Change your display name. */
export const changePlayer = endpoint('PATCH /v1/players/me', {
  summary: 'Change your display name',
  caller: 'player',
  body: Type.Object({ displayName: DisplayName }),
  response: Type.Object({ player: PlayerView }),
})

/** Export all data stored about you; password hashes are not included. */
export const exportOwnData = endpoint('GET /v1/players/me/export', {
  summary: 'Export all data stored about you; password hashes are not included',
  caller: 'player',
  response: Type.Record(Type.String(), Type.Unknown()),
})

/** Permanently delete your account and all its data. */
export const deleteOwnAccount = endpoint('DELETE /v1/players/me', {
  summary: 'Permanently delete your account and all its data',
  caller: 'player',
  body: Type.Object({
    password: Type.Optional(Type.String({ maxLength: 256 })),
    refreshToken: Type.Optional(OpaqueToken),
  }),
  response: Deleted,
  errors: ['invalid_credentials', 'invalid_refresh_token'],
})

const OnePlayer = {
  caller: 'admin',
  params: Type.Object({ playerId: IdParam }),
  errors: ['player_not_found'],
} as const

/** Export all data stored about a player. */
export const exportPlayer = endpoint('GET /v1/admin/players/:playerId/export', {
  ...OnePlayer,
  role: ['developer', 'moderator'],
  summary: 'Export all data stored about a player',
  agent: 'destructive',
  response: Type.Record(Type.String(), Type.Unknown(), BY_PLAYER),
})

/** Permanently delete a player and all its data. */
export const deletePlayer = endpoint('POST /v1/admin/players/:playerId/delete', {
  ...OnePlayer,
  role: { development: 'developer', production: 'admin' },
  summary: 'Permanently delete a player and all its data',
  agent: 'destructive',
  response: Deleted,
})

/** The same as `exportPlayer`, for clients that use this method (OWN-04). */
export const exportPlayerByPost = endpoint('POST /v1/admin/players/:playerId/export', {
  ...OnePlayer,
  role: ['developer', 'moderator'],
  summary: 'Export all data stored about a player, with POST; the same as GET',
  response: Type.Record(Type.String(), Type.Unknown()),
})
/** The same as POST, for clients that use this method. */
export const deletePlayerByDelete = endpoint('DELETE /v1/admin/players/:playerId/delete', {
  ...OnePlayer,
  role: { development: 'developer', production: 'admin' },
  summary: 'Permanently delete a player and all its data, with DELETE; the same as POST',
  response: Deleted,
})

/** What a player does in the game now, and how far they have come. */
export type PlayerPlay = Static<typeof PlayerPlay>
/** `room` is null outside of rooms, `stat` if the config has none. */
export const PlayerPlay = Type.Object({
  online: Type.Boolean(),
  room: Nullable(Type.Object({ id: Id, mode: Type.String() }), 'where an online player has a seat'),
  stat: Nullable(
    Type.Object({ key: Type.String(), value: Nullable(Type.Number()) }),
    'the first stat in the config with its all-time value; `value` is null before the first report',
  ),
})

/** A player as lists show it. */
export type PlayerSummary = Static<typeof PlayerSummary>
/** For developers and servers. `email` is null without an email sign-in; `play` is only in lists that ask for it. */
export const PlayerSummary = Type.Object({
  id: Id,
  displayName: Type.String(BY_PLAYER),
  isGuest: Type.Boolean(),
  email: Nullable(Type.String(BY_PLAYER)),
  banned: Type.Boolean(),
  createdAt: Timestamp,
  lastSeenAt: Type.Union([Timestamp, Type.Null()], {
    description: 'last sign-in or refresh, accurate to five minutes',
  }),
  play: Type.Optional(PlayerPlay),
})

/** The order of a list of players. */
export type PlayerSort = Static<typeof PlayerSort>
/** A list with `q` is always sorted by name. */
export const PlayerSort = Type.Union(
  [Type.Literal('newest'), Type.Literal('lastSeen'), Type.Literal('name')],
  { description: '`newest` by default; ignored with `q`' },
)

/** List players of the environment, newest first. */
export const searchPlayers = endpoint('GET /v1/admin/players', {
  summary:
    'List players of the environment, newest first; with `q`, the player with that id or email, or all whose name starts with `q`, sorted by name. A page of a filtered list can be short or empty and still have a `nextCursor`. With `sort` lastSeen or name, a player who is seen or renamed between two pages moves; newest returns everyone once',
  caller: 'admin',
  role: ['developer', 'moderator'],
  query: Type.Object({
    q: Type.Optional(Line(0, 254)),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_096, description: '`nextCursor` from the previous page' }),
    ),
    banned: Type.Optional(
      Type.Boolean({ description: 'true: banned players only; false: players who are not banned' }),
    ),
    guest: Type.Optional(Type.Boolean({ description: 'true: guests only; false: players with an account' })),
    online: Type.Optional(
      Type.Boolean({ description: 'true: online players only; false: offline players only' }),
    ),
    sort: Type.Optional(PlayerSort),
    play: Type.Optional(Type.Boolean({ description: 'true: also what each player does in the game' })),
    limit: Limit(),
  }),
  agent: 'read',
  response: Type.Object({
    players: Type.Array(PlayerSummary),
    nextCursor: Nullable(Type.String()),
  }),
})

/** A live session of a player. */
export type PlayerSession = Static<typeof PlayerSession>
/** `lastUsedAt` is null before the first refresh. Its tokens are not shown. */
export const PlayerSession = Type.Object({
  id: Id,
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp, 'the last refresh'),
  expiresAt: Timestamp,
})

/** Sign a player out. */
export const signOutPlayer = endpoint('POST /v1/admin/players/:playerId/sign-out', {
  ...OnePlayer,
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  summary:
    'Sign a player out everywhere; ends all sessions and connections. A guest has no sign-in method and cannot come back',
  agent: 'destructive',
  response: Type.Object({ revokedSessions: Type.Integer() }),
})

const OnePlayerSave = {
  caller: 'admin',
  params: Type.Object({ playerId: IdParam, key: SaveKey }),
} as const

/** Read a save of a player. */
export const readPlayerSave = endpoint('GET /v1/admin/players/:playerId/saves/:key', {
  ...OnePlayerSave,
  role: ['developer', 'moderator'],
  summary: 'Read a player’s save; works even while the feature is off',
  agent: 'read',
  response: Type.Object({ ...SaveSummary.properties, data: Type.Unknown(BY_PLAYER) }),
  errors: ['player_not_found', 'save_not_found'],
})

/** Write a save of a player. */
export const writePlayerSave = endpoint('PUT /v1/admin/players/:playerId/saves/:key', {
  ...OnePlayerSave,
  role: { development: 'developer', production: 'admin' },
  summary:
    'Write a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log',
  body: writeSave.body,
  rawMember: 'data',
  agent: 'destructive',
  response: SaveSummary,
  errors: ['player_not_found', 'version_conflict', 'save_too_large', 'too_many_saves'],
})

/** Delete a save of a player. */
export const deletePlayerSave = endpoint('DELETE /v1/admin/players/:playerId/saves/:key', {
  ...OnePlayerSave,
  role: { development: 'developer', production: 'admin' },
  summary:
    'Delete a player’s save; works even while the feature is off. With `ifVersion`, only if that is the current version. Recorded in the audit log',
  query: deleteSave.query,
  agent: 'destructive',
  response: Deleted,
  errors: ['player_not_found', 'save_not_found', 'version_conflict'],
})

/** Get the stats of a player by period. */
export const readPlayerStats = endpoint('GET /v1/admin/players/:playerId/stats', {
  ...OnePlayer,
  role: ['developer', 'moderator'],
  summary: 'Get a player’s stats by period; works even while the feature is off',
  agent: 'read',
  response: Type.Object({
    stats: Type.Array(
      Type.Object({
        key: Type.String(),
        ...PeriodValues.properties,
        aggregation: Type.String({ description: 'time of the last report' }),
        updatedAt: Timestamp,
      }),
      { description: 'by key; a period without a report is 0' },
    ),
  }),
})

/** Get a player. */
export const readPlayerDetail = endpoint('GET /v1/admin/players/:playerId', {
  ...OnePlayer,
  role: ['developer', 'moderator'],
  summary: 'Get a player; with sign-in methods, age group, bans and stored data',
  agent: 'read',
  response: Type.Object({
    player: Type.Object({
      ...PlayerSummary.properties,
      identities: Type.Array(PlayerIdentity),
      emailVerified: Type.Boolean(),
      age: AgeProfile,
      sanctions: Type.Array(SanctionEntry, { description: 'newest first' }),
      connections: Type.Integer({ description: 'open realtime connections' }),
      sessions: Type.Array(PlayerSession, { description: 'the newest 20 live sessions' }),
      room: Nullable(
        Type.Object({ id: Id, mode: Type.String(), code: Type.String() }),
        'where it has a seat',
      ),
      saves: Type.Array(SaveSummary, { description: 'keys and versions, not the data' }),
      stats: Type.Record(Type.String(), Type.Number()),
      signals: Type.Array(Signal, { description: 'the last 100 rejected values' }),
    }),
  }),
})
