import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'

import { ApiError } from '../../../platform/api-error.ts'
import type { FunctionBinding, Running } from '../../../platform/ports/functions-engine.ts'
import { codeOf, connectTo, get, openTestFunctions, specOf } from '../../../testing/functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { DATA_FOLDERS } from './config/config.ts'
import { STORES, uniqueKeyOf } from './config/own-workers.ts'
import { nextAlarmMs } from './data/alarms.ts'
import { objectIdOf } from './data/stored-bytes.ts'
import { dataFolderOf } from './process/folders.ts'

const WASM = Buffer.from(
  '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b',
  'hex',
)
const CONSUMER = {
  maxBatchSize: 10,
  maxBatchTimeoutSeconds: 0,
  maxRetries: 1,
  retryDelaySeconds: 0,
  deadLetterQueue: 'dead',
}

const ALL_BINDINGS: FunctionBinding[] = [
  { type: 'db', name: 'DB', id: 'main' },
  { type: 'kv', name: 'KV', id: 'cache' },
  { type: 'files', name: 'FILES', id: 'files' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: CONSUMER },
  { type: 'queue', name: 'LATER', queue: 'later', consumer: null },
  { type: 'queue', name: 'DEAD', queue: 'dead', consumer: { ...CONSUMER, deadLetterQueue: null } },
  { type: 'durable_object', name: 'ROOM', className: 'Room' },
]

const MAIN = `
import { DurableObject } from 'cloudflare:workers'
import { add } from './lib/add.js'
import common from './common.cjs'
import words from './words.txt'
import bytes from './bytes.bin'
import settings from './settings.json'
import wasm from './add.wasm'
export class Room extends DurableObject {
  async increment() { const n = (await this.ctx.storage.get('n') ?? 0) + 1; await this.ctx.storage.put('n', n); return n }
  fetch() { const [a, b] = Object.values(new WebSocketPair()); this.ctx.acceptWebSocket(b); return new Response(null, { status: 101, webSocket: a }) }
  webSocketMessage(socket, text) { socket.send('echo ' + text) }
}
const room = (env) => env.ROOM.get(env.ROOM.idFromName('a'))
const ROUTES = {
  async modules() {
    const { exports } = await WebAssembly.instantiate(wasm)
    return { esm: add(2, 3), cjs: common.two, text: words, data: [...new Uint8Array(bytes)], json: settings, wasm: exports.add(20, 22) }
  },
  vars: (env) => ({ greeting: env.GREETING, secret: env.API_KEY }),
  async database({ DB }) {
    await DB.exec('CREATE TABLE IF NOT EXISTS t (i INTEGER PRIMARY KEY, b BLOB)')
    const inserted = await DB.prepare('INSERT INTO t (b) VALUES (?) -- why').bind(new Uint8Array([1, 255])).run()
    const failed = await DB.batch([DB.prepare('INSERT INTO t (b) VALUES (NULL)'), DB.prepare('INSERT INTO nowhere VALUES (1)')]).catch((error) => error.message)
    return { rows: await DB.prepare('SELECT * FROM t').raw(), changes: inserted.meta.changes, failed, count: await DB.prepare('SELECT count(*) AS n FROM t').first('n') }
  },
  async kv({ KV }) {
    await KV.put('big', 'x'.repeat(4_000_000))
    await KV.put('é/ü?', 'u', { expirationTtl: 120, metadata: { m: 1 } })
    for (const n of [1, 2, 3]) await KV.put('p:' + n, String(n))
    await KV.delete('p:3')
    const first = await KV.list({ prefix: 'p:', limit: 1 })
    const rest = await KV.list({ prefix: 'p:', cursor: first.cursor })
    return { big: (await KV.get('big')).length, unicode: await KV.getWithMetadata('é/ü?'), pages: [first, rest].map((page) => page.keys.map((key) => key.name)),
      bulk: [...await KV.get(['p:1', 'none'])], tooSoon: await KV.put('e', 'x', { expirationTtl: 5 }).catch((error) => error.message) }
  },
  async files({ FILES }) {
    const put = await FILES.put('a/b.txt', 'hello file', { httpMetadata: { contentType: 'text/plain' }, customMetadata: { by: 'me' } })
    const part = await FILES.get('a/b.txt', { range: { offset: 6, length: 4 } })
    const upload = await FILES.createMultipartUpload('c')
    const parts = [await upload.uploadPart(1, 'one'), await upload.uploadPart(2, 'two')]
    const whole = await upload.complete(parts)
    const list = await FILES.list({ delimiter: '/', include: ['customMetadata'] })
    const refused = await FILES.put('a/b.txt', 'other', { onlyIf: { etagMatches: 'different' } })
    const wrong = await FILES.put('w', 'x', { md5: '00000000000000000000000000000000' }).catch((error) => error.message)
    await FILES.delete('a/b.txt')
    return { etag: put.etag, part: await part.text(), type: part.httpMetadata.contentType, by: part.customMetadata.by, joined: await (await FILES.get('c', { range: { offset: 2, length: 2 } })).text(),
      size: whole.size, keys: list.objects.map((file) => file.key), folders: list.delimitedPrefixes, refused, wrong, gone: await FILES.head('a/b.txt') }
  },
  async beginUpload({ FILES }) {
    const upload = await FILES.createMultipartUpload('later')
    await upload.uploadPart(1, 'x'.repeat(1_000_000))
    const tooLarge = await FILES.createMultipartUpload('m', { customMetadata: { m: 'x'.repeat(3_000) } }).catch((error) => error.message)
    return { uploadId: upload.uploadId, tooLarge }
  },
  putFile: async ({ FILES }, text) => (await FILES.put('file', text)).size,
  deleteFile: async ({ FILES }) => { await FILES.delete('file'); return 'deleted' },
  async abortUpload({ FILES }, uploadId) {
    await FILES.resumeMultipartUpload('later', uploadId).abort()
    return {}
  },
  async cache() {
    const key = 'https://example.com/page'
    const miss = await caches.default.match(key)
    await caches.default.put(key, new Response('kept', { headers: { 'cache-control': 'max-age=60' } }))
    return { miss: miss ?? null, hit: await (await caches.default.match(key)).text(), other: (await (await caches.open('other')).match(key)) ?? null }
  },
  async send({ JOBS, LATER }) { await JOBS.send({ job: 1 }); await JOBS.sendBatch([{ body: 'fail', contentType: 'text' }]); await LATER.send('waits'); return 'sent' },
  seen: async ({ KV }) => await KV.get('seen', 'json') ?? [],
  room: (env) => room(env).increment(),
  service: async ({ SVC }) => (await SVC.fetch('http://svc/v1/time', { method: 'POST', body: 'hi' })).json(),
  throw() { throw new Error('wrong on purpose') },
  log() { console.log('a line', { a: 1 }); console.warn('careful'); return 'logged' },
}
let asked = 0
export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/socket') return room(env).fetch(request)
    if (pathname === '/body') return Response.json(request.body === null)
    if (pathname === '/header') return new Response(String(++asked), { headers: { 'x-own': 'a' + String.fromCharCode(Number(search.slice(1))) } })
    if (pathname === '/echo') return new Response(request.body, { status: 201, headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] })
    return Response.json(await ROUTES[pathname.slice(1)](env, search.slice(1)))
  },
  async scheduled({ cron, scheduledTime }, { KV }) { if (cron === 'throw') throw new Error('cron failed'); await KV.put('cron', cron + ' ' + scheduledTime) },
  async queue(batch, { KV }) {
    const seen = await KV.get('seen', 'json') ?? []
    for (const { body, attempts } of batch.messages) seen.push([batch.queue, body, attempts])
    await KV.put('seen', JSON.stringify(seen))
    if (batch.queue === 'jobs') for (const message of batch.messages) if (message.body === 'fail') message.retry()
  },
}`

const MODULES = [
  { name: 'main.js', type: 'esm', content: Buffer.from(MAIN) },
  { name: 'lib/add.js', type: 'esm', content: Buffer.from('export const add = (a, b) => a + b') },
  { name: 'common.cjs', type: 'cjs', content: Buffer.from('module.exports = { two: 2 }') },
  { name: 'words.txt', type: 'text', content: Buffer.from('héllo "text"\n') },
  { name: 'bytes.bin', type: 'data', content: Buffer.from([0, 1, 254, 255]) },
  { name: 'settings.json', type: 'json', content: Buffer.from('{"x":[1,2]}') },
  { name: 'add.wasm', type: 'wasm', content: WASM },
] as const

const CODE = codeOf('', { modules: MODULES, bindings: ALL_BINDINGS, vars: { GREETING: 'hi "there"\n' } })
const SPEC = specOf(CODE, {
  secrets: { API_KEY: 's3cret "\n$x' },
  onServiceCall(request, response) {
    request.resume()
    response.end(
      JSON.stringify({ method: request.method, url: request.url, mark: request.headers['svc-cf'] ?? null }),
    )
  },
})

describe('workerd with every module kind and binding', () => {
  let functions: Awaited<ReturnType<typeof openTestFunctions>>
  let running: Running
  const call = async (path: string) => JSON.parse((await get(running, path)).text) as unknown
  before(async () => {
    functions = await openTestFunctions()
    running = await functions.engine.start(SPEC)
  })
  after(() => functions.close())

  test('[FUN-06] all six kinds of modules can be imported', async () => {
    assert.deepEqual(await call('/modules'), {
      esm: 5,
      cjs: 2,
      text: 'héllo "text"\n',
      data: [0, 1, 254, 255],
      json: { x: [1, 2] },
      wasm: 42,
    })
  })

  test('[FUN-06] vars and secrets arrive as they were set', async () => {
    assert.deepEqual(await call('/vars'), { greeting: 'hi "there"\n', secret: 's3cret "\n$x' })
  })

  test('[FUN-06] a database takes blobs and comments, and a failed batch changes nothing', async () => {
    const { failed, ...rest } = (await call('/database')) as { failed: string }
    assert.deepEqual(rest, { rows: [[1, [1, 255]]], changes: 1, count: 1 })
    assert.match(failed, /no such table: nowhere/)
  })

  test('[FUN-06] KV stores large values, metadata and expiry, and lists by prefix', async () => {
    const { tooSoon, unicode, ...rest } = (await call('/kv')) as {
      tooSoon: string
      unicode: { value: string; metadata: object }
    }
    assert.deepEqual(rest, {
      big: 4_000_000,
      pages: [['p:1'], ['p:2']],
      bulk: [
        ['p:1', '1'],
        ['none', null],
      ],
    })
    assert.deepEqual([unicode.value, unicode.metadata], ['u', { m: 1 }])
    assert.match(tooSoon, /60/)
  })

  test('[FUN-06] files have ranges, metadata, conditions, checksums and multipart uploads', async () => {
    const { wrong, ...rest } = (await call('/files')) as { wrong: string }
    assert.deepEqual(rest, {
      etag: createHash('md5').update('hello file').digest('hex'),
      part: 'file',
      type: 'text/plain',
      by: 'me',
      joined: 'et',
      size: 6,
      keys: ['c'],
      folders: ['a/'],
      refused: null,
      gone: null,
    })
    assert.match(wrong, /checksum/)
    const left = await Array.fromAsync(functions.blobs.list('functions-files/data/'))
    assert.equal(left.length, 3, 'the two parts of the whole file, and for an hour the deleted one')
  })

  test('[FUN-06] the parts of an upload that is not complete count as stored', async () => {
    const stored = async () =>
      (await functions.engine.storedBytes('data', [{ type: 'files', id: 'files' }]))[0]
    const before = (await stored()) ?? 0
    const { uploadId, tooLarge } = (await call('/beginUpload')) as { uploadId: string; tooLarge: string }
    assert.match(tooLarge, /metadata/)
    assert.ok(((await stored()) ?? 0) >= before + 1_000_000)
    await call(`/abortUpload?${uploadId}`)
    assert.ok(((await stored()) ?? 0) < before + 1_000_000)
  })

  test('[FUN-06] an upload that is not completed within seven days is aborted by the next one', async () => {
    const spec = { ...SPEC, dataId: 'abandoned' }
    const begin = async () => {
      const own = await functions.engine.start(spec)
      await get(own, '/beginUpload')
      await own.stop(0)
    }
    await begin()
    const uniqueKey = uniqueKeyOf(STORES.files.className)
    const folder = join(dataFolderOf(join(functions.root, 'functions'), spec.dataId), DATA_FOLDERS.stores)
    const database = new DatabaseSync(join(folder, uniqueKey, `${objectIdOf(uniqueKey, 'files')}.sqlite`))
    const uploads = () => database.prepare('SELECT id FROM uploads').all().length
    assert.equal(uploads(), 1)
    const eightDaysAgo = Date.now() - 8 * 86_400_000
    database.prepare("UPDATE uploads SET details = json_set(details, '$.uploaded', ?)").run(eightDaysAgo)
    await begin()
    assert.equal(uploads(), 1, 'only the new one')
    assert.equal(database.prepare('SELECT * FROM parts').all().length, 1)
    assert.equal(database.prepare('SELECT * FROM replaced').all().length, 1, 'the body of the old one')
    database.close()
    await functions.engine.purge(spec.dataId)
  })

  test('[FUN-06] the body of a replaced or deleted file is kept for an hour, for backups, and then removed', async () => {
    const spec = { ...SPEC, dataId: 'replaced' }
    const uniqueKey = uniqueKeyOf(STORES.files.className)
    const folder = join(
      dataFolderOf(join(functions.root, 'functions'), spec.dataId),
      DATA_FOLDERS.stores,
      uniqueKey,
    )
    const change = (file: string, sql: string) => {
      using database = new DatabaseSync(join(folder, file))
      database.exec(sql)
    }
    const bucket = `${objectIdOf(uniqueKey, 'files')}.sqlite`
    const bodies = async () =>
      (await Array.fromAsync(functions.blobs.list(`functions-files/${spec.dataId}/`))).length
    const whileRunning = async (work: (get: (path: string) => Promise<unknown>) => Promise<void>) => {
      const own = await functions.engine.start(spec)
      await work((path) => get(own, path))
      await own.stop(0)
    }

    await whileRunning(async (ask) => {
      await ask('/putFile?one')
      await ask('/putFile?two')
      assert.equal(await bodies(), 2, 'after it was replaced')
      await ask('/deleteFile')
      assert.equal(await bodies(), 2, 'after it was deleted')
    })
    // Bodies that are large together are not kept.
    change(bucket, 'UPDATE replaced SET size = 200 * 1024 * 1024, since = since - 1')
    await whileRunning(async (ask) => {
      await ask('/putFile?three')
      await ask('/putFile?four')
      assert.equal(await bodies(), 3, 'the new one, the one before, and one of 200 MB')
    })
    // workerd keeps the time of an alarm in both files, in nanoseconds.
    change(
      bucket,
      'UPDATE replaced SET since = since - 7200000; UPDATE _cf_METADATA SET value = value - 7200000000000 WHERE key = 1',
    )
    change('metadata.sqlite', 'UPDATE _cf_ALARM SET scheduled_time = scheduled_time - 7200000000000')
    assert.ok((nextAlarmMs(dataFolderOf(join(functions.root, 'functions'), spec.dataId)) ?? 0) > 0)
    await whileRunning(async () => comesTrue('the old ones are removed', async () => (await bodies()) === 1))
    await functions.engine.purge(spec.dataId)
  })

  test('[FUN-06] the cache answers what was put into it', async () => {
    assert.deepEqual(await call('/cache'), { miss: null, hit: 'kept', other: null })
  })

  test('[FUN-06] a queue delivers, tries again and gives up to its dead letter queue', async () => {
    await call('/send')
    const expected = [
      ['jobs', { job: 1 }, 1],
      ['jobs', 'fail', 1],
      ['jobs', 'fail', 2],
      ['dead', 'fail', 1],
    ]
    let seen: unknown[] = []
    await comesTrue('the messages are delivered', async () => {
      seen = (await call('/seen')) as unknown[]
      return seen.length >= expected.length
    })
    assert.deepEqual(seen, expected)
  })

  test('[FUN-06] messages that came before there was a consumer are delivered when there is one', async () => {
    const bindings = ALL_BINDINGS.map((one) => (one.name === 'LATER' ? { ...one, consumer: CONSUMER } : one))
    await running.replace({ ...SPEC, code: { ...CODE, bindings: bindings as FunctionBinding[] } }, 5_000)
    await comesTrue('the message is delivered', async () => {
      const seen = (await call('/seen')) as unknown[][]
      return seen.some(([queue, body]) => queue === 'later' && body === 'waits')
    })
  })

  test('[FUN-06] objects keep their data, and answer WebSockets', async (t) => {
    assert.equal(await call('/room'), 1)
    assert.equal(await call('/room'), 2)
    const socket = await connectTo(t, running, '/socket')
    socket.send('hello')
    const [{ data }] = (await once(socket, 'message')) as [MessageEvent]
    assert.equal(data, 'echo hello')
    socket.close()
  })

  test('[FUN-06] env.SVC reaches the service, without the marks of the engine', async () => {
    assert.deepEqual(await call('/service'), { method: 'POST', url: '/v1/time', mark: null })
  })

  test('[FUN-06] a body and several cookies pass through', async () => {
    const response = await get(running, '/echo', { method: 'POST' })
    assert.equal(response.status, 201)
    assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2'])
  })

  test('[FUN-05] a request without a body has none, whatever its method', async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await get(running, '/body', { method })).text, 'true', method)
  })

  test('[FUN-12] a header that HTTP does not allow fails its request only', async () => {
    for (const code of [1, 127])
      await assert.rejects(get(running, `/header?${code}`), isCode('function_failed'))
    const { status, headers, text } = await get(running, '/header?98')
    assert.deepEqual([status, headers['x-own'], text], [200, 'ab', '3'], 'no request was sent twice')
  })

  test('[FUN-05] a throw answers 500 without its stack, which is in the logs', async () => {
    const { status, text, requestId } = await get(running, '/throw')
    assert.equal(status, 500)
    assert.ok(!text.includes('purpose'), text)
    await get(running, '/log')
    let lines = await functions.engine.readLogs('data', { limit: 100 })
    await comesTrue('the lines are in the logs', async () => {
      lines = await functions.engine.readLogs('data', { limit: 100 })
      // They come from two outputs of the process, in any order.
      const has = (part: string) => lines.some(({ message }) => message.includes(part))
      return ['a line { a: 1 }', 'careful', 'wrong on purpose'].every(has)
    })
    const thrown = lines.filter(({ message }) => message.includes('wrong on purpose'))
    assert.deepEqual(
      thrown.map((line) => [line.level, line.requestId]),
      [['error', requestId]],
    )
    const warnings = await functions.engine.readLogs('data', { level: 'warn', limit: 100 })
    assert.ok(warnings.some(({ message }) => message === 'careful'))
    assert.ok(warnings.every(({ level }) => level === 'warn' || level === 'error'))
  })

  test('[FUN-13] a scheduled run calls the code and reports its outcome', async () => {
    const at = new Date('2026-11-16T00:00:00Z')
    assert.equal((await running.runScheduled('0 * * * *', at)).outcome, 'ok')
    assert.equal((await running.runScheduled('throw', at)).outcome, 'exception')
  })

  test('[FUN-10] several statements of a query are one transaction, and the rows of the last are answered', async () => {
    const { results, meta } = await running.query(
      'q',
      `CREATE TABLE t (i INTEGER PRIMARY KEY, v); INSERT INTO t (v) VALUES ('a;b'), (NULL); -- ; comment
       SELECT * FROM t /* end */`,
      [],
    )
    assert.deepEqual(results, [
      { i: 1, v: 'a;b' },
      { i: 2, v: null },
    ])
    assert.equal(meta.rowsRead, 2)
    await assert.rejects(
      running.query('q', 'INSERT INTO t (v) VALUES (1); INSERT INTO nowhere VALUES (1)', []),
      isSqlError(/no such table/),
    )
    const { results: counted } = await running.query('q', 'SELECT count(*) AS n FROM t', [])
    assert.deepEqual(counted, [{ n: 2 }])
  })

  test('[FUN-10] parameters and blobs pass in both directions; lastRowId is that of an insert', async () => {
    await running.query('p', 'CREATE TABLE t (a, b, c, d)', [])
    const inserted = await running.query('p', 'INSERT INTO t VALUES (?, ?, ?, ?)', [
      1.5,
      true,
      null,
      { $base64: 'AP8=' },
    ])
    assert.equal(inserted.meta.lastRowId, 1)
    const { results, meta } = await running.query('p', 'SELECT * FROM t WHERE d = ?', [{ $base64: 'AP8=' }])
    assert.deepEqual(results, [{ a: 1.5, b: 1, c: null, d: { $base64: 'AP8=' } }])
    assert.equal(meta.lastRowId, 0)
  })

  test('[FUN-10] SQL errors have SQLite’s message; a result with too many rows changes nothing', async () => {
    for (const [sql, reason] of [
      ['SELEC 1', /syntax error/],
      [`ATTACH DATABASE '/data/kv/x.sqlite' AS x`, /not authorized|prohibited/i],
      ['PRAGMA journal_mode = OFF', /not authorized/i],
      ['BEGIN', /transaction/i],
      ['-- nothing', /No SQL/],
      ['', /No SQL/],
    ] as const)
      await assert.rejects(running.query('q', sql, []), isSqlError(reason), sql)

    await running.query('rows', 'CREATE TABLE t (i)', [])
    const numbers = (count: number) =>
      `INSERT INTO t VALUES (1); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`
    await assert.rejects(running.query('rows', numbers(10_001), []), isCode('result_too_large'))
    assert.equal((await running.query('rows', numbers(10_000), [])).results.length, 10_000)
    assert.deepEqual((await running.query('rows', 'SELECT count(*) AS n FROM t', [])).results, [{ n: 1 }])
    await assert.rejects(running.query('rows', 'SELECT zeroblob(1100000)', []), isCode('result_too_large'))
  })

  test('[FUN-11] migrations apply once, each in a transaction, and stop at the first failure', async () => {
    const first = {
      name: '001',
      sql: `CREATE TABLE s (player TEXT);\r\nCREATE TABLE l (m TEXT);\r\nCREATE TRIGGER tr AFTER INSERT ON s BEGIN INSERT INTO l VALUES ('x; ' || new.player); SELECT 1; END;\r\n-- the end`,
    }
    assert.deepEqual(await running.migrate('m', [first]), { applied: ['001'], failed: [], skipped: [] })
    const { failed, ...rest } = await running.migrate('m', [
      first,
      { name: '002', sql: 'CREATE TABLE made (a); CREATE TABLE s (b)' },
      { name: '003', sql: 'CREATE TABLE never (a)' },
    ])
    assert.deepEqual(rest, { applied: [], skipped: ['001'] })
    assert.deepEqual(
      failed.map(({ name }) => name),
      ['002'],
    )
    const { results } = await running.query(
      'm',
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY 1`,
      [],
    )
    assert.deepEqual(results, [{ name: 'l' }, { name: 's' }])
  })

  test('[FUN-02] stored bytes are known by type and id', async () => {
    const bytes = await functions.engine.storedBytes('data', [
      { type: 'db', id: 'main' },
      { type: 'kv', id: 'cache' },
      { type: 'files', id: 'files' },
      { type: 'durable_object', id: 'Room' },
      { type: 'db', id: 'unknown' },
    ])
    assert.ok(
      (bytes[0] ?? 0) > 0 && (bytes[1] ?? 0) > 4_000_000 && (bytes[2] ?? 0) > 6 && (bytes[3] ?? 0) > 0,
      String(bytes),
    )
    assert.equal(bytes[4], 0)
  })

  test('usage counts requests, CPU time and rows since it was last taken', async () => {
    await running.takeUsage()
    await call('/room')
    await running.query('q', 'SELECT * FROM t', [])
    const usage = await running.takeUsage()
    assert.equal(usage.requests, 1)
    assert.equal(usage.errors, 0)
    assert.equal(usage.rowsRead, 2)
    assert.ok(usage.cpuMs > 0)
    assert.equal((await running.takeUsage()).requests, 0)
  })

  test('[FUN-08] without code only databases can be used; a purge leaves nothing', async () => {
    await running.replace(specOf(null), 5_000)
    assert.equal((await running.query('q', 'SELECT * FROM t', [])).results.length, 2)
    await running.stop(0)
    await functions.engine.purge('data')
    assert.deepEqual(await Array.fromAsync(functions.blobs.list('functions-files/')), [])
    running = await functions.engine.start(SPEC)
    await assert.rejects(running.query('q', 'SELECT * FROM t', []), isSqlError(/no such table/))
  })
})

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code
const isSqlError = (reason: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.code === 'sql_error' && reason.test(String(error.details?.reason))
