import assert from 'node:assert/strict'
import { test } from 'node:test'

import { statement } from '../engines/database/database.ts'
import { writeFact } from '../engines/database/installation.ts'
import { openTestDatabase } from './databases.ts'
import { engines } from './service.ts'
import { runTransactionsTwice } from './transactions-twice.ts'

const count = statement((q) =>
  q
    .selectFrom('installation')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('value', '=', 'here'),
)

for (const engine of engines)
  test(`a callback of a transaction runs twice in tests, and its rows are there once, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const twice = runTransactionsTwice(db)
    const effects: string[] = []
    await twice.transaction(async (transaction) => {
      effects.push('transaction')
      await writeFact(transaction, 'backup', 'here')
    })
    await twice.exclusively('key', async (transaction) => {
      effects.push('exclusively')
      assert.equal(Number((await transaction.first(count, {}))?.n), 1)
      await writeFact(transaction, 'copiedTo', 'here')
    })
    await twice.pipelined(async (queries) => {
      effects.push('pipelined')
      await writeFact(queries, 'oldestVersion', 'here')
    })
    assert.equal(Number((await twice.first(count, {}))?.n), 3)
    assert.deepEqual(
      effects,
      ['transaction', 'exclusively', 'pipelined'].flatMap((name) => [name, name]),
    )

    const refused = twice.transaction(async () => {
      throw new Error('refused')
    })
    await assert.rejects(refused, /^Error: refused$/)
  })
