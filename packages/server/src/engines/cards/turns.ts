export type TurnLimits = { waitingMax: number; waitingPerEnvironmentMax: number; turnMax: number }

/** What waits, in turns of environments: the many cards of one app must not delay the few of another. */
export function createTurns<T>({ waitingMax, waitingPerEnvironmentMax, turnMax }: TurnLimits) {
  /** By environment; the first one has its turn. */
  const queues = new Map<string, T[]>()
  let count = 0
  let taken = 0

  return {
    size: () => count,

    /** False if too many wait. */
    add(environmentId: string, item: T): boolean {
      const queue = queues.get(environmentId) ?? []
      if (count >= waitingMax || queue.length >= waitingPerEnvironmentMax) return false
      queue.push(item)
      queues.set(environmentId, queue)
      count++
      return true
    },

    next(): T | undefined {
      const [first] = queues
      if (!first) return undefined
      const [environmentId, queue] = first
      const item = queue.shift()
      count--
      taken++
      if (queue.length > 0 && taken < turnMax) return item
      taken = 0
      queues.delete(environmentId)
      if (queue.length > 0) queues.set(environmentId, queue)
      return item
    },

    takeAll(): T[] {
      const all = [...queues.values()].flat()
      queues.clear()
      count = 0
      taken = 0
      return all
    },
  }
}
