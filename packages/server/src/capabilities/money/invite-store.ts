import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertNew, insertRow, selectBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

type InviteRow = Tables['money_invites']
type RedemptionRow = Tables['money_redemptions']
export type InviteStore = ReturnType<typeof createInviteStore>

/** Invite codes, and who has redeemed them. */
export const createInviteStore = (db: Database) => ({
  ...redemptions(db),
  in: redemptions,
  list: (now: string) => db.all(listInvites, { now }),
  insertAll: (invites: readonly InviteRow[]) =>
    db.transaction(async (transaction) => {
      for (const invite of invites) await transaction.run(insertInvite, invite)
    }),
  /** Revokes all codes whose hash has this prefix; returns how many. */
  revoke: (hashPrefix: string, revokedAt: string) =>
    db.run(revokeInvites, { pattern: `${hashPrefix}%`, revokedAt }),
})

const redemptions = (queries: Queries) => ({
  find: (codeHash: string) => queries.first(findInvite, { codeHash }),
  /** True if a use was left; concurrent callers never get more uses than there are. */
  takeUse: async (codeHash: string, now: string) => (await queries.run(takeUse, { codeHash, now })) === 1,
  redemption: (developerId: string) => queries.first(findRedemption, { developerId }),
  /** False if the account has redeemed a code before. */
  redeem: async (redemption: RedemptionRow) => (await queries.run(insertRedemption, redemption)) === 1,
  /** True for the one caller who changes it from pending. */
  markCredited: async (developerId: string) => (await queries.run(markCredited, { developerId })) === 1,
})

const inviteColumns = ['codeHash', 'label', 'usesMax', 'uses', 'expiresAt', 'revokedAt', 'createdAt'] as const

const findInvite = selectBy('money_invites', inviteColumns, ['codeHash'])
const insertInvite = insertRow('money_invites', inviteColumns)
const takeUse = statement((q, { codeHash, now }: { codeHash: string; now: string }) =>
  q
    .updateTable('money_invites')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where((e) => e.and({ codeHash, revokedAt: null }))
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .whereRef('uses', '<', 'usesMax'),
)
const listInvites = statement((q, { now }: { now: string }) =>
  q
    .selectFrom('money_invites')
    .select(inviteColumns)
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .orderBy('createdAt')
    .orderBy('codeHash'),
)
const revokeInvites = statement((q, { pattern, revokedAt }: { pattern: string; revokedAt: string }) =>
  q
    .updateTable('money_invites')
    .set({ revokedAt })
    .where('codeHash', 'like', pattern)
    .where('revokedAt', 'is', null),
)
const findRedemption = selectBy(
  'money_redemptions',
  ['developerId', 'codeHash', 'status', 'at'],
  ['developerId'],
)
const insertRedemption = insertNew(
  'money_redemptions',
  ['developerId', 'codeHash', 'status', 'at'],
  ['developerId'],
)
const markCredited = statement((q, { developerId }: { developerId: string }) =>
  q
    .updateTable('money_redemptions')
    .set({ status: 'credited' })
    .where('developerId', '=', developerId)
    .where('status', '=', 'pending'),
)
