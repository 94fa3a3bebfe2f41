import type { NewError, SvcError, SvcErrorCode } from '../http/errors.ts'

/** Messages of errors with which a sign-in at a provider ends: its pages report only a code. */
const MESSAGES: Partial<Record<SvcErrorCode, string>> = {
  access_denied: 'The sign-in was cancelled.',
  identity_already_linked: 'This account belongs to another player.',
  invalid_code: 'This sign-in has expired or was already completed.',
  popup_closed: 'The window was closed.',
  popup_unreachable: 'The popup did not respond.',
  provider_error: 'The provider did not complete the sign-in.',
  state_expired: 'The sign-in took too long.',
  x_signin_unavailable: 'Sign-in with X is not available.',
}

/** The error of a sign-in that ended with this code. */
export function signInError(newError: NewError, code: SvcErrorCode): SvcError {
  const message = MESSAGES[code]
  return newError(code, message === undefined ? {} : { message })
}
