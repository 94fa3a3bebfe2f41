import { LIMITS } from '@svc/contract/common/limits'
import { sql } from 'kysely'

import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { insertRow, selectBy } from '../../engines/database/row-statements.ts'

export type DeliveryStore = ReturnType<typeof createDeliveryStore>
type NewDelivery = Omit<Tables['stats_deliveries'], 'environmentId'>

/** Deliveries of the stats verification webhook. */
export const createDeliveryStore = (db: Database) => ({
  add: (environmentId: string, deliveries: readonly NewDelivery[]) =>
    db.transaction(async (transaction) => {
      for (const delivery of deliveries) await transaction.run(insert, { environmentId, ...delivery })
      await transaction.run(deleteOldest, { environmentId })
    }),
  requestOf: async (environmentId: string, id: string) =>
    (await db.first(findRequest, { environmentId, id }))?.request ?? undefined,
  list: (environmentId: string, limit: number) => db.all(list, { environmentId, limit }),

  /** Those whose request contains the player id, the oldest first. */
  listMentioning: (environmentId: string, playerId: string) =>
    db.all(listMentioning, { environmentId, pattern: `%${playerId}%` }),
  /** The request contains the player id, and the response of the developer's server may contain it, too. */
  removeMentioning: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeMentioning, { environmentId, pattern: `%${playerId}%` }),
})

type OfEnvironment = { environmentId: string }
const deliveryColumns = [
  'id',
  'at',
  'kind',
  'url',
  'status',
  'durationMs',
  'outcome',
  'error',
  'answer',
] as const

const insert = insertRow('stats_deliveries', ['environmentId', ...deliveryColumns, 'request'])
const deleteOldest = statement((q, { environmentId }: OfEnvironment) =>
  q
    .deleteFrom('stats_deliveries')
    .where('environmentId', '=', environmentId)
    .where('id', '<=', (e) =>
      e
        .selectFrom('stats_deliveries as newer')
        .select('newer.id')
        .where('newer.environmentId', '=', environmentId)
        .orderBy('newer.id', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(LIMITS.webhookDeliveriesMax)),
    ),
)
const list = statement((q, { environmentId, limit }: OfEnvironment & { limit: number }) =>
  q
    .selectFrom('stats_deliveries')
    .select(deliveryColumns)
    .where('environmentId', '=', environmentId)
    .orderBy('id', 'desc')
    .limit(limit),
)
const findRequest = selectBy('stats_deliveries', ['request'], ['environmentId', 'id'])
const listMentioning = statement((q, { environmentId, pattern }: OfEnvironment & { pattern: string }) =>
  q
    .selectFrom('stats_deliveries')
    .select(['id', 'at', 'kind', 'status', 'outcome', 'answer', 'request'])
    .where('environmentId', '=', environmentId)
    .where('request', 'like', pattern)
    .orderBy('id'),
)
const removeMentioning = statement((q, { environmentId, pattern }: OfEnvironment & { pattern: string }) =>
  q
    .deleteFrom('stats_deliveries')
    .where('environmentId', '=', environmentId)
    .where((row) => row.or([row('answer', 'like', pattern), row('request', 'like', pattern)])),
)
