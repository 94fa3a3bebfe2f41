import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { ApprovalView } from '@svc/contract/developers/agents'

import type { Agent } from '../../platform/agent.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, HOUR_MS, timestamp } from '../../platform/clock.ts'
import type { Developer, Environment } from '../../platform/environment.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Ids } from '../../platform/random.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { hashOfArguments, shownArguments, summaryOf } from './arguments.ts'
import type { AgentStore, ApprovalRow, Transaction } from './store.ts'

type ApprovalDeps = {
  clock: Clock
  ids: Ids
  audit: Audit<Transaction>
  counters: SlidingCounters
  baseUrl: string
  findEnvironment(environmentId: string): Promise<Environment | undefined>
}

/** A destructive call. `approvalId` is what the agent sent. */
export type AskedCall = { tool: string; values: unknown; approvalId: string | undefined }
export type Approvals = ReturnType<typeof createApprovals>
type Found = ApprovalRow & { developerId: string; projectId: string; label: string }

/** Answers of the client of an agent, in place of a developer; only in development. */
const BY_FORM = 'form'

/**
 * A destructive call of an agent works once after its developer has approved it. The approval is bound to the agent, the tool and the
 * arguments, and ends after 10 minutes.
 */
export function createApprovals(store: AgentStore, deps: ApprovalDeps) {
  const { clock, ids, audit, counters, baseUrl } = deps

  /** Returns the approval that waits for the same call, or asks for a new one. */
  async function ask(agent: Agent, tool: string, values: unknown, argumentsHash: string) {
    const now = timestamp(clock)
    const sought = { tokenId: agent.id, argumentsHash, now }
    const known = await store.findWaiting(sought)
    if (known) return known
    requireAdmitted(
      await counters.admit(`agent-approvals:${agent.id}`, HOUR_MS, LIMITS.agentApprovalsPerHourMax),
    )
    return store.changeOf(agent.id, async (transaction) => {
      const waiting = await store.in(transaction).findWaiting(sought)
      if (waiting) return waiting
      const row: ApprovalRow = {
        id: ids('apv'),
        tokenId: agent.id,
        environmentId: agent.environment.id,
        tool,
        argumentsHash,
        arguments: shownArguments(values),
        summary: summaryOf(tool, agent.environment.name, values),
        status: 'open',
        createdAt: now,
        expiresAt: timestamp(clock, LIMITS.approvalTtlMs),
        decidedBy: null,
      }
      await store.in(transaction).insertApproval(row)
      return row
    })
  }

  async function required(id: string, developer: Developer): Promise<{ found: Found; shown: ApprovalView }> {
    const found = await store.findApproval(id, timestamp(clock))
    // Approvals of other developers answer like unknown ones (GEN-23).
    const shown = found?.developerId === developer.id ? await view(found) : undefined
    if (!found || !shown) throw new ApiError('approval_not_found')
    return { found, shown }
  }

  /** Undefined if the project was deleted. */
  async function view(found: Found): Promise<ApprovalView | undefined> {
    const environment = await deps.findEnvironment(found.environmentId)
    return (
      environment && {
        id: found.id,
        status: found.status as ApprovalView['status'],
        tool: found.tool,
        summary: found.summary,
        arguments: JSON.parse(found.arguments) as unknown,
        agent: { id: found.tokenId, label: found.label },
        projectId: found.projectId,
        environment: environment.name,
        createdAt: found.createdAt,
        expiresAt: found.expiresAt,
      }
    )
  }

  return {
    /** Uses up the approval, and returns who gave it. Throws `approval_required` or `approval_refused`; then nothing may change. */
    async take(
      agent: Agent,
      { tool, values, approvalId }: AskedCall,
      beforeUse: () => Promise<void>,
    ): Promise<string> {
      const argumentsHash = hashOfArguments(tool, values)
      if (approvalId !== undefined) {
        const now = timestamp(clock)
        const found = await store.findApproval(approvalId, now)
        const isOfCall = found?.tokenId === agent.id && found.argumentsHash === argumentsHash
        if (isOfCall && found.status === 'refused') throw new ApiError('approval_refused')
        if (isOfCall && found.status === 'approved') {
          await beforeUse()
          const used = await store.use({ id: approvalId, tokenId: agent.id, argumentsHash, now })
          if (used) return used.decidedBy ?? ''
        }
      }
      const { id, summary } = await ask(agent, tool, values, argumentsHash)
      const approvalUrl = `${baseUrl}/dashboard/approvals/${id}`
      throw new ApiError('approval_required', { approvalId: id, approvalUrl, summary })
    },

    /** The user of the agent's client has answered a form: enough in development, for 5 minutes. */
    async approveByForm(agent: Agent, approvalId: string): Promise<void> {
      const now = timestamp(clock)
      const found = await store.findApproval(approvalId, now)
      if (agent.environment.name !== 'development' || found?.tokenId !== agent.id) return
      if (found.createdAt <= timestamp(clock, -LIMITS.approvalFormTtlMs)) return
      await store.decide(approvalId, 'approved', BY_FORM, now)
    },

    /** Differs after an agent has asked for another one. */
    newestMark: ({ id }: Environment) => store.newestApproval(id),

    async list(developer: Developer): Promise<{ approvals: ApprovalView[] }> {
      const shown = await Promise.all((await store.listOpen(developer.id, timestamp(clock))).map(view))
      return { approvals: shown.filter((one) => one !== undefined) }
    },

    read: async (developer: Developer, approvalId: string) => ({
      approval: (await required(approvalId, developer)).shown,
    }),

    async decide(developer: Developer, actor: Actor, approvalId: string, { approve }: { approve: boolean }) {
      const { found, shown } = await required(approvalId, developer)
      const status = approve ? 'approved' : 'refused'
      await store.changeOf(found.tokenId, async (transaction) => {
        const now = timestamp(clock)
        if (!(await store.in(transaction).decide(approvalId, status, developer.id, now)))
          throw new ApiError('approval_decided')
        const changed = { projectId: found.projectId, name: shown.environment }
        const action = approve ? 'approval.approve' : 'approval.refuse'
        const details = { tool: found.tool, agent: found.tokenId }
        await audit.record(transaction, changeIn(changed, actor, action, approvalId, details))
      })
      return { approval: { ...shown, status } as ApprovalView }
    },
  }
}
