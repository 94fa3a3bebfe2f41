import { LIMITS } from '@svc/contract/common/limits'

import type { Agent } from '../../platform/agent.ts'
import { type Clock, HOUR_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { Approvals, AskedCall } from './approvals.ts'
import type { AgentStore, CallRow } from './store.ts'

type CallDeps = { clock: Clock; counters: SlidingCounters; approvals: Approvals }
type NotedCall = Omit<CallRow, 'tokenId' | 'sequence' | 'environmentId'>
type Noted = { environmentId: string; calls: NotedCall[] }

export type AgentCalls = ReturnType<typeof createAgentCalls>

/** Limits the calls of agents, asks for approvals, and keeps the last calls of each agent. */
export function createAgentCalls(store: AgentStore, { clock, counters, approvals }: CallDeps) {
  /** Written once a second (`write`), not during calls. */
  const noted = new Map<string, Noted>()
  let writing = Promise.resolve()

  const limit = async (agent: Agent, what: string, windowMs: number, max: number) =>
    requireAdmitted(await counters.admit(`agent-${what}:${agent.id}`, windowMs, max))

  return {
    /** Throws `rate_limited`. */
    count: (agent: Agent) => limit(agent, 'calls', MINUTE_MS, LIMITS.agentCallsPerMinuteMax),

    /** Throws `rate_limited`. */
    countWrite: (agent: Agent) => limit(agent, 'writes', HOUR_MS, LIMITS.agentWritesPerHourMax),

    /** Returns who approved the call; undefined if it needs no approval. Throws what `approvals.take` throws, and `rate_limited`. */
    async admitDestructive(agent: Agent, call: AskedCall): Promise<string | undefined> {
      const count = () => limit(agent, 'destructive', HOUR_MS, LIMITS.agentDestructivePerHourMax)
      if (!agent.unattended) return approvals.take(agent, call, count)
      await count()
      return undefined
    },

    /** `outcome` is `ok` or the error code. */
    note(agent: Agent, tool: string, outcome: string) {
      const calls = noted.get(agent.id)?.calls ?? []
      calls.push({ at: timestamp(clock), tool, outcome })
      if (calls.length > LIMITS.agentCallsKept) calls.shift()
      noted.set(agent.id, { environmentId: agent.environment.id, calls })
    },

    /** Everything that was noted before is stored when it ends, also by a write that had begun. */
    write: () => (writing = writing.catch(() => {}).then(writeNoted)),
  }

  async function writeNoted() {
    // Calls that arrive meanwhile are written the next time.
    const due = [...noted]
    for (const [tokenId, { environmentId, calls }] of due) {
      noted.delete(tokenId)
      await store.changeOf(tokenId, async (transaction) => {
        const agents = store.in(transaction)
        let sequence = await agents.lastSequence(tokenId)
        for (const call of calls)
          await agents.insertCall({ tokenId, environmentId, sequence: ++sequence, ...call })
        await agents.dropCallsUpTo(tokenId, sequence - LIMITS.agentCallsKept)
        const last = calls.at(-1)
        if (last) await agents.noteUse(tokenId, last.at)
      })
    }
  }
}
