import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import type { Deletion, DeletionStore, Transaction } from './deletions-store.ts'

type DeletionDeps = {
  clock: Clock
  bus: Pick<Bus, 'publish' | 'subscribe'>
  /** Records the deletion for nodes that do not receive the bus message. Call in the transaction that deletes the player. */
  recordRevoked(transaction: Transaction, environmentId: string, playerId: string): Promise<void>
}

const TOPIC = 'players:deleted'
/** The lifetime of an access token, and a minute for clock differences. */
const CACHE_TTL_MS = 16 * MINUTE_MS
const EVICTION_BATCH_MAX = 500

/**
 * The deleted players whose access tokens may still be valid. Tokens are checked by signature alone, so every request looks here.
 * The list is in memory and updated by the bus, or by the list of revocations if a message was lost.
 */
export function createDeletions(store: DeletionStore, { clock, bus, recordRevoked }: DeletionDeps) {
  /** Player → time of the deletion; the oldest first. */
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
    /** Usually there are none, and building the name costs more than the whole check of a cached token. */
    has: (environmentId: string, playerId: string): boolean =>
      cached.size > 0 && cached.has(nameOf(environmentId, playerId)),

    /** Call in the transaction that deletes the player, and `announce` after it. */
    async note(transaction: Transaction, environmentId: string, playerId: string) {
      await store.insert(transaction, { environmentId, playerId, deletedAt: timestamp(clock) })
      await recordRevoked(transaction, environmentId, playerId)
    },
    announce: (environmentId: string, playerId: string) =>
      bus.publish(TOPIC, nameOf(environmentId, playerId)),

    /** Adds a deletion that this node has found without the bus. */
    remember: (environmentId: string, playerId: string) =>
      remember(nameOf(environmentId, playerId), timestamp(clock)),

    /** Reads all recent deletions when the node starts. */
    async load() {
      for (const { environmentId, playerId, deletedAt } of await store.after(timestamp(clock, -CACHE_TTL_MS)))
        remember(nameOf(environmentId, playerId), deletedAt)
    },

    /** The deletions whose access tokens have all expired. */
    expired(): Promise<Deletion[]> {
      evictOld()
      return store.upTo(timestamp(clock, -CACHE_TTL_MS), EVICTION_BATCH_MAX)
    },
    forget: store.forget,
  }
}

const nameOf = (environmentId: string, playerId: string) => `${environmentId} ${playerId}`
