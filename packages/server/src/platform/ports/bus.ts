/**
 * Messages between the nodes of one service, mostly to invalidate caches.
 *
 * Delivery is best effort: while Redis is unreachable only the publishing node receives a message. So every receiver must also
 * re-read its data from time to time, and drop its caches in `onGap`.
 */
export type Bus = {
  /** Resolves when the handlers of this node have run; those of other nodes run soon after. Never throws. */
  publish(topic: string, message: string): Promise<void>
  /** Returns a function that unsubscribes. A handler that throws does not affect the others. */
  subscribe(topic: string, handler: (message: string) => void): () => void
  /** Runs the handler when delivery works again after messages may have been lost: drop what you cached. */
  onGap(handler: () => void): () => void
  /** Resolves when every subscription made so far is active; throws `service_unavailable` otherwise. */
  ping(): Promise<void>
  /** Ends all subscriptions and the connection. */
  close(): Promise<void>
}

/** What most capabilities need of the bus. */
export type Messages = Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
