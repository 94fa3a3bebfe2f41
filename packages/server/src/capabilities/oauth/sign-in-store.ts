import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy, takeBy } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type SignIn = Tables['oauth_sign_ins']
type CodeRow = Tables['oauth_exchange_codes']
export type NewCode = Omit<CodeRow, 'sessionId'>

/** A used code is kept for a while with the session that it created, so that a replay can end that session. */
export type Code =
  | ({ state: 'open' } & NewCode)
  | { state: 'used'; environmentId: string; playerId: string; sessionId: string }

export type SignInStore = ReturnType<typeof createSignInStore>

/**
 * States and codes are found by their hash alone: they are 32 random bytes without an environment, because a provider's response
 * contains none. The rules check the environment of the result.
 */
export const createSignInStore = (db: Database) => ({
  begin: (signIn: SignIn) => db.run(insertSignIn, signIn),
  /** Deletes the sign-in of this state and returns it: only the first caller gets it. */
  take: (stateHash: string, provider: string) => db.first(takeSignIn, { stateHash, provider }),

  addCode: (code: NewCode) => db.run(insertCode, code),
  /** Serializes the exchanges of one code. */
  exchange: <T>(codeHash: string, work: (transaction: Transaction, code: Code | undefined) => Promise<T>) =>
    db.exclusively(`oauth:code:${codeHash}`, async (transaction) =>
      work(transaction, codeOf(await transaction.first(findCode, { codeHash }))),
    ),
  addCodeIn: (transaction: Transaction, code: NewCode) => transaction.run(insertCode, code),
  removeCode: (transaction: Transaction, codeHash: string) => transaction.run(deleteCode, { codeHash }),
  /** A used code contains only the player that it signed in, no longer the identity at the provider. */
  markUsed: (transaction: Transaction, used: { codeHash: string; playerId: string; sessionId: string }) =>
    transaction.run(markCodeUsed, used),

  transaction: db.transaction,

  /** The current and recent sign-ins of a player. */
  listOf: async (environmentId: string, playerId: string) => [
    ...(await db.all(listSignInsOf, { environmentId, playerId })),
    ...(await db.all(listCodesOf, { environmentId, playerId })),
  ],
  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string) {
    await transaction.run(removeSignInsOf, { environmentId, playerId })
    await transaction.run(removeCodesOf, { environmentId, playerId })
  },
  async sweep(before: string, stopping?: AbortSignal) {
    await removeOld(db, oldSignIns, before, stopping)
    await removeOld(db, oldCodes, before, stopping)
  },
})

function codeOf(row: CodeRow | undefined): Code | undefined {
  if (!row) return undefined
  const { environmentId, playerId, sessionId } = row
  if (sessionId === null || playerId === null) return { state: 'open', ...row }
  return { state: 'used', environmentId, playerId, sessionId }
}

const signInColumns = [
  'stateHash',
  'environmentId',
  'provider',
  'redirectUrl',
  'challenge',
  'mode',
  'playerId',
  'linkSessionId',
  'orSignIn',
  'verifier',
  'nonce',
  'expiresAt',
] as const
const codeColumns = [
  'codeHash',
  'environmentId',
  'provider',
  'subject',
  'profile',
  'refusal',
  'challenge',
  'playerId',
  'linkSessionId',
  'orSignIn',
  'expiresAt',
] as const

const insertSignIn = insertRow('oauth_sign_ins', signInColumns)
const takeSignIn = takeBy('oauth_sign_ins', signInColumns, ['stateHash', 'provider'])
const insertCode = insertRow('oauth_exchange_codes', codeColumns)
const findCode = selectBy('oauth_exchange_codes', [...codeColumns, 'sessionId'], ['codeHash'])
const deleteCode = deleteBy('oauth_exchange_codes', ['codeHash'])
const markCodeUsed = statement(
  (q, { codeHash, playerId, sessionId }: { codeHash: string; playerId: string; sessionId: string }) =>
    q
      .updateTable('oauth_exchange_codes')
      .set({ playerId, sessionId, subject: '', profile: '' })
      .where('codeHash', '=', codeHash),
)

const listSignInsOf = selectBy('oauth_sign_ins', ['provider', 'expiresAt'], ['environmentId', 'playerId'])
const listCodesOf = selectBy('oauth_exchange_codes', ['provider', 'expiresAt'], ['environmentId', 'playerId'])
const removeSignInsOf = deleteBy('oauth_sign_ins', ['environmentId', 'playerId'])
const removeCodesOf = deleteBy('oauth_exchange_codes', ['environmentId', 'playerId'])
const oldSignIns = removalBefore('oauth_sign_ins', ['expiresAt'])
const oldCodes = removalBefore('oauth_exchange_codes', ['expiresAt'])
