import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { createResolver } from '../../../../platform/network/outbound.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { exchange, startRawServer } from '../../../../testing/raw-servers.ts'
import { openRemoteEgress } from './remote-egress.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('[FUN-15] outgoing requests are sent by another process, which is started again if it ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-egress-'))
  const path = join(folder, 'egress.sock')
  let counted = 0
  let bytes = 0
  let cpuMs = 0
  const egress = await openRemoteEgress(path, {
    allowLoopback: true,
    resolver: createResolver(),
    count: (requestId) => (++counted > 2 && requestId === 'one' ? 'over the limit' : undefined),
    loopOf: (_requestId, sent) => (sent === 'again' ? undefined : 'svc'),
    addBytes: (more) => (bytes += more),
    addCpuMs: (more) => (cpuMs += more),
  })
  t.after(() => {
    egress.close()
    rmSync(folder, { recursive: true })
  })
  const address = await startRawServer(t, (socket) => socket.once('data', () => socket.end(ANSWER)))
  const fetchWith = (more = '') =>
    exchange({ path }, `GET http://${address}/ HTTP/1.1\r\nConnection: close\r\n${more}\r\n`)

  assert.match(await fetchWith(), /^HTTP\/1\.1 200 .*ok$/s)
  assert.match(await fetchWith('CDN-Loop: again\r\n'), /svc-egress-refused: This request has passed/)
  assert.match(await fetchWith('svc-cf: {"svcRequestId":"one"}\r\n'), /svc-egress-refused: over the limit/)
  await comesTrue('bytes and CPU time are reported', () => bytes === 2 && cpuMs > 0)

  const [pid] = egressPids()
  process.kill(pid ?? assert.fail('no process'), 'SIGKILL')
  await comesTrue('it is started again', async () => (await fetchWith()).startsWith('HTTP/1.1 200 '))
  assert.notEqual(egressPids()[0], pid)
})

const egressPids = () =>
  readdirSync(`/proc/${process.pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${process.pid}/task/${thread}/children`, 'utf8').split(' '))
    .filter(Boolean)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('egress-process'))
