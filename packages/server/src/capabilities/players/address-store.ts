import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'

type Row = Tables['players_sign_in_addresses']
type Owner = Pick<Row, 'environmentId' | 'playerId'>
type Address = Pick<Row, 'environmentId' | 'playerId' | 'addressHash'>

/** The addresses from which players signed in. */
export const createAddressStore = (db: Database) => ({
  lastDay: async (owner: Owner, addressHash: string) =>
    (await db.first(findAddress, { ...owner, addressHash }))?.day,
  write: (owner: Owner, addressHash: string, day: string, keptMax: number) =>
    db.transaction(async (transaction) => {
      await transaction.run(writeAddress, { ...owner, addressHash, day })
      await transaction.run(removeOlder, { ...owner, keptMax })
    }),
  remove: (transaction: Transaction, owner: Owner) => transaction.run(removeAddresses, owner),
  removeBefore: (day: string) => db.run(removeBefore, { day }),
})

/** For the export, in which a hash would be meaningless. */
export const signInDays = statement((q, { environmentId, playerId }: Owner) =>
  q
    .selectFrom('players_sign_in_addresses')
    .select('day')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .orderBy('day'),
)
export const removeAddresses = statement((q, { environmentId, playerId }: Owner) =>
  q
    .deleteFrom('players_sign_in_addresses')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId),
)

const findAddress = statement((q, { environmentId, playerId, addressHash }: Address) =>
  q
    .selectFrom('players_sign_in_addresses')
    .select('day')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('addressHash', '=', addressHash),
)
const writeAddress = statement((q, { environmentId, playerId, addressHash, day }: Row) =>
  q
    .insertInto('players_sign_in_addresses')
    .values({ environmentId, playerId, addressHash, day })
    .onConflict((conflict) =>
      conflict.columns(['environmentId', 'playerId', 'addressHash']).doUpdateSet({ day }),
    ),
)
const removeOlder = statement((q, { environmentId, playerId, keptMax }: Owner & { keptMax: number }) =>
  q
    .deleteFrom('players_sign_in_addresses')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('addressHash', 'not in', (row) =>
      row
        .selectFrom('players_sign_in_addresses')
        .select('addressHash')
        .where('environmentId', '=', environmentId)
        .where('playerId', '=', playerId)
        .orderBy('day', 'desc')
        .orderBy('addressHash')
        .limit(keptMax),
    ),
)
const removeBefore = statement((q, { day }: { day: string }) =>
  q.deleteFrom('players_sign_in_addresses').where('day', '<', day),
)
