import { type Database, statement } from '../../engines/database/database.ts'
import { deleteBefore } from '../../engines/database/row-statements.ts'
import { keptSums, removeSumsBefore } from './sums-store.ts'

export type ActivityStore = ReturnType<typeof createActivityStore>

/** `isNewDay` is false if this day is already written. */
export type Seen = { environmentId: string; playerId: string; at: string; isNewDay: boolean }

/** When players were active: the last time, and the days. */
export const createActivityStore = (db: Database) => ({
  async seen({ environmentId, playerId, at, isNewDay }: Seen) {
    if (isNewDay) await db.run(insertDay, { environmentId, playerId, day: at.slice(0, 10) })
    await db.run(setLastSeen, { environmentId, playerId, at })
  },
  sums: {
    ...keptSums(db, 'active'),
    sum: (environmentId: string, from: string, to: string) =>
      db.scan(countByDay, { environmentId, from, to }),
  },
  async deleteBefore(day: string) {
    await db.run(removeDaysBefore, { day })
    await db.run(removeSumsBefore, { day })
  },
})

type Range = { environmentId: string; from: string; to: string }
type Day = { environmentId: string; playerId: string; day: string }
type Moment = { environmentId: string; playerId: string; at: string }

const insertDay = statement((q, { environmentId, playerId, day }: Day) =>
  q
    .insertInto('players_days')
    .columns(['environmentId', 'playerId', 'day'])
    // The player may have been deleted since the activity was noted.
    .expression((e) =>
      e
        .selectFrom('players')
        .select((row) => ['environmentId', 'id', row.val(day).as('day')])
        .where((e) => e.and({ environmentId, id: playerId })),
    )
    .onConflict((conflict) => conflict.columns(['environmentId', 'day', 'playerId']).doNothing()),
)
/** Another node may have written a later time. */
const setLastSeen = statement((q, { environmentId, playerId, at }: Moment) =>
  q
    .updateTable('players')
    .set({ lastSeenAt: at })
    .where((e) => e.and({ environmentId, id: playerId }))
    .where('lastSeenAt', '<', at),
)
const countByDay = statement((q, { environmentId, from, to }: Range) =>
  q
    .selectFrom('players_days')
    .select((e) => ['day', e.fn.countAll<number>().as('players')])
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('day'),
)
const removeDaysBefore = deleteBefore('players_days', 'day')
