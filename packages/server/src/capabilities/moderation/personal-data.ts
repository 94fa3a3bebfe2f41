import { type Clock, timestamp } from '../../platform/clock.ts'
import type { AgeStore } from './ages-store.ts'
import { appealView, sanctionView } from './sanctions.ts'
import type { ModerationStore, Transaction } from './store.ts'

/** Exports and removes everything that moderation stores about a player (OWN-01 … OWN-04). */
export const createPersonalData = (store: ModerationStore, ages: AgeStore, clock: Clock) => ({
  async exportForPlayer(environmentId: string, playerId: string) {
    const bans = await store.bansOf(environmentId, playerId, Number.MAX_SAFE_INTEGER)
    const appeals = await store.appealsOf(environmentId, playerId)
    return {
      sanctions: bans.map((ban) => sanctionView(ban, undefined, timestamp(clock))),
      appeals: appeals.map((appeal) => ({ ...appealView(appeal), sanctionId: appeal.banId })),
      age: (await ages.find(environmentId, playerId)) ?? null,
    }
  },

  /** Call in the transaction that deletes the player. */
  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string): Promise<void> {
    await store.in(transaction).removeForPlayer(environmentId, playerId)
    await ages.in(transaction).removeForPlayer(environmentId, playerId)
  },
})
