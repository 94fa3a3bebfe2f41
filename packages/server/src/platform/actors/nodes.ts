import { ApiError } from '../api-error.ts'
import type { Cluster } from '../ports/cluster.ts'
import { ActorMovedError } from './actor.ts'
import { type NodeMessage, type NodeMessageOf, type Outcome, outcomeOf, valueOf } from './node-messages.ts'

type Request = NodeMessageOf<'ask' | 'query'>
/** Removes `id` from each type of a union; `Omit` alone would keep only the fields that all of them have. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
type Handler<Type extends NodeMessage['type']> = (from: string, message: NodeMessageOf<Type>) => void

/** What `createNodes` returns: messages and requests to the other nodes. */
export type Nodes = ReturnType<typeof createNodes>

/** How long a caller waits for another node; a later answer is ignored. */
const ANSWER_TIMEOUT_MS = 3_000

/** Messages between the nodes of a service: sends them, calls their handlers, and matches answers to requests. */
export function createNodes(cluster: Cluster, report: (error: unknown) => void) {
  // `on` is the only function that adds a handler, so each one accepts the messages of its type.
  const handlers = new Map<string, (from: string, message: never) => void>()
  /** Requests of this node that are not answered yet, by their id. */
  const openRequests = new Map<number, { nodeId: string; answer: PromiseWithResolvers<unknown> }>()
  let lastRequestId = 0

  function on<Type extends NodeMessage['type']>(type: Type, handler: Handler<Type>) {
    handlers.set(type, handler)
  }

  /** Unknown message types come from a newer version and are ignored. */
  function receive(from: string, message: NodeMessage) {
    handlers.get(message.type)?.(from, message as never)
  }

  function settle(requestId: number, outcome: Outcome) {
    const answer = openRequests.get(requestId)?.answer
    if (!answer) return
    try {
      answer.resolve(valueOf(outcome))
    } catch (error) {
      answer.reject(error)
    }
  }

  on('answer', (_, { id, answer }) => settle(id, answer))
  cluster.onMessage((from, text) => receive(from, JSON.parse(text) as NodeMessage))
  cluster.onNodeLost((lostId) => {
    for (const { nodeId, answer } of openRequests.values())
      if (nodeId === lostId) answer.reject(new ActorMovedError())
  })

  return {
    /** Sets the handler of one type of message. */
    on,

    /** Delivers to another node at most once and in order; a message to this node is handled immediately. */
    send(nodeId: string, message: NodeMessage) {
      if (nodeId === cluster.nodeId) receive(nodeId, message)
      else cluster.send(nodeId, JSON.stringify(message))
    },

    /** The ids of all other live nodes. */
    others: () => cluster.nodes().filter((nodeId) => nodeId !== cluster.nodeId),

    /**
     * Asks another node and returns its answer. Throws the `ApiError` that it answers with, `service_unavailable` if it does not
     * answer in time, and `ActorMovedError` if it does not own the actor or is lost before it answers.
     */
    async request(
      nodeId: string,
      request: WithoutId<Request>,
      timeoutMs = ANSWER_TIMEOUT_MS,
    ): Promise<unknown> {
      const id = ++lastRequestId
      const answer = Promise.withResolvers<unknown>()
      const timer = setTimeout(() => answer.reject(new ApiError('service_unavailable')), timeoutMs)
      openRequests.set(id, { nodeId, answer })
      cluster.send(nodeId, JSON.stringify({ id, ...request }))
      try {
        return await answer.promise
      } finally {
        clearTimeout(timer)
        openRequests.delete(id)
      }
    },

    /** Answers a request of another node with the result of `work`, or with the error that it throws. */
    reply(nodeId: string, requestId: number, work: () => unknown) {
      const send = (answer: Outcome) =>
        cluster.send(nodeId, JSON.stringify({ type: 'answer', id: requestId, answer }))
      outcomeOf(work).then(send, (error: unknown) => {
        report(error)
        send({ ok: false, code: 'internal_error', details: undefined })
      })
    },
  }
}
