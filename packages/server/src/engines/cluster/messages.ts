/** Messages to other nodes: those of one tick to one node are sent together, each as `length:message`. */
export function createOutbox(publish: (nodeId: string, batch: string) => Promise<unknown>) {
  const batches = new Map<string, string>()
  const inFlight = new Set<Promise<unknown>>()

  function flush() {
    for (const [nodeId, batch] of batches) {
      const publishing = publish(nodeId, batch).finally(() => inFlight.delete(publishing))
      inFlight.add(publishing)
    }
    batches.clear()
  }

  return {
    send(nodeId: string, message: string) {
      if (batches.size === 0) setImmediate(flush)
      batches.set(nodeId, `${batches.get(nodeId) ?? ''}${message.length}:${message}`)
    },

    async drained() {
      flush()
      await Promise.all(inFlight)
    },
  }
}

export function* messagesOf(batch: string): Iterable<string> {
  for (let at = 0; at < batch.length;) {
    const colon = batch.indexOf(':', at)
    const end = colon + 1 + Number(batch.slice(at, colon))
    // Malformed.
    if (colon < at || !(end > colon)) return
    yield batch.slice(colon + 1, end)
    at = end
  }
}
