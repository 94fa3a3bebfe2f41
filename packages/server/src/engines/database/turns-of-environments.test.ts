import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { inEnvironment } from '../../platform/current-environment.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { type Database, statement } from './database.ts'

const CROWD = 300
/** PostgreSQL opens its ten connections one by one for those that wait; SQLite has one writer. */
const AHEAD_MAX = 10

const write = statement((q, { id }: { id: string }) =>
  q.insertInto('secrets').values({ id, sealed: '', updatedAt: '' }),
)

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`environments on ${engine}`, () => {
    const ways: Record<string, (db: Database, id: string, begun: () => void) => Promise<unknown>> = {
      transactions: (db, id, begun) =>
        db.transaction((transaction) => {
          begun()
          return transaction.run(write, { id })
        }),
      'transactions with one lock': (db, id, begun) =>
        db.exclusively('one lock', (transaction) => {
          begun()
          return transaction.run(write, { id: `${id} alone` })
        }),
    }
    for (const [name, way] of Object.entries(ways))
      test(`[OPS-85] ${name} of an environment do not wait for those that another one asked for before`, async (t) => {
        const opened = await openTestDatabase(engine)
        t.after(opened.close)
        const order: string[] = []
        const run = (environmentId: string, at: number) =>
          inEnvironment(environmentId, () =>
            way(opened.db, `${environmentId} ${at}`, () => void order.push(environmentId)),
          )

        const crowd = Array.from({ length: CROWD }, (_, at) => run('crowd', at))
        const others = [run('first', 0), run('second', 0), run('', 0)]
        await Promise.all([...crowd, ...others])

        assert.equal(order.length, CROWD + others.length)
        for (const environmentId of ['first', 'second', '']) {
          const ahead = order.slice(0, order.indexOf(environmentId)).filter((of) => of === 'crowd').length
          assert.ok(ahead <= AHEAD_MAX, `${ahead} of the crowd before "${environmentId}"`)
        }
      })
  })
