import type { ErrorCode } from '@svc/contract/common/errors'
import type { PlayerSignInError } from '@svc/contract/player-sign-in'
import type { PlayerView } from '@svc/contract/players'
import type { SaveSummary } from '@svc/contract/saves'

/** Codes of errors that the SDK itself reports. */
export type ClientErrorCode =
  | 'network_error'
  | 'unexpected_answer'
  | 'aborted'
  | 'signed_out'
  | 'secret_key_refused'
  | 'invalid_options'
  | 'insecure_context'
  | 'popup_blocked'
  | 'popup_closed'
  | 'popup_unreachable'
  | 'not_available'
  | 'queue_full'
  | 'microphone_denied'
  | 'microphone_not_found'
  | 'microphone_busy'
  | 'invalid_signature'

/** The codes of `SvcError`: those of the service and those of the SDK. */
export type SvcErrorCode = ErrorCode | PlayerSignInError | ClientErrorCode

/** Options for `new SvcError`. */
type Refusal = {
  message?: string
  status?: number
  details?: Record<string, unknown> | undefined
  cause?: unknown
}

/** Every call rejects with this error. Check `code` in your program; the message ends with a hint for the developer. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  /** The error code; use it in your program. */
  readonly code: SvcErrorCode
  /** HTTP status; 0 if there was no HTTP response. */
  readonly status: number
  /** More about the error; it depends on the code. */
  readonly details: Record<string, unknown>
  /** With `version_conflict`: the current save, or null if it was deleted. */
  declare current?: (SaveSummary & { data: unknown }) | null
  /**
   * Set with `identity_already_linked` after `linkWith(…, { orSignIn: true })`, if the current guest has saves or stats. Ask the
   * player, then call this to sign in as the owner of the account, whose name is in `details.displayName`. Works for 10 minutes.
   *
   * @example
   * try {
   *   await svc.auth.linkWith('google', { orSignIn: true })
   * } catch (error) {
   *   if (!isSvcError(error) || !error.signIn) throw error
   *   if (confirm(`Continue as ${error.details['displayName']}?`)) await error.signIn()
   * }
   */
  declare signIn?: () => Promise<PlayerView>
  /** With `@svc/sdk/developer`: the id under which the service logged the request. */
  declare requestId?: string

  /**
   * Creates an error of your own that looks like those of the SDK.
   *
   * @example
   * const error = new SvcError('network_error', { message: 'No level was loaded.' })
   * console.log(error.code) // → network_error
   */
  constructor(code: SvcErrorCode, { message, status = 0, details = {}, cause }: Refusal = {}) {
    super([message ?? MESSAGES[code] ?? code, hintOf(code, details)].filter(Boolean).join(' — '), { cause })
    this.code = code
    this.status = status
    this.details = details
  }

  /** What a developer can do about it. It is also part of the message. */
  get hint(): string | undefined {
    return hintOf(this.code, this.details)
  }
}

/**
 * Creates an `SvcError`. Files that are loaded later get this function, because their copy of the class would be a different class.
 */
export type NewError = (...given: ConstructorParameters<typeof SvcError>) => SvcError
/** Passed to files that are loaded later: its errors are instances of the `SvcError` that the app imports. */
export const newError: NewError = (...given) => new SvcError(...given)

/**
 * Returns whether the error is an `SvcError`, with one of these codes if you pass any. In TypeScript it also narrows the type.
 *
 * @example
 * try {
 *   await svc.saves.put('slot1', { level: 3 }, { ifVersion: 7 })
 * } catch (error) {
 *   if (!isSvcError(error, 'version_conflict')) throw error
 *   console.log(error.current) // → null
 * }
 */
export const isSvcError = (error: unknown, ...codes: SvcErrorCode[]): error is SvcError =>
  error instanceof SvcError && (codes.length === 0 || codes.includes(error.code))

/** Whether a retry in a moment may succeed: the service or its proxy is temporarily unavailable. */
export const isTransient = (error: unknown): error is SvcError =>
  isSvcError(error, 'service_unavailable', 'rate_limited') || (isSvcError(error) && error.status >= 500)

/** Returns the error if it is a ban; its details contain the ban, the reason and the end. */
export const banIn = (error: SvcError): SvcError | undefined =>
  error.code === 'player_banned' ? error : undefined

/** Converts the error object of a response or a frame to an `SvcError`. */
export function refusal(error: unknown, status = 0, retryAfterSeconds?: number): SvcError {
  const { code, message, ...rest } = (error ?? {}) as { code?: SvcErrorCode; message?: string } & Refusal
  const details = { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), ...rest.details }
  if (typeof code === 'string') return new SvcError(code, { message: message ?? code, status, details })
  // A proxy in front of the service responds in its own format.
  if (status === 429) return new SvcError('rate_limited', { status, details })
  return new SvcError('unexpected_answer', { message: `the service responded with ${status}`, status })
}

function hintOf(code: SvcErrorCode, details: Record<string, unknown>): string | undefined {
  const hint = HINTS[code]
  return typeof hint === 'function' ? hint(details) : hint
}

/** Messages of errors that come without a message of the service. `sign-in-errors.ts` has those of sign-ins. */
const MESSAGES: Partial<Record<SvcErrorCode, string>> = {
  network_error: 'The service did not respond.',
  aborted: 'The operation was aborted.',
  signed_out: 'No player is signed in.',
  secret_key_refused: 'connect() was called with a secret key.',
  insecure_context: 'This page is not a secure context.',
  popup_blocked: 'The browser blocked the popup window.',
  not_in_room: 'You are no longer in this room, so nothing was sent.',
  not_in_channel: 'You are no longer in this channel, so nothing was sent.',
  voice_disabled: 'This channel has no voice calls.',
  queue_full: 'The send queue is full.',
  rate_limited: 'Too many calls.',
  replaced: 'The same player has connected in another tab or on another device.',
  player_banned: 'This player is banned.',
}

const HINTS: Partial<Record<SvcErrorCode, string | ((details: Record<string, unknown>) => string)>> = {
  feature_disabled: ({ configPath }) =>
    `Run: svc enable ${typeof configPath === 'string' ? configPath.replace(/^features\.|^auth\.providers\.|\.(enabled|optIn)$/g, '') : '<feature>'}`,
  feature_unavailable: 'The operator has disabled this feature.',
  origin_not_allowed: 'Add the origin of this page to web.allowedOrigins in svc.config.json.',
  redirect_url_not_allowed: 'Add the URL of this page to auth.redirectUrls in svc.config.json.',
  provider_disabled: 'Set auth.providers.<name>.enabled to true in svc.config.json.',
  provider_not_configured:
    'Store credentials for this provider. In development you can use the test provider instead.',
  mode_not_found: 'Define the mode in multiplayer.modes of svc.config.json.',
  invalid_key: 'Check that the key was not revoked and belongs to this service.',
  key_required: 'Pass the environment’s publishable key (pk_…) to connect().',
  publishable_key_required: 'Pass the environment’s publishable key (pk_…) to connect().',
  secret_key_refused:
    'Anyone can read keys in a page. Use the publishable key (pk_…) here and createServerClient on your server.',
  version_conflict: 'error.current is the stored save: merge your data into it and call put again.',
  rate_limited: ({ retryAfterSeconds }) =>
    typeof retryAfterSeconds === 'number'
      ? `Try again in ${retryAfterSeconds} s.`
      : 'Send less often; combine several state changes in one call.',
  network_error: 'Check that the service is running and reachable from here.',
  unexpected_answer: 'Check the service URL, and whether a proxy answered instead.',
  player_required: 'There is no player yet: call svc.auth.guest() or another sign-in of svc.auth first.',
  already_in_room:
    'Leave svc.rooms.current first. After a page reload, svc.rooms.resume() returns to the room.',
  identity_already_linked: ({ code }) =>
    code === undefined
      ? 'Use svc.auth.linkWith(provider, { orSignIn: true }) to sign in as that player instead.'
      : 'The current guest has saves or stats: ask the player, then call error.signIn() to switch.',
  popup_unreachable:
    "The window was closed, or a Cross-Origin-Opener-Policy header blocks it. Use { mode: 'redirect' }, or serve this page with same-origin-allow-popups.",
  popup_blocked: "Call this directly in a click handler, or use { mode: 'redirect' }.",
  insecure_context: 'Browsers provide these APIs only on https and localhost.',
  signed_out: 'Call svc.auth.guest() or another sign-in of svc.auth first.',
  voice_disabled: 'Create it with svc.channels.create({ voice: true, maxMembers: 8 }).',
  turn_unavailable: 'See the TURN settings of the service, or set p2p.relayOnly of the mode to false.',
}
