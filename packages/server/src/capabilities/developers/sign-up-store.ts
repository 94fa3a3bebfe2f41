import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { insertRow, pageAfter, selectBy, takeBy, updateBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type Invitation = Tables['developers_invitations']
export type SignUpStore = ReturnType<typeof createSignUpStore>

/** Operators, and the one-time links that admit a new developer. */
export const createSignUpStore = (db: Database) => ({
  ...invitations(db),
  in: invitations,
  dropExpired: (now: string, stopping?: AbortSignal) => removeOld(db, expired, now, stopping),
  change: db.transaction,
  /** Serializes the check whether there is an operator. */
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
    list: (limit: number) => queries.all(listInvitations, { limit }),

    hasDevelopers: async () => (await queries.first(findAnybody, {})) !== undefined,
    hasOperators: async () => (await queries.first(findOperator, {})) !== undefined,
    developers: (after: string, limit: number) => queries.all(listDevelopers, { after, limit }),
    setOperator: (email: string, isOperator: number) => queries.run(setOperator, { email, isOperator }),
  }
}

const findInvitation = selectBy('developers_invitations', invitationColumns, ['tokenHash'])
const insertInvitation = insertRow('developers_invitations', invitationColumns)
const takeInvitation = takeBy('developers_invitations', ['kind', 'email', 'expiresAt'], ['tokenHash'])
const dropSetUp = statement((q) => q.deleteFrom('developers_invitations').where('kind', '=', 'setup'))
const dropOf = statement((q, { email }: { email: string }) =>
  q.deleteFrom('developers_invitations').where('kind', '=', 'invite').where('email', '=', email),
)
const expired = removalUpTo('developers_invitations', ['expiresAt'])
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
const listDevelopers = pageAfter(
  'developers',
  ['id', 'email', 'name', 'emailVerifiedAt', 'isOperator', 'createdAt'],
  [],
  'id',
)
const setOperator = updateBy('developers', ['isOperator'], ['email'])
