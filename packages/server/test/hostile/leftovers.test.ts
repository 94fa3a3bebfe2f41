import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { deployFunctions, startFunctionsService } from '../../src/testing/deployed-functions.ts'
import { answerBadly, seededNumbers } from '../../src/testing/hostile-connections.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { socketsOf } from '../../src/testing/process-counts.ts'
import { startRawServer } from '../../src/testing/raw-servers.ts'
import { runs } from '../../src/testing/runs.ts'
import { hostileCode } from './code.ts'
import { startVisitors } from './visitors.ts'

/** Those whose sockets or lines were left when their environment was gone. */
const LEAVING = [
  'raw sockets',
  'WebSockets to broken servers',
  'an odd answer to an upgrade',
  'an upgrade without an answer',
  'a flood of logs',
  'aborted requests',
]
const ENVIRONMENTS = runs(LEAVING.length, 78)
/** What stays for all environments together, such as code that was compiled meanwhile, and for each of them. */
const KEPT_BYTES_MAX = 12_000_000
const KEPT_BYTES_EACH_MAX = 100_000

test('[FUN-18] after hostile environments were removed, no socket, process or memory of them is left', async (t) => {
  const service = await startFunctionsService('sqlite', {
    HOST: '127.0.0.1',
    SVC_TEST_CLOCK: 'off',
    SVC_RATE_LIMITS: 'off',
    FUNCTIONS_PROCESSES_MAX: '8',
  })
  t.after(() => service.stop())
  await service.http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.http.server.address() as AddressInfo
  const number = seededNumbers(26)
  const server = await startRawServer(t, (socket) => answerBadly(socket, number))
  const all = hostileCode(server)
  const kinds = runs(
    all.filter(({ name }) => LEAVING.includes(name)),
    all,
  )

  async function visitAndRemove(count: number) {
    for (let at = 0; at < count; at++) {
      const { name, source, bindings, crons } = kinds[at % kinds.length] ?? assert.fail()
      const { id, development, developer } = await service.newProject()
      const rest = { ...(bindings && { bindings }), ...(crons && { crons }) }
      const { url } = await deployFunctions(development, source, rest)
      const target = { name, host: new URL(url).host, deploy: async () => 0 }
      const visits = startVisitors(port, [target], { visitors: 4, number })
      await comesTrue(
        'it is visited',
        () => [...visits.statuses.values()].reduce((sum, n) => sum + n, 0) >= 4,
      )
      await visits.stop()
      const removed = await developer.call('DELETE', `/v1/projects/${id}`)
      assert.equal(removed.status, 200, JSON.stringify(removed.body))
    }
    await comesTrue('all processes have ended', async () => (await processes()) === 0)
  }
  const processes = async () =>
    Number(/^svc_functions_processes (\d+)/m.exec((await service.http.inject('/metrics')).body)?.[1])

  // What is opened once, such as the process of outgoing requests, is not left.
  await visitAndRemove(1)
  const before = { sockets: socketsOf(process.pid), bytes: heapBytes() }
  await visitAndRemove(ENVIRONMENTS)

  await comesTrue(
    `as many sockets as before (${before.sockets})`,
    () => socketsOf(process.pid) <= before.sockets,
  )
  const keptBytes = heapBytes() - before.bytes
  t.diagnostic(`${ENVIRONMENTS} environments: ${(keptBytes / 1e6).toFixed(1)} MB more`)
  assert.ok(keptBytes < KEPT_BYTES_MAX + ENVIRONMENTS * KEPT_BYTES_EACH_MAX, `${keptBytes} bytes`)
})

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
