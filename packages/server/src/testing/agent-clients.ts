import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import type { Service, TestEnvironment } from './service.ts'
import type { TestProject } from './suite.ts'

/** A verifier of PKCE and its challenge. */
export const VERIFIER = 'a'.repeat(64)
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

type Fields = Record<string, string>

/** What a client of agents does: OAuth, by hand. */
export function agentClients(service: Pick<Service, 'http'>, baseUrl: () => string) {
  const client = {
    /** The query with which a client opens `/oauth/authorize`; a field that is undefined is left out. */
    query: (
      clientId: string,
      redirectUri: string,
      changed: Record<string, string | undefined> = {},
    ): string =>
      new URLSearchParams(
        Object.entries({
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          code_challenge: CHALLENGE,
          code_challenge_method: 'S256',
          resource: `${baseUrl()}/mcp`,
          state: 'my state',
          ...changed,
        }).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ).toString(),

    async post(path: string, fields: Fields) {
      const response = await service.http.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      })
      return { status: response.statusCode, headers: response.headers, body: response.json() }
    },

    exchange: (clientId: string, redirectUri: string, code: string, changed: Fields = {}) =>
      client.post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: VERIFIER,
        resource: `${baseUrl()}/mcp`,
        ...changed,
      }),

    refresh: (clientId: string, refreshToken: string, changed: Fields = {}) =>
      client.post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
        ...changed,
      }),

    /** The developer consents; returns the code and the URL that the browser is sent to. */
    async consent(
      { developer }: Pick<TestProject, 'developer'>,
      { path }: Pick<TestEnvironment, 'path'>,
      query: string,
      fields: object = {},
    ) {
      const { status, body } = await developer.call('POST', grantsPath({ path }), { query, ...fields })
      assert.equal(status, 201, JSON.stringify(body))
      const url = new URL(body.redirectTo)
      return { agent: body.agent, url, code: url.searchParams.get('code') ?? '' }
    },
  }
  return client
}

/** Where a developer lets clients in. */
export const grantsPath = ({ path }: Pick<TestEnvironment, 'path'>) =>
  `${path.replace('/v1/', '/v1/x/')}/agents/grants`
