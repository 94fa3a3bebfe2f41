import { LIMITS } from '@svc/contract/common/limits'
import { allowedRolesOf, allowsRole, type Role } from '@svc/contract/common/roles'
import type { Actor } from '@svc/contract/common/schemas'
import type { AgentCall, AgentView } from '@svc/contract/developers/agents'

import type { Agent } from '../../platform/agent.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, HOUR_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer, Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { escapeInvisible } from '../../platform/text/invisible.ts'
import { cleanLine } from '../../platform/text/text.ts'
import type { AgentStore, TokenRow, Transaction } from './store.ts'
import { isTokenText, newTokenText } from './token-text.ts'

type Proof = { password?: string; reauthToken?: string }
/** Of a client that a developer lets in: the agent lives until the client has exchanged its code, which `issue` extends. */
export type NewGrant = {
  id: string
  client: string
  expiresAt: string
  insert(transaction: Transaction, agentId: string): Promise<void>
}
type NewAgent = Proof & { label: string; tools?: string[]; expiresInHours?: number; unattended?: boolean }

export type AgentDeps = {
  clock: Clock
  random: Random
  ids: Ids
  audit: Audit<Transaction>
  bus: Messages
  /** The names of the tools that can be granted, and whether they only read. */
  grantableTools(): Awaitable<ReadonlyMap<string, 'reads' | 'changes'>>
  findDeveloper(developerId: string): Promise<Developer | undefined>
  /** Undefined if its project was deleted. */
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  /** Throws `reauth_required` or `invalid_credentials` (DEV-07). */
  requireProof(developerId: string, proof: Proof, from: string): Promise<void>
  /** Records the revocation for nodes that do not receive the bus message. */
  recordRevoked(transaction: Transaction, hash: string): Promise<void>
}

export type Agents = ReturnType<typeof createAgents>

const TOPIC = 'agents'
const CACHED_MS = 1_000
/** Old agents stay for the developer who looks for what they were. */
const KEPT_MS = 30 * DAY_MS

/** Creates, lists and revokes agents, and finds the agent of a token for every call. */
export function createAgents(store: AgentStore, deps: AgentDeps) {
  const { clock, random, ids, audit, bus } = deps
  const cached = createCache({ read: readAgent, ttlMs: CACHED_MS, entriesMax: 1_000 })
  bus.subscribe(TOPIC, cached.drop)
  bus.onGap(cached.clear)

  /** Undefined if the account or the project is gone (AGT-08). */
  async function readAgent(hash: string): Promise<Agent | undefined> {
    const row = await store.findByHash(hash)
    if (!row || row.revokedAt !== null) return undefined
    const [developer, environment] = await Promise.all([
      deps.findDeveloper(row.developerId),
      deps.findEnvironment(row.environmentId),
    ])
    if (!developer || !environment) return undefined
    const { id, label, client, createdAt } = row
    const expiresAt = row.accessExpiresAt ?? row.expiresAt
    const tools = new Set(JSON.parse(row.tools) as string[])
    const unattended = row.unattended === 1 && environment.name === 'development'
    return { id, label, tools, unattended, client, createdAt, expiresAt, developer, environment }
  }

  /** Sorted, each once. */
  async function checkedTools(names: readonly string[]): Promise<{ tools: string[]; changes: boolean }> {
    const grantable = await deps.grantableTools()
    for (const [index, name] of names.entries())
      if (!grantable.has(name))
        throw invalidField(`$.tools[${index}]`, unknownTool(name, [...grantable.keys()]))
    const tools = [...new Set(names)].toSorted()
    return { tools, changes: tools.some((name) => grantable.get(name) === 'changes') }
  }

  /** Returns the hash of its token; undefined if there is no such live agent. */
  async function revokeIn(
    transaction: Transaction,
    environment: Environment,
    agentId: string,
    actor: Actor,
    reason?: string,
  ): Promise<string | undefined> {
    const revoked = await store.in(transaction).revoke(environment.id, agentId, timestamp(clock))
    if (!revoked) return undefined
    await deps.recordRevoked(transaction, revoked.hash)
    const details = { label: revoked.label, ...(reason !== undefined && { reason }) }
    await audit.record(transaction, changeIn(environment, actor, 'agent.revoke', agentId, details))
    return revoked.hash
  }

  /** After the commit: no node accepts the token with this hash any longer. */
  async function announce(hash: string): Promise<void> {
    cached.drop(hash)
    await bus.publish(TOPIC, hash)
  }

  return {
    async create(
      environment: Environment,
      developer: Developer,
      actor: Actor,
      input: NewAgent,
      from: string,
      grant?: NewGrant,
    ): Promise<{ agent: AgentView; token: string }> {
      const { expiresInHours = LIMITS.agentHoursByDefault, unattended = false, password, reauthToken } = input
      const label = cleanLine(input.label)
      if (label === '') throw invalidField('$.label', 'must contain a visible character')
      const { tools, changes } = await checkedTools(input.tools ?? [])
      if (environment.name === 'production' && unattended)
        throw invalidField('$.unattended', 'must not be true in production')
      if (environment.name === 'production' && changes) {
        const proof = {
          ...(password !== undefined && { password }),
          ...(reauthToken !== undefined && { reauthToken }),
        }
        await deps.requireProof(developer.id, proof, from)
      }

      const token = newTokenText(random)
      const row: TokenRow = {
        id: ids('agn'),
        hash: sha256(token),
        developerId: developer.id,
        projectId: environment.projectId,
        environmentId: environment.id,
        label,
        tools: JSON.stringify(tools),
        unattended: unattended ? 1 : 0,
        grantId: grant?.id ?? null,
        client: grant?.client ?? null,
        accessExpiresAt: null,
        createdAt: timestamp(clock),
        expiresAt: grant?.expiresAt ?? timestamp(clock, expiresInHours * HOUR_MS),
        lastUsedAt: null,
        revokedAt: null,
      }
      await store.change(environment.id, async (transaction) => {
        const live = await store.in(transaction).listLive(environment.id, timestamp(clock))
        const limit = LIMITS.agentsPerEnvironmentMax
        if (live.length >= limit) throw new ApiError('too_many_agents', { limit })
        await store.in(transaction).insert(row)
        await grant?.insert(transaction, row.id)
        const details = {
          label,
          tools,
          unattended,
          ...(grant ? { client: grant.client } : { expiresAt: row.expiresAt }),
        }
        await audit.record(transaction, changeIn(environment, actor, 'agent.create', row.id, details))
      })
      return { agent: view(row), token }
    },

    async list(environment: Environment, caller: Developer) {
      const rows = await store.listLive(environment.id, timestamp(clock))
      const developers = [...new Set(rows.map(({ developerId }) => developerId))]
      const emails = new Map(
        await Promise.all(
          developers.map(async (id) => [id, (await deps.findDeveloper(id))?.email ?? null] as const),
        ),
      )
      const developerOf = (id: string) => ({ id, email: emails.get(id) ?? null, isYou: id === caller.id })
      return { agents: rows.map((row) => ({ ...view(row), developer: developerOf(row.developerId) })) }
    },

    async read(environment: Environment, agentId: string): Promise<{ agent: AgentView; calls: AgentCall[] }> {
      const row = await store.findLive(environment.id, agentId, timestamp(clock))
      if (!row) throw new ApiError('agent_not_found')
      return { agent: view(row), calls: await store.calls(row.id) }
    },

    /** Everybody ends the own agents, admins and the owner all (AGT-56). */
    async revoke(
      environment: Environment,
      agentId: string,
      { id: developerId, role }: { id: string; role: Role },
      actor: Actor,
    ): Promise<{ deleted: true }> {
      const hash = await store.change(environment.id, async (transaction) => {
        const found = await store.in(transaction).findLive(environment.id, agentId, timestamp(clock))
        if (found && found.developerId !== developerId && !allowsRole('admin', role))
          throw new ApiError(
            'role_required',
            { role, requiredRole: 'admin', allowedRoles: allowedRolesOf('admin') },
            { message: 'Only an admin or the owner can end agents of others. Ask one of them.' },
          )
        const revoked = await revokeIn(transaction, environment, agentId, actor)
        if (revoked === undefined) throw new ApiError('agent_not_found')
        return revoked
      })
      await announce(hash)
      return { deleted: true }
    },

    /** For grants (oauth/). */
    revokeIn,
    announce,

    /**
     * A new token for the agent of a grant, in place of the earlier one. Returns it with the hash of the earlier one, which is to be
     * announced; undefined if the agent was revoked or has expired.
     */
    async issue(
      transaction: Transaction,
      { environmentId, agentId, expiresAt }: { environmentId: string; agentId: string; expiresAt: string },
      token = newTokenText(random),
    ) {
      const agent = await store.in(transaction).findLive(environmentId, agentId, timestamp(clock))
      if (!agent) return undefined
      const accessMs = Math.min(LIMITS.agentAccessTtlMs, Date.parse(expiresAt) - clock.now().getTime())
      const accessExpiresAt = timestamp(clock, accessMs)
      const replaced = { hash: sha256(token), accessExpiresAt, expiresAt }
      if (!(await store.in(transaction).replaceToken(agentId, replaced))) return undefined
      return { token, accessMs, tools: JSON.parse(agent.tools) as string[], earlierHash: agent.hash }
    },

    /** What `issue` has returned with this token; undefined if it is no longer the agent's. */
    async issued(
      transaction: Transaction,
      { environmentId, agentId }: { environmentId: string; agentId: string },
      token: string,
    ) {
      const agent = await store.in(transaction).findLive(environmentId, agentId, timestamp(clock))
      if (agent?.hash !== sha256(token)) return undefined
      const accessMs = Date.parse(agent.accessExpiresAt ?? agent.expiresAt) - clock.now().getTime()
      return { token, accessMs, tools: JSON.parse(agent.tools) as string[] }
    },

    /**
     * In a transaction of the account or of a membership, of all projects or of one: a developer who changes the password wants to
     * exclude others, who may have created agents. Caches expire within a second.
     */
    async revokeAllOf(transaction: Transaction, developerId: string, projectId?: string): Promise<void> {
      const now = timestamp(clock)
      const rows = store.in(transaction)
      const revoked =
        projectId === undefined
          ? await rows.revokeAllOf(developerId, now)
          : await rows.revokeAllIn(projectId, developerId, now)
      for (const { hash } of revoked) await deps.recordRevoked(transaction, hash)
    },

    async find(token: string): Promise<Agent | undefined> {
      if (!isTokenText(token)) return undefined
      const agent = await cached.get(sha256(token))
      return agent && agent.expiresAt > timestamp(clock) ? agent : undefined
    },

    /** Evicts the agent with this hash of its token from the cache of this node. */
    drop: cached.drop,

    async purgeExpired(stopping?: AbortSignal) {
      await store.dropTokens(timestamp(clock, -KEPT_MS), stopping)
      // They are large, and nobody can read them after their end.
      await store.dropApprovals(timestamp(clock), stopping)
    },
  }
}

/** The list is in the message, where everybody sees it. */
const unknownTool = (name: string, known: readonly string[]): string =>
  `is "${escapeInvisible(name)}", which is not a tool. The tools are ${known.toSorted().join(', ')}`

const view = (row: TokenRow): AgentView => ({
  id: row.id,
  label: row.label,
  tools: JSON.parse(row.tools) as string[],
  unattended: row.unattended === 1,
  client: row.client,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  lastUsedAt: row.lastUsedAt,
})
