import {
  type Database,
  type Queries,
  type Tables,
  type Transaction,
  statement,
} from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import {
  countBy,
  deleteBy,
  insertNew,
  insertRow,
  selectBy,
  takeBy,
  updateBy,
} from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type Account = Tables['developers']
export type Session = Tables['developers_sessions']
/** Sent by mail (`verify`, `reset`), or issued after the developer has signed in again (`reauth`). */
type OneTimeToken = Tables['developers_tokens']
export type AccountStore = ReturnType<typeof createAccountStore>

const accountLock = (developerId: string) => `developers:${developerId}`

/**
 * Serializes changes of the sign-in methods of an account, from here to the end of the transaction. Lock the account before an
 * identity, never after.
 */
export const lockAccount = (transaction: Transaction, developerId: string) =>
  transaction.lock(accountLock(developerId))

/** Serializes sign-in, link and unlink of one identity. */
export const lockIdentity = (
  transaction: Transaction,
  { provider, subject }: { provider: string; subject: string },
) => transaction.lock(`developers:identity:${provider}:${subject}`)

/** Accounts of developers, with their sessions and one-time tokens. */
export const createAccountStore = (db: Database) => ({
  ...accountQueries(db),
  /** The same queries as part of a transaction. */
  in: accountQueries,

  async purgeExpired(now: string, stopping?: AbortSignal) {
    await removeOld(db, expiredSessions, now, stopping)
    await removeOld(db, expiredTokens, now, stopping)
  },

  /** A transaction without a lock. */
  change: db.transaction,
  /** A transaction that holds the lock of the account, like `lockAccount`. */
  changeAccount: <T>(developerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(accountLock(developerId), work),
  /** Until the end of the transaction no other operator can delete their account. */
  lockOperators: (transaction: Transaction) => transaction.lock('developers:operators'),

  /** Removes all external sign-in methods of an account that the transaction has locked, and returns their providers. */
  async removeIdentities(transaction: Transaction, developerId: string) {
    const identities = await transaction.all(listIdentities, { developerId })
    // A concurrent sign-in with one of them has either ended, and the caller ends its session, or it waits for the lock and does
    // not find the identity.
    for (const identity of identities) await lockIdentity(transaction, identity)
    await transaction.run(removeIdentities, { developerId })
    return identities.map(({ provider }) => provider)
  },
})

function accountQueries(queries: Queries) {
  return {
    find: (id: string) => queries.first(findById, { id }),
    findByEmail: (email: string) => queries.first(findByEmail, { email }),
    /** False when the email is taken. */
    insert: async (account: Account) => (await queries.run(insertAccount, account)) === 1,
    setName: (id: string, name: string | null) => queries.run(setName, { id, name }),
    setPassword: (id: string, passwordHash: string) => queries.run(setPassword, { id, passwordHash }),
    /** Marks the email as confirmed. No effect if the account has another email. */
    setVerified: (id: string, email: string, at: string) =>
      queries.run(setVerified, { id, email, emailVerifiedAt: at }),
    countOperators: async () => (await queries.first(countOperators, { isOperator: 1 }))?.count ?? 0,
    /** Removes the account and its tokens; the caller has ended its sessions and removed its identities. */
    async remove(id: string) {
      await queries.run(removeAllTokens, { developerId: id })
      await queries.run(removeAccount, { id })
    },

    openSession: (session: Session) => queries.run(insertSession, session),
    /** The developer of a session, and when the session expires; the time may have passed. */
    findSession: (tokenHash: string) => queries.first(findSession, { tokenHash }),
    /** Sessions that have not expired, newest first. */
    sessionsOf: (developerId: string, now: string) => queries.all(listSessions, { developerId, now }),
    extendSession: (tokenHash: string, expiresAt: string) =>
      queries.run(extendSession, { tokenHash, expiresAt }),
    endSession: (tokenHash: string) => queries.run(endSession, { tokenHash }),
    /** Ends all sessions except one, or all if `exceptHash` is empty. Returns the hashes of their tokens. */
    endSessions: async (developerId: string, exceptHash: string) =>
      (await queries.all(endSessions, { developerId, exceptHash })).map(({ tokenHash }) => tokenHash),

    insertToken: (token: OneTimeToken) => queries.run(insertToken, token),
    findToken: (tokenHash: string, kind: string) => queries.first(findToken, { tokenHash, kind }),
    /** Deletes a token and returns it: of several concurrent callers only one gets it. */
    takeToken: (tokenHash: string, kind: string) => queries.first(takeToken, { tokenHash, kind }),
    dropTokens: (developerId: string, kind: string) => queries.run(dropTokens, { developerId, kind }),
  }
}

const accountColumns = [
  'id',
  'email',
  'name',
  'passwordHash',
  'emailVerifiedAt',
  'createdAt',
  'isOperator',
] as const

const findById = selectBy('developers', accountColumns, ['id'])
const findByEmail = selectBy('developers', accountColumns, ['email'])
const insertAccount = insertNew('developers', accountColumns, ['email'])
const setName = updateBy('developers', ['name'], ['id'])
const setPassword = updateBy('developers', ['passwordHash'], ['id'])
const setVerified = updateBy('developers', ['emailVerifiedAt'], ['id', 'email'])
const countOperators = countBy('developers', ['isOperator'])
const removeAccount = deleteBy('developers', ['id'])

const insertSession = insertRow('developers_sessions', ['tokenHash', 'developerId', 'createdAt', 'expiresAt'])
const findSession = statement((q, { tokenHash }: { tokenHash: string }) =>
  q
    .selectFrom('developers_sessions as session')
    .innerJoin('developers as developer', 'developer.id', 'session.developerId')
    .select(['developer.id', 'developer.email', 'developer.name', 'developer.isOperator'])
    .select('session.expiresAt')
    .where('session.tokenHash', '=', tokenHash),
)
const listSessions = statement((q, { developerId, now }: { developerId: string; now: string }) =>
  q
    .selectFrom('developers_sessions')
    .select(['tokenHash', 'createdAt', 'expiresAt'])
    .where('developerId', '=', developerId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('tokenHash'),
)
const extendSession = updateBy('developers_sessions', ['expiresAt'], ['tokenHash'])
const endSession = deleteBy('developers_sessions', ['tokenHash'])
const endSessions = statement((q, { developerId, exceptHash }: { developerId: string; exceptHash: string }) =>
  q
    .deleteFrom('developers_sessions')
    .where('developerId', '=', developerId)
    .where('tokenHash', '!=', exceptHash)
    .returning('tokenHash'),
)
const expiredSessions = removalUpTo('developers_sessions', ['expiresAt'])

const insertToken = insertRow('developers_tokens', ['tokenHash', 'developerId', 'kind', 'email', 'expiresAt'])
const findToken = selectBy('developers_tokens', ['developerId', 'email', 'expiresAt'], ['tokenHash', 'kind'])
const takeToken = takeBy('developers_tokens', ['developerId', 'email', 'expiresAt'], ['tokenHash', 'kind'])
const dropTokens = deleteBy('developers_tokens', ['developerId', 'kind'])
const removeAllTokens = deleteBy('developers_tokens', ['developerId'])
const expiredTokens = removalUpTo('developers_tokens', ['expiresAt'])

const listIdentities = selectBy(
  'developers_identities',
  ['provider', 'subject'],
  ['developerId'],
  ['linkedAt', 'provider'],
)
const removeIdentities = deleteBy('developers_identities', ['developerId'])
