import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import { PUBLISHED } from '../common/openapi-schemas.ts'
import { Deleted, Empty, Id, IdParam, Line, Nullable, Timestamp, TRIMMED } from '../common/schemas.ts'

/** Developer accounts: the people who own projects. */

/**
 * No spaces, no control, zero-width or bidirectional characters, and no characters that quote or separate addresses in a mail
 * header.
 */
const NOT_IN_EMAIL = '\\s@\\p{Cc}\\p{Cf}\\p{Co}\\p{Default_Ignorable_Code_Point}<>()\\[\\],;:"\\\\'

/** The pattern of an email address, before it is trimmed. */
export const EMAIL_PATTERN = `^\\s*[^${NOT_IN_EMAIL}]+@(?:[^${NOT_IN_EMAIL}.]+(?:\\.[^${NOT_IN_EMAIL}.]+)+|[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])\\s*$`

/** One @, and a dot in the domain or `localhost` (AUT-05); the rules trim it, convert it to lower case and to NFC. */
export const Email = Type.String({
  ...TRIMMED,
  minLength: 3,
  maxLength: LIMITS.emailLengthMax,
  pattern: EMAIL_PATTERN,
  ...PUBLISHED({ format: 'email' }),
  patternErrorMessage: 'must be an email address like ada@example.com',
  description: 'an email address; leading and trailing spaces are removed',
})

/** A new password. */
export const Password = Type.String({
  minLength: LIMITS.passwordLengthMin,
  maxLength: LIMITS.passwordLengthMax,
})

/** A password that is only compared: any length, so that a new rule for passwords never locks out existing accounts. */
export const SubmittedPassword = Type.String({ minLength: 1, maxLength: LIMITS.passwordLengthMax })

/** A developer account as its owner sees it. */
export type DeveloperView = Static<typeof DeveloperView>
/** `name` is null if the account has none. `hasPassword` is false if only external sign-in works. */
export const DeveloperView = Type.Object({
  id: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  emailVerified: Type.Boolean(),
  hasPassword: Type.Boolean(),
  isOperator: Type.Boolean({ description: 'whether the account may use the operator endpoints' }),
  createdAt: Timestamp,
})

/** A new session: the account and the token for later calls. */
export type DeveloperSession = Static<typeof DeveloperSession>
/** The token is returned only here: the service stores its hash. */
export const DeveloperSession = Type.Object({
  developer: DeveloperView,
  token: Type.String({ pattern: '^kds_', description: 'send it as Authorization: Bearer …' }),
  expiresIn: Type.Integer({ description: 'seconds; restarts with every use' }),
})

/** The token of an invitation or of the set-up link. */
export const Invitation = Type.String({
  maxLength: 128,
  description: 'token of the set-up link or an invitation, where sign-up is closed',
})

/** The account that `svc new` and `svc init` create on a service of the same machine, so that the first project needs no sign-up. */
export const LOCAL_EMAIL = 'developer@localhost'

/** Create a developer account. */
export const signUp = endpoint('POST /v1/developers/signup', {
  summary: 'Create a developer account',
  caller: 'none',
  signIn: true,
  body: Type.Object({
    email: Email,
    password: Password,
    name: Type.Optional(Line(1, 80)),
    inviteCode: Type.Optional(Type.String({ maxLength: 128 })),
    invitation: Type.Optional(Invitation),
  }),
  response: DeveloperSession,
  errors: [
    'sign_up_closed',
    'invalid_or_expired_token',
    'email_taken',
    'invalid_invite_code',
    'invite_code_used',
    'invite_limit_reached',
  ],
})

/** Check a set-up link or an invitation before the form is filled in. */
export const findSignUpLink = endpoint('POST /v1/x/developers/sign-up-links/look-up', {
  summary: 'Check the link with which you want to create an account',
  caller: 'none',
  signIn: true,
  body: Type.Object({ invitation: Invitation }),
  response: Type.Object({
    kind: Type.Union([Type.Literal('setup'), Type.Literal('invite')]),
    email: Nullable(Type.String({ description: 'the only address that it admits; null: any' })),
    expiresAt: Timestamp,
  }),
  errors: ['invalid_or_expired_token'],
})

/** Log in with email and password. */
export const logIn = endpoint('POST /v1/developers/login', {
  summary: 'Sign in with email and password',
  caller: 'none',
  signIn: true,
  body: Type.Object({ email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 256 }) }),
  response: DeveloperSession,
  errors: ['invalid_credentials'],
})

/** End this session immediately. */
export const logOut = endpoint('POST /v1/developers/logout', {
  summary: 'End this session immediately',
  caller: 'developer',
  role: 'account',
  response: Empty,
})

/** Get your account. */
export const readMe = endpoint('GET /v1/developers/me', {
  summary: 'Get your account',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ developer: DeveloperView }),
})

/** Change the name of your account. */
export const renameMe = endpoint('PATCH /v1/developers/me', {
  summary: 'Change your account name; an empty string removes it',
  caller: 'developer',
  role: 'account',
  body: Type.Object({ name: Line(0, 80) }),
  response: Type.Object({ developer: DeveloperView }),
})

/** Delete your account. */
export const deleteMe = endpoint('DELETE /v1/developers/me', {
  summary:
    'Permanently delete your account; requires the password or a reauthToken. Delete its projects first. Prepaid credit is lost, so the request must set forfeitBalance',
  caller: 'developer',
  role: 'account',
  body: Type.Object({
    password: Type.Optional(SubmittedPassword),
    reauthToken: Type.Optional(Type.String({ maxLength: 128 })),
    forfeitBalance: Type.Optional(
      Type.Boolean({ description: 'true: delete the account although it has prepaid credit, which is lost' }),
    ),
  }),
  response: Deleted,
  errors: [
    'reauth_required',
    'invalid_credentials',
    'account_has_projects',
    'account_owes',
    'balance_remaining',
    'last_operator',
  ],
})

/** A session of a developer. */
export type DeveloperSessionView = Static<typeof DeveloperSessionView>
/** Does not contain the token. `expiresAt` moves with use, at most once a day. */
export const DeveloperSessionView = Type.Object({
  id: Id,
  createdAt: Timestamp,
  lastUsedAt: Type.String({ ...Timestamp, description: 'accurate to a day' }),
  expiresAt: Timestamp,
  current: Type.Boolean({ description: 'whether this request uses it' }),
})

/** List your sessions. */
export const listOwnSessions = endpoint('GET /v1/developers/me/sessions', {
  summary: 'List your sessions, newest first',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ sessions: Type.Array(DeveloperSessionView) }),
})

/** End all your other sessions. */
export const endOtherSessions = endpoint('DELETE /v1/developers/me/sessions', {
  summary: 'End all your other sessions immediately',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ ended: Type.Integer({ description: 'number of sessions ended' }) }),
})

/** End one of your sessions. */
export const endOwnSession = endpoint('DELETE /v1/developers/me/sessions/:sessionId', {
  summary: 'End one of your sessions immediately',
  caller: 'developer',
  role: 'account',
  params: Type.Object({ sessionId: IdParam }),
  response: Deleted,
  errors: ['not_found'],
})

/** Confirm an email address with the token from the link; it works once, for 24 hours. */
export const verifyEmail = endpoint('POST /v1/developers/email/verify', {
  summary: 'Confirm an email address with the token from the link; it works once, for 24 hours',
  caller: 'none',
  signIn: true,
  body: Type.Object({ token: Type.String({ maxLength: 128 }) }),
  response: Type.Object({ verified: Type.Literal(true) }),
  errors: ['invalid_or_expired_token'],
})

/** Send the confirmation email again, at most once a minute. */
export const resendVerification = endpoint('POST /v1/developers/email/resend', {
  summary: 'Send the confirmation email again, at most once a minute; earlier links stop working',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ sent: Type.Boolean({ description: 'false if the email is already confirmed' }) }),
})

/** Send an email with a password reset link. */
export const forgotPassword = endpoint('POST /v1/developers/password/forgot', {
  summary:
    'Send an email with a password reset link; the response does not reveal whether the account exists',
  caller: 'none',
  signIn: true,
  body: Type.Object({ email: Type.String({ maxLength: 254 }) }),
  response: Empty,
})

/** Set a new password with the token from the link (valid once, for 30 minutes). */
export const resetPassword = endpoint('POST /v1/developers/password/reset', {
  summary:
    'Set a new password with the token from the link; it works once, for 30 minutes. Ends all sessions',
  caller: 'none',
  signIn: true,
  body: Type.Object({ token: Type.String({ maxLength: 128 }), password: Password }),
  response: Empty,
  errors: ['invalid_or_expired_token'],
})

/** Set or change the password. */
export const changePassword = endpoint('POST /v1/developers/me/password', {
  summary: 'Set or change the password; ends all other sessions',
  caller: 'developer',
  role: 'account',
  body: Type.Object({
    password: Password,
    currentPassword: Type.Optional(SubmittedPassword),
    reauthToken: Type.Optional(Type.String({ maxLength: 128 })),
  }),
  response: Type.Object({ developer: DeveloperView }),
  errors: ['reauth_required', 'invalid_credentials'],
})
