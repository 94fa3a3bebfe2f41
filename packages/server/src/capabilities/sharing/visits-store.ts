import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
} from '../../engines/database/database.ts'
import { countBy, deleteBefore, insertNew } from '../../engines/database/row-statements.ts'

export type Visitor = Tables['sharing_visitors']
export type Day = Tables['sharing_days']
export type VisitStore = ReturnType<typeof createVisitStore>
export type Visits = ReturnType<typeof visitsIn>

/** The counted visitors, as hashes, and the sums. */
export const createVisitStore = (db: Database) => ({
  change: <T>(work: (visits: Visits) => Promise<T>) =>
    db.transaction((transaction) => work(visitsIn(transaction))),
  /** Serializes the visits from one address to one link. */
  changeFrom: <T>(
    { environmentId, shareId, addressHash }: Pick<Visitor, 'environmentId' | 'shareId' | 'addressHash'>,
    work: (visits: Visits) => Promise<T>,
  ) =>
    db.exclusively(`sharing:visits:${environmentId}:${shareId}:${addressHash}`, (transaction) =>
      work(visitsIn(transaction)),
    ),
  removeVisitorsBefore: (day: string) => db.run(removeVisitors, { day }),
})

function visitsIn(queries: Queries) {
  return {
    /** False if this visitor is already counted. */
    insert: async (visitor: Visitor) => (await queries.run(insertVisitor, visitor)) > 0,
    countFrom: async (visitor: Visitor) => (await queries.first(countFrom, visitor))?.count ?? 0,
    addToDay: (day: Day) => queries.run(addToDay, day),
  }
}

const visitorColumns = ['day', 'environmentId', 'shareId', 'kind', 'addressHash', 'visitor'] as const

const insertVisitor = insertNew('sharing_visitors', visitorColumns, [...visitorColumns])
const countFrom = countBy('sharing_visitors', ['day', 'environmentId', 'shareId', 'kind', 'addressHash'])
const addToDay = statement((q, day: Day) =>
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
const removeVisitors = deleteBefore('sharing_visitors', 'day')
