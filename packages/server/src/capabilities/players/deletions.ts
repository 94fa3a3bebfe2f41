import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Deletion, DeletionStore, Transaction } from './deletions-store.ts'

export type Bus = {
  publish(topic: string, message: string): Promise<void>
  subscribe(topic: string, handler: (message: string) => void): unknown
}

export type Deletions = ReturnType<typeof createDeletions>

const TOPIC = 'players:deleted'
/** The life of an access token, and a minute for clocks that differ. */
const REMEMBERED_MS = 16 * MINUTE_MS
/** A deletion is stamped when its transaction begins and seen when it ends. */
const REREAD_MS = MINUTE_MS
const FORGOTTEN_AT_ONCE_MAX = 500

/**
 * Who was deleted while an access token of theirs may still be about. Tokens are checked by signature alone, so every request
 * looks here: in memory, told by the bus, and read again every second should a message be lost.
 */
export function createDeletions(store: DeletionStore, { clock, bus }: { clock: Clock; bus: Bus }) {
  /** Who → when; the oldest first. */
  const remembered = new Map<string, string>()
  let isLoaded = false

  function remember(who: string, deletedAt: string) {
    if (!remembered.has(who)) remembered.set(who, deletedAt)
  }

  function forgetOld() {
    const before = timestamp(clock, -REMEMBERED_MS)
    for (const [who, deletedAt] of remembered) {
      if (deletedAt > before) return
      remembered.delete(who)
    }
  }

  bus.subscribe(TOPIC, (who) => remember(who, timestamp(clock)))

  return {
    /** Mostly there are none, and to put the name together costs more than all that a remembered token costs. */
    has: (environmentId: string, playerId: string): boolean =>
      remembered.size > 0 && remembered.has(nameOf(environmentId, playerId)),

    /** In the transaction that deletes the player; `tell` when it has ended. */
    note: (transaction: Transaction, environmentId: string, playerId: string) =>
      store.insert(transaction, { environmentId, playerId, deletedAt: timestamp(clock) }),
    tell: (environmentId: string, playerId: string) => bus.publish(TOPIC, nameOf(environmentId, playerId)),

    /** All that count at the start, later those of the last minute. */
    async reread() {
      const deleted = await store.after(timestamp(clock, isLoaded ? -REREAD_MS : -REMEMBERED_MS))
      isLoaded = true
      for (const { environmentId, playerId, deletedAt } of deleted) {
        remember(nameOf(environmentId, playerId), deletedAt)
      }
      forgetOld()
    },

    /** Those no token speaks for any more. */
    over: (): Promise<Deletion[]> => store.upTo(timestamp(clock, -REMEMBERED_MS), FORGOTTEN_AT_ONCE_MAX),
    forget: store.forget,
  }
}

const nameOf = (environmentId: string, playerId: string) => `${environmentId} ${playerId}`
