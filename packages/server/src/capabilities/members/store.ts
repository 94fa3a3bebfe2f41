import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import {
  deleteBy,
  insertRow,
  selectBy,
  takeBy,
  updateBy,
  upsertRow,
} from '../../engines/database/row-statements.ts'

export type { Transaction }

export type MemberRow = Tables['members']
export type InvitationRow = Tables['members_invitations']
export type TransferRow = Tables['members_transfers']
export type MemberStore = ReturnType<typeof createMemberStore>

/** Members of projects, invitations to them, and offers of ownership. */
export const createMemberStore = (db: Database) => ({
  ...memberQueries(db),
  in: memberQueries,
  /** Read-decide-write on one project. The lock is that of `capabilities/projects`: a deleted project gets no members. */
  change: <T>(projectId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`project:${projectId}`, work),
  /**
   * The same for a developer who joins the project or becomes its owner. Also serialized with the deletion of that account and with the
   * projects that it creates, by the lock of its list, which must be the first.
   */
  changeFor: <T>(developerId: string, projectId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`projects:${developerId}`, async (transaction) => {
      await transaction.lock(`project:${projectId}`)
      return work(transaction)
    }),
  async purgeExpired(now: string, stopping?: AbortSignal) {
    await removeOld(db, expiredInvitations, now, stopping)
    await removeOld(db, expiredTransfers, now, stopping)
  },
  /** Part of a transaction that has locked the account. */
  lockProject: (transaction: Transaction, projectId: string) => transaction.lock(`project:${projectId}`),
})

const memberColumns = ['projectId', 'developerId', 'role', 'since', 'removedAt'] as const
const invitationColumns = [
  'id',
  'tokenHash',
  'projectId',
  'email',
  'role',
  'invitedBy',
  'createdAt',
  'expiresAt',
] as const
const transferColumns = ['projectId', 'developerId', 'createdAt', 'expiresAt'] as const

function memberQueries(queries: Queries) {
  return {
    /** In the order in which they joined. */
    list: (projectId: string) => queries.all(listMembers, { projectId }),
    find: (projectId: string, developerId: string) => queries.first(findMember, { projectId, developerId }),
    /** The projects that the developer is a member of. */
    listOf: async (developerId: string) =>
      (await queries.all(listProjectsOf, { developerId })).map(({ projectId }) => projectId),
    /** Whether somebody other than the owner is or was a member. */
    wasShared: async (projectId: string) => (await queries.first(findAny, { projectId })) !== undefined,
    write: (member: MemberRow) => queries.run(writeMember, member),
    setRole: (projectId: string, developerId: string, role: string) =>
      queries.run(setRole, { projectId, developerId, role }),
    markRemoved: (projectId: string, developerId: string, removedAt: string) =>
      queries.run(markRemoved, { projectId, developerId, removedAt }),
    markAllRemoved: (projectId: string, removedAt: string) =>
      queries.run(markAllRemoved, { projectId, removedAt }),

    /** Those that have not expired, oldest first. */
    invitations: (projectId: string, now: string) => queries.all(listInvitations, { projectId, now }),
    findInvitation: (tokenHash: string) => queries.first(findInvitation, { tokenHash }),
    insertInvitation: (invitation: InvitationRow) => queries.run(insertInvitation, invitation),
    /** Deletes the invitation and returns it: of several concurrent callers only one gets it. */
    takeInvitation: (tokenHash: string) => queries.first(takeInvitation, { tokenHash }),
    takeInvitationById: (projectId: string, id: string) =>
      queries.first(takeInvitationById, { projectId, id }),
    dropInvitationTo: (projectId: string, email: string) =>
      queries.run(dropInvitationTo, { projectId, email }),
    dropInvitationsBy: (projectId: string, invitedBy: string) =>
      queries.run(dropInvitationsBy, { projectId, invitedBy }),
    dropInvitations: (projectId: string) => queries.run(dropInvitations, { projectId }),

    /** It may have expired. */
    transfer: (projectId: string) => queries.first(findTransfer, { projectId }),
    writeTransfer: (transfer: TransferRow) => queries.run(writeTransfer, transfer),
    dropTransfer: (projectId: string) => queries.run(dropTransfer, { projectId }),
    dropTransferTo: (projectId: string, developerId: string) =>
      queries.run(dropTransferTo, { projectId, developerId }),
  }
}

const listMembers = statement((q, { projectId }: { projectId: string }) =>
  q
    .selectFrom('members')
    .select(memberColumns)
    .where((e) => e.and({ projectId, removedAt: null }))
    .orderBy('since')
    .orderBy('developerId'),
)
const findMember = statement((q, { projectId, developerId }: { projectId: string; developerId: string }) =>
  q
    .selectFrom('members')
    .select(memberColumns)
    .where((e) => e.and({ projectId, developerId, removedAt: null })),
)
const listProjectsOf = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('members')
    .select('projectId')
    .where((e) => e.and({ developerId, removedAt: null }))
    .orderBy('projectId'),
)
const findAny = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('members').select('projectId').where('projectId', '=', projectId).limit(1),
)
const writeMember = upsertRow('members', memberColumns, ['projectId', 'developerId'])
const setRole = updateBy('members', ['role'], ['projectId', 'developerId'])
const markRemoved = updateBy('members', ['removedAt'], ['projectId', 'developerId'])
const markAllRemoved = statement((q, { projectId, removedAt }: { projectId: string; removedAt: string }) =>
  q
    .updateTable('members')
    .set({ removedAt })
    .where((e) => e.and({ projectId, removedAt: null })),
)

const listInvitations = statement((q, { projectId, now }: { projectId: string; now: string }) =>
  q
    .selectFrom('members_invitations')
    .select(invitationColumns)
    .where('projectId', '=', projectId)
    .where('expiresAt', '>', now)
    .orderBy('id'),
)
const findInvitation = selectBy('members_invitations', invitationColumns, ['tokenHash'])
const insertInvitation = insertRow('members_invitations', invitationColumns)
const takeInvitation = takeBy('members_invitations', invitationColumns, ['tokenHash'])
const takeInvitationById = takeBy('members_invitations', invitationColumns, ['projectId', 'id'])
const dropInvitationTo = deleteBy('members_invitations', ['projectId', 'email'])
const dropInvitationsBy = deleteBy('members_invitations', ['projectId', 'invitedBy'])
const dropInvitations = deleteBy('members_invitations', ['projectId'])
const expiredInvitations = removalUpTo('members_invitations', ['expiresAt'])

const findTransfer = selectBy('members_transfers', transferColumns, ['projectId'])
const writeTransfer = upsertRow('members_transfers', transferColumns, ['projectId'])
const dropTransfer = deleteBy('members_transfers', ['projectId'])
const dropTransferTo = deleteBy('members_transfers', ['projectId', 'developerId'])
const expiredTransfers = removalUpTo('members_transfers', ['expiresAt'])
