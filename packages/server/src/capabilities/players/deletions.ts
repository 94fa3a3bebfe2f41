import type { Bus } from '../../platform/bus.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Deletion, DeletionStore, Transaction } from './deletions-store.ts'

export type DeletionDeps = {
  clock: Clock
  bus: Pick<Bus, 'publish' | 'subscribe'>
  /** For nodes that the message on the bus does not reach; in the transaction that deletes the player. */
  recordRevoked(transaction: Transaction, environmentId: string, playerId: string): Promise<void>
}

export type Deletions = ReturnType<typeof createDeletions>

const TOPIC = 'players:deleted'
/** The life of an access token, and a minute for clocks that differ. */
const CACHE_TTL_MS = 16 * MINUTE_MS
const EVICTION_BATCH_MAX = 500

/**
 * Who was deleted while an access token of theirs may still be about. Tokens are checked by signature alone, so every request
 * looks here: in memory, told by the bus, and by the list of revocations should a message be lost.
 */
export function createDeletions(store: DeletionStore, { clock, bus, recordRevoked }: DeletionDeps) {
  /** Who → when; the oldest first. */
  const cached = new Map<string, string>()

  function remember(who: string, deletedAt: string) {
    if (!cached.has(who)) cached.set(who, deletedAt)
  }

  function evictOld() {
    const before = timestamp(clock, -CACHE_TTL_MS)
    for (const [who, deletedAt] of cached) {
      if (deletedAt > before) return
      cached.delete(who)
    }
  }

  bus.subscribe(TOPIC, (who) => remember(who, timestamp(clock)))

  return {
    /** Mostly there are none, and to put the name together costs more than all that a remembered token costs. */
    has: (environmentId: string, playerId: string): boolean =>
      cached.size > 0 && cached.has(nameOf(environmentId, playerId)),

    /** In the transaction that deletes the player; `tell` when it has ended. */
    async note(transaction: Transaction, environmentId: string, playerId: string) {
      await store.insert(transaction, { environmentId, playerId, deletedAt: timestamp(clock) })
      await recordRevoked(transaction, environmentId, playerId)
    },
    sendEvent: (environmentId: string, playerId: string) =>
      bus.publish(TOPIC, nameOf(environmentId, playerId)),

    /** This node has learned of it otherwise than by the bus. */
    remember: (environmentId: string, playerId: string) =>
      remember(nameOf(environmentId, playerId), timestamp(clock)),

    /** All that count, when the node starts. */
    async load() {
      for (const { environmentId, playerId, deletedAt } of await store.after(timestamp(clock, -CACHE_TTL_MS)))
        remember(nameOf(environmentId, playerId), deletedAt)
    },

    /** Those no token speaks for any more. */
    over(): Promise<Deletion[]> {
      evictOld()
      return store.upTo(timestamp(clock, -CACHE_TTL_MS), EVICTION_BATCH_MAX)
    },
    forget: store.forget,
  }
}

const nameOf = (environmentId: string, playerId: string) => `${environmentId} ${playerId}`
