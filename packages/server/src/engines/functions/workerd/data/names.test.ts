import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'

import type { FunctionBinding } from '../../../../platform/ports/functions-engine.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { DATA_FOLDERS } from '../config/config.ts'
import { STORES, uniqueKeyOf } from '../config/own-workers.ts'
import { dataFolderOf } from '../process/folders.ts'

const BINDINGS: FunctionBinding[] = [
  { type: 'kv', name: 'KV', id: 'kv' },
  { type: 'files', name: 'FILES', id: 'files' },
]
const CODE = codeOf(
  `
const NAMES = ['', 'a', 'aa', 'ab', 'b', 'a\\u{10ffff}', 'a\\u{10ffff}z', '\\ud7ff', '\\ud7ffx', '\\ue000', '\\u{10ffff}', '\\u{1f600}x', 'A']
const PREFIXES = ['', 'a', 'a\\u{10ffff}', '\\ud7ff', '\\u{10ffff}', '\\u{1f600}', 'none']
export default { async fetch(request, { KV, FILES }) {
  switch (new URL(request.url).pathname) {
    case '/names': {
      for (const name of NAMES) if (name) await Promise.all([KV.put(name, 'v'), FILES.put(name, 'v')])
      const wrong = []
      for (const prefix of PREFIXES) {
        const expected = NAMES.filter((name) => name && name.startsWith(prefix)).length
        const kv = (await KV.list({ prefix })).keys.length
        const files = (await FILES.list({ prefix })).objects.length
        if (kv !== expected || files !== expected) wrong.push({ prefix, expected, kv, files })
      }
      return Response.json(wrong)
    }
    default: await KV.put('new', 'v', { expirationTtl: 60 }); return new Response('put')
  }
} }`,
  { bindings: BINDINGS },
)

describe('names in KV and files', () => {
  test('[FUN-06] a list has exactly the names with its prefix', async (t) => {
    const { engine, close } = await openTestFunctions()
    t.after(close)
    const running = await engine.start(specOf(CODE))
    assert.deepEqual(JSON.parse((await get(running, '/names')).text), [])
  })

  test('[FUN-06] expired entries are removed as fast as they expire', async (t) => {
    const { engine, root, close } = await openTestFunctions()
    t.after(close)
    const put = async () => {
      const running = await engine.start(specOf(CODE))
      await get(running, '/put')
      return running
    }
    await (await put()).stop(0)
    const stores = join(dataFolderOf(join(root, 'functions'), 'data'), DATA_FOLDERS.stores)
    const folder = join(stores, uniqueKeyOf(STORES.kv.className))
    const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? ''
    const database = new DatabaseSync(join(folder, file))
    t.after(() => database.close())
    database.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO entries SELECT 'expired ' || i, NULL, 1, 0 FROM n`)
    const count = () => Number(database.prepare('SELECT count(*) AS n FROM entries').get()?.['n'])
    assert.equal(count(), 2_501)
    // The first one sees that there is more than it removes itself, and the alarms after it continue until the end.
    const running = await put()
    await comesTrue('all are removed', () => count() === 1)
    await running.stop(0)
  })
})
