import type { Awaitable } from '../memory/awaitable.ts'
import type { Nodes } from './nodes.ts'

/** Defines questions that every node answers for itself. */
export type Queries = ReturnType<typeof createQueries>

/** Questions to all nodes together, for what no single node knows: how many connections there are, which rooms are open. */
export function createQueries(nodes: Nodes) {
  const answers = new Map<string, (question: never) => unknown>()

  nodes.on('query', (from, { id, query, question }) =>
    nodes.reply(from, id, () => answers.get(query)?.(question as never)),
  )

  return {
    /**
     * Defines how this node answers, and returns a function that asks all nodes. A node that does not answer in time, or does not
     * know the question, is left out. Question and answer are sent as JSON.
     *
     * @example const count = queries.define('connections.count', (environmentId: string) => here.of(environmentId).length)
     */
    define<Question, Answer>(query: string, answer: (question: Question) => Awaitable<Answer>) {
      answers.set(query, answer)
      return async (question: Question): Promise<NonNullable<Answer>[]> => {
        const found = await Promise.allSettled([
          answer(question),
          ...nodes.others().map((nodeId) => nodes.request(nodeId, { type: 'query', query, question })),
        ])
        const answered: NonNullable<Answer>[] = []
        for (const each of found)
          if (each.status === 'fulfilled' && each.value != null)
            answered.push(each.value as NonNullable<Answer>)
        return answered
      }
    },
  }
}
