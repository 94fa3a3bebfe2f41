import type { Kysely } from 'kysely'

import {
  type Database,
  type PlayerRows,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { changePlayer } from '../../engines/database/player-changes.ts'
import { deleteBy, insertNew, insertRow, selectBy, updateBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'
import { changeCounts, type CountChange } from './counts-store.ts'

export type { Queries, Transaction }

export type PlayerRow = Tables['players']
export type IdentityRow = Tables['players_identities']
/** What the player and developers see of an identity. */
export type Attached = Pick<IdentityRow, 'provider' | 'linkedAt'>
export type PlayerStore = ReturnType<typeof createPlayerStore>

/** `bannedUntil` of a ban without an end. */
export const FOREVER = '9999-12-31T23:59:59.999Z'

/** Players, and their external identities. */
export const createPlayerStore = (db: Database) => ({
  ...players(db),
  in: players,
  create: db.pipelined,
  /** Serializes sign-in, ban, link, unlink and delete of one player, on all nodes. */
  change: changePlayer(db),
})

const playerColumns = [
  'environmentId',
  'id',
  'displayName',
  'searchName',
  'email',
  'emailLinkedAt',
  'emailVerifiedAt',
  'passwordHash',
  'createdAt',
  'lastSeenAt',
  'bannedUntil',
  'leaderboardsHidden',
] as const
const identityColumns = ['environmentId', 'provider', 'subject', 'playerId', 'linkedAt', 'profile'] as const

type One = { environmentId: string; id: string }

function players(queries: Queries) {
  return {
    /** False when the email is taken in this environment. */
    insert: async (player: PlayerRow) => (await queries.run(insertPlayer, player)) === 1,
    find: (environmentId: string, id: string) => queries.first(findPlayer, { environmentId, id }),
    async findWithIdentities(environmentId: string, id: string) {
      const rows = await queries.all(findWithIdentities, { environmentId, id })
      return rows[0] && { row: rows[0], identities: attachedIn(rows) }
    },
    findByEmail: (environmentId: string, email: string) =>
      queries.first(findByEmail, { environmentId, email }),
    rename: (values: One & { displayName: string; searchName: string }) => queries.run(renamePlayer, values),
    setBannedUntil: (environmentId: string, id: string, bannedUntil: string | null) =>
      queries.run(setBannedUntil, { environmentId, id, bannedUntil }),
    setLeaderboardsHidden: (environmentId: string, id: string, leaderboardsHidden: number) =>
      queries.run(setLeaderboardsHidden, { environmentId, id, leaderboardsHidden }),
    /** Unknown players are left out. The ids are in order. */
    listPlayerStatus: (environmentId: string, ids: readonly string[]) =>
      listPlayerStatus(queries, { environmentId, first: ids[0] ?? '', last: ids.at(-1) ?? '' }, ids),
    /** Unknown players are left out. */
    namesOf: (environmentId: string, ids: readonly string[]) => listNames(queries, { environmentId }, ids),
    /** Undefined if there is no such player. */
    findPlayerStatus: (environmentId: string, id: string) =>
      queries.first(selectPlayerStatus, { environmentId, id }),
    /** False if there is no such player. */
    remove: async (environmentId: string, id: string) =>
      (await queries.run(removePlayer, { environmentId, id })) === 1,
    /** In the transaction that deletes the player or changes whether it is a guest. */
    noteChange: (environmentId: string, id: string, change: CountChange) =>
      changeCounts(queries, environmentId, id, change),

    identities: (environmentId: string, playerId: string) =>
      queries.all(listIdentities, { environmentId, playerId }),
    findIdentity: (environmentId: string, provider: string, subject: string) =>
      queries.first(findIdentity, { environmentId, provider, subject }),
    insertIdentity: (identity: IdentityRow) => queries.run(insertIdentity, identity),
    removeIdentity: (environmentId: string, playerId: string, provider: string) =>
      queries.run(removeIdentity, { environmentId, playerId, provider }),
    removeIdentities: (environmentId: string, playerId: string) =>
      queries.run(removeIdentities, { environmentId, playerId }),
  }
}

/** The identities of rows with one identity each. */
export const attachedIn = (
  rows: readonly { provider: string | null; linkedAt: string | null }[],
): Attached[] =>
  rows.flatMap(({ provider, linkedAt }) =>
    provider === null || linkedAt === null ? [] : [{ provider, linkedAt }],
  )

const insertPlayer = insertNew('players', playerColumns, ['environmentId', 'email'])
const findPlayer = selectBy('players', playerColumns, ['environmentId', 'id'])
/** One row for each identity, and one without if there is none. */
const findWithIdentities = statement((q, { environmentId, id }: One) =>
  q
    .selectFrom('players')
    .leftJoin('players_identities as identity', (join) =>
      join
        .onRef('identity.environmentId', '=', 'players.environmentId')
        .onRef('identity.playerId', '=', 'players.id'),
    )
    .select(playerColumns.map((column) => `players.${column}` as const))
    .select(['identity.provider', 'identity.linkedAt'])
    .where((e) => e.and({ 'players.environmentId': environmentId, 'players.id': id }))
    .orderBy('identity.linkedAt')
    .orderBy('identity.provider'),
)
const findByEmail = selectBy('players', playerColumns, ['environmentId', 'email'])
const renamePlayer = updateBy('players', ['displayName', 'searchName'], ['environmentId', 'id'])
const setBannedUntil = updateBy('players', ['bannedUntil'], ['environmentId', 'id'])
const setLeaderboardsHidden = updateBy('players', ['leaderboardsHidden'], ['environmentId', 'id'])
const withPlayer = <Row>(rows: PlayerRows<Row>) =>
  rows.leftJoin('players', (join) =>
    join
      .onRef('players.environmentId', '=', 'entry.environmentId')
      .onRef('players.id', '=', 'entry.playerId'),
  )
/** Adds the fields that leaderboards show of the player of each row; null if there is no such player. */
export const joinPlayer = <Row>(rows: PlayerRows<Row>) =>
  withPlayer(rows).select(['players.displayName', 'players.bannedUntil', 'players.leaderboardsHidden'])
/** The columns of which the view of a player is made, all null if there is no such player. */
export type ViewColumns = {
  displayName: string | null
  email: string | null
  emailLinkedAt: string | null
  emailVerifiedAt: string | null
  playerCreatedAt: string | null
  provider: string | null
  linkedAt: string | null
}
/** Adds them to the player of each row: one row for each identity, and one without if there is none. */
export const joinView = <Row>(rows: PlayerRows<Row>) =>
  withPlayer(rows)
    .leftJoin('players_identities as identity', (join) =>
      join
        .onRef('identity.environmentId', '=', 'entry.environmentId')
        .onRef('identity.playerId', '=', 'entry.playerId'),
    )
    .select([
      'players.displayName',
      'players.email',
      'players.emailLinkedAt',
      'players.emailVerifiedAt',
      'players.createdAt as playerCreatedAt',
      'identity.provider',
      'identity.linkedAt',
    ])
    .orderBy('identity.linkedAt')
    .orderBy('identity.provider')
/** For a write of another capability that is refused in the database: selects the player unless it is banned at that time. */
export const selectMayWrite = (
  q: Kysely<Tables>,
  { environmentId, playerId, now }: PlayerKey & { now: string },
) =>
  q
    .selectFrom('players')
    .select('id')
    .where((e) => e.and({ environmentId, id: playerId }))
    .where((e) => e.or([e('bannedUntil', 'is', null), e('bannedUntil', '<=', now)]))
type Range = { environmentId: string; first: string; last: string }
/** Without the range, PostgreSQL reads all players of the environment until it has analyzed the table. */
const listPlayerStatus = listStatement((q, { environmentId, first, last }: Range, ids) =>
  q
    .selectFrom('players')
    .select(['id', 'bannedUntil', 'leaderboardsHidden'])
    .where('environmentId', '=', environmentId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .where('id', 'in', ids),
)
const listNames = listStatement((q, { environmentId }: { environmentId: string }, ids) =>
  q
    .selectFrom('players')
    .select(['id', 'displayName'])
    .where('environmentId', '=', environmentId)
    .where('id', 'in', ids),
)
const selectPlayerStatus = selectBy('players', ['bannedUntil', 'leaderboardsHidden'], ['environmentId', 'id'])
const removePlayer = deleteBy('players', ['environmentId', 'id'])

const listIdentities = selectBy(
  'players_identities',
  identityColumns,
  ['environmentId', 'playerId'],
  ['linkedAt', 'provider'],
)
const findIdentity = selectBy('players_identities', identityColumns, ['environmentId', 'provider', 'subject'])
const insertIdentity = insertRow('players_identities', identityColumns)
const removeIdentity = deleteBy('players_identities', ['environmentId', 'playerId', 'provider'])
const removeIdentities = deleteBy('players_identities', ['environmentId', 'playerId'])
