import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type Invitation = Tables['developers_invitations']
export type SignUpStore = ReturnType<typeof createSignUpStore>

/** Operators, and the one-time links that admit a new developer. */
export const createSignUpStore = (db: Database) => ({
  ...invitations(db),
  in: invitations,
  change: db.transaction,
  /** Serializes the check whether an account is the first. */
  lockFirst: (transaction: Transaction) => transaction.lock('developers:first'),
})

const invitationColumns = ['tokenHash', 'kind', 'email', 'createdAt', 'expiresAt'] as const

function invitations(queries: Queries) {
  return {
    find: (tokenHash: string) => queries.first(findInvitation, { tokenHash }),
    insert: (invitation: Invitation) => queries.run(insertInvitation, invitation),
    /** Only one of several concurrent uses gets the invitation. */
    take: (tokenHash: string) => queries.first(takeInvitation, { tokenHash }),
    dropSetUp: () => queries.run(dropSetUp, {}),
    dropOf: (email: string) => queries.run(dropOf, { email }),
    dropExpired: (now: string) => queries.run(dropExpired, { now }),
    list: (limit: number) => queries.all(listInvitations, { limit }),

    hasDevelopers: async () => (await queries.first(findAnybody, {})) !== undefined,
    hasOperators: async () => (await queries.first(findOperator, {})) !== undefined,
    developers: (afterId: string, limit: number) => queries.all(listDevelopers, { afterId, limit }),
    setOperator: (email: string, isOperator: number) => queries.run(setOperator, { email, isOperator }),
  }
}

const findInvitation = statement((q, { tokenHash }: { tokenHash: string }) =>
  q.selectFrom('developers_invitations').select(invitationColumns).where('tokenHash', '=', tokenHash),
)
const insertInvitation = insertRow('developers_invitations', invitationColumns)
const takeInvitation = statement((q, { tokenHash }: { tokenHash: string }) =>
  q
    .deleteFrom('developers_invitations')
    .where('tokenHash', '=', tokenHash)
    .returning(['kind', 'email', 'expiresAt']),
)
const dropSetUp = statement((q) => q.deleteFrom('developers_invitations').where('kind', '=', 'setup'))
const dropOf = statement((q, { email }: { email: string }) =>
  q.deleteFrom('developers_invitations').where('kind', '=', 'invite').where('email', '=', email),
)
const dropExpired = statement((q, { now }: { now: string }) =>
  q.deleteFrom('developers_invitations').where('expiresAt', '<=', now),
)
const listInvitations = statement((q, { limit }: { limit: number }) =>
  q
    .selectFrom('developers_invitations')
    .select(['email', 'expiresAt'])
    .where('kind', '=', 'invite')
    .orderBy('createdAt')
    .limit(limit)
    .$narrowType<{ email: string }>(),
)

const findAnybody = statement((q) => q.selectFrom('developers').select('id').limit(1))
const findOperator = statement((q) =>
  q.selectFrom('developers').select('id').where('isOperator', '=', 1).limit(1),
)
const listDevelopers = statement((q, { afterId, limit }: { afterId: string; limit: number }) =>
  q
    .selectFrom('developers')
    .select(['id', 'email', 'name', 'emailVerifiedAt', 'isOperator', 'createdAt'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit),
)
const setOperator = statement((q, { email, isOperator }: { email: string; isOperator: number }) =>
  q.updateTable('developers').set({ isOperator }).where('email', '=', email),
)
