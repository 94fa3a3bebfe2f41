import { type Database, statement } from '../../engines/database/database.ts'

export type FirstRoomStore = ReturnType<typeof createFirstRoomStore>

/** When the first room of each environment was created. */
export const createFirstRoomStore = (db: Database) => ({
  /** Does not replace an earlier time. */
  add: (environmentId: string, at: string) => db.run(insert, { environmentId, at }),
  find: async (environmentId: string) => (await db.first(find, { environmentId }))?.at ?? null,
})

const insert = statement((q, { environmentId, at }: { environmentId: string; at: string }) =>
  q
    .insertInto('rooms_firsts')
    .values({ environmentId, at })
    .onConflict((conflict) => conflict.column('environmentId').doNothing()),
)
const find = statement((q, { environmentId }: { environmentId: string }) =>
  q.selectFrom('rooms_firsts').select('at').where('environmentId', '=', environmentId),
)
