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
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Queries, Transaction }

export type PlayerRow = Tables['players']
export type IdentityRow = Tables['players_identities']
export type PlayerStore = ReturnType<typeof createPlayerStore>

/** `bannedUntil` of a ban without an end. */
export const FOREVER = '9999-12-31T23:59:59.999Z'

/** Players, and their external identities. */
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
    .where((e) => e.and({ environmentId, id })),
)
const findByEmail = statement((q, { environmentId, email }: { environmentId: string; email: string }) =>
  q
    .selectFrom('players')
    .select(playerColumns)
    .where((e) => e.and({ environmentId, email })),
)
const renamePlayer = statement(
  (q, { environmentId, id, displayName, searchName }: One & { displayName: string; searchName: string }) =>
    q
      .updateTable('players')
      .set({ displayName, searchName })
      .where((e) => e.and({ environmentId, id })),
)
const setBannedUntil = statement(
  (q, { environmentId, id, bannedUntil }: One & { bannedUntil: string | null }) =>
    q
      .updateTable('players')
      .set({ bannedUntil })
      .where((e) => e.and({ environmentId, id })),
)
const setLeaderboardsHidden = statement(
  (q, { environmentId, id, leaderboardsHidden }: One & { leaderboardsHidden: number }) =>
    q
      .updateTable('players')
      .set({ leaderboardsHidden })
      .where((e) => e.and({ environmentId, id })),
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
    .where((e) => e.and({ environmentId, id })),
)
const removePlayer = deleteBy('players', ['environmentId', 'id'])

const listIdentities = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('players_identities')
    .select(identityColumns)
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('linkedAt')
    .orderBy('provider'),
)
const findIdentity = statement(
  (q, { environmentId, provider, subject }: { environmentId: string; provider: string; subject: string }) =>
    q
      .selectFrom('players_identities')
      .select(identityColumns)
      .where((e) => e.and({ environmentId, provider, subject })),
)
const insertIdentity = insertRow('players_identities', identityColumns)
const removeIdentity = deleteBy('players_identities', ['environmentId', 'playerId', 'provider'])
const removeIdentities = deleteBy('players_identities', ['environmentId', 'playerId'])
