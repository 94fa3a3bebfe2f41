import { LIMITS } from '@svc/contract/common/limits'

import type { Messages } from '../../platform/ports/bus.ts'
import type { Timers } from '../../platform/time/timers.ts'

/** Topic of the bus: a developer has decided; the message is the id of the approval. */
const TOPIC = 'approvals'

/**
 * Calls that wait for a developer’s decision, of this node. A client that asks its user repeats the call immediately: it would give up
 * before anybody has read what it asks for.
 */
export function createDecisionWaits({ bus, timers }: { bus: Messages; timers: Timers }) {
  const waiting = new Map<() => void, { agentId: string; approvalId: string }>()
  const end = (isEnded: (approvalId: string) => boolean) =>
    waiting.forEach(({ approvalId }, resolve) => isEnded(approvalId) && resolve())
  const endAll = () => end(() => true)
  bus.subscribe(TOPIC, (message) => end((approvalId) => approvalId === message))
  bus.onGap(endAll)

  const isFull = (agentId: string) =>
    waiting.size >= LIMITS.approvalWaitsMax ||
    waiting
      .values()
      .filter((one) => one.agentId === agentId)
      .toArray().length >= LIMITS.approvalWaitsPerAgentMax

  return {
    endAll,
    announce: (approvalId: string) => bus.publish(TOPIC, approvalId),

    /** `isOpen` is read after the wait has begun, so that no decision is missed. */
    async wait(
      agentId: string,
      approvalId: string,
      signal: AbortSignal,
      isOpen: () => Promise<boolean>,
    ): Promise<void> {
      if (isFull(agentId) || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(resolve, { agentId, approvalId })
      const timer = timers.after(LIMITS.approvalWaitMs, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      try {
        if (await isOpen()) await promise
      } finally {
        timer.cancel()
        waiting.delete(resolve)
      }
    },
  }
}
