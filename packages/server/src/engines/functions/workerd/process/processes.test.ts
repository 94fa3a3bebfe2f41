import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../../../platform/api-error.ts'
import { currentSource } from '../../../../platform/error-source.ts'
import type { FunctionBinding, Running } from '../../../../platform/ports/functions-engine.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { runs } from '../../../../testing/runs.ts'

const BINDINGS: FunctionBinding[] = [
  { type: 'db', name: 'DB', id: 'main' },
  { type: 'kv', name: 'KV', id: 'kv' },
  { type: 'files', name: 'FILES', id: 'files' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: null },
  { type: 'durable_object', name: 'ROOM', className: 'Room' },
]

const codeNamed = (version: string) =>
  codeOf(
    `
import { DurableObject } from 'cloudflare:workers'
export class Room extends DurableObject {
  async put(i) { await this.ctx.storage.put('k' + i, i) }
  async all() { return [...(await this.ctx.storage.list()).values()].filter((value) => typeof value === 'number') }
  async remind(ms) { await this.ctx.storage.setAlarm(Date.now() + ms) }
  async alarm() { await this.ctx.storage.put('rang', 'yes') }
  async rang() { return await this.ctx.storage.get('rang') ?? 'no' }
}
const all = async (page) => { const keys = []; let cursor; do { const one = await page(cursor); keys.push(...one.keys); cursor = one.cursor } while (cursor); return keys }
export default { async fetch(request, { DB, KV, FILES, JOBS, ROOM }) {
  const { pathname, searchParams } = new URL(request.url)
  const i = Number(searchParams.get('i'))
  const room = ROOM.get(ROOM.idFromName('a'))
  switch (pathname) {
    case '/create': await DB.exec('CREATE TABLE IF NOT EXISTS t (i INTEGER PRIMARY KEY)'); return new Response('created')
    case '/write': await Promise.all([DB.prepare('INSERT INTO t VALUES (?)').bind(i).run(), KV.put(String(i), 'v'), FILES.put(String(i), 'body'), JOBS.send(i), room.put(i)]); return new Response('written')
    case '/read': return Response.json({
      db: (await DB.prepare('SELECT i FROM t').all()).results.map((row) => row.i),
      kv: (await all(async (cursor) => { const list = await KV.list({ cursor }); return { keys: list.keys.map((key) => Number(key.name)), cursor: list.cursor } })),
      files: (await all(async (cursor) => { const list = await FILES.list({ cursor }); return { keys: list.objects.map((file) => Number(file.key)), cursor: list.cursor } })),
      room: await room.all() })
    case '/slow': await new Promise((resolve) => setTimeout(resolve, 100)); return new Response('${version}')
    case '/wait': await new Promise((resolve) => setTimeout(resolve, i)); return new Response('${version}')
    case '/remind': await room.remind(i); return new Response('ok')
    case '/rang': return new Response(await room.rang())
    default: return new Response('${version}')
  }
} }`,
    { bindings: BINDINGS },
  )

const SPEC = specOf(codeNamed('v0'))
const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code
const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

const until = (condition: () => boolean | Promise<boolean>, what: string) => comesTrue(what, condition)

async function open(t: TestContext, options: Parameters<typeof openTestFunctions>[0] = {}) {
  const functions = await openTestFunctions(options)
  t.after(functions.close)
  return functions
}

describe('processes of functions', () => {
  test('[FUN-05] no request fails while versions are switched under load', async (t) => {
    const { engine } = await open(t)
    const running = await engine.start(SPEC)
    await get(running, '/')
    let isOver = false
    const seen = new Set<string>()
    let answered = 0
    const load = Array.from({ length: 4 }, async (_, index) => {
      while (!isOver) {
        const { status, text } = await get(running, index === 0 ? '/slow' : '/')
        assert.equal(status, 200)
        seen.add(text)
        answered++
        await pause(2)
      }
    })
    const switches = runs(3, 20)
    for (let version = 1; version <= switches; version++) {
      await running.replace({ ...SPEC, code: codeNamed(`v${version}`) }, 5_000)
      assert.equal((await get(running, '/')).text, `v${version}`)
    }
    isOver = true
    await Promise.all(load)
    assert.ok(seen.has(`v${switches}`) && answered > switches)
  })

  test('nothing acknowledged is lost when the process is killed under writers', async (t) => {
    const { engine } = await open(t)
    const spec = { ...SPEC, limits: { cpuMs: 30_000, subRequests: 50 } }
    const running = await engine.start(spec)
    await get(running, '/create')
    const acknowledged: number[] = []
    let next = 0
    for (let round = 0; round < runs(2, 100); round++) {
      // After five crashes in a minute a process is started rarely; a new version may try immediately.
      if (round % 4 === 3) await running.replace(spec, 0)
      const from = acknowledged.length
      let isOver = false
      const writers = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const i = ++next
          const outcome = await get(running, `/write?i=${i}`).catch((error: unknown) => error)
          if (outcome instanceof Error) assert.ok(outcome instanceof ApiError, String(outcome))
          else if ((outcome as { status: number }).status === 200) acknowledged.push(i)
        }
      })
      await until(() => acknowledged.length >= from + 10, 'ten writes')
      process.kill(engine.pids()[0] ?? 0, 'SIGKILL')
      isOver = true
      await Promise.all(writers)
      const stored = JSON.parse((await get(running, '/read')).text) as Record<string, number[]>
      for (const [name, numbers] of Object.entries(stored)) {
        const found = new Set(numbers)
        assert.deepEqual(
          acknowledged.filter((i) => !found.has(i)),
          [],
          `missing in ${name}`,
        )
      }
    }
  })

  test('a process stops when it is idle; the next request and a due alarm start it again', async (t) => {
    const { engine } = await open(t, { idleMs: 300 })
    const running = await engine.start(SPEC)
    await get(running, '/')
    const [first = 0] = engine.pids()
    await until(async () => {
      // For the bill; this does not count as use of the process.
      await running.takeUsage()
      return engine.pids().length === 0
    }, 'the idle stop')
    await until(() => !isAlive(first), 'the end of the process')

    await get(running, '/remind?i=4000')
    const [second = 0] = engine.pids()
    await until(() => engine.pids().length === 0, 'the stop with an alarm')
    // Until its end it may hold a lock on the file of the alarms.
    await until(() => !isAlive(second), 'the end of the second process')
    const wakeAt = await engine.nextWakeAt('data')
    assert.ok(wakeAt && wakeAt.getTime() > 0)
    await until(() => engine.pids().length === 1, 'the start for the alarm')
    await until(async () => (await get(running, '/rang')).text === 'yes', 'the alarm')
  })

  test('a process for which a request waits is not idle', async (t) => {
    const { engine } = await open(t, { idleMs: 50 })
    const running = await engine.start(SPEC)
    await get(running, '/')
    const [pid = 0] = engine.pids()
    // It takes no request now, as a process that is busy with a long turn.
    process.kill(pid, 'SIGSTOP')
    // For 10 ms after an answer a request is sent without a look at the process.
    await pause(20)
    const waiting = get(running, '/')
    const other = await engine.start({ ...SPEC, dataId: 'other' })
    await get(other, '/')
    const [otherPid = 0] = engine.pids().filter((one) => one !== pid)
    await until(() => !isAlive(otherPid), 'the idle stop of the other process')
    process.kill(pid, 'SIGCONT')
    assert.equal((await waiting).status, 200)
  })

  test('no process and no folder is left after the stop', async () => {
    const functions = await openTestFunctions()
    const running = await functions.engine.start(SPEC)
    await get(running, '/')
    const pids = functions.engine.pids()
    const slow = get(running, '/slow')
    await running.stop(5_000)
    assert.equal((await slow).status, 200, 'requests in progress are answered')
    await until(() => !pids.some(isAlive), 'the end of the process')
    await assert.rejects(get(running, '/'), isCode('functions_unavailable'))
    const abandoned = await functions.engine.start(SPEC)
    await get(abandoned, '/')
    const [pid = 0] = functions.engine.pids()
    abandoned.abandon()
    await until(() => !isAlive(pid), 'the end of the abandoned process')
    await functions.close()
    await until(
      () => !readdirSync(tmpdir()).some((name) => name.startsWith(`svc-functions-${process.pid}-`)),
      'the removal of its folders',
    )
  })

  test('two engines never have one data folder at the same time', async (t) => {
    const { engine, root } = await open(t)
    const other = await open(t, { folder: root, waitMs: 3_000 })
    const first = await engine.start(SPEC)
    await get(first, '/create')
    const second = await other.engine.start(SPEC)
    await assert.rejects(get(second, '/'), isCode('functions_unavailable'))
    await first.stop(0)
    // The attempts to get the lock were no crashes: it starts immediately.
    assert.equal((await get(second, '/')).text, 'v0')
  })

  test('the number of processes is bounded: the one that is idle the longest is stopped', async (t) => {
    const { engine } = await open(t, { processesMax: 2 })
    const started: Running[] = []
    for (const dataId of ['a', 'b', 'c']) started.push(await engine.start({ ...SPEC, dataId }))
    const [a, b, c] = started as [Running, Running, Running]
    await get(a, '/')
    await get(b, '/')
    await get(c, '/')
    assert.equal(engine.pids().length, 2)
    assert.equal((await get(a, '/')).text, 'v0')
    const busy = await engine.start({ ...SPEC, dataId: 'd' })
    const slow = Promise.all([get(a, '/slow'), get(c, '/slow')])
    await assert.rejects(get(busy, '/'), isCode('functions_overloaded'))
    await slow
  })

  test('a developer has at most a quarter of the processes; others can start theirs', async (t) => {
    const { engine } = await open(t, { processesMax: 8 })
    const start = (dataId: string, developerId: string) => engine.start({ ...SPEC, dataId, developerId })
    const [a, b, c] = [await start('a', 'one'), await start('b', 'one'), await start('c', 'one')]
    for (const running of [a, b, c]) await get(running, '/')
    assert.equal(engine.pids().length, 2, 'the one that is idle the longest was stopped')
    const slow = Promise.all([get(b, '/slow'), get(c, '/slow')])
    await assert.rejects(get(a, '/'), isCode('functions_overloaded'))
    assert.equal((await get(await start('d', 'another'), '/')).text, 'v0')
    await slow
    const { requests, errors } = await a.takeUsage()
    assert.deepEqual([requests, errors], [1, 0], 'a request that the service refuses is not counted')
  })

  test('[FUN-19] a process that was used a moment ago is not taken by a developer who has as many', async (t) => {
    const { engine } = await open(t, { processesMax: 2 })
    const start = (dataId: string) => engine.start({ ...SPEC, dataId, developerId: dataId })
    const [honest, busy, another] = [await start('a'), await start('b'), await start('c')]
    await get(honest, '/')
    const [pid = 0] = engine.pids()
    const waits = get(busy, '/wait?i=1000')
    await until(() => engine.pids().length === 2, 'the busy process')
    await assert.rejects(get(another, '/'), isCode('functions_overloaded'))
    assert.equal((await get(honest, '/')).text, 'v0')
    assert.ok(engine.pids().includes(pid))
    await waits
  })

  test('[FUN-19] developers who have more processes make room, also when all are in use; who waits for them gets one', async (t) => {
    const { engine } = await open(t, { processesMax: 8 })
    const start = (dataId: string, developerId: string) => engine.start({ ...SPEC, dataId, developerId })
    const busy: Running[] = []
    for (let at = 0; at < 8; at++) busy.push(await start(`busy${at}`, `developer${at >> 1}`))
    const ends: string[] = []
    const waits = busy.map((running) =>
      get(running, '/wait?i=60000').catch((error: ApiError) => ends.push(error.code)),
    )
    await until(() => engine.pids().length === 8, 'all processes')

    const [one, other] = [await start('a', 'small'), await start('b', 'small')]
    const served = get(one, '/wait?i=60000').catch((error: ApiError) => error.code)
    await until(() => ends.length === 1, 'one that makes room')
    assert.equal((await get(one, '/')).text, 'v0')
    await assert.rejects(get(other, '/'), isCode('functions_overloaded'))
    assert.equal(engine.pids().length, 8)
    await Promise.all([one, ...busy].map((running) => running.stop(0)))
    await served
    await Promise.all(waits)
    assert.deepEqual(new Set(ends), new Set(['function_restarted']))
  })

  test('a process that cannot start is reported, and tried rarely after five times', async (t) => {
    const { engine } = await open(t)
    const running = await engine.start(specOf(codeOf('throw new Error("at the top"); export default {}')))
    for (let attempt = 0; attempt < 6; attempt++)
      await assert.rejects(get(running, '/'), isCode('functions_unavailable'))
    const lines = await engine.readLogs('data', { limit: 100 })
    assert.equal(lines.filter(({ message }) => message.includes('at the top')).length, 5)
  })
})

describe('storage of functions', () => {
  test('over its limit nothing grows; reads, deletes and writes into freed space work', async (t) => {
    const { engine } = await open(t, { storageBytesMax: 2_000_000, storageCheckMs: 50 })
    const running = await engine.start(SPEC)
    await get(running, '/create')
    const fill =
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO big SELECT zeroblob(20000) FROM n'
    await running.query('main', 'CREATE TABLE big (b)', [])
    await running.query('main', fill, [])
    await until(async () => (await get(running, '/write?i=1')).status === 500, 'the refusal of writes')
    await assert.rejects(running.query('main', fill, []), isCode('sql_error'))
    assert.deepEqual((await running.query('main', 'SELECT count(*) AS n FROM big', [])).results, [{ n: 200 }])

    await running.query('main', 'DELETE FROM big', [])
    await running.query('main', 'INSERT INTO big VALUES (1)', [])
    const [line] = (await engine.readLogs('data', { limit: 100 })).filter(({ message }) =>
      message.includes('is full'),
    )
    assert.equal(line?.level, 'error')
  })
})

describe('weaker sandboxes', () => {
  for (const level of ['uid', 'plain'] as const)
    test(`code runs and ends with the level ${level}`, async (t) => {
      const { engine } = await open(t, { level })
      assert.equal((await engine.level()).level, level)
      const running = await engine.start(SPEC)
      await get(running, '/create')
      assert.equal((await get(running, '/write?i=1')).text, 'written')
      const [pid = 0] = engine.pids()
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      if (level === 'uid' && process.getuid?.() === 0) assert.match(status, /^Uid:\s+65534\t/m)
      await running.stop(0)
      await until(() => !isAlive(pid), 'the end of the process')
    })
})

test('no code runs with less than bubblewrap where it is required', async (t) => {
  const { engine } = await open(t, { level: 'uid', sandbox: 'required' })
  const found = await engine.level()
  assert.equal(found.level, 'none')
  assert.match(found.level === 'none' ? found.reason : '', /bubblewrap is not installed/)
  await assert.rejects(engine.start(SPEC), isCode('feature_unavailable'))
  await assert.rejects(engine.trial(SPEC), isCode('feature_unavailable'))
})

describe('a service that is killed or frozen', () => {
  /** A separate service, which runs a process on the folder. */
  async function startHost(root: string) {
    const host = fork(join(import.meta.dirname, '../../../../testing/functions-host.ts'), [root], {
      execArgv: process.execArgv,
    })
    const [pid] = (await once(host, 'message')) as [number]
    return { host, pid }
  }

  test('leaves no process, and never lets two have the data', async (t) => {
    const { engine, root } = await open(t, { waitMs: 3_000 })
    const { host, pid } = await startHost(root)
    const running = await engine.start(SPEC)
    await assert.rejects(get(running, '/'), isCode('functions_unavailable'), 'the host lives')
    host.kill('SIGSTOP')
    await assert.rejects(get(running, '/'), isCode('functions_unavailable'), 'the host is frozen')
    assert.ok(isAlive(pid))
    host.kill('SIGKILL')
    await until(() => !isAlive(pid), 'the end of its process')
    // A busy machine may need longer to start its own process than a query waits.
    const rows = async () => (await running.query('main', 'SELECT i FROM t', [])).results
    let found: unknown
    await until(async () => {
      found = await rows().catch((error) => assert.ok(isCode('functions_unavailable')(error)))
      return found !== undefined
    }, 'its own process')
    assert.deepEqual(found, [{ i: 42 }])
  })
})

describe('trials', () => {
  test('[FUN-05] [RWC-122] an error that prevents the start of code is reported with its location', async (t) => {
    const { engine } = await open(t)
    const problems = async (script: string, bindings: FunctionBinding[] = []) =>
      (await engine.trial(specOf(codeOf(script, { bindings })))).problems
    assert.deepEqual(await problems('export default {}'), [])
    assert.deepEqual(await problems('export default class { fetch() {} }'), [])
    const [syntax] = await problems('const a = 1\nexport default {')
    assert.equal(syntax?.path, '$.modules[0]')
    assert.match(syntax?.message ?? '', /^line 2: SyntaxError/)
    assert.match(
      (await problems('throw new Error("at the top")'))[0]?.message ?? '',
      /line 1: Error: at the top/,
    )
    assert.match(
      (await problems('import "./none.js"; export default {}'))[0]?.message ?? '',
      /No such module "none.js"/,
    )
    assert.deepEqual(
      await problems('export default {}', [{ type: 'durable_object', name: 'ROOM', className: 'Room' }]),
      [{ path: '$.bindings[0].className', message: 'the main module exports no class Room' }],
    )
    assert.match((await problems('export const a = 1'))[0]?.message ?? '', /default export/)
    for (const value of ['20', "'a'", 'true', '1n', 'Symbol()'])
      assert.deepEqual(await problems(`export const TICKS = ${value}; export default {}`), [
        {
          path: '$.modules[0]',
          message:
            'the main module exports TICKS, which is no class, function or object with handlers; move it to another file and import it from there',
        },
      ])
    assert.match((await problems('for (;;) {}'))[0]?.message ?? '', /more than 5 s/)
    assert.match(
      (await problems('const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1))'))[0]?.message ??
        '',
      /more than 256 MB/,
    )
  })
})

describe('errors that escape from the work of an environment', () => {
  const CALLS = codeOf(`export default { async fetch(request, env) {
    if (new URL(request.url).pathname === '/service') return env.SVC.fetch('http://svc/v1/x')
    return new Response('alive')
  } }`)

  test('they name the environment, and end its process; the next request starts another', async (t) => {
    const functions = await openTestFunctions()
    t.after(() => functions.close())
    const sources = new Map<string, ReturnType<typeof currentSource>>()
    const startOf = (environmentId: string) =>
      functions.engine.start(
        specOf(CALLS, {
          environmentId,
          dataId: environmentId,
          onServiceCall(_request, response) {
            sources.set(environmentId, currentSource())
            response.end('ok')
          },
        }),
      )
    const [one, other] = [await startOf('one'), await startOf('other')]
    for (const running of [one, other]) assert.equal((await get(running, '/service')).text, 'ok')
    assert.equal(sources.get('one')?.environmentId, 'one')
    assert.equal(sources.get('other')?.environmentId, 'other')
    assert.equal(currentSource(), undefined)
    const [first = 0, second = 0] = functions.engine.pids()

    sources.get('one')?.end()
    await until(() => !isAlive(first), 'the process of the environment has ended')
    assert.equal((await get(one, '/')).text, 'alive')
    assert.equal((await get(other, '/')).text, 'alive')
    assert.ok(isAlive(second))
  })
})
