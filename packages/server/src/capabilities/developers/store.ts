import {
  columns,
  type Database,
  type Queries,
  type Tables,
  type Transaction,
  statement,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type Account = Tables['developers']
export type Session = Tables['developers_sessions']
export type MailToken = Tables['developers_tokens']
export type AccountStore = ReturnType<typeof createAccountStore>

/** Serializes changes of the sign-in methods of an account. Lock the account before an identity, never after. */
export const lockAccount = (transaction: Transaction, developerId: string) =>
  transaction.lock(`developers:${developerId}`)
/** Serializes sign-in, link and unlink of one identity. */
export const lockIdentity = (
  transaction: Transaction,
  { provider, subject }: { provider: string; subject: string },
) => transaction.lock(`developers:identity:${provider}:${subject}`)

/** Accounts of developers, with their sessions and the tokens of mails. */
export const createAccountStore = (db: Database) => ({
  ...accounts(db),
  change: db.transaction,
  /** Serializes all changes of the sign-in methods of an account. */
  changeAccount: <T>(developerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`developers:${developerId}`, work),
  in: accounts,
  /** Until the end of the transaction no other operator can delete their account. */
  lockOperators: (transaction: Transaction) => transaction.lock('developers:operators'),

  /** Removes all external sign-in methods of an account that the transaction has locked, and returns them. */
  async removeIdentities(transaction: Transaction, developerId: string) {
    const identities = await transaction.all(listIdentities, { developerId })
    // A concurrent sign-in with one of them runs either before, and its session is ended here, or after, and does not find the
    // identity.
    for (const identity of identities) await lockIdentity(transaction, identity)
    await transaction.run(removeIdentities, { developerId })
    return identities.map(({ provider }) => provider)
  },
})

const accountColumns = [
  'id',
  'email',
  'name',
  'passwordHash',
  'emailVerifiedAt',
  'createdAt',
  'isOperator',
] as const

function accounts(queries: Queries) {
  return {
    find: (id: string) => queries.first(findById, { id }),
    findByEmail: (email: string) => queries.first(findByEmail, { email }),
    /** False when the email is taken. */
    insert: async (account: Account) => (await queries.run(insertAccount, account)) === 1,
    setPassword: (id: string, passwordHash: string) => queries.run(setPassword, { id, passwordHash }),
    setVerified: (id: string, email: string, at: string) => queries.run(setVerified, { id, email, at }),

    openSession: (session: Session) => queries.run(insertSession, session),
    findSession: (tokenHash: string) => queries.first(findSession, { tokenHash }),
    extendSession: (tokenHash: string, expiresAt: string) =>
      queries.run(extendSession, { tokenHash, expiresAt }),
    endSession: (tokenHash: string) => queries.run(endSession, { tokenHash }),
    /** The hashes of the sessions that ended. */
    endSessions: async (developerId: string, exceptHash: string) =>
      (await queries.all(endSessions, { developerId, exceptHash })).map(({ tokenHash }) => tokenHash),

    sessionsOf: (developerId: string, now: string) => queries.all(listSessions, { developerId, now }),
    setName: (id: string, name: string | null) => queries.run(setName, { id, name }),
    countOperators: async () => (await queries.first(countOperators, {}))?.count ?? 0,
    async remove(id: string) {
      await queries.run(removeTokens, { developerId: id })
      await queries.run(removeAccount, { id })
    },

    insertToken: (token: MailToken) => queries.run(insertToken, token),
    findToken: (tokenHash: string, kind: string) => queries.first(findToken, { tokenHash, kind }),
    /** Deletes a token and returns it: of several concurrent callers only one gets it. */
    takeToken: (tokenHash: string, kind: string) => queries.first(takeToken, { tokenHash, kind }),
    dropTokens: (developerId: string, kind: string) => queries.run(dropTokens, { developerId, kind }),

    purgeExpired: async (now: string) => {
      await queries.run(dropExpiredSessions, { now })
      await queries.run(dropExpiredTokens, { now })
    },
  }
}

const findById = statement((q, { id }: { id: string }) =>
  q.selectFrom('developers').select(accountColumns).where('id', '=', id),
)
const findByEmail = statement((q, { email }: { email: string }) =>
  q.selectFrom('developers').select(accountColumns).where('email', '=', email),
)
const insertAccount = statement((q, account: Account) =>
  q
    .insertInto('developers')
    .values(columns(account, accountColumns))
    .onConflict((conflict) => conflict.column('email').doNothing()),
)
const setPassword = statement((q, { id, passwordHash }: { id: string; passwordHash: string }) =>
  q.updateTable('developers').set({ passwordHash }).where('id', '=', id),
)
const setVerified = statement((q, { id, email, at }: { id: string; email: string; at: string }) =>
  q.updateTable('developers').set({ emailVerifiedAt: at }).where('id', '=', id).where('email', '=', email),
)

const insertSession = insertRow('developers_sessions', ['tokenHash', 'developerId', 'createdAt', 'expiresAt'])
const findSession = statement((q, { tokenHash }: { tokenHash: string }) =>
  q
    .selectFrom('developers_sessions as session')
    .innerJoin('developers as developer', 'developer.id', 'session.developerId')
    .select(['developer.id', 'developer.email', 'developer.name', 'developer.isOperator'])
    .select('session.expiresAt')
    .where('session.tokenHash', '=', tokenHash),
)
const extendSession = statement((q, { tokenHash, expiresAt }: { tokenHash: string; expiresAt: string }) =>
  q.updateTable('developers_sessions').set({ expiresAt }).where('tokenHash', '=', tokenHash),
)
const endSession = deleteBy('developers_sessions', ['tokenHash'])
const endSessions = statement((q, { developerId, exceptHash }: { developerId: string; exceptHash: string }) =>
  q
    .deleteFrom('developers_sessions')
    .where('developerId', '=', developerId)
    .where('tokenHash', '!=', exceptHash)
    .returning('tokenHash'),
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
const setName = statement((q, { id, name }: { id: string; name: string | null }) =>
  q.updateTable('developers').set({ name }).where('id', '=', id),
)
const countOperators = statement((q) =>
  q
    .selectFrom('developers')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('isOperator', '=', 1),
)
const removeTokens = deleteBy('developers_tokens', ['developerId'])
const removeAccount = deleteBy('developers', ['id'])
const dropExpiredSessions = statement((q, { now }: { now: string }) =>
  q.deleteFrom('developers_sessions').where('expiresAt', '<=', now),
)

const listIdentities = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('developers_identities')
    .select(['provider', 'subject'])
    .where('developerId', '=', developerId)
    .orderBy('linkedAt')
    .orderBy('provider'),
)
const removeIdentities = deleteBy('developers_identities', ['developerId'])

const insertToken = insertRow('developers_tokens', ['tokenHash', 'developerId', 'kind', 'email', 'expiresAt'])
const findToken = statement((q, { tokenHash, kind }: { tokenHash: string; kind: string }) =>
  q
    .selectFrom('developers_tokens')
    .select(['developerId', 'email', 'expiresAt'])
    .where((e) => e.and({ tokenHash, kind })),
)
const takeToken = statement((q, { tokenHash, kind }: { tokenHash: string; kind: string }) =>
  q
    .deleteFrom('developers_tokens')
    .where((e) => e.and({ tokenHash, kind }))
    .returning(['developerId', 'email', 'expiresAt']),
)
const dropTokens = deleteBy('developers_tokens', ['developerId', 'kind'])
const dropExpiredTokens = statement((q, { now }: { now: string }) =>
  q.deleteFrom('developers_tokens').where('expiresAt', '<=', now),
)
