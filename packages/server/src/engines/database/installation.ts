import { randomText, systemRandom } from '../../platform/random.ts'
import { type Database, type Queries, statement, type Tables } from './database.ts'

const ID = 'id'
const ID_LENGTH = 12

const insertIfNone = statement((q, { name, value }: Tables['installation']) =>
  q
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)
const find = statement((q, { name }: { name: string }) =>
  q.selectFrom('installation').select('value').where('name', '=', name),
)

const write = statement((q, { name, value }: Tables['installation']) =>
  q
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
)
const remove = statement((q, { name }: { name: string }) =>
  q.deleteFrom('installation').where('name', '=', name),
)

/**
 * Facts of the installation beside its id. `oldestVersion`: the oldest version of the service that can run on this schema.
 * `copiedTo`: the PostgreSQL database that the data of this SQLite file was copied to.
 * `backup`: the state of backups, as JSON.
 */
type Fact = 'oldestVersion' | 'copiedTo' | 'backup'

/** Returns undefined if it was never written. */
export const readFact = async (queries: Queries, name: Fact): Promise<string | undefined> =>
  (await queries.first(find, { name }))?.value
export const writeFact = async (queries: Queries, name: Fact, value: string): Promise<void> =>
  void (await queries.run(write, { name, value }))
export const removeFact = async (queries: Queries, name: Fact): Promise<void> =>
  void (await queries.run(remove, { name }))

/** The id of this installation: the same on all of its nodes. It is created by the first one. */
export async function installationId(db: Database): Promise<string> {
  const known = await db.first(find, { name: ID })
  if (known) return known.value
  await db.run(insertIfNone, { name: ID, value: randomText(systemRandom, ID_LENGTH) })
  return (await db.first(find, { name: ID }))?.value ?? ''
}
