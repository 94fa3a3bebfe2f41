import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../../engines/database/database.ts'
import { removalUpTo } from '../../../engines/database/removal.ts'
import { removeOld } from '../../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy, takeBy, updateBy } from '../../../engines/database/row-statements.ts'

type TokenRow = Tables['players_tokens']
export type LinkKind = 'verify' | 'reset'
export type EmailStore = ReturnType<typeof createEmailStore>

/** Emails and passwords of players, and the links in their mails. */
export const createEmailStore = (db: Database) => ({
  ...emails(db),
  in: emails,
  change: db.transaction,
  purgeExpired: (now: string, stopping?: AbortSignal) => removeOld(db, expiredTokens, now, stopping),
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
    setVerified: async ({ at, ...player }: Verified) =>
      (await queries.run(setVerified, { ...player, emailVerifiedAt: at })) === 1,

    insertToken: (token: TokenRow) => queries.run(insertToken, token),
    findToken: (environmentId: string, tokenHash: string, kind: LinkKind) =>
      queries.first(findToken, { environmentId, tokenHash, kind }),
    /** Deletes a token and returns it: of several concurrent callers only one gets it. */
    takeToken: (environmentId: string, tokenHash: string, kind: LinkKind) =>
      queries.first(takeToken, { environmentId, tokenHash, kind }),
    dropTokens: (environmentId: string, playerId: string, kind: LinkKind) =>
      queries.run(dropTokens, { environmentId, playerId, kind }),
  }
}

type One = { environmentId: string; id: string }
type NewEmail = One & { email: string; passwordHash: string; emailLinkedAt: string }
type Verified = One & { email: string; at: string }

const findOwner = selectBy('players', ['id'], ['environmentId', 'email'])
const setEmail = statement((q, { environmentId, id, email, passwordHash, emailLinkedAt }: NewEmail) =>
  q
    .updateTable('players')
    .set({ email, passwordHash, emailLinkedAt, emailVerifiedAt: null })
    .where((e) => e.and({ environmentId, id })),
)
const setPassword = updateBy('players', ['passwordHash'], ['environmentId', 'id'])
const setVerified = updateBy('players', ['emailVerifiedAt'], ['environmentId', 'id', 'email'])

const insertToken = insertRow('players_tokens', [
  'tokenHash',
  'environmentId',
  'playerId',
  'kind',
  'email',
  'expiresAt',
])
const findToken = selectBy(
  'players_tokens',
  ['playerId', 'email', 'expiresAt'],
  ['tokenHash', 'environmentId', 'kind'],
)
const takeToken = takeBy(
  'players_tokens',
  ['playerId', 'email', 'expiresAt'],
  ['tokenHash', 'environmentId', 'kind'],
)
const dropTokens = deleteBy('players_tokens', ['environmentId', 'playerId', 'kind'])
const expiredTokens = removalUpTo('players_tokens', ['expiresAt'])
