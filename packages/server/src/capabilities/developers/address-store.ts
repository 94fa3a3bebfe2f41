import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'

type Row = Tables['developers_sign_in_addresses']
type Owner = Pick<Row, 'developerId'>

/** The addresses from which developers signed in. */
export const createAddressStore = (db: Database) => ({
  lastDay: async ({ developerId }: Owner, addressHash: string) =>
    (await db.first(findAddress, { developerId, addressHash }))?.day,
  write: ({ developerId }: Owner, addressHash: string, day: string, keptMax: number) =>
    db.transaction(async (transaction) => {
      await transaction.run(writeAddress, { developerId, addressHash, day })
      await transaction.run(removeOlder, { developerId, keptMax })
    }),
  remove: (transaction: Transaction, owner: Owner) => transaction.run(removeAddresses, owner),
  removeBefore: (day: string) => db.run(removeBefore, { day }),
})

const findAddress = statement((q, { developerId, addressHash }: Omit<Row, 'day'>) =>
  q
    .selectFrom('developers_sign_in_addresses')
    .select('day')
    .where('developerId', '=', developerId)
    .where('addressHash', '=', addressHash),
)
const writeAddress = statement((q, { developerId, addressHash, day }: Row) =>
  q
    .insertInto('developers_sign_in_addresses')
    .values({ developerId, addressHash, day })
    .onConflict((conflict) => conflict.columns(['developerId', 'addressHash']).doUpdateSet({ day })),
)
const removeOlder = statement((q, { developerId, keptMax }: Owner & { keptMax: number }) =>
  q
    .deleteFrom('developers_sign_in_addresses')
    .where('developerId', '=', developerId)
    .where('addressHash', 'not in', (row) =>
      row
        .selectFrom('developers_sign_in_addresses')
        .select('addressHash')
        .where('developerId', '=', developerId)
        .orderBy('day', 'desc')
        .orderBy('addressHash')
        .limit(keptMax),
    ),
)
const removeAddresses = statement((q, { developerId }: Owner) =>
  q.deleteFrom('developers_sign_in_addresses').where('developerId', '=', developerId),
)
const removeBefore = statement((q, { day }: { day: string }) =>
  q.deleteFrom('developers_sign_in_addresses').where('day', '<', day),
)
