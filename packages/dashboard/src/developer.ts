import { signal } from '@preact/signals'
import {
  addressOf as addressAt,
  createDeveloperClient,
  type DeveloperCalls,
  isSvcError,
  type RequestOptions,
  SvcError,
} from '@svc/sdk/developer'

import { forgetToken, token } from './session.ts'

export type { SvcError } from '@svc/sdk/developer'

export type CallName = keyof DeveloperCalls
export type RequestOf<Name extends CallName> = DeveloperCalls[Name]['request']
export type ResponseOf<Name extends CallName> = DeveloperCalls[Name]['response']

const client = createDeveloperClient({
  url: location.origin,
  token: () => token.value ?? undefined,
  // Pages try again automatically, at growing intervals.
  retry: () => undefined,
  fetch: (address, init) => fetch(address, isLeaving ? { ...init, keepalive: true } : init),
})

/** While the tab is closing: requests are sent although the page does not wait for the response. */
let isLeaving = false
addEventListener('pagehide', () => (isLeaving = true), { capture: true })
addEventListener('pageshow', () => (isLeaving = false))

/** False after a call without a response, until the next response. */
export const isReachable = signal(true)

/** Calls the service by the names of the contract; an expired session leads to the sign-in page. */
export async function call<Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  options: RequestOptions = {},
): Promise<ResponseOf<Name>> {
  const usedToken = token.value
  try {
    const response = await client.call(name, request, options)
    isReachable.value = true
    return response
  } catch (error) {
    const refused = asSvcError(error)
    if (refused.code !== 'aborted') isReachable.value = !isUnreachable(refused)
    if (refused.code === 'unauthorized' && usedToken !== null && usedToken === token.value) forgetToken()
    throw refused
  }
}

/** See `followEvents` of the developer client. */
export const followEvents = client.followEvents

/** An error of any kind as one that has a code. */
export const asSvcError = (error: unknown): SvcError =>
  isSvcError(error) ? error : new SvcError('unexpected_answer', { message: String(error), cause: error })

/** The service did not respond. */
export const isUnreachable = (error: SvcError): boolean => error.code === 'network_error'

/** The URL of a call that returns an image. */
export const addressOf = <Name extends CallName>(name: Name, request: RequestOf<Name>): string =>
  addressAt(location.origin, name, request)
