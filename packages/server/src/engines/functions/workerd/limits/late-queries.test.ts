import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { mainThreadNs } from '../process/proc.ts'

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const CODE = codeOf(`export default { fetch: () => new Response('ok') }`, {
  bindings: [{ type: 'db', name: 'DB', id: 'main' }],
})
/** Of a query, where functions have less. */
const CPU_MS_MAX = 2_000
/** Two starts of a process, and the last look at the CPU time. */
const ELSE_MS_MAX = 2_000

test('[FUN-16] a query that is not answered in time ends with its process, within its limit of CPU time', async (t) => {
  const functions = await openTestFunctions({ queryMs: 15_000 })
  t.after(() => functions.close())
  const running = await functions.engine.start(specOf(CODE, { limits: { cpuMs: 200, subRequests: 5 } }))
  assert.equal((await get(running, '/')).text, 'ok')
  const [pid = 0] = functions.engine.pids()
  const startedNs = mainThreadNs(pid) ?? 0

  const late = running.query('main', ENDLESS, []).then(
    () => assert.fail('it has ended'),
    (error: unknown) => error,
  )
  await comesTrue('the query runs', () => (mainThreadNs(pid) ?? 0) - startedNs > 200e6)
  process.kill(pid, 'SIGSTOP')
  const error = await late
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended.
  }

  assert.ok(error instanceof ApiError && error.code === 'function_restarted', String(error))
  assert.deepEqual((await running.query('main', 'SELECT 1 AS one', [])).results, [{ one: 1 }])
  assert.equal((await get(running, '/')).text, 'ok')
  assert.notDeepEqual(functions.engine.pids(), [pid])
  const { cpuMs } = await running.takeUsage()
  assert.ok(cpuMs < CPU_MS_MAX + ELSE_MS_MAX, `${cpuMs} ms`)
})
