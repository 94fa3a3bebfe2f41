import { type Kysely, sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { changePlayer } from '../../engines/database/player-changes.ts'
import {
  countBy,
  deleteBy,
  insertNew,
  insertRow,
  selectBy,
  updateBy,
} from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Transaction }

export type BanRow = Tables['moderation_bans']
export type AppealRow = Tables['moderation_appeals']
/** An appeal together with its ban. */
export type AppealedRow = Omit<AppealRow, 'environmentId'> &
  Pick<BanRow, 'reason' | 'expiresAt' | 'endedAt'> & { bannedAt: string }
export type ModerationStore = ReturnType<typeof createModerationStore>

/** Bans, and the appeals against them. */
export const createModerationStore = (db: Database) => ({
  ...moderation(db),
  in: moderation,
  /** The number of bans with this id or a later one, by the day they were set. */
  countBansByDay: (environmentId: string, fromId: string) =>
    db.scan(countBansByDay, { environmentId, fromId }),
  /** Takes the lock that sign-in, link and deletion of a player take, too: they are serialized on all nodes. */
  change: changePlayer(db),
})

type One = { environmentId: string; id: string }
type Terms = { reason: string | null; expiresAt: string | null; bannedBy: string }
type Resolution = { status: string; response: string | null; resolvedAt: string }
type Page = { environmentId: string; before: string; limit: number }

function moderation(queries: Queries) {
  return {
    insertBan: (ban: BanRow) => queries.run(insertBan, ban),
    replaceBan: (ban: One & Terms) => queries.run(replaceBan, ban),
    endBan: (ban: One & { endedAt: string }) => queries.run(endBan, ban),
    /** The ban that was not lifted; it may have expired. */
    latestBan: (environmentId: string, playerId: string) =>
      queries.first(findLatestBan, { environmentId, playerId }),
    findBan: (environmentId: string, playerId: string, id: string) =>
      queries.first(findBan, { environmentId, playerId, id }),
    bansOf: (environmentId: string, playerId: string, limit: number) =>
      queries.all(listBans, { environmentId, playerId, limit }),

    /** False if the ban already has an appeal. */
    insertAppeal: async (appeal: AppealRow) => (await queries.run(insertAppeal, appeal)) === 1,
    /** Compare and set: false when it is no longer open. */
    resolveAppeal: async (appeal: One & Resolution) => (await queries.run(resolveAppeal, appeal)) === 1,
    acceptAppealOf: (appeal: { environmentId: string; banId: string; resolvedAt: string }) =>
      queries.run(acceptAppealOf, appeal),
    findAppeal: (environmentId: string, id: string) => queries.first(findAppeal, { environmentId, id }),
    appealsOf: (environmentId: string, playerId: string) =>
      queries.all(listAppealsOf, { environmentId, playerId }),
    listAppeals: (page: Page, status: string | undefined) =>
      status === undefined
        ? queries.all(listAppeals, page)
        : queries.all(listAppealsByStatus, { ...page, status }),

    countAppeals: async (environmentId: string, status: string) =>
      (await queries.first(countAppeals, { environmentId, status }))?.count ?? 0,

    async removeForPlayer(environmentId: string, playerId: string) {
      await queries.run(removeBans, { environmentId, playerId })
      await queries.run(removeAppeals, { environmentId, playerId })
    },
  }
}

const banColumns = [
  'environmentId',
  'id',
  'playerId',
  'reason',
  'createdAt',
  'expiresAt',
  'endedAt',
  'bannedBy',
] as const
const appealColumns = [
  'environmentId',
  'id',
  'banId',
  'playerId',
  'status',
  'message',
  'response',
  'createdAt',
  'resolvedAt',
] as const

const insertBan = insertRow('moderation_bans', banColumns)
const replaceBan = updateBy('moderation_bans', ['reason', 'expiresAt', 'bannedBy'], ['environmentId', 'id'])
const endBan = updateBy('moderation_bans', ['endedAt'], ['environmentId', 'id'])
const findLatestBan = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('moderation_bans')
    .select(banColumns)
    .where((e) => e.and({ environmentId, playerId, endedAt: null })),
)
const findBan = selectBy('moderation_bans', banColumns, ['environmentId', 'playerId', 'id'])
const listBans = statement((q, { environmentId, playerId, limit }: PlayerKey & { limit: number }) =>
  q
    .selectFrom('moderation_bans')
    .select(banColumns)
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('id', 'desc')
    .limit(limit),
)

const insertAppeal = insertNew('moderation_appeals', appealColumns, ['environmentId', 'banId'])
const resolveAppeal = statement((q, { environmentId, id, status, response, resolvedAt }: One & Resolution) =>
  q
    .updateTable('moderation_appeals')
    .set({ status, response, resolvedAt })
    .where((e) => e.and({ environmentId, id }))
    .where('status', '=', 'open'),
)
const acceptAppealOf = statement(
  (q, { environmentId, banId, resolvedAt }: { environmentId: string; banId: string; resolvedAt: string }) =>
    q
      .updateTable('moderation_appeals')
      .set({ status: 'accepted', resolvedAt })
      .where((e) => e.and({ environmentId, banId }))
      .where('status', '=', 'open'),
)
const listAppealsOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('moderation_appeals')
    .select(appealColumns)
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('id', 'desc'),
)

const appealed = (q: Kysely<Tables>) =>
  q
    .selectFrom('moderation_appeals as appeal')
    .innerJoin('moderation_bans as ban', (join) =>
      join.onRef('ban.environmentId', '=', 'appeal.environmentId').onRef('ban.id', '=', 'appeal.banId'),
    )
    .select([
      'appeal.id',
      'appeal.banId',
      'appeal.playerId',
      'appeal.status',
      'appeal.message',
      'appeal.response',
      'appeal.createdAt',
      'appeal.resolvedAt',
      'ban.reason',
      'ban.createdAt as bannedAt',
      'ban.expiresAt',
      'ban.endedAt',
    ])
const findAppeal = statement((q, { environmentId, id }: One) =>
  appealed(q).where('appeal.environmentId', '=', environmentId).where('appeal.id', '=', id),
)
const newestAppeals = (q: Kysely<Tables>, { environmentId, before, limit }: Page) =>
  appealed(q)
    .where('appeal.environmentId', '=', environmentId)
    .where('appeal.id', '<', before)
    .orderBy('appeal.id', 'desc')
    .limit(limit)
const listAppeals = statement(newestAppeals)
const listAppealsByStatus = statement((q, page: Page & { status: string }) =>
  newestAppeals(q, page).where('appeal.status', '=', page.status),
)

const countAppeals = countBy('moderation_appeals', ['environmentId', 'status'])
const countBansByDay = statement((q, { environmentId, fromId }: { environmentId: string; fromId: string }) =>
  q
    .selectFrom('moderation_bans')
    .select((e) => [sql<string>`substr("createdAt", 1, 10)`.as('day'), e.fn.countAll<number>().as('count')])
    .where('environmentId', '=', environmentId)
    .where('id', '>=', fromId)
    .groupBy('day'),
)

const removeBans = deleteBy('moderation_bans', ['environmentId', 'playerId'])
const removeAppeals = deleteBy('moderation_appeals', ['environmentId', 'playerId'])
