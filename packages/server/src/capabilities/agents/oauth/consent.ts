import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { AgentView } from '@svc/contract/developers/agents'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Developer, Environment } from '../../../platform/environment.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import { plainUrl } from '../../../platform/network/redirect-rules.ts'
import { type Ids, type Random, randomToken } from '../../../platform/random.ts'
import type { Agents } from '../agents.ts'
import type { Client, Clients } from './clients.ts'
import { isRegistered, isThisComputer } from './redirect-uris.ts'
import type { GrantStore } from './store.ts'

type ConsentDeps = {
  clients: Pick<Clients, 'find'>
  agents: Pick<Agents, 'create'>
  clock: Clock
  random: Random
  ids: Ids
  baseUrl: string
  grantableTools(): Awaitable<ReadonlyMap<string, 'reads' | 'changes'>>
}
type Consent = { query: string; tools?: string[]; password?: string; reauthToken?: string }

/** What a client asks for. `problem` is what it is told, if it asks wrongly. */
type Asked = {
  client: Client
  redirectUri: string
  state: string | undefined
  challenge: string
  problem: { error: string; description: string } | undefined
}

export type Consents = ReturnType<typeof createConsents>

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/**
 * What a developer is asked before a client acts for them. The request stays in the URL of the page until then: it is checked twice,
 * and nothing is stored for a developer who closes the page.
 */
export function createConsents(store: GrantStore, deps: ConsentDeps) {
  const { clients, agents, clock, random, ids, baseUrl } = deps

  /** Nobody is redirected to a URI that the client has not registered. */
  async function askedIn(query: string): Promise<Asked> {
    const fields = new URLSearchParams(query)
    const one = (name: string) =>
      fields.getAll(name).length === 1 ? (fields.get(name) ?? undefined) : undefined
    const client = await clients.find(one('client_id') ?? '')
    const redirectUri = one('redirect_uri') ?? ''
    if (!isRegistered(redirectUri, client.redirectUris))
      throw invalid('redirect_uri is not one that the client has registered')

    const challenge = one('code_challenge') ?? ''
    const problem =
      one('response_type') !== 'code'
        ? { error: 'unsupported_response_type', description: 'response_type must be code' }
        : one('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge)
          ? { error: 'invalid_request', description: 'a code_challenge with the method S256 is required' }
          : one('resource') !== `${baseUrl}/mcp`
            ? { error: 'invalid_target', description: `resource must be ${baseUrl}/mcp` }
            : undefined
    return { client, redirectUri, state: one('state'), challenge, problem }
  }

  /** `iss` tells the client who answers, so that no other server can pass its answer on as ours (RFC 9207). */
  function answerTo({ redirectUri, state }: Asked, fields: Record<string, string>): string {
    const query = new URLSearchParams({ ...fields, ...(state !== undefined && { state }), iss: baseUrl })
    return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
  }

  return {
    async find(query: string) {
      const asked = await askedIn(query)
      const { client, redirectUri, problem } = asked
      const url = plainUrl(redirectUri)
      if (!url) throw invalid('redirect_uri is not a URL')
      const { error, description } = problem ?? {
        error: 'access_denied',
        description: 'the developer has refused',
      }
      const tools = [...(await deps.grantableTools())]
      return {
        client: { id: client.id, name: client.name, host: client.host },
        redirect: { host: url.host || url.protocol, isThisComputer: isThisComputer(url) },
        problem: problem?.description ?? null,
        refuseTo: answerTo(asked, { error, error_description: description }),
        tools: tools.flatMap(([name, does]) => (does === 'changes' ? [name] : [])),
      }
    },

    async grant(
      environment: Environment,
      developer: Developer,
      actor: Actor,
      { query, ...input }: Consent,
      from: string,
    ): Promise<{ agent: AgentView; redirectTo: string }> {
      const asked = await askedIn(query)
      if (asked.problem) throw invalid(asked.problem.description)
      const { client, redirectUri, challenge } = asked
      const code = randomToken(random)
      const [grantId, codeExpiresAt] = [ids('agg'), timestamp(clock, LIMITS.agentCodeTtlMs)]
      const insert = async (transaction: Parameters<GrantStore['in']>[0], agentId: string) => {
        const rows = store.in(transaction)
        await rows.insert({
          id: grantId,
          agentId,
          developerId: developer.id,
          environmentId: environment.id,
          clientId: client.id,
          refreshHash: null,
          currentHash: null,
          generation: 0,
          renewedAt: null,
          renewSalt: null,
          createdAt: timestamp(clock),
          expiresAt: timestamp(clock, LIMITS.agentGrantTtlMs),
        })
        await rows.insertCode({
          codeHash: sha256(code),
          grantId,
          environmentId: environment.id,
          challenge,
          redirectUri,
          expiresAt: codeExpiresAt,
          usedAt: null,
        })
      }
      const { agent } = await agents.create(
        environment,
        developer,
        actor,
        { label: client.name, ...input },
        from,
        {
          id: grantId,
          client: client.id,
          expiresAt: codeExpiresAt,
          insert,
        },
      )
      return { agent, redirectTo: answerTo(asked, { code }) }
    },
  }
}

const invalid = (reason: string) => new ApiError('authorization_invalid', { reason })
