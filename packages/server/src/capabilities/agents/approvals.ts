import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { ApprovalEntry, ApprovalView } from '@svc/contract/developers/agents'

import type { Agent } from '../../platform/agent.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, HOUR_MS, timestamp } from '../../platform/clock.ts'
import type { Developer, Environment } from '../../platform/environment.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import type { Ids } from '../../platform/random.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { Timers } from '../../platform/time/timers.ts'
import { hashOfArguments, shown, summaryOf } from './arguments.ts'
import { createDecisionWaits } from './decision-waits.ts'
import type { AgentStore, ApprovalRow, Transaction } from './store.ts'
import type { Subject } from './subjects.ts'

type ApprovalDeps = {
  clock: Clock
  timers: Timers
  ids: Ids
  audit: Audit<Transaction>
  bus: Messages
  counters: SlidingCounters
  baseUrl: string
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  /** What the call would change. Throws the refusal of a call that cannot succeed. */
  subjectOf(environment: Environment, call: AskedCall): Promise<Subject>
}

/** A destructive call. `approvalId` is what the agent sent; not needed, because the call itself finds its approval. */
export type AskedCall = { route: string; tool: string; values: unknown; approvalId: string | undefined }
export type Approvals = ReturnType<typeof createApprovals>
type Found = ApprovalRow & { developerId: string; projectId: string; label: string }
/** What the column `arguments` has: what the developer sees. */
type Shown = { values: unknown; about: Pick<ApprovalView, 'sentence' | 'target' | 'facts' | 'changes'> }

/** Answers of the client of an agent, in place of a developer; only in development. */
const BY_FORM = 'form'

/**
 * A destructive call of an agent works once after its developer has approved it. The approval is bound to the agent, the tool, the
 * arguments and the state of what the call changes, and ends after 10 minutes.
 */
export function createApprovals(store: AgentStore, deps: ApprovalDeps) {
  const { clock, ids, audit, counters, baseUrl } = deps
  const waits = createDecisionWaits(deps)

  async function ask(agent: Agent, { tool, values }: AskedCall, subject: Subject, argumentsHash: string) {
    requireAdmitted(
      await counters.admit(`agent-approvals:${agent.id}`, HOUR_MS, LIMITS.agentApprovalsPerHourMax),
    )
    return store.changeOf(agent.id, async (transaction) => {
      const now = timestamp(clock)
      const known = await store.in(transaction).findOfCall({ tokenId: agent.id, argumentsHash, now })
      if (known) return known
      const { sentence, target = null, facts = [], changes = [] } = subject
      const row: ApprovalRow = {
        id: ids('apv'),
        tokenId: agent.id,
        environmentId: agent.environment.id,
        tool,
        argumentsHash,
        arguments: shown({ values, about: { sentence, target, facts, changes } }),
        summary: summaryOf(subject, agent.environment.name),
        status: 'open',
        createdAt: now,
        expiresAt: timestamp(clock, LIMITS.approvalTtlMs),
        decidedBy: null,
      }
      await store.in(transaction).insertApproval(row)
      return row
    })
  }

  async function required(id: string, developer: Developer): Promise<{ found: Found; view: ApprovalView }> {
    const found = await store.findApproval(id, timestamp(clock))
    // Approvals of other developers answer like unknown ones (GEN-23).
    const entry = found?.developerId === developer.id ? await entryOf(found) : undefined
    if (!found || !entry) throw new ApiError('approval_not_found')
    const { values, about } = JSON.parse(found.arguments) as Shown
    return { found, view: { ...entry, ...about, arguments: values } }
  }

  /** Undefined if the project was deleted. */
  async function entryOf(found: Found): Promise<ApprovalEntry | undefined> {
    const environment = await deps.findEnvironment(found.environmentId)
    return (
      environment && {
        id: found.id,
        status: found.status as ApprovalEntry['status'],
        tool: found.tool,
        summary: found.summary,
        agent: { id: found.tokenId, label: found.label },
        projectId: found.projectId,
        environment: environment.name,
        createdAt: found.createdAt,
        expiresAt: found.expiresAt,
        expiresInSeconds: Math.round((Date.parse(found.expiresAt) - clock.now().getTime()) / 1_000),
      }
    )
  }

  return {
    /**
     * Uses up the approval of the same call, and returns who gave it. Throws `approval_required` or `approval_refused`, or the refusal
     * of a call that cannot succeed; then nothing may change.
     */
    async take(agent: Agent, call: AskedCall, beforeUse: () => Promise<void>): Promise<string> {
      const subject = await deps.subjectOf(agent.environment, call)
      const argumentsHash = hashOfArguments(call.tool, [call.values, subject.state ?? null])
      const now = timestamp(clock)
      const found = await store.findOfCall({ tokenId: agent.id, argumentsHash, now })
      if (found?.status === 'refused') throw new ApiError('approval_refused')
      if (found?.status === 'approved') {
        await beforeUse()
        const used = await store.use({ id: found.id, tokenId: agent.id, argumentsHash, now })
        if (used) return used.decidedBy ?? ''
      }
      const { id, summary } =
        found?.status === 'open' ? found : await ask(agent, call, subject, argumentsHash)
      const approvalUrl = `${baseUrl}/dashboard/approvals/${id}`
      throw new ApiError('approval_required', { approvalId: id, approvalUrl, summary })
    },

    /** Resolves when the developer has decided about a call of this agent, or after 25 s; immediately if nothing waits for a decision. */
    waitForDecision: (agent: Agent, approvalId: string, signal: AbortSignal): Promise<void> =>
      waits.wait(agent.id, approvalId, signal, async () => {
        const found = await store.findApproval(approvalId, timestamp(clock))
        return found?.tokenId === agent.id && found.status === 'open'
      }),
    /** When the node stops: the agents ask again. */
    stopWaiting: waits.endAll,

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

    async list(developer: Developer): Promise<{ approvals: ApprovalEntry[] }> {
      const entries = await Promise.all((await store.listOpen(developer.id, timestamp(clock))).map(entryOf))
      return { approvals: entries.filter((one) => one !== undefined) }
    },

    read: async (developer: Developer, approvalId: string) => ({
      approval: (await required(approvalId, developer)).view,
    }),

    async decide(developer: Developer, actor: Actor, approvalId: string, { approve }: { approve: boolean }) {
      const { found, view } = await required(approvalId, developer)
      const status = approve ? 'approved' : 'refused'
      await store.changeOf(found.tokenId, async (transaction) => {
        const now = timestamp(clock)
        if (!(await store.in(transaction).decide(approvalId, status, developer.id, now)))
          throw new ApiError('approval_decided')
        const changed = { projectId: found.projectId, name: view.environment }
        const action = approve ? 'approval.approve' : 'approval.refuse'
        const details = { tool: found.tool, agent: found.tokenId }
        await audit.record(transaction, changeIn(changed, actor, action, approvalId, details))
      })
      await waits.announce(approvalId)
      return { approval: { ...view, status } as ApprovalView }
    },
  }
}
