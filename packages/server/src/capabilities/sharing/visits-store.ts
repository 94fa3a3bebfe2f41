import { columns, type Database, statement, type Tables } from '../../engines/database/database.ts'
import { insertNew } from '../../engines/database/row-statements.ts'

export type Visitor = Omit<Tables['sharing_visitors'], 'newPlayers' | 'newBy'>
export type VisitStore = ReturnType<typeof createVisitStore>

/**
 * The visitors, as hashes. Each is one row that nobody else writes, and the sums of a day are read from these rows until it is over:
 * a row of sums that all visitors of a link change would let them wait for each other.
 */
export const createVisitStore = (db: Database) => ({
  /** False if this visitor is already counted. */
  insert: async (visitor: Visitor) => (await db.run(insertVisitor, { ...visitor, newPlayers: 0 })) > 0,

  /** False also if `max` visitors are counted from this address. Concurrent visits may exceed that by a few: nobody waits for a lock. */
  insertFrom: async (visitor: Visitor, max: number) =>
    (await db.run(insertFromAddress, { ...visitor, max })) > 0,

  /** A visit by which its player counts as new, unless the player is already counted as that. */
  insertWith: (visitor: Visitor, newcomer: Visitor) =>
    db.pipelined(async (queries) => {
      const by = visitor.visitor
      const [, inserted] = await Promise.all([
        queries.run(insertNewcomer, { ...newcomer, newBy: by }),
        queries.run(insertVisitorOf, { ...visitor, newcomer: newcomer.visitor, createdOn: newcomer.day }),
      ])
      return inserted > 0
    }),
})

const visitorColumns = ['day', 'environmentId', 'shareId', 'kind', 'addressHash', 'visitor'] as const

const insertVisitor = insertNew('sharing_visitors', [...visitorColumns, 'newPlayers'], visitorColumns)
const insertNewcomer = insertNew('sharing_visitors', [...visitorColumns, 'newBy'], visitorColumns)
/** The newcomer's row is written in the same transaction; the player is new by this visit if the row names it. */
const insertVisitorOf = statement((q, visitor: Visitor & { newcomer: string; createdOn: string }) =>
  q
    .insertInto('sharing_visitors')
    .values((e) => ({
      ...columns(visitor, visitorColumns),
      newPlayers: e
        .selectFrom('sharing_visitors')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('day', '=', visitor.createdOn)
        .where('environmentId', '=', visitor.environmentId)
        .where('shareId', '=', '')
        .where('kind', '=', 'new')
        .where('addressHash', '=', '')
        .where('visitor', '=', visitor.newcomer)
        .where('newBy', '=', visitor.visitor),
    }))
    .onConflict((conflict) => conflict.columns([...visitorColumns]).doNothing()),
)
const insertFromAddress = statement((q, visitor: Visitor & { max: number }) => {
  const ofAddress = q
    .selectFrom('sharing_visitors')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where((e) => e.and(columns(visitor, ['day', 'environmentId', 'shareId', 'kind', 'addressHash'])))
  return q
    .insertInto('sharing_visitors')
    .columns([...visitorColumns, 'newPlayers'])
    .expression(
      q
        .selectNoFrom((e) => [
          ...visitorColumns.map((column) => e.val(visitor[column]).as(column)),
          e.lit(0).as('newPlayers'),
        ])
        .where((e) => e(ofAddress, '<', visitor.max)),
    )
    .onConflict((conflict) => conflict.columns([...visitorColumns]).doNothing())
})
