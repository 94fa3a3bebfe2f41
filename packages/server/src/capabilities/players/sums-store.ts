import { type Database, statement } from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { insertNew } from '../../engines/database/row-statements.ts'
import type { DaySumStore } from '../../platform/time/day-sums.ts'

export type PlayerSum = { players: number }

/** The numbers of players of days that are over. */
export const keptSums = (
  db: Database,
  kind: 'active' | 'new',
): Omit<DaySumStore<PlayerSum>, 'sum' | 'rowsIn'> => ({
  kept: (environmentId, from, to, now) => db.all(listSums, { environmentId, kind, from, to, now }),
  keep: (environmentId, sums, keptAt) =>
    db.pipelined((queries) =>
      Promise.all(
        sums.map(({ day, players }) => queries.run(insertSum, { environmentId, kind, day, players, keptAt })),
      ),
    ),
})

/** Forgets sums of the future whose day has rows: a clock that is behind must not forget what can no longer be summed. */
export const removeSumsKeptAfter = statement((q, { now }: { now: string }) =>
  q
    .deleteFrom('players_sums')
    .where('keptAt', '>', now)
    .where((e) =>
      e.exists(
        e
          .selectFrom('players_days')
          .select('players_days.day')
          .whereRef('players_days.environmentId', '=', 'players_sums.environmentId')
          .whereRef('players_days.day', '=', 'players_sums.day'),
      ),
    ),
)

export const oldSums = removalBefore('players_sums', ['day'], { per: 'environmentId' })

const listSums = statement(
  (
    q,
    { environmentId, kind, from, to, now }: Record<'environmentId' | 'kind' | 'from' | 'to' | 'now', string>,
  ) =>
    q
      .selectFrom('players_sums')
      .select(['day', 'players'])
      .where((e) => e.and({ environmentId, kind }))
      .where('day', '>=', from)
      .where('day', '<=', to)
      .where((e) => e.or([e('keptAt', 'is', null), e('keptAt', '<=', now)])),
)
const insertSum = insertNew(
  'players_sums',
  ['environmentId', 'kind', 'day', 'players', 'keptAt'],
  ['environmentId', 'kind', 'day'],
)
