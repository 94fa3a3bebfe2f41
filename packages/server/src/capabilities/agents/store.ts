import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type TokenRow = Tables['agents_tokens']
export type ApprovalRow = Tables['agents_approvals']
export type CallRow = Tables['agents_calls']
export type AgentStore = ReturnType<typeof createAgentStore>

/** Tokens of agents, approvals of their calls, and their last calls. */
export const createAgentStore = (db: Database) => ({
  ...agents(db),
  in: agents,
  /** Read-decide-write on the agents of one environment. */
  change: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`agents:${environmentId}`, work),
  /** Read-decide-write on the approvals or the calls of one agent. */
  changeOf: <T>(tokenId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`agent:${tokenId}`, work),

  /** Each with its calls. */
  async dropTokens(expiresAt: string, stopping?: AbortSignal) {
    for (let ids = await expired(); ids.length > 0; ids = await expired())
      for (const { id } of ids) {
        stopping?.throwIfAborted()
        await db.inBackground(async (transaction) => {
          await transaction.run(dropCalls, { tokenId: id })
          await transaction.run(dropToken, { id })
        })
      }

    function expired() {
      return db.all(listExpired, { expiresAt })
    }
  },
  dropApprovals: (expiresAt: string, stopping?: AbortSignal) =>
    removeOld(db, expiredApprovals, expiresAt, stopping),
})

const tokenColumns = [
  'id',
  'hash',
  'developerId',
  'projectId',
  'environmentId',
  'label',
  'tools',
  'unattended',
  'grantId',
  'client',
  'accessExpiresAt',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
] as const
const approvalColumns = [
  'id',
  'tokenId',
  'environmentId',
  'tool',
  'argumentsHash',
  'arguments',
  'summary',
  'status',
  'createdAt',
  'expiresAt',
  'decidedBy',
] as const
const callColumns = ['tokenId', 'sequence', 'environmentId', 'at', 'tool', 'outcome'] as const

type Live = { now: string }
type Asked = { tokenId: string; argumentsHash: string } & Live
type NewToken = { hash: string; accessExpiresAt: string; expiresAt: string }
type OneApproval = { id: string } & Asked

function agents(queries: Queries) {
  return {
    insert: (row: TokenRow) => queries.run(insertToken, row),
    findByHash: (hash: string) => queries.first(findByHash, { hash }),
    /** Neither revoked nor expired; newest first. */
    listLive: (environmentId: string, now: string) => queries.all(listLive, { environmentId, now }),
    findLive: (environmentId: string, id: string, now: string) =>
      queries.first(findLive, { environmentId, id, now }),
    /** Returns its hash; undefined if there is no such live one. */
    revoke: (environmentId: string, id: string, now: string) =>
      queries.first(revoke, { environmentId, id, now }),

    /** False if the agent was revoked. */
    replaceToken: async (id: string, token: NewToken) =>
      (await queries.run(replaceToken, { id, ...token })) === 1,
    /** Returns their hashes. */
    revokeAllOf: (developerId: string, now: string) => queries.all(revokeAllOf, { developerId, now }),
    revokeAllIn: (projectId: string, developerId: string, now: string) =>
      queries.all(revokeAllIn, { projectId, developerId, now }),

    insertApproval: (row: ApprovalRow) => queries.run(insertApproval, row),
    findApproval: (id: string, now: string) => queries.first(findApproval, { id, now }),
    /** The one of this call that is not used yet; there is at most one. */
    findOfCall: (asked: Asked) => queries.first(findOfCall, asked),
    /** The id of the newest one in an environment; empty without one. */
    newestApproval: async (environmentId: string) =>
      (await queries.first(newestApproval, { environmentId }))?.id ?? '',
    listOpen: (developerId: string, now: string) => queries.all(listOpen, { developerId, now }),
    /** False unless it was open: of several concurrent decisions only one counts. */
    decide: async (id: string, status: 'approved' | 'refused', decidedBy: string, now: string) =>
      (await queries.run(decide, { id, status, decidedBy, now })) === 1,
    /** Who approved the call, if it is approved and not used yet; of several concurrent calls only one gets it. */
    use: (approval: OneApproval) => queries.first(use, approval),

    lastSequence: async (tokenId: string) => (await queries.first(lastCall, { tokenId }))?.sequence ?? 0,
    insertCall: (row: CallRow) => queries.run(insertCall, row),
    dropCallsUpTo: (tokenId: string, sequence: number) => queries.run(dropCallsUpTo, { tokenId, sequence }),
    /** Newest first. */
    calls: (tokenId: string) => queries.all(listCalls, { tokenId }),
    noteUse: (id: string, lastUsedAt: string) => queries.run(noteUse, { id, lastUsedAt }),
  }
}

const insertToken = insertRow('agents_tokens', tokenColumns)
const findByHash = selectBy('agents_tokens', tokenColumns, ['hash'])
const listLive = statement((q, { environmentId, now }: { environmentId: string } & Live) =>
  q
    .selectFrom('agents_tokens')
    .select(tokenColumns)
    .where('environmentId', '=', environmentId)
    .where('expiresAt', '>', now)
    .where('revokedAt', 'is', null)
    .orderBy('id', 'desc'),
)
const findLive = statement((q, { environmentId, id, now }: { environmentId: string; id: string } & Live) =>
  q
    .selectFrom('agents_tokens')
    .select(tokenColumns)
    .where('id', '=', id)
    .where('environmentId', '=', environmentId)
    .where('expiresAt', '>', now)
    .where('revokedAt', 'is', null),
)
const revoke = statement((q, { environmentId, id, now }: { environmentId: string; id: string } & Live) =>
  q
    .updateTable('agents_tokens')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('environmentId', '=', environmentId)
    .where('expiresAt', '>', now)
    .where('revokedAt', 'is', null)
    .returning(['hash', 'label']),
)

const replaceToken = statement((q, { id, hash, accessExpiresAt, expiresAt }: { id: string } & NewToken) =>
  q
    .updateTable('agents_tokens')
    .set({ hash, accessExpiresAt, expiresAt })
    .where('id', '=', id)
    .where('revokedAt', 'is', null),
)
const revokeAllOf = statement((q, { developerId, now }: { developerId: string } & Live) =>
  q
    .updateTable('agents_tokens')
    .set({ revokedAt: now })
    .where('developerId', '=', developerId)
    .where('expiresAt', '>', now)
    .where('revokedAt', 'is', null)
    .returning(['hash']),
)
const revokeAllIn = statement(
  (q, { projectId, developerId, now }: { projectId: string; developerId: string } & Live) =>
    q
      .updateTable('agents_tokens')
      .set({ revokedAt: now })
      .where('projectId', '=', projectId)
      .where('developerId', '=', developerId)
      .where('expiresAt', '>', now)
      .where('revokedAt', 'is', null)
      .returning(['hash']),
)

const insertApproval = insertRow('agents_approvals', approvalColumns)
const ofToken = ['token.developerId', 'token.projectId', 'token.label'] as const
const findApproval = statement((q, { id, now }: { id: string } & Live) =>
  q
    .selectFrom('agents_approvals as approval')
    .innerJoin('agents_tokens as token', 'token.id', 'approval.tokenId')
    .selectAll('approval')
    .select(ofToken)
    .where('approval.id', '=', id)
    .where('approval.expiresAt', '>', now)
    .where('token.revokedAt', 'is', null),
)
const listOpen = statement((q, { developerId, now }: { developerId: string } & Live) =>
  q
    .selectFrom('agents_approvals as approval')
    .innerJoin('agents_tokens as token', 'token.id', 'approval.tokenId')
    .selectAll('approval')
    .select(ofToken)
    .where('token.developerId', '=', developerId)
    .where('token.revokedAt', 'is', null)
    .where('approval.expiresAt', '>', now)
    .where('approval.status', '=', 'open')
    .orderBy('approval.id', 'desc'),
)
const newestApproval = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('agents_approvals')
    .select('id')
    .where('environmentId', '=', environmentId)
    .orderBy('id', 'desc')
    .limit(1),
)
const findOfCall = statement((q, { tokenId, argumentsHash, now }: Asked) =>
  q
    .selectFrom('agents_approvals')
    .select(['id', 'summary', 'status'])
    .where('tokenId', '=', tokenId)
    .where('argumentsHash', '=', argumentsHash)
    .where('expiresAt', '>', now)
    .where('status', '!=', 'used'),
)
const decide = statement(
  (q, { id, status, decidedBy, now }: { id: string; status: string; decidedBy: string } & Live) =>
    q
      .updateTable('agents_approvals')
      .set({ status, decidedBy })
      .where('id', '=', id)
      .where('status', '=', 'open')
      .where('expiresAt', '>', now),
)
const use = statement((q, { id, tokenId, argumentsHash, now }: OneApproval) =>
  q
    .updateTable('agents_approvals')
    .set({ status: 'used' })
    .where('id', '=', id)
    .where('tokenId', '=', tokenId)
    .where('argumentsHash', '=', argumentsHash)
    .where('status', '=', 'approved')
    .where('expiresAt', '>', now)
    .returning(['decidedBy']),
)

const lastCall = statement((q, { tokenId }: { tokenId: string }) =>
  q
    .selectFrom('agents_calls')
    .select('sequence')
    .where('tokenId', '=', tokenId)
    .orderBy('sequence', 'desc')
    .limit(1),
)
const insertCall = insertRow('agents_calls', callColumns)
const dropCallsUpTo = statement((q, { tokenId, sequence }: { tokenId: string; sequence: number }) =>
  q.deleteFrom('agents_calls').where('tokenId', '=', tokenId).where('sequence', '<=', sequence),
)
const listCalls = statement((q, { tokenId }: { tokenId: string }) =>
  q
    .selectFrom('agents_calls')
    .select(['at', 'tool', 'outcome'])
    .where('tokenId', '=', tokenId)
    .orderBy('sequence', 'desc'),
)
const noteUse = statement((q, { id, lastUsedAt }: { id: string; lastUsedAt: string }) =>
  q.updateTable('agents_tokens').set({ lastUsedAt }).where('id', '=', id),
)

const listExpired = statement((q, { expiresAt }: { expiresAt: string }) =>
  q
    .selectFrom('agents_tokens')
    .select('id')
    .where('expiresAt', '<=', expiresAt)
    .orderBy('expiresAt')
    .limit(sql.lit(100)),
)
const dropCalls = deleteBy('agents_calls', ['tokenId'])
const dropToken = deleteBy('agents_tokens', ['id'])
const expiredApprovals = removalUpTo('agents_approvals', ['expiresAt'])
