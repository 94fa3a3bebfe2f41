import { LIMITS } from '@svc/contract/common/limits'
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
import { cleanLine } from '../../platform/text/text.ts'
import type { AgentStore, TokenRow, Transaction } from './store.ts'
import { isTokenText, newTokenText } from './token-text.ts'

type Proof = { password?: string; reauthToken?: string }
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
    const { id, label, client, createdAt, expiresAt } = row
    const tools = new Set(JSON.parse(row.tools) as string[])
    const unattended = row.unattended === 1 && environment.name === 'development'
    return { id, label, tools, unattended, client, createdAt, expiresAt, developer, environment }
  }

  /** Sorted, each once. */
  async function checkedTools(names: readonly string[]): Promise<{ tools: string[]; changes: boolean }> {
    const grantable = await deps.grantableTools()
    for (const [index, name] of names.entries())
      if (!grantable.has(name)) throw invalidField(`$.tools[${index}]`, 'must be the name of a tool')
    const tools = [...new Set(names)].toSorted()
    return { tools, changes: tools.some((name) => grantable.get(name) === 'changes') }
  }

  return {
    async create(
      environment: Environment,
      developer: Developer,
      actor: Actor,
      input: NewAgent,
      from: string,
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
        grantId: null,
        client: null,
        createdAt: timestamp(clock),
        expiresAt: timestamp(clock, expiresInHours * HOUR_MS),
        lastUsedAt: null,
        revokedAt: null,
      }
      await store.change(environment.id, async (transaction) => {
        const live = await store.in(transaction).listLive(environment.id, timestamp(clock))
        const limit = LIMITS.agentsPerEnvironmentMax
        if (live.length >= limit) throw new ApiError('too_many_agents', { limit })
        await store.in(transaction).insert(row)
        const details = { label, tools, unattended, expiresAt: row.expiresAt }
        await audit.record(transaction, changeIn(environment, actor, 'agent.create', row.id, details))
      })
      return { agent: view(row), token }
    },

    list: async (environment: Environment, developer: Developer) => ({
      agents: (await store.listLive(environment.id, timestamp(clock))).map((row) => ({
        ...view(row),
        developer: { id: row.developerId, isYou: row.developerId === developer.id },
      })),
    }),

    async read(environment: Environment, agentId: string): Promise<{ agent: AgentView; calls: AgentCall[] }> {
      const row = await store.findLive(environment.id, agentId, timestamp(clock))
      if (!row) throw new ApiError('agent_not_found')
      return { agent: view(row), calls: await store.calls(row.id) }
    },

    async revoke(environment: Environment, agentId: string, actor: Actor): Promise<{ deleted: true }> {
      const hash = await store.change(environment.id, async (transaction) => {
        const revoked = await store.in(transaction).revoke(environment.id, agentId, timestamp(clock))
        if (!revoked) throw new ApiError('agent_not_found')
        await deps.recordRevoked(transaction, revoked.hash)
        const { label } = revoked
        await audit.record(transaction, changeIn(environment, actor, 'agent.revoke', agentId, { label }))
        return revoked.hash
      })
      cached.drop(hash)
      await bus.publish(TOPIC, hash)
      return { deleted: true }
    },

    /**
     * In a transaction of the account: a developer who changes the password wants to exclude others, who may have created agents. Caches
     * expire within a second.
     */
    async revokeAllOf(transaction: Transaction, developerId: string): Promise<void> {
      for (const { hash } of await store.in(transaction).revokeAllOf(developerId, timestamp(clock)))
        await deps.recordRevoked(transaction, hash)
    },

    async find(token: string): Promise<Agent | undefined> {
      if (!isTokenText(token)) return undefined
      const agent = await cached.get(sha256(token))
      return agent && agent.expiresAt > timestamp(clock) ? agent : undefined
    },

    /** Evicts the agent with this hash of its token from the cache of this node. */
    drop: cached.drop,

    async purgeExpired() {
      await store.dropTokens(timestamp(clock, -KEPT_MS))
      await store.dropApprovals(timestamp(clock, -KEPT_MS))
      await store.dropCallsWithoutToken()
    },
  }
}

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
