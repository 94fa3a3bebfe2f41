import { type Database, statement } from '../../engines/database/database.ts'
import { deleteBefore, insertNew } from '../../engines/database/row-statements.ts'
import type { DaySumStore } from '../../platform/time/day-sums.ts'

export type PlayerSum = { players: number }

/** The numbers of players of days that are over. */
export const keptSums = (
  db: Database,
  kind: 'active' | 'new',
): Omit<DaySumStore<PlayerSum>, 'sum' | 'rowsIn'> => ({
  kept: (environmentId, from, to) => db.all(listSums, { environmentId, kind, from, to }),
  keep: (environmentId, sums) =>
    db.pipelined((queries) =>
      Promise.all(
        sums.map(({ day, players }) => queries.run(insertSum, { environmentId, kind, day, players })),
      ),
    ),
})

export const removeSumsBefore = deleteBefore('players_sums', 'day')

const listSums = statement(
  (q, { environmentId, kind, from, to }: Record<'environmentId' | 'kind' | 'from' | 'to', string>) =>
    q
      .selectFrom('players_sums')
      .select(['day', 'players'])
      .where((e) => e.and({ environmentId, kind }))
      .where('day', '>=', from)
      .where('day', '<=', to),
)
const insertSum = insertNew(
  'players_sums',
  ['environmentId', 'kind', 'day', 'players'],
  ['environmentId', 'kind', 'day'],
)
