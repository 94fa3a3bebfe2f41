import { ApiError } from '../api-error.ts'
import type { Cluster } from '../ports/cluster.ts'
import { ActorMovedError } from './actor.ts'
import { type NodeMessage, type NodeMessageOf, type Outcome, outcomeOf, valueOf } from './node-messages.ts'

type Request = NodeMessageOf<'ask' | 'query'>
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
type Handler<Type extends NodeMessage['type']> = (from: string, message: NodeMessageOf<Type>) => void

/** Messages and requests to the other nodes. */
export type Nodes = ReturnType<typeof createNodes>

/** How long a caller waits for another node; a later answer is ignored. */
const ANSWER_TIMEOUT_MS = 3_000

/** Messages between nodes, and requests with their answers. */
export function createNodes(cluster: Cluster, report: (error: unknown) => void) {
  const handlers = new Map<string, (from: string, message: never) => void>()
  const waiting = new Map<number, { nodeId: string; pending: PromiseWithResolvers<unknown> }>()
  let count = 0

  cluster.onMessage((from, text) => receive(from, JSON.parse(text) as NodeMessage))
  cluster.onNodeLost((nodeId) => {
    for (const { nodeId: receiver, pending } of waiting.values())
      if (receiver === nodeId) pending.reject(new ActorMovedError())
  })
  on('answer', (_, { id, answer }) => settle(id, answer))

  function on<Type extends NodeMessage['type']>(type: Type, handler: Handler<Type>) {
    handlers.set(type, handler)
  }

  /** Unknown message types come from a newer version and are ignored. */
  function receive(from: string, message: NodeMessage) {
    handlers.get(message.type)?.(from, message as never)
  }

  function settle(id: number, outcome: Outcome) {
    const pending = waiting.get(id)?.pending
    if (!pending) return
    try {
      pending.resolve(valueOf(outcome))
    } catch (error) {
      pending.reject(error)
    }
  }

  return {
    id: cluster.nodeId,
    on,

    /** Delivers to another node at most once and in order; a message to this node is handled immediately. */
    send(nodeId: string, message: NodeMessage) {
      if (nodeId === cluster.nodeId) receive(nodeId, message)
      else cluster.send(nodeId, JSON.stringify(message))
    },

    others: () => cluster.nodes().filter((nodeId) => nodeId !== cluster.nodeId),

    /** Throws ActorMovedError if that node does not own the actor, or is lost before it answers. */
    async request(nodeId: string, request: WithoutId<Request>): Promise<unknown> {
      const id = ++count
      const pending = Promise.withResolvers<unknown>()
      const timer = setTimeout(() => pending.reject(new ApiError('service_unavailable')), ANSWER_TIMEOUT_MS)
      waiting.set(id, { nodeId, pending })
      cluster.send(nodeId, JSON.stringify({ id, ...request }))
      try {
        return await pending.promise
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },

    /** Answers a request of another node with the result of `work`. */
    reply(nodeId: string, id: number, work: () => unknown) {
      const answer = (outcome: Outcome) =>
        cluster.send(nodeId, JSON.stringify({ type: 'answer', id, answer: outcome }))
      outcomeOf(work).then(answer, (error: unknown) => {
        report(error)
        answer({ ok: false, code: 'internal_error', details: undefined })
      })
    },
  }
}
