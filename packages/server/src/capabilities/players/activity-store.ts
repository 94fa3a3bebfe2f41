import { type Database, statement } from '../../engines/database/database.ts'

export type ActivityStore = ReturnType<typeof createActivityStore>

export const createActivityStore = (db: Database) => ({
  async seen(environmentId: string, playerId: string, day: string) {
    await db.run(insertDay, { environmentId, playerId, day })
    await db.run(setLastSeen, { environmentId, playerId, day })
  },
  countByDay: (environmentId: string, from: string) => db.all(countByDay, { environmentId, from }),
  forgetBefore: (day: string) => db.run(forgetBefore, { day }),
})

type Seen = { environmentId: string; playerId: string; day: string }

const insertDay = statement((q, { environmentId, playerId, day }: Seen) =>
  q
    .insertInto('players_days')
    .columns(['environmentId', 'playerId', 'day'])
    // Noted up to a minute ago: the player may be gone.
    .expression((e) =>
      e
        .selectFrom('players')
        .select((row) => ['environmentId', 'id', row.val(day).as('day')])
        .where('environmentId', '=', environmentId)
        .where('id', '=', playerId),
    )
    .onConflict((conflict) => conflict.columns(['environmentId', 'day', 'playerId']).doNothing()),
)
const setLastSeen = statement((q, { environmentId, playerId, day }: Seen) =>
  q
    .updateTable('players')
    .set({ lastSeenOn: day })
    .where('environmentId', '=', environmentId)
    .where('id', '=', playerId),
)
const countByDay = statement((q, { environmentId, from }: { environmentId: string; from: string }) =>
  q
    .selectFrom('players_days')
    .select((e) => ['day', e.fn.countAll<number>().as('players')])
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .groupBy('day'),
)
const forgetBefore = statement((q, { day }: { day: string }) =>
  q.deleteFrom('players_days').where('day', '<', day),
)
