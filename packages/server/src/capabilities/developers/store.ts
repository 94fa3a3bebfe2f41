import {
  columns,
  type Database,
  type Queries,
  type Tables,
  statement,
} from '../../engines/database/database.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type Account = Tables['developers']
export type Session = Tables['developers_sessions']
export type MailToken = Tables['developers_tokens']
export type AccountStore = ReturnType<typeof createAccountStore>

export const createAccountStore = (db: Database) => ({
  ...accounts(db),
  change: db.transaction,
  in: accounts,
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

    insertToken: (token: MailToken) => queries.run(insertToken, token),
    /** Takes a token out of the world: of many who try, one gets it. */
    takeToken: (tokenHash: string, kind: string) => queries.first(takeToken, { tokenHash, kind }),
    dropTokens: (developerId: string, kind: string) => queries.run(dropTokens, { developerId, kind }),

    tidy: async (now: string) => {
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

const insertSession = statement((q, session: Session) =>
  q
    .insertInto('developers_sessions')
    .values(columns(session, ['tokenHash', 'developerId', 'createdAt', 'expiresAt'])),
)
const findSession = statement((q, { tokenHash }: { tokenHash: string }) =>
  q
    .selectFrom('developers_sessions as session')
    .innerJoin('developers as developer', 'developer.id', 'session.developerId')
    .select(['developer.id', 'developer.email', 'developer.name', 'session.expiresAt'])
    .where('session.tokenHash', '=', tokenHash),
)
const extendSession = statement((q, { tokenHash, expiresAt }: { tokenHash: string; expiresAt: string }) =>
  q.updateTable('developers_sessions').set({ expiresAt }).where('tokenHash', '=', tokenHash),
)
const endSession = statement((q, { tokenHash }: { tokenHash: string }) =>
  q.deleteFrom('developers_sessions').where('tokenHash', '=', tokenHash),
)
const endSessions = statement((q, { developerId, exceptHash }: { developerId: string; exceptHash: string }) =>
  q
    .deleteFrom('developers_sessions')
    .where('developerId', '=', developerId)
    .where('tokenHash', '!=', exceptHash)
    .returning('tokenHash'),
)
const dropExpiredSessions = statement((q, { now }: { now: string }) =>
  q.deleteFrom('developers_sessions').where('expiresAt', '<=', now),
)

const insertToken = statement((q, token: MailToken) =>
  q
    .insertInto('developers_tokens')
    .values(columns(token, ['tokenHash', 'developerId', 'kind', 'email', 'expiresAt'])),
)
const takeToken = statement((q, { tokenHash, kind }: { tokenHash: string; kind: string }) =>
  q
    .deleteFrom('developers_tokens')
    .where('tokenHash', '=', tokenHash)
    .where('kind', '=', kind)
    .returning(['developerId', 'email', 'expiresAt']),
)
const dropTokens = statement((q, { developerId, kind }: { developerId: string; kind: string }) =>
  q.deleteFrom('developers_tokens').where('developerId', '=', developerId).where('kind', '=', kind),
)
const dropExpiredTokens = statement((q, { now }: { now: string }) =>
  q.deleteFrom('developers_tokens').where('expiresAt', '<=', now),
)
