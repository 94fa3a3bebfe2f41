import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
} from '../../engines/database/database.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'

export type VisitSumStore = ReturnType<typeof createVisitSumStore>
/** The visitors of an environment on one day. */
export type VisitorDay = Pick<Visitor, 'environmentId' | 'day'>
type Visitor = Tables['sharing_visitors']
type Sums = Pick<Tables['sharing_days'], 'visits' | 'newPlayers' | 'plays'>

/** A step takes a few milliseconds; other writes of SQLite wait for it. */
const STEP_ROWS = 1_000
/** Visitors of kind `new` have an empty `shareId`, which sorts before those of all links. */
const FIRST_SHARE_ID = { removed: '', kept: ' ' }

/** Turns the visitors of a day into sums. */
export const createVisitSumStore = (db: Database) => ({
  /** The next day and environment with visitors, in order; only days before `before`. */
  dayAfter: ({ day, environmentId }: VisitorDay, before: string) =>
    db.first(findDayAfter, { day, environmentId, before }),

  /**
   * One step: removes some visitors of a day, and adds them to the sums in the same transaction, so that each counts once whenever the
   * process ends. Returns how many it removed; 0 if none is left.
   */
  addUp: (of: VisitorDay, { newcomers }: { newcomers: 'kept' | 'removed' }) =>
    db.transaction(async (transaction) => {
      const range = { ...of, from: FIRST_SHARE_ID[newcomers] }
      const last = (await transaction.all(listVisitors, range)).at(-1)
      if (!last) return 0
      const removed = await transaction.all(removeVisitors, { ...range, ...last })
      await addToDays(transaction, of, removed)
      return removed.length
    }),
})

type Removed = Pick<Visitor, 'shareId' | 'kind' | 'newPlayers'>

async function addToDays(transaction: Queries, of: VisitorDay, removed: readonly Removed[]) {
  const counted = removed.filter(({ newPlayers }) => newPlayers !== null)
  if (counted.length === 0) return
  const byLink = Map.groupBy(counted, ({ shareId }) => shareId)
  // Nodes of the version before also write these rows: the same order everywhere prevents deadlocks.
  const links = [...byLink].toSorted(([a], [b]) => (a < b ? -1 : 1))
  await Promise.all([
    ...links.map(([shareId, rows]) => transaction.run(addToDay, { ...of, shareId, ...sumsOf(rows) })),
    // A node of the version before may have kept a sum of all links without these visitors.
    transaction.run(forgetSum, of),
  ])
}

const sumsOf = (rows: readonly Removed[]): Sums => ({
  visits: rows.filter(({ kind }) => kind === 'visit').length,
  newPlayers: rows.reduce((sum, { newPlayers }) => sum + (newPlayers ?? 0), 0),
  plays: rows.filter(({ kind }) => kind === 'play').length,
})

const findDayAfter = statement((q, { day, environmentId, before }: VisitorDay & { before: string }) =>
  q
    .selectFrom('sharing_visitors')
    .select(['day', 'environmentId'])
    .where((e) => e(e.refTuple('day', 'environmentId'), '>', e.tuple(day, environmentId)))
    .where('day', '<', before)
    .orderBy('day')
    .orderBy('environmentId')
    .limit(1),
)
const ORDER = ['shareId', 'kind', 'addressHash', 'visitor'] as const
type InOrder = Pick<Visitor, (typeof ORDER)[number]>
type From = VisitorDay & { from: string }
const listVisitors = statement((q, { day, environmentId, from }: From) =>
  q
    .selectFrom('sharing_visitors')
    .select([...ORDER])
    .where('day', '=', day)
    .where('environmentId', '=', environmentId)
    .where('shareId', '>=', from)
    .orderBy(ORDER[0])
    .orderBy(ORDER[1])
    .orderBy(ORDER[2])
    .orderBy(ORDER[3])
    .limit((e) => e.lit(STEP_ROWS)),
)
/** Up to the last of those that were listed. */
const removeVisitors = statement(
  (q, { day, environmentId, from, shareId, kind, addressHash, visitor }: From & InOrder) =>
    q
      .deleteFrom('sharing_visitors')
      .where('day', '=', day)
      .where('environmentId', '=', environmentId)
      .where('shareId', '>=', from)
      .where((e) => e(e.refTuple(...ORDER), '<=', e.tuple(shareId, kind, addressHash, visitor)))
      .returning(['shareId', 'kind', 'newPlayers']),
)
const addToDay = statement((q, day: Tables['sharing_days']) =>
  q
    .insertInto('sharing_days')
    .values(columns(day, ['environmentId', 'shareId', 'day', 'visits', 'newPlayers', 'plays']))
    .onConflict((conflict) =>
      conflict.columns(['environmentId', 'shareId', 'day']).doUpdateSet((e) => ({
        visits: e('sharing_days.visits', '+', e.ref('excluded.visits')),
        newPlayers: e('sharing_days.newPlayers', '+', e.ref('excluded.newPlayers')),
        plays: e('sharing_days.plays', '+', e.ref('excluded.plays')),
      })),
    ),
)
const forgetSum = deleteBy('sharing_sums', ['environmentId', 'day'])
