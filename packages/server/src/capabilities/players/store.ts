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
import type { PlayerKey } from '../../platform/player.ts'

export type { Queries, Transaction }

export type PlayerRow = Tables['players']
export type IdentityRow = Tables['players_identities']
export type PlayerStore = ReturnType<typeof createPlayerStore>

/** `bannedUntil` of a ban without an end. */
export const FOREVER = '9999-12-31T23:59:59.999Z'

export const createPlayerStore = (db: Database) => ({
  ...players(db),
  in: players,
  create: db.pipelined,
  /** Serializes sign-in, ban, link, unlink and delete of one player, on all nodes. */
  change: <T>(environmentId: string, playerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`player:${environmentId}:${playerId}`, work),
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
    /** Undefined if there is no such player. */
    findPlayerStatus: (environmentId: string, id: string) =>
      queries.first(selectPlayerStatus, { environmentId, id }),
    remove: (environmentId: string, id: string) => queries.run(removePlayer, { environmentId, id }),

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

const insertPlayer = statement((q, player: PlayerRow) =>
  q
    .insertInto('players')
    .values(columns(player, playerColumns))
    .onConflict((conflict) => conflict.columns(['environmentId', 'email']).doNothing()),
)
const findPlayer = statement((q, { environmentId, id }: One) =>
  q
    .selectFrom('players')
    .select(playerColumns)
    .where('environmentId', '=', environmentId)
    .where('id', '=', id),
)
const findByEmail = statement((q, { environmentId, email }: { environmentId: string; email: string }) =>
  q
    .selectFrom('players')
    .select(playerColumns)
    .where('environmentId', '=', environmentId)
    .where('email', '=', email),
)
const renamePlayer = statement(
  (q, { environmentId, id, displayName, searchName }: One & { displayName: string; searchName: string }) =>
    q
      .updateTable('players')
      .set({ displayName, searchName })
      .where('environmentId', '=', environmentId)
      .where('id', '=', id),
)
const setBannedUntil = statement(
  (q, { environmentId, id, bannedUntil }: One & { bannedUntil: string | null }) =>
    q
      .updateTable('players')
      .set({ bannedUntil })
      .where('environmentId', '=', environmentId)
      .where('id', '=', id),
)
const setLeaderboardsHidden = statement(
  (q, { environmentId, id, leaderboardsHidden }: One & { leaderboardsHidden: number }) =>
    q
      .updateTable('players')
      .set({ leaderboardsHidden })
      .where('environmentId', '=', environmentId)
      .where('id', '=', id),
)
/** Adds the fields that leaderboards show of the player of each row; null if there is no such player. */
export const joinPlayer = <Row>(rows: PlayerRows<Row>) =>
  rows
    .leftJoin('players', (join) =>
      join
        .onRef('players.environmentId', '=', 'entry.environmentId')
        .onRef('players.id', '=', 'entry.playerId'),
    )
    .select(['players.displayName', 'players.bannedUntil', 'players.leaderboardsHidden'])
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
const selectPlayerStatus = statement((q, { environmentId, id }: One) =>
  q
    .selectFrom('players')
    .select(['bannedUntil', 'leaderboardsHidden'])
    .where('environmentId', '=', environmentId)
    .where('id', '=', id),
)
const removePlayer = statement((q, { environmentId, id }: One) =>
  q.deleteFrom('players').where('environmentId', '=', environmentId).where('id', '=', id),
)

const listIdentities = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('players_identities')
    .select(identityColumns)
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .orderBy('linkedAt')
    .orderBy('provider'),
)
const findIdentity = statement(
  (q, { environmentId, provider, subject }: { environmentId: string; provider: string; subject: string }) =>
    q
      .selectFrom('players_identities')
      .select(identityColumns)
      .where('environmentId', '=', environmentId)
      .where('provider', '=', provider)
      .where('subject', '=', subject),
)
const insertIdentity = statement((q, identity: IdentityRow) =>
  q.insertInto('players_identities').values(columns(identity, identityColumns)),
)
const removeIdentity = statement(
  (q, { environmentId, playerId, provider }: PlayerKey & { provider: string }) =>
    q
      .deleteFrom('players_identities')
      .where('environmentId', '=', environmentId)
      .where('playerId', '=', playerId)
      .where('provider', '=', provider),
)
const removeIdentities = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .deleteFrom('players_identities')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId),
)
