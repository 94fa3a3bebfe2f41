import type { ConnectionOptions } from '../redis/connection.ts'
import { createMemoryBus } from './memory.ts'

/**
 * How the nodes of one service tell each other what has changed.
 *
 * When `publish` resolves, the handlers of this node have run; those of other nodes run soon after. It is best effort and never
 * throws: while Redis is away only this node hears the message. So every receiver must also re-read by itself from time to time.
 */
export type Bus = {
  publish(topic: string, message: string): Promise<void>
  /** Returns how to stop. A handler that throws does not disturb the others. */
  subscribe(topic: string, handler: (message: string) => void): () => void
  /** Runs the handler whenever messages may have been lost and from now on arrive again: drop what you remember. */
  onGap(handler: () => void): () => void
  /** Answers when every subscription made so far holds; throws `service_unavailable` when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

export type BusOptions = ConnectionOptions & {
  /** Keeps services that share a Redis apart. */
  prefix?: string
}

/** In memory without an address: one node alone. Refuses with a sentence that names REDIS_URL when no Redis is there. */
export const openBus = async (redisUrl: string | undefined, options: BusOptions = {}): Promise<Bus> =>
  // Drivers that are not used are not loaded: they would cost a third of the start.
  redisUrl === undefined
    ? createMemoryBus(options)
    : (await import('./redis.ts')).openRedisBus(redisUrl, options)
