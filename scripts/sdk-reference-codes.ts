import type { ErrorCode } from '@svc/contract/common/errors'

import type { SvcErrorCode } from '../packages/sdk/src/http/errors.ts'

/** The codes of `SvcError` that no response of the service has. */
export const SDK_CODES: Record<Exclude<SvcErrorCode, ErrorCode>, string> = {
  network_error: 'The service did not respond. Check that it is running and reachable.',
  unexpected_answer: 'The response is not from svc. Check the URL, and whether a proxy responded instead.',
  aborted: 'Your `signal` or `svc.close()` ended the operation.',
  signed_out: 'No player is signed in.',
  secret_key_refused: 'A secret key was used in a page. Use the publishable key.',
  invalid_options: 'An option is missing or wrong; the message says which.',
  insecure_context: 'The page is not on https or localhost.',
  popup_blocked:
    "The browser blocked the sign-in window. Call it in a click handler, or use `{ mode: 'redirect' }`.",
  popup_closed: 'The player closed the sign-in window.',
  popup_unreachable: 'The sign-in window was closed, or a Cross-Origin-Opener-Policy header blocks it.',
  access_denied: 'The player refused at the sign-in provider.',
  provider_error: 'The sign-in provider did not complete the sign-in.',
  state_expired: 'The sign-in took too long.',
  not_available:
    'This browser or Node version lacks something, such as WebRTC or WebSocket; the message says what.',
  queue_full: 'More than 64 messages were sent while there was no connection.',
  microphone_denied: 'The browser or the player refused access to the microphone.',
  microphone_not_found: 'This device has no microphone.',
  microphone_busy: 'Another program uses the microphone.',
}
