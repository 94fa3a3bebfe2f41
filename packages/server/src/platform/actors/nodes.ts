import { ApiError } from '../api-error.ts'
import { ActorMovedError } from './local-actor.ts'
import { type NodeMessage, type Outcome, valueOf } from './node-messages.ts'

type Question = Extract<NodeMessage, { type: 'ask' | 'survey' }>
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never

/** An owner that answers later than this may have answered somebody else's question by then. */
const ANSWER_WITHIN_MS = 3_000

/** Questions to other nodes, and who waits for their answers. */
export function createNodeRequests(send: (nodeId: string, message: NodeMessage) => void) {
  const waiting = new Map<number, { nodeId: string; pending: PromiseWithResolvers<unknown> }>()
  let count = 0

  return {
    /** Throws Moved where the node no longer owns what was asked for, and when it is lost before it answers. */
    async node(nodeId: string, question: Unnumbered<Question>): Promise<unknown> {
      const id = ++count
      const pending = Promise.withResolvers<unknown>()
      const late = () => pending.reject(new ApiError('service_unavailable'))
      const timer = setTimeout(late, ANSWER_WITHIN_MS)
      waiting.set(id, { nodeId, pending: pending })
      send(nodeId, { id, ...question } as Question)
      try {
        return await pending.promise
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },

    answered(id: number, outcome: Outcome) {
      const pending = waiting.get(id)?.pending
      if (!pending) return
      try {
        pending.resolve(valueOf(outcome))
      } catch (error) {
        pending.reject(error)
      }
    },

    lost(nodeId: string) {
      for (const { nodeId: asked, pending: pending } of waiting.values())
        if (asked === nodeId) pending.reject(new ActorMovedError())
    },
  }
}
