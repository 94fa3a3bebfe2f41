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

const ORDER = ['shareId', 'kind', 'addressHash', 'visitor'] as const
/** A place in the order in which the visitors of a day are removed. */
export type Place = Pick<Visitor, (typeof ORDER)[number]>
type Removed = Place & Pick<Visitor, 'newPlayers'>

const FIRST: Place = { shareId: '', kind: '', addressHash: '', visitor: '' }
/** Visitors of kind `new` have an empty `shareId`; those of all links are greater than a space. */
export const PLACES = { first: FIRST, afterNewcomers: { ...FIRST, shareId: ' ' } }

/** A step takes a few milliseconds; other writes of SQLite wait for it. */
const STEP_ROWS = 500

/** Turns the visitors of a day into sums. */
export const createVisitSumStore = (db: Database) => ({
  /** The next day and environment with visitors, in order; only days before `before`. */
  dayAfter: async ({ day, environmentId }: VisitorDay, before: string) =>
    (await db.first(findOnSameDay, { day, environmentId })) ?? db.first(findOnLaterDay, { day, before }),

  /**
   * One step: removes visitors of a day, and adds them to the sums in the same transaction, so that each counts once whenever the process
   * ends. Returns the place of the last one, after which the next step begins, because PostgreSQL would read all rows that were removed
   * again; undefined if none is left.
   */
  addUp: (of: VisitorDay, after: Place) =>
    db.transaction(async (transaction): Promise<Place | undefined> => {
      const listed = await transaction.all(listVisitors, { ...of, ...after })
      // One by one: in one statement PostgreSQL reads the whole table, or the list for each row, until it has counted the rows.
      const changes = await Promise.all(
        listed.map((row) => transaction.run(removeVisitor, { ...of, ...row })),
      )
      // Another node may have removed some.
      await addToDays(
        transaction,
        of,
        listed.filter((_, at) => changes[at] === 1),
      )
      return listed.at(-1)
    }),
})

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

/** Two statements, because SQLite would read all visitors of the environment for a pair that is greater than another. */
const findOnSameDay = statement((q, { day, environmentId }: VisitorDay) =>
  q
    .selectFrom('sharing_visitors')
    .select(['day', 'environmentId'])
    .where('day', '=', day)
    .where('environmentId', '>', environmentId)
    .orderBy('environmentId')
    .limit(1),
)
const findOnLaterDay = statement((q, { day, before }: { day: string; before: string }) =>
  q
    .selectFrom('sharing_visitors')
    .select(['day', 'environmentId'])
    .where('day', '>', day)
    .where('day', '<', before)
    .orderBy('day')
    .orderBy('environmentId')
    .limit(1),
)
const listVisitors = statement(
  (q, { day, environmentId, shareId, kind, addressHash, visitor }: VisitorDay & Place) =>
    q
      .selectFrom('sharing_visitors')
      .select([...ORDER, 'newPlayers'])
      .where('day', '=', day)
      .where('environmentId', '=', environmentId)
      .where((e) => e(e.refTuple(...ORDER), '>', e.tuple(shareId, kind, addressHash, visitor)))
      .orderBy(ORDER[0])
      .orderBy(ORDER[1])
      .orderBy(ORDER[2])
      .orderBy(ORDER[3])
      .limit((e) => e.lit(STEP_ROWS)),
)
const removeVisitor = deleteBy('sharing_visitors', ['day', 'environmentId', ...ORDER])
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
