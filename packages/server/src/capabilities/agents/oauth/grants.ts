import { hkdfSync } from 'node:crypto'

import { allowsRole, leastRoleOf, type Role } from '@svc/contract/common/roles'
import type { Actor } from '@svc/contract/common/schemas'
import { grantAuthorization } from '@svc/contract/developers/agent-authorizations'

import { type Clock, SECOND_MS, timestamp } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Environment } from '../../../platform/environment.ts'
import { type Random, randomText } from '../../../platform/random.ts'
import type { Agents } from '../agents.ts'
import { newTokenText } from '../token-text.ts'
import type { Clients } from './clients.ts'
import { OAuthError } from './oauth-error.ts'
import type { GrantRow, GrantStore, Transaction } from './store.ts'

type GrantDeps = {
  agents: Pick<Agents, 'issue' | 'issued' | 'revokeIn' | 'announce'>
  clients: Pick<Clients, 'isKnown'>
  clock: Clock
  random: Random
  baseUrl: string
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  /** Undefined if the developer neither owns the project nor is a member of it. */
  findProject(developerId: string, projectId: string): Promise<{ role: Role } | undefined>
}

/** The fields of a request to the token endpoint, as the client has sent them. */
export type Fields = Partial<Record<string, string>>
export type TokenAnswer = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}
/** Either the client gets tokens, or `problem`; `announced` is the hash of a token that no longer works. */
type Outcome = { announced?: string | undefined } & ({ answer: TokenAnswer } | { problem: string })

export type Grants = ReturnType<typeof createGrants>

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const PART_LENGTH = 26
/** The first part finds the grant and stays; the second changes with every use, so that an earlier one is recognized. */
const REFRESH_TOKEN = /^agr_([A-Za-z0-9]{26})([A-Za-z0-9]{26})$/

/** Two windows of a client may use the same token at the same time: both get the same answer. */
const REPEATED_WITHIN_MS = 10 * SECOND_MS

const BY_SERVICE: Actor = { type: 'system', id: 'oauth', label: 'the service' }
const DEAD = 'the grant has ended; ask the developer again'

/** How a client exchanges its code for a token, gets new ones, and gives them back. */
export function createGrants(store: GrantStore, deps: GrantDeps) {
  const { agents, clients, clock, random, baseUrl } = deps

  /** Read-decide-write on a grant. The refusal is thrown after the commit, because it may have ended the grant. */
  async function decide(
    { environmentId, developerId }: GrantRow,
    work: (transaction: Transaction, environment: Environment) => Promise<Outcome>,
  ): Promise<TokenAnswer> {
    const environment = await deps.findEnvironment(environmentId)
    if (!environment) throw new OAuthError('invalid_grant', DEAD)
    const project = await deps.findProject(developerId, environment.projectId)
    const least = leastRoleOf(grantAuthorization.role, environment.name)
    if (!project || (least && !allowsRole(least, project.role)))
      throw new OAuthError('invalid_grant', 'the developer may no longer use agents in this project')

    const outcome = await store.change(environmentId, (transaction) => work(transaction, environment))
    if (outcome.announced !== undefined) await agents.announce(outcome.announced)
    if ('problem' in outcome) throw new OAuthError('invalid_grant', outcome.problem)
    return outcome.answer
  }

  async function end(
    transaction: Transaction,
    environment: Environment,
    { agentId }: GrantRow,
    problem: string,
  ): Promise<Outcome> {
    return {
      problem,
      announced: await agents.revokeIn(transaction, environment, agentId, BY_SERVICE, problem),
    }
  }

  /** New tokens of the grant, in place of the earlier ones: of a code, or of the second part of a refresh token. */
  async function renew(
    transaction: Transaction,
    grant: GrantRow,
    first: string,
    used = randomText(random, PART_LENGTH),
  ): Promise<Outcome> {
    const { id, generation } = grant
    const renewSalt = randomText(random, PART_LENGTH)
    const { token, second } = successors(first, used, renewSalt)
    const issued = await agents.issue(transaction, grant, token)
    if (!issued) return { problem: DEAD }
    await store.in(transaction).renew({
      id,
      refreshHash: sha256(first),
      currentHash: sha256(second),
      generation: generation + 1,
      renewedAt: timestamp(clock),
      renewSalt,
    })
    return { announced: issued.earlierHash, answer: answerWith(issued, first, second) }
  }

  /** The answer to the same token again; undefined if it is not the one before, if its successor was used, or if it is too late. */
  async function repeat(
    transaction: Transaction,
    grant: GrantRow,
    first: string,
    used: string,
  ): Promise<Outcome | undefined> {
    const { renewedAt, renewSalt, currentHash } = grant
    if (renewedAt === null || renewSalt === null) return undefined
    if (clock.now().getTime() >= Date.parse(renewedAt) + REPEATED_WITHIN_MS) return undefined
    const { token, second } = successors(first, used, renewSalt)
    if (sha256(second) !== currentHash) return undefined
    const issued = await agents.issued(transaction, grant, token)
    return issued && { answer: answerWith(issued, first, second) }
  }

  /** Any use of a code uses it up; a wrong one, or a second one, ends the grant: somebody else has the code. */
  async function exchange(fields: Fields): Promise<TokenAnswer> {
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri, client_id: clientId } = fields
    const codeHash = sha256(code)
    const found = await store.findCode(codeHash)
    const grant = found && (await store.find(found.grantId))
    if (!found || !grant || found.expiresAt <= timestamp(clock))
      throw new OAuthError('invalid_grant', 'the code is unknown or has expired')

    return decide(grant, async (transaction, environment) => {
      const isFirst = await store.in(transaction).useCode(codeHash, timestamp(clock))
      const problem = !isFirst
        ? 'the code was used before; the grant has ended'
        : clientId !== grant.clientId
          ? 'the code is for another client_id; the grant has ended'
          : redirectUri !== found.redirectUri
            ? 'redirect_uri is not that of the authorization request; the grant has ended'
            : !VERIFIER.test(verifier) || challengeOf(verifier) !== found.challenge
              ? 'code_verifier does not match; the grant has ended'
              : undefined
      return problem === undefined
        ? renew(transaction, grant, randomText(random, PART_LENGTH))
        : end(transaction, environment, grant, problem)
    })
  }

  async function refresh(fields: Fields): Promise<TokenAnswer> {
    const [, first, second] = REFRESH_TOKEN.exec(fields['refresh_token'] ?? '') ?? []
    const known = first === undefined ? undefined : await store.findByRefreshHash(sha256(first))
    if (first === undefined || second === undefined || !known || known.clientId !== fields['client_id'])
      throw new OAuthError('invalid_grant', 'the refresh_token is unknown, or of another client_id')
    if (known.expiresAt <= timestamp(clock)) throw new OAuthError('invalid_grant', DEAD)

    return decide(known, async (transaction, environment) => {
      const grant = await store.in(transaction).find(known.id)
      if (!grant) return { problem: DEAD }
      if (sha256(second) === grant.currentHash) return renew(transaction, grant, first, second)
      return (
        (await repeat(transaction, grant, first, second)) ??
        end(transaction, environment, grant, 'the refresh_token was used before; the grant has ended')
      )
    })
  }

  return {
    async token(fields: Fields): Promise<TokenAnswer> {
      const { grant_type: type, client_id: clientId, resource } = fields
      if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is required')
      // Optional here: the grant is for this resource already.
      if (resource !== undefined && resource !== `${baseUrl}/mcp`)
        throw new OAuthError('invalid_target', `resource must be ${baseUrl}/mcp`)
      if (type !== 'authorization_code' && type !== 'refresh_token')
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token',
        )
      if (!(await clients.isKnown(clientId))) throw new OAuthError('invalid_client', 'client_id is not known')
      return type === 'authorization_code' ? exchange(fields) : refresh(fields)
    },

    /** Ends the grant of an access or refresh token. Says nothing about unknown tokens (RFC 7009). */
    async revoke({ token = '', client_id: clientId }: Fields): Promise<void> {
      const first = REFRESH_TOKEN.exec(token)?.[1]
      const grant =
        first === undefined
          ? await store.findByTokenHash(sha256(token))
          : await store.findByRefreshHash(sha256(first))
      const environment = grant && (await deps.findEnvironment(grant.environmentId))
      if (!environment || (clientId !== undefined && clientId !== grant.clientId)) return
      const hash = await store.change(environment.id, (transaction) =>
        agents.revokeIn(
          transaction,
          environment,
          grant.agentId,
          BY_SERVICE,
          'the client has ended the grant',
        ),
      )
      if (hash !== undefined) await agents.announce(hash)
    },

    purgeExpired: (stopping?: AbortSignal) => store.purgeExpired(timestamp(clock), stopping),
  }
}

const challengeOf = (verifier: string): string => Buffer.from(sha256(verifier), 'hex').toString('base64url')

const answerWith = (
  { token, accessMs, tools }: { token: string; accessMs: number; tools: readonly string[] },
  first: string,
  second: string,
): TokenAnswer => ({
  access_token: token,
  token_type: 'Bearer',
  expires_in: Math.floor(accessMs / 1_000),
  refresh_token: `agr_${first}${second}`,
  scope: ['read', ...tools].join(' '),
})

/** Nobody can compute them without the refresh token, which is stored nowhere, and without the salt, which no client has. */
function successors(first: string, used: string, salt: string): { token: string; second: string } {
  let drawn = 0
  const random: Random = {
    bytes: (count) => Buffer.from(hkdfSync('sha256', first + used, salt, String(drawn++), count)),
  }
  return { token: newTokenText(random), second: randomText(random, PART_LENGTH) }
}
