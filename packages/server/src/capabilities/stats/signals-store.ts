import { LIMITS } from '@svc/contract/common/limits'
import { sql } from 'kysely'

import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { deleteBy, insertRow, pageBefore } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type SignalStore = ReturnType<typeof createSignalStore>
type Page = { environmentId: string; before: string; limit: number }
type NewSignal = Omit<Tables['stats_signals'], 'environmentId' | 'playerId'>

/** Rejected values of players. */
export const createSignalStore = (db: Database) => ({
  add: (environmentId: string, playerId: string, signals: readonly NewSignal[]) =>
    db.transaction(async (transaction) => {
      for (const signal of signals) await transaction.run(insert, { environmentId, playerId, ...signal })
      await transaction.run(deleteOldest, { environmentId, playerId })
    }),
  list: (environmentId: string, playerId: string) => db.all(list, { environmentId, playerId }),

  /** The signals of all players, newest first. */
  page: ({ environmentId, before, limit }: Page, reason: string | undefined) =>
    reason === undefined
      ? db.all(listNewest, { environmentId, before, limit })
      : db.all(listByReason, { environmentId, before, limit, reason }),

  removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeForPlayer, { environmentId, playerId }),
})

const insert = insertRow('stats_signals', ['environmentId', 'playerId', 'id', 'at', 'key', 'value', 'reason'])
const deleteOldest = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .deleteFrom('stats_signals')
    .where((e) => e.and({ environmentId, playerId }))
    .where('id', '<=', (e) =>
      e
        .selectFrom('stats_signals as newer')
        .select('newer.id')
        .where('newer.environmentId', '=', environmentId)
        .where('newer.playerId', '=', playerId)
        .orderBy('newer.id', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(LIMITS.statSignalsMax)),
    ),
)
const list = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('stats_signals')
    .select(['id', 'at', 'key', 'value', 'reason'])
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('id', 'desc')
    .limit(sql.lit(LIMITS.statSignalsMax)),
)
const signalColumns = ['id', 'playerId', 'at', 'key', 'value', 'reason'] as const
const listNewest = pageBefore('stats_signals', signalColumns, ['environmentId'], 'id')
const listByReason = pageBefore('stats_signals', signalColumns, ['environmentId', 'reason'], 'id')
const removeForPlayer = deleteBy('stats_signals', ['environmentId', 'playerId'])
