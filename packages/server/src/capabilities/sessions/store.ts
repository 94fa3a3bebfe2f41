import type { PlayerView } from '@svc/contract/players'
import type { Compilable } from 'kysely'

import {
  columns,
  type Database,
  type PlayerRows,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { changePlayer } from '../../engines/database/player-changes.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import {
  deleteBy,
  insertNew,
  insertRow,
  selectBy,
  takeBy,
  updateBy,
  upsertRow,
} from '../../engines/database/row-statements.ts'

export type { Queries, Transaction }

export type SessionRow = Tables['sessions']
export type SigningKeyRow = Tables['sessions_signing_keys']
export type SessionStore = ReturnType<typeof createSessionStore>

/** Reads the player of a session in the statement that finds the session. */
export type PlayerOfRows<Columns> = {
  join<Row>(rows: PlayerRows<Row>): Compilable<Row & Columns>
  /** Undefined if there is no such player. */
  viewIn(rows: readonly (Columns & { playerId: string })[]): PlayerView | undefined
}

/** Sessions of players, with signing keys and transfer codes. */
export const createSessionStore = <Columns>(db: Database, { join, viewIn }: PlayerOfRows<Columns>) => {
  const findWithPlayer = statement((q, { environmentId, id }: { environmentId: string; id: string }) =>
    join(
      q
        .selectFrom('sessions as entry')
        .select(sessionColumns.map((column) => `entry.${column}` as const))
        .where('entry.environmentId', '=', environmentId)
        .where('entry.id', '=', id),
    ),
  )

  return {
    ...sessions(db),
    in: sessions,
    /** Undefined if there is no such session. */
    async findWithPlayer(environmentId: string, id: string) {
      const rows = await db.all(findWithPlayer, { environmentId, id })
      const session: SessionRow | undefined = rows[0]
      return session && { session, player: viewIn(rows) }
    },
    async purgeExpired(now: string, stopping?: AbortSignal) {
      await removeOld(db, expiredSessions, now, stopping)
      await removeOld(db, expiredDeleted, now, stopping)
    },
    databaseNowMs: db.databaseNowMs,
    together: db.pipelined,
    /** Takes the lock that sign-in, ban and deletion of this player take, too. */
    changePlayer: changePlayer(db),
    changeSigningKeys: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
      db.exclusively(`sessions:signing:${environmentId}`, work),
  }
}

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
    listUnrevoked: (environmentId: string, ids: readonly string[]) =>
      listUnrevoked(queries, { environmentId }, ids),
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
const findSession = selectBy('sessions', sessionColumns, ['environmentId', 'id'])
const listUnrevoked = listStatement((q, { environmentId }: { environmentId: string }, ids) =>
  q
    .selectFrom('sessions')
    .select('id')
    .where('environmentId', '=', environmentId)
    .where('id', 'in', ids)
    .where('revokedAt', 'is', null),
)
/** What a use of the refresh token changes. */
const rotated = ({ nextGeneration, now, nowUs, expiresAt, nonceHash }: Rotation) => ({
  generation: nextGeneration,
  rotatedAt: now,
  rotatedAtUs: nowUs,
  expiresAt,
  nonceHash,
})
const rotateSession = statement((q, rotation: Rotation) =>
  q
    .updateTable('sessions')
    .set(rotated(rotation))
    .where((e) => e.and(columns(rotation, ['environmentId', 'id', 'generation'])))
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', rotation.now)
    .returning('playerId'),
)
const reviveSession = statement((q, rotation: Rotation) =>
  q
    .updateTable('sessions')
    .set({ ...rotated(rotation), revokedAt: null, revokedReason: null, sanctionId: null })
    .where((e) => e.and(columns(rotation, ['environmentId', 'id', 'generation'])))
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
const listSessions = selectBy('sessions', sessionColumns, ['environmentId', 'playerId'], ['id'])
const removeSessions = deleteBy('sessions', ['environmentId', 'playerId'])
const expiredSessions = removalUpTo('sessions', ['expiresAt'], { key: ['environmentId', 'id'] })

const insertDeleted = insertNew(
  'sessions_deleted',
  ['environmentId', 'idHash', 'expiresAt'],
  ['environmentId', 'idHash'],
)
const findDeleted = selectBy('sessions_deleted', ['expiresAt'], ['environmentId', 'idHash'])
const expiredDeleted = removalUpTo('sessions_deleted', ['expiresAt'])

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
const findSigningKey = selectBy('sessions_signing_keys', keyColumns, ['kid'])
const insertSigningKey = insertRow('sessions_signing_keys', keyColumns)
const retireSigningKey = updateBy('sessions_signing_keys', ['retiredAt'], ['environmentId', 'kid'])

const listRetiredKeys = statement((q, { before }: { before: string }) =>
  q
    .selectFrom('sessions_signing_keys')
    .select(['environmentId', 'kid'])
    .where('retiredAt', '<=', before)
    .limit(10_000),
)
const removeSigningKey = deleteBy('sessions_signing_keys', ['environmentId', 'kid'])

const writeTransferCode = upsertRow(
  'sessions_transfer_codes',
  ['environmentId', 'playerId', 'codeHash', 'expiresAt', 'sessionId'],
  ['environmentId', 'playerId'],
)
const findTransferCode = selectBy('sessions_transfer_codes', ['expiresAt'], ['environmentId', 'playerId'])
const takeTransferCode = takeBy(
  'sessions_transfer_codes',
  ['playerId', 'expiresAt', 'sessionId'],
  ['environmentId', 'codeHash'],
)
const removeTransferCode = deleteBy('sessions_transfer_codes', ['environmentId', 'playerId'])
