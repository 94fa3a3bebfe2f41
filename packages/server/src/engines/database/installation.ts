import { randomText, systemRandom } from '../../platform/random.ts'
import { type Database, statement, type Tables } from './database.ts'

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

/** The id of this installation: the same on all of its nodes. It is created by the first one. */
export async function installationId(db: Database): Promise<string> {
  const known = await db.first(find, { name: ID })
  if (known) return known.value
  await db.run(insertIfNone, { name: ID, value: randomText(systemRandom, ID_LENGTH) })
  return (await db.first(find, { name: ID }))?.value ?? ''
}

const put = statement((q, { name, value }: Tables['installation']) =>
  q
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
)

/** A fact of the whole installation that all nodes share; undefined if it was never written. */
export const readInstallationFact = async (db: Database, name: 'backup'): Promise<string | undefined> =>
  (await db.first(find, { name }))?.value

export const writeInstallationFact = (db: Database, name: 'backup', value: string): Promise<number> =>
  db.run(put, { name, value })
