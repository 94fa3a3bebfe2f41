import type { SignInIntent } from '@svc/contract/developers/sign-in'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'
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
  /** Also removes unfinished sign-ins that expired before `sweepBefore`. */
  begin: (signIn: SignIn, sweepBefore: string) =>
    db.transaction(async (transaction) => {
      await transaction.run(sweepSignIns, { sweepBefore })
      await transaction.run(insertSignIn, signIn)
    }),

  /** Deletes the sign-in of this state and returns it: only the first caller gets it. */
  take: (stateHash: string, provider: string) => db.first(takeSignIn, { stateHash, provider }),

  addCode: (code: NewCode, sweepBefore: string) =>
    db.transaction(async (transaction) => {
      await transaction.run(sweepCodes, { sweepBefore })
      await transaction.run(insertCode, code)
    }),

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

const insertSignIn = insertRow('developers_sign_ins', [
  'stateHash',
  'provider',
  'redirectUrl',
  'challenge',
  'intent',
  'developerId',
  'verifier',
  'nonce',
  'expiresAt',
])
const sweepSignIns = statement((q, { sweepBefore }: { sweepBefore: string }) =>
  q.deleteFrom('developers_sign_ins').where('expiresAt', '<', sweepBefore),
)
const takeSignIn = statement((q, { stateHash, provider }: { stateHash: string; provider: string }) =>
  q
    .deleteFrom('developers_sign_ins')
    .where((e) => e.and({ stateHash, provider }))
    .returningAll(),
)

const insertCode = insertRow('developers_exchange_codes', [
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
])
const sweepCodes = statement((q, { sweepBefore }: { sweepBefore: string }) =>
  q.deleteFrom('developers_exchange_codes').where('expiresAt', '<', sweepBefore),
)
const findCode = statement((q, { codeHash }: { codeHash: string }) =>
  q.selectFrom('developers_exchange_codes').selectAll().where('codeHash', '=', codeHash),
)
const deleteCode = deleteBy('developers_exchange_codes', ['codeHash'])
const markCodeUsed = statement((q, { codeHash, sessionHash }: { codeHash: string; sessionHash: string }) =>
  q.updateTable('developers_exchange_codes').set({ sessionHash }).where('codeHash', '=', codeHash),
)

const findIdentity = statement((q, { provider, subject }: { provider: string; subject: string }) =>
  q
    .selectFrom('developers_identities')
    .selectAll()
    .where((e) => e.and({ provider, subject })),
)
const listIdentities = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('developers_identities')
    .selectAll()
    .where('developerId', '=', developerId)
    .orderBy('linkedAt')
    .orderBy('provider'),
)
const insertIdentity = insertRow('developers_identities', [
  'provider',
  'subject',
  'developerId',
  'email',
  'linkedAt',
])
const deleteIdentity = deleteBy('developers_identities', ['developerId', 'provider'])
