import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'

const CODE = codeOf(
  `
const work = (ms) => { let x = 0; for (let i = 0; i < ms * 4e5; i++) x = (x * 31 + i) | 0; return x }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const turns = async (n) => { for (let i = 0; i < n; i++) { work(5); await pause(1) } }
let finished = 0
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url)
    switch (pathname) {
      case '/turns-after': context.waitUntil(turns(1e6)); return new Response('answered')
      case '/turns-cancelled': context.waitUntil(turns(1e6)); await pause(1e6); return new Response('answered')
      case '/loop-after': context.waitUntil(pause(0).then(() => { for (;;) {} })); return new Response('answered')
      case '/wait-after': context.waitUntil(pause(1500).then(() => finished++)); return new Response('answered')
      case '/proxied': context.waitUntil(pause(1)); return Response.redirect('http://example.com/')
      case '/loop': for (;;) {}
      case '/finished': return new Response(String(finished))
      case '/work': return new Response(String(work(20)))
      default: return new Response('ok')
    }
  },
  async scheduled() { await turns(1e6) },
}`,
  { bindings: [{ type: 'db', name: 'DB', id: 'main' }] },
)
const SPEC = specOf(CODE, { limits: { cpuMs: 200, subRequests: 5 } })
const ENDLESS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

async function start(t: TestContext, options: Parameters<typeof openTestFunctions>[0] = {}) {
  const { engine, close } = await openTestFunctions(options)
  t.after(close)
  const running = await engine.start(SPEC)
  await get(running, '/')
  const [pid] = engine.pids()
  /** Requests of others until the process is another one. A request that it had received when it was killed fails. */
  const visitUntilReplaced = async () => {
    await comesTrue('the process is replaced', async () => {
      const answer = await get(running, '/').catch((error: unknown) => error)
      if (answer instanceof Error) assert.ok(isCode('function_restarted')(answer), String(answer))
      else assert.equal((answer as { text: string }).text, 'ok')
      const [now] = engine.pids()
      return now !== undefined && now !== pid
    })
    assert.equal((await get(running, '/')).text, 'ok')
  }
  return { engine, running, pid, visitUntilReplaced }
}

describe('work that no answer ends', () => {
  for (const path of ['/turns-after', '/loop-after'])
    test(`[FUN-12] waitUntil has the CPU limit of its request (${path}); others do not pay for it`, async (t) => {
      const { running, visitUntilReplaced } = await start(t)
      assert.equal((await get(running, path)).text, 'answered')
      await visitUntilReplaced()
    })

  test('[FUN-12] others do not pay for an endless request', async (t) => {
    const { running, visitUntilReplaced } = await start(t)
    const ended = get(running, '/loop').catch((error: unknown) => error)
    await visitUntilReplaced()
    const error = await ended
    assert.ok(isCode('cpu_limit_exceeded')(error) || isCode('function_restarted')(error), String(error))
  })

  test('[FUN-12] waitUntil of a request whose caller is gone has its CPU limit, too', async (t) => {
    const { running, visitUntilReplaced } = await start(t)
    const caller = new AbortController()
    const path = '/turns-cancelled'
    const asked = running.fetch({
      method: 'GET',
      path,
      headers: { host: 'app.localhost' },
      body: null,
      requestId: 'cancelled',
      signal: caller.signal,
    })
    await get(running, '/')
    caller.abort()
    await assert.rejects(asked)
    await visitUntilReplaced()
  })

  test('[FUN-12] waitUntil that only waits ends by itself, beside requests that use the CPU', async (t) => {
    const { engine, running, pid } = await start(t)
    const { headers } = await get(running, '/wait-after')
    assert.equal(headers['svc-continues'], undefined, 'the mark is not passed on')
    await comesTrue('it has ended', async () => {
      await get(running, '/work')
      return (await get(running, '/finished')).text === '1'
    })
    assert.deepEqual(engine.pids(), [pid])
  })

  test('a response whose headers cannot be changed is passed on', async (t) => {
    const { running } = await start(t)
    const { status, headers } = await get(running, '/proxied')
    assert.deepEqual([status, headers.location], [302, 'http://example.com/'])
    assert.equal(headers['svc-continues'], undefined)
  })

  test('[FUN-10] an endless query is ended by its CPU limit; others do not pay for it, and the next query works', async (t) => {
    const { running, visitUntilReplaced } = await start(t)
    const ended = running.query('main', ENDLESS, []).catch((error: unknown) => error)
    await visitUntilReplaced()
    const error = await ended
    assert.ok(isCode('cpu_limit_exceeded')(error) || isCode('function_restarted')(error), String(error))
    assert.deepEqual((await running.query('main', 'SELECT 1 AS one', [])).results, [{ one: 1 }])
  })

  test('[FUN-10] an endless query without other work fails with cpu_limit_exceeded', async (t) => {
    const { running } = await start(t)
    await assert.rejects(running.query('main', ENDLESS, []), isCode('cpu_limit_exceeded'))
    assert.deepEqual((await running.query('main', 'SELECT 1 AS one', [])).results, [{ one: 1 }])
  })

  test('[FUN-12] a cron of many short turns is ended by its CPU limit', async (t) => {
    const { running, visitUntilReplaced } = await start(t, { cronCpuMs: 400 })
    const { outcome } = await running.runScheduled('* * * * *', new Date(0))
    assert.equal(outcome, 'exceeded_cpu')
    await visitUntilReplaced()
  })
})
