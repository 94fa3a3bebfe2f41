import type { SignInIntent } from '@svc/contract/developers/sign-in'

import type { Database, Queries, Tables, Transaction } from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy, takeBy, updateBy } from '../../engines/database/row-statements.ts'
import { createAccountStore, lockAccount, lockIdentity } from './store.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type SignIn = Tables['developers_sign_ins']
export type CodeRow = Tables['developers_exchange_codes']
export type NewCode = Omit<CodeRow, 'sessionHash'>
export type LinkedIdentity = Tables['developers_identities']

/** A used code is kept for a while with the session that it created, so that a replay can end that session. */
export type Code = OpenCode | { state: 'used'; sessionHash: string }

/** For `link` and `reauth` the developer is known from the start; for a sign-in it is not. */
export type OpenCode = { state: 'open' } & Omit<NewCode, 'intent' | 'developerId'> &
  ({ intent: 'signin'; developerId: null } | { intent: Exclude<SignInIntent, 'signin'>; developerId: string })

export type SignInStore = ReturnType<typeof createSignInStore>

/** External sign-ins of developers: states, codes and linked identities. */
export const createSignInStore = (db: Database) => ({
  begin: (signIn: SignIn) => db.run(insertSignIn, signIn),

  /** Deletes the sign-in of this state and returns it: only the first caller gets it. */
  take: (stateHash: string, provider: string) => db.first(takeSignIn, { stateHash, provider }),

  addCode: (code: NewCode) => db.run(insertCode, code),

  async sweep(before: string, stopping?: AbortSignal) {
    await removeOld(db, oldSignIns, before, stopping)
    await removeOld(db, oldCodes, before, stopping)
  },

  /** Serializes the exchanges of one code. */
  exchange: <T>(codeHash: string, work: (transaction: Transaction, code: Code | undefined) => Promise<T>) =>
    db.exclusively(`developers:code:${codeHash}`, async (transaction) =>
      work(transaction, codeOf(await transaction.first(findCode, { codeHash }))),
    ),
  removeCode: (transaction: Transaction, codeHash: string) => transaction.run(deleteCode, { codeHash }),
  markUsed: (transaction: Transaction, codeHash: string, sessionHash: string) =>
    transaction.run(markCodeUsed, { codeHash, sessionHash }),

  async findAccount(transaction: Transaction, developerId: string) {
    const account = await createAccountStore(db).in(transaction).find(developerId)
    if (!account) throw new Error(`an identity belongs to ${developerId}, which does not exist`)
    return account
  },

  findIdentity: (identity: { provider: string; subject: string }, queries: Queries = db) =>
    queries.first(findIdentity, { provider: identity.provider, subject: identity.subject }),
  identitiesOf: (developerId: string, queries: Queries = db) => queries.all(listIdentities, { developerId }),
  addIdentity: (transaction: Transaction, identity: LinkedIdentity) =>
    transaction.run(insertIdentity, identity),
  removeIdentity: (transaction: Transaction, developerId: string, provider: string) =>
    transaction.run(deleteIdentity, { developerId, provider }),

  lockIdentity,
  lockAccount,
  changeAccount: createAccountStore(db).changeAccount,
})

function codeOf(row: CodeRow | undefined): Code | undefined {
  if (!row) return undefined
  if (row.sessionHash !== null) return { state: 'used', sessionHash: row.sessionHash }
  return { state: 'open', ...row } as OpenCode
}

const signInColumns = [
  'stateHash',
  'provider',
  'redirectUrl',
  'challenge',
  'intent',
  'developerId',
  'verifier',
  'nonce',
  'expiresAt',
] as const
const codeColumns = [
  'codeHash',
  'provider',
  'subject',
  'email',
  'emailVerified',
  'name',
  'challenge',
  'intent',
  'developerId',
  'expiresAt',
] as const
const identityColumns = ['provider', 'subject', 'developerId', 'email', 'linkedAt'] as const

const insertSignIn = insertRow('developers_sign_ins', signInColumns)
const oldSignIns = removalBefore('developers_sign_ins', ['expiresAt'])
const takeSignIn = takeBy('developers_sign_ins', signInColumns, ['stateHash', 'provider'])

const insertCode = insertRow('developers_exchange_codes', codeColumns)
const oldCodes = removalBefore('developers_exchange_codes', ['expiresAt'])
const findCode = selectBy('developers_exchange_codes', [...codeColumns, 'sessionHash'], ['codeHash'])
const deleteCode = deleteBy('developers_exchange_codes', ['codeHash'])
const markCodeUsed = updateBy('developers_exchange_codes', ['sessionHash'], ['codeHash'])

const findIdentity = selectBy('developers_identities', identityColumns, ['provider', 'subject'])
const listIdentities = selectBy(
  'developers_identities',
  identityColumns,
  ['developerId'],
  ['linkedAt', 'provider'],
)
const insertIdentity = insertRow('developers_identities', identityColumns)
const deleteIdentity = deleteBy('developers_identities', ['developerId', 'provider'])
