import { type Database, statement } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { keptSums, oldSums, removeSumsKeptAfter } from './sums-store.ts'

export type ActivityStore = ReturnType<typeof createActivityStore>

/** When players were active: the last time, and the days. */
export const createActivityStore = (db: Database) => ({
  /** The ids are in order. */
  addDay: (environmentId: string, day: string, ids: readonly string[]) =>
    insertDay(db, { environmentId, day, first: ids[0] ?? '', last: ids.at(-1) ?? '' }, ids),
  /** Changes only players whose last time is before `before`. The ids are in order. */
  setLastSeen: (environmentId: string, { at, before }: Moment, ids: readonly string[]) =>
    setLastSeen(db, { environmentId, at, before, first: ids[0] ?? '', last: ids.at(-1) ?? '' }, ids),
  sums: {
    ...keptSums(db, 'active'),
    sum: (environmentId: string, from: string, to: string) =>
      db.scan(countByDay, { environmentId, from, to }),
  },
  forgetSumsAfter: (now: string) => db.run(removeSumsKeptAfter, { now }),
  async deleteBefore(day: string, stopping?: AbortSignal) {
    await removeOld(db, oldDays, day, stopping)
    await removeOld(db, oldSums, day, stopping)
  },
})

type Moment = { at: string; before: string }
/** Without the range, PostgreSQL reads all players of the environment until it has analyzed the table. */
type Ids = { environmentId: string; first: string; last: string }
type Days = { environmentId: string; from: string; to: string }

const insertDay = listStatement((q, { environmentId, day, first, last }: Ids & { day: string }, ids) =>
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
const setLastSeen = listStatement((q, { environmentId, at, before, first, last }: Ids & Moment, ids) =>
  q
    .updateTable('players')
    .set({ lastSeenAt: at })
    .where('environmentId', '=', environmentId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .where('id', 'in', ids)
    .where('lastSeenAt', '<', before),
)
const countByDay = statement((q, { environmentId, from, to }: Days) =>
  q
    .selectFrom('players_days')
    .select((e) => ['day', e.fn.countAll<number>().as('players')])
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('day'),
)
const oldDays = removalBefore('players_days', ['day', 'playerId'], {
  per: 'environmentId',
  key: ['environmentId', 'day', 'playerId'],
})
