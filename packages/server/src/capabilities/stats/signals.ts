import type { Rejected, RejectedReason, Signal } from '@svc/contract/stats'

import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Ids } from '../../platform/random.ts'
import type { SignalStore } from './signals-store.ts'

export type Signals = ReturnType<typeof createSignals>

/** No stat has a longer key. */
const KEY_LENGTH_MAX = 64
const VALUE_LENGTH_MAX = 200

/** Rejected values, kept for the developer: nothing else happens by itself (STA-16). */
export function createSignals(store: SignalStore, { clock, ids }: { clock: Clock; ids: Ids }) {
  return {
    async record(environmentId: string, playerId: string, rejected: readonly Rejected[]): Promise<void> {
      if (rejected.length === 0) return
      const at = timestamp(clock)
      const signals = rejected.map(({ key, value, reason }) => ({
        id: ids('sig'),
        at,
        key: shortened(key, KEY_LENGTH_MAX),
        value: jsonOf(value),
        reason,
      }))
      await store.add(environmentId, playerId, signals)
    },

    /** The last 100 of a player, newest first. */
    async of(environmentId: string, playerId: string): Promise<Signal[]> {
      const signals = await store.list(environmentId, playerId)
      return signals.map(({ id, at, key, value, reason }) => ({
        id,
        at,
        key,
        value: JSON.parse(value),
        reason: reason as RejectedReason,
      }))
    },
  }
}

/** Anything may have been sent; what is long is kept as the beginning of its text. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= VALUE_LENGTH_MAX ? text : JSON.stringify(shortened(text, VALUE_LENGTH_MAX))
}

const shortened = (text: string, lengthMax: number) =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax).toWellFormed()}…`
