import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'

export type TokenRow = Tables['players_tokens']
export type LinkKind = 'verify' | 'reset'
export type EmailStore = ReturnType<typeof createEmailStore>

/** Emails and passwords of players, and the links in their mails. */
export const createEmailStore = (db: Database) => ({
  ...emails(db),
  in: emails,
  change: db.transaction,
  /** Until the end of the transaction no other player can take this email. */
  async isFree(transaction: Transaction, environmentId: string, email: string): Promise<boolean> {
    await transaction.lock(`players-email:${environmentId}:${email}`)
    return (await transaction.first(findOwner, { environmentId, email })) === undefined
  },
})

function emails(queries: Queries) {
  return {
    setEmail: (values: NewEmail) => queries.run(setEmail, values),
    setPassword: (environmentId: string, id: string, passwordHash: string) =>
      queries.run(setPassword, { environmentId, id, passwordHash }),
    /** False if the player has another email or none by now, or was deleted. */
    setVerified: async (values: Verified) => (await queries.run(setVerified, values)) === 1,

    insertToken: (token: TokenRow) => queries.run(insertToken, token),
    findToken: (environmentId: string, tokenHash: string, kind: LinkKind) =>
      queries.first(findToken, { environmentId, tokenHash, kind }),
    /** Deletes a token and returns it: of several concurrent callers only one gets it. */
    takeToken: (environmentId: string, tokenHash: string, kind: LinkKind) =>
      queries.first(takeToken, { environmentId, tokenHash, kind }),
    dropTokens: (environmentId: string, playerId: string, kind: LinkKind) =>
      queries.run(dropTokens, { environmentId, playerId, kind }),
    purgeExpired: (now: string) => queries.run(dropExpiredTokens, { now }),
  }
}

type One = { environmentId: string; id: string }
type NewEmail = One & { email: string; passwordHash: string; emailLinkedAt: string }
type Verified = One & { email: string; at: string }

const findOwner = statement((q, { environmentId, email }: { environmentId: string; email: string }) =>
  q.selectFrom('players').select('id').where('environmentId', '=', environmentId).where('email', '=', email),
)
const setEmail = statement((q, { environmentId, id, email, passwordHash, emailLinkedAt }: NewEmail) =>
  q
    .updateTable('players')
    .set({ email, passwordHash, emailLinkedAt, emailVerifiedAt: null })
    .where((e) => e.and({ environmentId, id })),
)
const setPassword = statement((q, { environmentId, id, passwordHash }: One & { passwordHash: string }) =>
  q
    .updateTable('players')
    .set({ passwordHash })
    .where((e) => e.and({ environmentId, id })),
)
const setVerified = statement((q, { environmentId, id, email, at }: Verified) =>
  q
    .updateTable('players')
    .set({ emailVerifiedAt: at })
    .where((e) => e.and({ environmentId, id, email })),
)

type Token = { environmentId: string; tokenHash: string; kind: string }

const insertToken = insertRow('players_tokens', [
  'tokenHash',
  'environmentId',
  'playerId',
  'kind',
  'email',
  'expiresAt',
])
const findToken = statement((q, { environmentId, tokenHash, kind }: Token) =>
  q
    .selectFrom('players_tokens')
    .select(['playerId', 'email', 'expiresAt'])
    .where((e) => e.and({ tokenHash, environmentId, kind })),
)
const takeToken = statement((q, { environmentId, tokenHash, kind }: Token) =>
  q
    .deleteFrom('players_tokens')
    .where((e) => e.and({ tokenHash, environmentId, kind }))
    .returning(['playerId', 'email', 'expiresAt']),
)
const dropTokens = deleteBy('players_tokens', ['environmentId', 'playerId', 'kind'])
const dropExpiredTokens = statement((q, { now }: { now: string }) =>
  q.deleteFrom('players_tokens').where('expiresAt', '<=', now),
)
