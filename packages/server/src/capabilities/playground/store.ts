import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { deleteBy, insertRow, selectBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Transaction }

export type PlaygroundStore = ReturnType<typeof createPlaygroundStore>

/** The guests that the playground has created. */
export const createPlaygroundStore = (db: Database) => ({
  add: (player: Tables['playground_players']) => db.run(insert, player),
  expired: (now: string, limit: number) => db.all(listExpired, { now, limit }),
  find: (player: PlayerKey) => db.first(find, player),
  remove: (player: PlayerKey) => db.run(remove, player),
  removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(remove, { environmentId, playerId }),
})

const insert = insertRow('playground_players', ['environmentId', 'playerId', 'expiresAt'])
const listExpired = statement((q, { now, limit }: { now: string; limit: number }) =>
  q
    .selectFrom('playground_players')
    .select(['environmentId', 'playerId'])
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit),
)
const find = selectBy('playground_players', ['expiresAt'], ['environmentId', 'playerId'])
const remove = deleteBy('playground_players', ['environmentId', 'playerId'])
