import { LIMITS } from '@svc/contract/common/limits'
import * as contract from '@svc/contract/developers/agent-authorizations'

import type { Form, Page } from '../../../edge/http/pages.ts'
import type { Route } from '../../../edge/http/routes.ts'
import { MINUTE_MS } from '../../../platform/clock.ts'
import type { PageResponse } from '../../../platform/http/responses.ts'
import { limitedAddress } from '../../../platform/network/networks.ts'
import type { Consents } from './consent.ts'
import type { Grants } from './grants.ts'
import { RESOURCE_METADATA_PATH, resourceMetadata, SERVER_METADATA_PATH, serverMetadata } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'

type OAuthRouteDeps = {
  consents: Consents
  grants: Grants
  counters: { hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }> }
  /** Infinity if rate limits are off. */
  requestsPerMinuteMax: number
  baseUrl: string
}
type Binders = { route: Route; page: Page; form: Form }

/**
 * OAuth for clients of `/mcp`. The page on which a developer decides belongs to the dashboard, because the session of a developer is
 * known only there: no cookie exists that another site could use.
 */
export function oauthRoutes({ route, page, form }: Binders, deps: OAuthRouteDeps) {
  const { consents, grants, counters, requestsPerMinuteMax, baseUrl } = deps

  page(RESOURCE_METADATA_PATH, async () => json(resourceMetadata(baseUrl)))
  page(SERVER_METADATA_PATH, async () => json(serverMetadata(baseUrl)))

  // Nothing is checked here: what a client sends is only looked at for a developer who is signed in.
  page('/oauth/authorize', async ({ query }) => ({
    status: 302,
    headers: { Location: `/dashboard/authorize?${new URLSearchParams(query)}`, 'Cache-Control': 'no-store' },
    body: '',
  }))
  route(contract.findAuthorization, ({ body }) => consents.find(body.query))
  route(contract.grantAuthorization, ({ environment, developer, actor, body, client }) =>
    consents.grant(environment, developer, actor, body, client.address),
  )

  // A client may run in a page; the code or the token that it sends proves who it is.
  const limited = (path: string, answer: (fields: Record<string, string>) => Promise<PageResponse>) =>
    form(
      path,
      async ({ address, form: fields }) => {
        const { count, resetsInMs } = await counters.hit(`agent-tokens:${limitedAddress(address)}`, MINUTE_MS)
        if (count > requestsPerMinuteMax) return tooMany(resetsInMs)
        try {
          return await answer(fields)
        } catch (error) {
          if (!(error instanceof OAuthError)) throw error
          return json({ error: error.code, error_description: error.message }, 400)
        }
      },
      { anyOrigin: true },
    )
  limited('/oauth/token', async (fields) => json(await grants.token(fields)))
  limited('/oauth/revoke', async (fields) => {
    await grants.revoke(fields)
    return json({})
  })
}

const json = (value: object, status = 200, headers: Record<string, string> = {}): PageResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  headers: { 'Cache-Control': 'no-store', ...headers },
  body: JSON.stringify(value),
})

const tooMany = (resetsInMs: number) =>
  json(
    {
      error: 'temporarily_unavailable',
      error_description: `at most ${LIMITS.agentTokenRequestsPerMinuteMax} requests a minute; try again later`,
    },
    429,
    { 'Retry-After': String(Math.max(1, Math.ceil(resetsInMs / 1_000))) },
  )
