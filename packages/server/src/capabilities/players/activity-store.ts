import { type Database, statement } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { deleteBefore } from '../../engines/database/row-statements.ts'

export type ActivityStore = ReturnType<typeof createActivityStore>

/** When players were active: the last time, and the days. */
export const createActivityStore = (db: Database) => ({
  /** The ids are in order. */
  addDay: (environmentId: string, day: string, ids: readonly string[]) =>
    insertDay(db, { environmentId, day, first: ids[0] ?? '', last: ids.at(-1) ?? '' }, ids),
  /** Changes only players whose last time is before `before`. The ids are in order. */
  setLastSeen: (environmentId: string, { at, before }: Moment, ids: readonly string[]) =>
    setLastSeen(db, { environmentId, at, before, first: ids[0] ?? '', last: ids.at(-1) ?? '' }, ids),
  countByDay: (environmentId: string, from: string) => db.scan(countByDay, { environmentId, from }),
  deleteBefore: (day: string) => db.run(removeDaysBefore, { day }),
})

type Moment = { at: string; before: string }
/** Without the range, PostgreSQL reads all players of the environment until it has analyzed the table. */
type Range = { environmentId: string; first: string; last: string }

const insertDay = listStatement((q, { environmentId, day, first, last }: Range & { day: string }, ids) =>
  q
    .insertInto('players_days')
    .columns(['environmentId', 'playerId', 'day'])
    // A player may have been deleted since the activity was noted.
    .expression((e) =>
      e
        .selectFrom('players')
        .select((row) => ['environmentId', 'id', row.val(day).as('day')])
        .where('environmentId', '=', environmentId)
        .where('id', '>=', first)
        .where('id', '<=', last)
        .where('id', 'in', ids),
    )
    .onConflict((conflict) => conflict.columns(['environmentId', 'day', 'playerId']).doNothing()),
)
const setLastSeen = listStatement((q, { environmentId, at, before, first, last }: Range & Moment, ids) =>
  q
    .updateTable('players')
    .set({ lastSeenAt: at })
    .where('environmentId', '=', environmentId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .where('id', 'in', ids)
    .where('lastSeenAt', '<', before),
)
const countByDay = statement((q, { environmentId, from }: { environmentId: string; from: string }) =>
  q
    .selectFrom('players_days')
    .select((e) => ['day', e.fn.countAll<number>().as('players')])
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .groupBy('day'),
)
const removeDaysBefore = deleteBefore('players_days', 'day')
