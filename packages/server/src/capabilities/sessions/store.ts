import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'

export type { Queries, Transaction }

export type SessionRow = Tables['sessions']
export type SigningKeyRow = Tables['sessions_signing_keys']
export type SessionStore = ReturnType<typeof createSessionStore>

/** Sessions of players, with signing keys and transfer codes. */
export const createSessionStore = (db: Database) => ({
  ...sessions(db),
  in: sessions,
  databaseNowMs: db.databaseNowMs,
  together: db.pipelined,
  /** Takes the lock that sign-in, ban and deletion of this player take, too. */
  changePlayer: <T>(
    environmentId: string,
    playerId: string,
    work: (transaction: Transaction) => Promise<T>,
  ) => db.exclusively(`player:${environmentId}:${playerId}`, work),
  changeSigningKeys: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`sessions:signing:${environmentId}`, work),
})

const sessionColumns = [
  'environmentId',
  'id',
  'playerId',
  'generation',
  'rotatedAt',
  'rotatedAtUs',
  'nonceHash',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'revokedReason',
  'sanctionId',
] as const
const keyColumns = ['environmentId', 'kid', 'publicJwk', 'createdAt', 'retiredAt'] as const

function sessions(queries: Queries) {
  return {
    insert: (session: SessionRow) => queries.run(insertSession, session),
    find: (environmentId: string, id: string) => queries.first(findSession, { environmentId, id }),
    /** Compare and set: undefined if another use was faster, or the session has ended. */
    rotate: (values: Rotation) => queries.first(rotateSession, values),
    revoke: (values: Revocation & { id: string }) => queries.run(revokeSession, values),
    /** Returns the number of active sessions that ended. */
    revokeAll: (values: Revocation & { playerId: string; exceptId: string }) =>
      queries.run(revokeSessions, values),
    /** Compare and set, for a chain that a ban revoked: it is active again, one use further. */
    revive: (values: Rotation) => queries.first(reviveSession, values),
    /** A replayed token ends the chain permanently, also one that could be active again after a ban. */
    revokeReused: (values: Revocation & { id: string }) => queries.run(revokeReused, values),
    keepRevoked: (values: {
      environmentId: string
      playerId: string
      sanctionId: string
      keptUntil: string
    }) => queries.run(keepRevoked, values),
    insertDeleted: (session: Tables['sessions_deleted']) => queries.run(insertDeleted, session),
    isDeleted: async (environmentId: string, idHash: string) =>
      (await queries.first(findDeleted, { environmentId, idHash })) !== undefined,
    listOf: (environmentId: string, playerId: string) =>
      queries.all(listSessions, { environmentId, playerId }),
    removeAll: async (environmentId: string, playerId: string) => {
      await queries.run(removeSessions, { environmentId, playerId })
      await queries.run(removeTransferCode, { environmentId, playerId })
    },
    async purgeExpired(now: string) {
      await queries.run(removeExpired, { now })
      await queries.run(removeDeleted, { now })
    },

    signingKeys: (environmentId: string) => queries.all(listSigningKeys, { environmentId }),
    publishedKeys: (retiredAfter: string) => queries.all(listPublishedKeys, { retiredAfter }),
    findSigningKey: (kid: string) => queries.first(findSigningKey, { kid }),
    insertSigningKey: (key: SigningKeyRow) => queries.run(insertSigningKey, key),
    retiredKeys: (before: string) => queries.all(listRetiredKeys, { before }),
    removeSigningKey: (environmentId: string, kid: string) =>
      queries.run(removeSigningKey, { environmentId, kid }),
    retireSigningKey: (environmentId: string, kid: string, retiredAt: string) =>
      queries.run(retireSigningKey, { environmentId, kid, retiredAt }),

    writeTransferCode: (code: Tables['sessions_transfer_codes']) => queries.run(writeTransferCode, code),
    transferCodeOf: (environmentId: string, playerId: string) =>
      queries.first(findTransferCode, { environmentId, playerId }),
    dropTransferCode: (environmentId: string, playerId: string) =>
      queries.run(removeTransferCode, { environmentId, playerId }),
    /** Deletes a code and returns it: of several concurrent callers only one gets it. */
    takeTransferCode: (environmentId: string, codeHash: string) =>
      queries.first(takeTransferCode, { environmentId, codeHash }),
  }
}

type Rotation = {
  environmentId: string
  id: string
  generation: number
  nextGeneration: number
  now: string
  nowUs: number
  expiresAt: string
  nonceHash: string | null
}
/** The row is kept after the end of its session, so that a later use gets the reason, and a ban can be appealed with the token. */
type Revocation = {
  environmentId: string
  revokedAt: string
  revokedReason: string
  sanctionId: string | null
  keptUntil: string
}

const insertSession = insertRow('sessions', sessionColumns)
const findSession = statement((q, { environmentId, id }: { environmentId: string; id: string }) =>
  q
    .selectFrom('sessions')
    .select(sessionColumns)
    .where((e) => e.and({ environmentId, id })),
)
const rotateSession = statement((q, rotation: Rotation) =>
  q
    .updateTable('sessions')
    .set({
      generation: rotation.nextGeneration,
      rotatedAt: rotation.now,
      rotatedAtUs: rotation.nowUs,
      expiresAt: rotation.expiresAt,
      nonceHash: rotation.nonceHash,
    })
    .where('environmentId', '=', rotation.environmentId)
    .where('id', '=', rotation.id)
    .where('generation', '=', rotation.generation)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', rotation.now)
    .returning('playerId'),
)
const reviveSession = statement((q, rotation: Rotation) =>
  q
    .updateTable('sessions')
    .set({
      generation: rotation.nextGeneration,
      rotatedAt: rotation.now,
      rotatedAtUs: rotation.nowUs,
      expiresAt: rotation.expiresAt,
      nonceHash: rotation.nonceHash,
      revokedAt: null,
      revokedReason: null,
      sanctionId: null,
    })
    .where('environmentId', '=', rotation.environmentId)
    .where('id', '=', rotation.id)
    .where('generation', '=', rotation.generation)
    .where('revokedReason', '=', 'ban')
    .where('expiresAt', '>', rotation.now)
    .returning('playerId'),
)
const revokeReused = statement(
  (q, { environmentId, id, revokedAt, revokedReason, keptUntil }: Revocation & { id: string }) =>
    q
      .updateTable('sessions')
      .set({ revokedAt, revokedReason, expiresAt: keptUntil })
      .where((e) => e.and({ environmentId, id }))
      .where((e) => e.or([e('revokedAt', 'is', null), e('revokedReason', '=', 'ban')])),
)
const keepRevoked = statement(
  (q, values: { environmentId: string; playerId: string; sanctionId: string; keptUntil: string }) =>
    q
      .updateTable('sessions')
      .set({ expiresAt: values.keptUntil })
      .where('environmentId', '=', values.environmentId)
      .where('playerId', '=', values.playerId)
      .where('sanctionId', '=', values.sanctionId)
      .where('revokedReason', '=', 'ban'),
)
const revokeSession = statement(
  (q, { environmentId, id, revokedAt, revokedReason, sanctionId, keptUntil }: Revocation & { id: string }) =>
    q
      .updateTable('sessions')
      .set({ revokedAt, revokedReason, sanctionId, expiresAt: keptUntil })
      .where((e) => e.and({ environmentId, id, revokedAt: null })),
)
const revokeSessions = statement((q, values: Revocation & { playerId: string; exceptId: string }) =>
  q
    .updateTable('sessions')
    .set({
      revokedAt: values.revokedAt,
      revokedReason: values.revokedReason,
      sanctionId: values.sanctionId,
      expiresAt: values.keptUntil,
    })
    .where((e) => e.and({ environmentId: values.environmentId, playerId: values.playerId }))
    .where('id', '!=', values.exceptId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', values.revokedAt),
)
const listSessions = statement(
  (q, { environmentId, playerId }: { environmentId: string; playerId: string }) =>
    q
      .selectFrom('sessions')
      .select(sessionColumns)
      .where((e) => e.and({ environmentId, playerId }))
      .orderBy('id'),
)
const removeSessions = deleteBy('sessions', ['environmentId', 'playerId'])
const removeExpired = statement((q, { now }: { now: string }) =>
  q.deleteFrom('sessions').where('expiresAt', '<=', now),
)

const insertDeleted = statement((q, session: Tables['sessions_deleted']) =>
  q
    .insertInto('sessions_deleted')
    .values(columns(session, ['environmentId', 'idHash', 'expiresAt']))
    .onConflict((conflict) => conflict.columns(['environmentId', 'idHash']).doNothing()),
)
const findDeleted = statement((q, { environmentId, idHash }: { environmentId: string; idHash: string }) =>
  q
    .selectFrom('sessions_deleted')
    .select('expiresAt')
    .where((e) => e.and({ environmentId, idHash })),
)
const removeDeleted = statement((q, { now }: { now: string }) =>
  q.deleteFrom('sessions_deleted').where('expiresAt', '<=', now),
)

const listSigningKeys = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('sessions_signing_keys')
    .select(keyColumns)
    .where('environmentId', '=', environmentId)
    .orderBy('createdAt', 'desc'),
)
const listPublishedKeys = statement((q, { retiredAfter }: { retiredAfter: string }) =>
  q
    .selectFrom('sessions_signing_keys')
    .select(keyColumns)
    .where((e) => e.or([e('retiredAt', 'is', null), e('retiredAt', '>', retiredAfter)]))
    .orderBy('createdAt', 'desc')
    .limit(10_000),
)
/** The only statement without an environment: finds a public key by the `kid` of a token's header. */
const findSigningKey = statement((q, { kid }: { kid: string }) =>
  q.selectFrom('sessions_signing_keys').select(keyColumns).where('kid', '=', kid),
)
const insertSigningKey = insertRow('sessions_signing_keys', keyColumns)
const retireSigningKey = statement(
  (q, { environmentId, kid, retiredAt }: { environmentId: string; kid: string; retiredAt: string }) =>
    q
      .updateTable('sessions_signing_keys')
      .set({ retiredAt })
      .where((e) => e.and({ environmentId, kid })),
)

const listRetiredKeys = statement((q, { before }: { before: string }) =>
  q
    .selectFrom('sessions_signing_keys')
    .select(['environmentId', 'kid'])
    .where('retiredAt', '<=', before)
    .limit(10_000),
)
const removeSigningKey = deleteBy('sessions_signing_keys', ['environmentId', 'kid'])

const writeTransferCode = statement((q, code: Tables['sessions_transfer_codes']) =>
  q
    .insertInto('sessions_transfer_codes')
    .values(columns(code, ['environmentId', 'playerId', 'codeHash', 'expiresAt', 'sessionId']))
    .onConflict((conflict) =>
      conflict
        .columns(['environmentId', 'playerId'])
        .doUpdateSet(columns(code, ['codeHash', 'expiresAt', 'sessionId'])),
    ),
)
const findTransferCode = statement(
  (q, { environmentId, playerId }: { environmentId: string; playerId: string }) =>
    q
      .selectFrom('sessions_transfer_codes')
      .select('expiresAt')
      .where((e) => e.and({ environmentId, playerId })),
)
const takeTransferCode = statement(
  (q, { environmentId, codeHash }: { environmentId: string; codeHash: string }) =>
    q
      .deleteFrom('sessions_transfer_codes')
      .where((e) => e.and({ environmentId, codeHash }))
      .returning(['playerId', 'expiresAt', 'sessionId']),
)
const removeTransferCode = deleteBy('sessions_transfer_codes', ['environmentId', 'playerId'])
