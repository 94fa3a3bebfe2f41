import type { AddressStore } from '../../platform/security/known-addresses.ts'
import type { Database, Transaction } from './database.ts'
import { removalBefore } from './removal.ts'
import { removeOld } from './remove-old.ts'
import { anyTable, type Column } from './row-statements.ts'
import { columns, statement, type Value } from './statement.ts'

type AddressTable = 'developers_sign_in_addresses' | 'players_sign_in_addresses'
type Address = { addressHash: string; day: string } & Record<string, Value>

/** The addresses from which accounts signed in. The columns `owner` identify the account. */
export function createAddressRows<T extends AddressTable, C extends Column<T>>(
  db: Database,
  table: T,
  owner: readonly C[],
): AddressStore<Record<C, string>, Transaction> {
  const ofAccount = (values: Record<string, Value>) => columns(values, owner)

  const find = statement((q, address: Omit<Address, 'day'>) =>
    anyTable(q)
      .selectFrom<string>(table)
      .select('day')
      .where((e) => e.and(columns(address, [...owner, 'addressHash'])))
      .$castTo<{ day: string }>(),
  )
  const write = statement((q, address: Address) =>
    anyTable(q)
      .insertInto<string>(table)
      .values(columns(address, [...owner, 'addressHash', 'day']))
      .onConflict((conflict) =>
        conflict.columns([...owner, 'addressHash']).doUpdateSet({ day: address.day }),
      ),
  )
  const removeOlder = statement((q, account: Record<string, Value> & { keptMax: number }) =>
    anyTable(q)
      .deleteFrom<string>(table)
      .where((e) => e.and(ofAccount(account)))
      .where('addressHash', 'not in', (row) =>
        row
          .selectFrom<string>(table)
          .select('addressHash')
          .where((e) => e.and(ofAccount(account)))
          .orderBy('day', 'desc')
          .orderBy('addressHash')
          .limit(account.keptMax),
      ),
  )
  const remove = statement((q, account: Record<string, Value>) =>
    anyTable(q)
      .deleteFrom<string>(table)
      .where((e) => e.and(ofAccount(account))),
  )
  const old = removalBefore(table, ['day'])

  return {
    lastDay: async (account, addressHash) => (await db.first(find, { ...account, addressHash }))?.day,
    write: (account, addressHash, day, keptMax) =>
      db.transaction(async (transaction) => {
        await transaction.run(write, { ...account, addressHash, day })
        await transaction.run(removeOlder, { ...account, keptMax })
      }),
    remove: (transaction, account) => transaction.run(remove, account),
    removeBefore: (day, stopping) => removeOld(db, old, day, stopping),
  }
}
