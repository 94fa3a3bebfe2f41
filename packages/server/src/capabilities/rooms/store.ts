import type { Database } from '../../engines/database/database.ts'
import { insertNew, selectBy } from '../../engines/database/row-statements.ts'

export type FirstRoomStore = ReturnType<typeof createFirstRoomStore>

/** When the first room of each environment was created. */
export const createFirstRoomStore = (db: Database) => ({
  /** Does not replace an earlier time. */
  add: (environmentId: string, at: string) => db.run(insert, { environmentId, at }),
  find: async (environmentId: string) => (await db.first(find, { environmentId }))?.at ?? null,
})

const insert = insertNew('rooms_firsts', ['environmentId', 'at'], ['environmentId'])
const find = selectBy('rooms_firsts', ['at'], ['environmentId'])
