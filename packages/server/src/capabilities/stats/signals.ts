import type { Rejected, RejectedReason, Signal } from '@svc/contract/stats'

import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { BEFORE_FIRST_PAGE, pageOf } from '../../platform/http/row-pages.ts'
import type { Ids } from '../../platform/random.ts'
import type { SignalStore } from './signals-store.ts'

type SignalDeps = {
  clock: Clock
  ids: Ids
  findPlayer(environmentId: string, playerId: string): Promise<{ displayName: string } | undefined>
}

export type Signals = ReturnType<typeof createSignals>

/** No stat has a longer key. */
const KEY_LENGTH_MAX = 64
const VALUE_LENGTH_MAX = 200

/** Rejected values, stored for the developer; they have no automatic effect (STA-16). */
export function createSignals(store: SignalStore, { clock, ids, findPlayer }: SignalDeps) {
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

    /** The signals of all players, newest first. */
    async list(
      { id: environmentId }: Environment,
      { reason, cursor = BEFORE_FIRST_PAGE, limit = 50 }: Query,
    ) {
      const rows = await store.page({ environmentId, before: cursor, limit: limit + 1 }, reason)
      const { shown, nextCursor } = pageOf(rows, limit)
      const signals = await Promise.all(
        shown.map(async ({ playerId, ...row }) => {
          const player = await findPlayer(environmentId, playerId)
          // The player may have been deleted in the meantime, and the signals with it.
          return player ? [{ ...view(row), player: { id: playerId, displayName: player.displayName } }] : []
        }),
      )
      return { signals: signals.flat(), nextCursor }
    },

    /** The last 100 of a player, newest first. */
    async of(environmentId: string, playerId: string): Promise<Signal[]> {
      const signals = await store.list(environmentId, playerId)
      return signals.map(view)
    },
  }
}

type Row = { id: string; at: string; key: string; value: string; reason: string }
type Query = { reason?: string; cursor?: string; limit?: number }

const view = ({ id, at, key, value, reason }: Row): Signal => ({
  id,
  at,
  key,
  value: JSON.parse(value),
  reason: reason as RejectedReason,
})

/** The value may be any JSON; a long one is stored as the beginning of its text. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= VALUE_LENGTH_MAX ? text : JSON.stringify(shortened(text, VALUE_LENGTH_MAX))
}

const shortened = (text: string, lengthMax: number) =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax).toWellFormed()}…`
