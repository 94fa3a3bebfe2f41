import { PROVIDERS } from '@svc/contract/common/features'
import type { ProviderProblem } from '@svc/contract/developers/provider-credentials'

import { ApiError } from '../../platform/api-error.ts'
import { MINUTE_MS } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { createProviderBinding, type OfferDeps } from './provider-resolver.ts'
import type { ResolvedProvider } from './provider.ts'

export type ProviderTestDeps = Pick<
  OfferDeps,
  'credentials' | 'config' | 'engines' | 'testProvider' | 'sharedXApp'
> & { counters: SlidingCounters; random: Random; baseUrl: string }

export type ProviderTest = ReturnType<typeof createProviderTest>

const TESTS_PER_MINUTE_MAX = 10

/** The error with which a provider rejects an invented code of a client that it accepts. X has another one. */
const CODE_REFUSED = /\((?:invalid_grant|invalid_code|bad_verification_code)\)/
const CODE_REFUSED_BY_X = /\(invalid_request\)/

/** Checks whether players can sign in with a provider, as far as this is possible without a person. */
export function createProviderTest(deps: ProviderTestDeps) {
  const { credentials, config, counters, random, baseUrl } = deps
  const bind = createProviderBinding(deps)

  /** Redeems an invented code: the provider checks the client before the code. */
  async function ask(provider: ResolvedProvider, name: string): Promise<ProviderProblem[]> {
    const state = randomToken(random)
    const request = {
      redirectUri: `${baseUrl}/v1/auth/oauth/${name}/callback`,
      state,
      nonce: randomToken(random),
      verifier: randomToken(random),
    }
    const started = await provider.start({ ...request, selectAccount: false })
    if ('failure' in started) return [problem('provider_unreachable', started.reason)]
    const finished = await provider.finish({ ...request, parameters: { code: randomToken(random), state } })
    if (!('failure' in finished)) return []
    const { reason } = finished
    if (CODE_REFUSED.test(reason) || (name === 'x' && CODE_REFUSED_BY_X.test(reason))) return []
    // An error of the protocol has its code in parentheses; any other error means that the provider did not answer.
    return [problem(/\(\w+\)$/.test(reason) ? 'credentials_refused' : 'provider_unreachable', reason)]
  }

  return async (environment: Environment, name: string) => {
    const provider = PROVIDERS.find((known) => known === name)
    if (!provider) throw new ApiError('provider_disabled')
    requireAdmitted(await counters.admit(`provider-test:${environment.id}`, MINUTE_MS, TESTS_PER_MINUTE_MAX))
    const { config: current } = await config.current(environment.id)
    const problems: ProviderProblem[] = []
    if (!current.auth.providers[provider].enabled)
      problems.push(problem('not_enabled', `auth.providers.${provider}.enabled is false in the config`))

    const stored = await credentials.open(environment.id, provider)
    const bound = stored && bind(environment.id, provider, stored)
    if (bound) problems.push(...(await ask(bound, provider)))
    else problems.push(problem('not_configured', 'no credentials are stored'))
    return { ok: problems.length === 0, problems }
  }
}

const problem = (code: ProviderProblem['code'], message: string): ProviderProblem => ({ code, message })
