import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'

const CODE = codeOf(
  `
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default { async fetch(request, { DB }) {
  switch (new URL(request.url).pathname) {
    case '/rows': return Response.json((await DB.prepare('WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) INSERT INTO t SELECT i FROM n').run()).meta.rows_written)
    case '/memory': { const all = []; for (;;) { all.push(new Uint8Array(8 << 20).fill(1)); await pause(1) } }
    case '/loop': for (;;) {}
    case '/work': { let x = 0; for (let i = 0; i < 3e7; i++) x = (x * 31 + i) | 0; return new Response(String(x)) }
    default: return new Response('ok')
  }
} }`,
  { bindings: [{ type: 'db', name: 'DB', id: 'main' }] },
)
const SPEC = specOf(CODE, { limits: { cpuMs: 500, subRequests: 5 } })
const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

describe('usage of a process that does not end by itself', () => {
  test('CPU time and rows are counted when it is ended for its memory', async (t) => {
    const { engine, close } = await openTestFunctions()
    t.after(close)
    const running = await engine.start(SPEC)
    await running.query('main', 'CREATE TABLE t (i)', [])
    await running.takeUsage()
    assert.equal((await get(running, '/rows')).text, '5')
    await assert.rejects(get(running, '/memory'), isCode('memory_limit_exceeded'))
    const usage = await running.takeUsage()
    assert.equal(usage.rowsWritten, 5)
    assert.ok(usage.cpuMs > 10, `${usage.cpuMs} ms`)
    assert.deepEqual([usage.requests, usage.errors], [2, 1])
  })

  test('CPU time is counted when it is ended for its CPU time, and when it is killed', async (t) => {
    const { engine, close } = await openTestFunctions()
    t.after(close)
    const running = await engine.start(SPEC)
    await get(running, '/')
    await running.takeUsage()
    await assert.rejects(get(running, '/loop'), isCode('cpu_limit_exceeded'))
    assert.ok((await running.takeUsage()).cpuMs >= 500)

    await get(running, '/work')
    const [pid = 0] = engine.pids()
    process.kill(pid, 'SIGKILL')
    await comesTrue('its end', () => !engine.pids().includes(pid))
    assert.ok((await running.takeUsage()).cpuMs >= 50)
  })
})
