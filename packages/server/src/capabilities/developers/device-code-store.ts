import {
  columns,
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import { createAccountStore } from './store.ts'

type DeviceCodeRow = Tables['developers_device_codes']
type NewDeviceCode = Omit<DeviceCodeRow, 'decision' | 'developerId' | 'sessionHash'>
export type Decision =
  | { decision: 'refused'; developerId: null; sessionHash: null }
  | { decision: 'confirmed'; developerId: string; sessionHash: string }
export type DeviceCodeStore = ReturnType<typeof createDeviceCodeStore>

/** The codes with which a command line signs in. */
export const createDeviceCodeStore = (db: Database) => ({
  /** False if another row has this code. */
  insert: async (row: NewDeviceCode): Promise<boolean> => (await db.run(insertCode, row)) === 1,
  findByCode: (codeHash: string, now: string) => db.first(findOpen, { codeHash, now }),
  findBySecret: (secretHash: string, now: string) => db.first(findBySecret, { secretHash, now }),
  /** False unless the code is open: of several concurrent decisions only one counts. */
  decide: async (codeHash: string, now: string, decision: Decision): Promise<boolean> =>
    (await db.run(decide, { codeHash, now, ...decision })) === 1,
  remove: (secretHash: string) => db.run(remove, { secretHash }),
  dropExpired: (now: string, stopping?: AbortSignal) => removeOld(db, expired, now, stopping),

  /**
   * Deletes the row and runs `open` for the account, if the session that confirmed it is still active: a password reset or a
   * sign-out in between wins. Undefined otherwise; of several concurrent callers only one gets the session.
   */
  collect: <T>(
    row: { secretHash: string; developerId: string; sessionHash: string },
    now: string,
    open: (transaction: Transaction, account: Tables['developers']) => Promise<T>,
  ): Promise<T | undefined> =>
    db.exclusively(`developers:${row.developerId}`, async (transaction) => {
      if ((await transaction.run(remove, { secretHash: row.secretHash })) === 0) return undefined
      const accounts = createAccountStore(db).in(transaction)
      const confirmedIn = await accounts.findSession(row.sessionHash)
      const account = await accounts.find(row.developerId)
      if (!account || confirmedIn?.id !== row.developerId || confirmedIn.expiresAt <= now) return undefined
      return open(transaction, account)
    }),
})

const insertCode = statement((q, row: NewDeviceCode) =>
  q
    .insertInto('developers_device_codes')
    .values(columns(row, ['secretHash', 'codeHash', 'address', 'createdAt', 'expiresAt']))
    .onConflict((conflict) => conflict.doNothing()),
)
const findOpen = statement((q, { codeHash, now }: { codeHash: string; now: string }) =>
  q
    .selectFrom('developers_device_codes')
    .select(['address', 'createdAt', 'expiresAt'])
    .where('codeHash', '=', codeHash)
    .where('expiresAt', '>', now)
    .where('decision', 'is', null),
)
const findBySecret = statement((q, { secretHash, now }: { secretHash: string; now: string }) =>
  q
    .selectFrom('developers_device_codes')
    .select(['secretHash', 'decision', 'developerId', 'sessionHash'])
    .where('secretHash', '=', secretHash)
    .where('expiresAt', '>', now),
)
const decide = statement((q, input: { codeHash: string; now: string } & Decision) =>
  q
    .updateTable('developers_device_codes')
    .set({ decision: input.decision, developerId: input.developerId, sessionHash: input.sessionHash })
    .where('codeHash', '=', input.codeHash)
    .where('expiresAt', '>', input.now)
    .where('decision', 'is', null),
)
const remove = deleteBy('developers_device_codes', ['secretHash'])
const expired = removalUpTo('developers_device_codes', ['expiresAt'])
