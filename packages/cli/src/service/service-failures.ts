import { SWITCHES } from '@svc/contract/config/switches'
import { isSvcError, type SvcError, type SvcErrorCode } from '@svc/sdk/developer'

import { Failure } from '../output/failure.ts'
import { unreachable } from './unreachable.ts'

/** Converts errors of the service and of the connection to messages for people; other errors are returned unchanged. */
export function toFailure(url: string, error: unknown): unknown {
  if (!isSvcError(error)) return error
  if (error.code === 'network_error')
    return isUnreadable(error.cause) ? changedFile() : unreachable(url, error.cause)
  if (error.code === 'unexpected_answer') {
    const { location } = error.details
    return typeof location === 'string' ? redirected(url, location) : notOurs(url)
  }
  // The SDK rejected a parameter before it sent anything.
  if (error.code === 'invalid_request' && error.status === 0) return new Failure('usage', `${error.message}.`)
  return refusal(url, error)
}

/** The error that Node throws if a file has changed since it was opened. */
const isUnreadable = (error: unknown) =>
  [error, (error as Error).cause].some((one) => one instanceof Error && one.name === 'NotReadableError')

/** The failure for a file that changed while it was uploaded. */
export const changedFile = (path = 'A file') =>
  new Failure('failed', `${path} changed during the upload. Nothing was activated.`, {
    code: 'file_changed',
    fix: 'Wait for the build to finish, then deploy again.',
  })

/** The failure for a service that answers with a redirect, which is never followed. */
export function redirected(url: string, location: string): Failure {
  const to = URL.canParse(location, url) ? new URL(location, url).origin : location
  return new Failure('unreachable', `${url} redirects to ${to}.`, {
    code: 'redirected',
    fix: 'If that is your service, use that URL: --url or SVC_URL.',
  })
}

const notOurs = (url: string) =>
  new Failure('unreachable', `${url} responded, but it is not an svc service.`, {
    fix: 'Another program may be using this port. Set the URL with --url or SVC_URL.',
  })

function refusal(url: string, { code, status, message, details }: SvcError): Failure {
  const exit = NOT_SIGNED_IN.has(code) ? 'signIn' : status >= 500 ? 'unreachable' : 'refused'
  return new Failure(exit, Array.isArray(details['errors']) ? REFUSED : message, {
    code,
    details: Object.keys(details).length > 0 ? details : undefined,
    fix: FIXES[code]?.(details),
    docUrl: new URL(`/docs/errors#${code}`, url).href,
  })
}

/** Printed after the problems of each field. */
const REFUSED = 'The service rejected the request. Nothing was changed.'

const NOT_SIGNED_IN = new Set<SvcErrorCode>([
  'unauthorized',
  'developer_session_required',
  'invalid_credentials',
  'invalid_key',
  'secret_key_required',
])

const FIXES: Partial<Record<SvcErrorCode, (details: Record<string, unknown>) => string>> = {
  unauthorized: () => 'Run: svc login',
  invalid_credentials: () => 'Try again, or create an account: svc login --sign-up',
  email_taken: () => 'Run the command without --sign-up.',
  sign_up_closed: () => 'With an invitation, run: svc login --email <address> --invitation <token>',
  invalid_key: () =>
    'The key may have been revoked: create a new one with svc keys create. If the service’s data folder is new, run: svc link',
  feature_disabled: ({ configPath }) =>
    `Turn it on: svc enable ${SWITCHES.find((one) => one.configPath === configPath)?.key ?? '<feature>'}`,
  project_not_found: () =>
    'Check that the project belongs to this account and service: svc whoami. If the service’s data folder is new, run: svc link',
  player_not_found: () => 'List players with svc players find, and check the environment (--env).',
  role_required: () => 'See who has which role: svc team',
  owner_stays: () => 'Transfer the project in the dashboard, on the Team page.',
  invitation_for_other_address: () => 'Sign in with that address: svc login',
  member_exists: () => 'See who is a member: svc team',
  appeal_not_found: () => 'List appeals with: svc appeals list',
  key_not_found: () => 'List them with: svc keys list',
  agent_not_found: () => 'List them with: svc agent list',
  too_many_agents: () => 'Revoke one: svc agent revoke <id>',
  too_many_keys: () => 'Revoke one: svc keys revoke <id>',
  deployment_not_found: () => 'List the versions with: svc deploys',
  provider_disabled: () => 'Providers are google, discord, apple and x.',
  prepaid_required: () => 'Add credit: svc money top-up 20',
  functions_disabled: () => 'Deploy your code first: svc functions deploy',
  secret_not_found: () => 'List the names with: svc functions secrets list',
  binding_not_found: () => 'Use the name of a deployed database binding from wrangler.jsonc.',
  room_not_found: () => 'List the open rooms: svc rooms --once',
  room_error: () => 'See the stack: svc functions logs',
  room_failed: () => 'See the error: svc functions logs',
  mode_unavailable: () => 'Export the class from your functions, then run: svc functions deploy',
  name_reserved: () => 'Choose another name with --name.',
}
