type Handler = (message: string) => void

/** The subscriptions of this node. */
export function createListeners(log: (sentence: string) => void = () => {}) {
  const byTopic = new Map<string, Set<Handler>>()
  const onGap = new Set<() => void>()

  function safely(work: () => void) {
    try {
      work()
    } catch (error) {
      log(`a handler of the bus failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  function add(topic: string, handler: Handler): () => void {
    // Wrapped, so that a function that is added twice is called twice, and each can be removed separately.
    const listener: Handler = (message) => handler(message)
    byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(listener))
    return () => {
      const listeners = byTopic.get(topic)
      listeners?.delete(listener)
      if (listeners?.size === 0) byTopic.delete(topic)
    }
  }

  function addOnGap(handler: () => void): () => void {
    const listener = () => handler()
    onGap.add(listener)
    return () => void onGap.delete(listener)
  }

  return {
    add,
    addOnGap,
    topics: () => [...byTopic.keys()],
    has: (topic: string) => byTopic.has(topic),
    deliver: (topic: string, message: string) =>
      byTopic.get(topic)?.forEach((handler) => safely(() => handler(message))),
    gap: () => onGap.forEach(safely),
  }
}
