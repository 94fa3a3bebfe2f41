import type { SignInIntent } from '@svc/contract/developers/sign-in'
import { SvcError } from '@svc/sdk/developer'

import { call, type ResponseOf } from './developer.ts'
import { newVerifier } from './platform.ts'

/** The sign-in that was started, until the provider redirects the browser back. */
const STORED = 'svc.external'

const TITLES: Record<string, string> = { google: 'Google', github: 'GitHub' }

/** The name of a provider as people know it. */
export const providerTitle = (provider: string): string => TITLES[provider] ?? provider

const ERRORS: Record<string, string> = {
  access_denied: 'Sign-in canceled.',
  provider_error: 'The provider did not complete the sign-in.',
  state_expired: 'The sign-in took too long.',
  email_required: 'The provider did not share an email address.',
}

/** Leaves the page; the provider redirects the browser back to the current URL. */
export async function startExternalSignIn(provider: string, intent: SignInIntent) {
  const { verifier, challenge } = await newVerifier()
  const redirectUrl = location.origin + location.pathname + location.search
  const { url } = await call('startSignIn', {
    params: { provider },
    body: { redirectUrl, challenge, intent },
  })
  sessionStorage.setItem(STORED, verifier)
  location.assign(url)
}

/** Reads the code that the provider has added to the URL; undefined if there is none. */
export async function exchangeReturnedCode(
  invitation: string | null = null,
): Promise<ResponseOf<'exchangeCode'> | undefined> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [code, problem, verifier] = [
    fragment.get('svc_code'),
    fragment.get('svc_error'),
    sessionStorage.getItem(STORED),
  ]
  if (code === null && problem === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  sessionStorage.removeItem(STORED)
  if (problem !== null)
    throw new SvcError('provider_error', { message: ERRORS[problem] ?? 'The sign-in failed.' })
  if (code === null || verifier === null)
    throw new SvcError('invalid_code', { message: 'This sign-in was started in another tab. Start again.' })
  return call('exchangeCode', { body: { code, verifier, ...(invitation !== null && { invitation }) } })
}

/** The token of a new session, if a provider has redirected the browser here. */
export async function finishExternalSignIn(invitation: string | null): Promise<string | undefined> {
  const exchanged = await exchangeReturnedCode(invitation)
  return exchanged && 'token' in exchanged ? exchanged.token : undefined
}
