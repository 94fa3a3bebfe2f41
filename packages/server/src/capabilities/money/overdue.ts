import type { LedgerStore } from './ledger-store.ts'

/** Called on every node when a developer becomes overdue (`true`) or has paid (`false`); may be called late, and again. */
type OnSuspension = (developerId: string, isOverdue: boolean) => void

type OverdueDeps = { isCharged: boolean; isOverdue(developerId: string): Promise<boolean> }

/**
 * Which developers owe money, known on this node. A bus message or the list of revocations contains a developer whose state may
 * have changed; a check of all developers once per minute finds lost changes. The database decides.
 */
export function createOverdue(store: Pick<LedgerStore, 'overdue'>, { isCharged, isOverdue }: OverdueDeps) {
  const overdue = new Set<string>()
  const handlers: OnSuspension[] = []

  function apply(developerId: string, isNow: boolean) {
    if (isNow === overdue.has(developerId)) return
    if (isNow) overdue.add(developerId)
    else overdue.delete(developerId)
    for (const handler of handlers) handler(developerId, isNow)
  }

  return {
    onSuspension: (handler: OnSuspension) => void handlers.push(handler),

    /** Whether the developer owes money, according to the database. Always false if the service charges nothing. */
    isOverdue: async (developerId: string): Promise<boolean> => isCharged && isOverdue(developerId),

    async check(developerId: string): Promise<void> {
      if (isCharged) apply(developerId, await isOverdue(developerId))
    },

    async checkAll(): Promise<void> {
      if (!isCharged) return
      const before = [...overdue]
      const now = new Set(await store.overdue())
      for (const developerId of now) apply(developerId, true)
      for (const developerId of before) if (!now.has(developerId)) apply(developerId, false)
    },
  }
}
