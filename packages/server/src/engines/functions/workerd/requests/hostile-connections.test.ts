import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'

import { createOutbound, createResolver } from '../../../../platform/network/outbound.ts'
import type { RoomProcessSpec } from '../../../../platform/ports/room-process.ts'
import { codeOf, specOf } from '../../../../testing/functions.ts'
import { answerBadly, leaveEarly, seededNumbers } from '../../../../testing/hostile-connections.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { exchange, startRawServer } from '../../../../testing/raw-servers.ts'
import { runs } from '../../../../testing/runs.ts'
import { openFiles } from '../../../blobs/files.ts'
import { openEgress } from '../network/egress.ts'
import { openFileBodies } from '../network/file-bodies.ts'
import { openServiceCalls } from '../network/service-calls.ts'
import { openRoomServices } from '../rooms/room-services.ts'

/**
 * An error that escapes in the process of the tests fails them, as it would end the service. So these tests only do everything that a
 * process of functions, or a server that its code fetches, could do, and then check that an ordinary request is answered.
 */
const ROUNDS = runs(40, 1_000)
const AT_ONCE = 8
const ID = '00000000-0000-4000-8000-000000000000'
const OTHER_ID = '00000000-0000-4000-8000-000000000001'

function folderOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-hostile-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function everyRound(work: (number: (below: number) => number) => Promise<unknown>) {
  for (let round = 1; round <= ROUNDS; round++) {
    const number = seededNumbers(round)
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(number)))
  }
}

const requestsTo = (target: string, path: string) => [
  `GET ${target}${path} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${target}${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  `GET ${target}${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\x81\x82abcd`,
  `GET ${target}${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\nok`,
  `HEAD ${target}${path} HTTP/1.1\r\nhost: x\r\ntrailer: y\r\n\r\n`,
  `PUT ${target}${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntrailer: y\r\n\r\nhello`,
  `PUT ${target}${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 50000\r\n\r\nhello`,
  `POST ${target}${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ntrailer: y\r\n\r\n5\r\nhello\r\n0\r\ny: z\r\n\r\n`,
  `POST ${target}${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n`,
  `POST ${target}${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\nhello`,
  `POST ${target}${path} HTTP/1.1\r\nhost: x\r\nexpect: something\r\ncontent-length: 5\r\n\r\nhello`,
  `DELETE ${target}${path}?start=-1&end=x HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${target}${path}?start=9&end=1 HTTP/1.1\r\nhost: x\r\nsvc-cf: {"svcRequestId":1}\r\n\r\n`,
  `GET //${path} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n`,
  `CONNECT 203.0.113.1:80 HTTP/1.1\r\nhost: x\r\n\r\nbytes`,
  `OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  `G\x00T / HTTP/1.1\r\n\r\n`,
  '\x16\x03\x01\x02\x00',
]

test('outgoing requests: broken answers, aborts and resets of both sides never escape', async (t) => {
  const path = join(folderOf(t), 'egress.sock')
  const options = {
    allowLoopback: true,
    resolver: createResolver(),
    judge: async () => ({ loop: 'svc' }),
    addBytes() {},
    addCpuMs() {},
    // The work of the clients and of the server of this test is done by the same thread, and would be charged to the answers.
    tuning: { cpuAheadMs: 3_600_000 },
  }
  const egress = await openEgress(path, options)
  t.after(() => egress.close())
  const chance = seededNumbers(7)
  const address = await startRawServer(t, (socket) => answerBadly(socket, chance))

  await everyRound((number) => leaveEarly({ path }, requestsTo(`http://${address}`, '/'), number))

  const sound = await startRawServer(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')),
  )
  const request = `GET http://${sound}/ HTTP/1.1\r\nconnection: close\r\n\r\n`
  assert.match(await exchange({ path }, request), /^HTTP\/1\.1 200 .*ok$/s)
})

test('calls of env.SVC: broken requests and aborts never escape', async (t) => {
  const path = join(folderOf(t), 'svc.sock')
  const calls = await openServiceCalls(
    path,
    (request, response) => {
      request.resume()
      request.on('end', () => response.end('ok'))
    },
    () => undefined,
  )
  t.after(() => calls.close())

  await everyRound((number) => leaveEarly({ path }, requestsTo('', '/v1/saves'), number))

  assert.match(
    await exchange({ path }, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200 .*ok/s,
  )
})

test('calls of bindings of rooms: broken requests and aborts never escape, and all of them end', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'bindings.sock')
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  }
  const spec: RoomProcessSpec = {
    ...specOf(codeOf('', { bindings: [{ type: 'kv', name: 'KV', id: 'kv' }] })),
    onBindingCall: (_binding, request, response) => answer(request, response),
    onFunctionsCall: answer,
    onMessage() {},
    onEnd() {},
  }
  const services = await openRoomServices(folder, {
    spec,
    resolver: createResolver(),
    addEgressBytes() {},
    addEgressCpuMs() {},
  })
  t.after(() => services.close())
  const named = requestsTo('', '/key').map((text) => text.replace('host: x', 'host: x\r\nsvc-binding: KV'))

  await everyRound((number) => leaveEarly({ path }, [...requestsTo('', '/key'), ...named], number))

  const call = (name: string) =>
    exchange({ path }, `GET /key HTTP/1.1\r\nhost: x\r\nsvc-binding: ${name}\r\nconnection: close\r\n\r\n`)
  // None of those that were aborted is still in progress.
  await comesTrue('a call is answered', async () => /^HTTP\/1\.1 200 .*ok/s.test(await call('KV')))
  assert.match(await call('.functions'), /^HTTP\/1\.1 200 .*ok/s)
  assert.match(await call('NONE'), /^HTTP\/1\.1 520 .*there is no such binding/s)
})

test('bodies of files: broken requests and aborts never escape', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'bodies.sock')
  const blobs = await openFiles(join(folder, 'blobs'))
  const opened: Readable[] = []
  const bodies = await openFileBodies(path, 'data', {
    ...blobs,
    async open(...args) {
      const blob = await blobs.open(...args)
      if (blob) opened.push(blob.stream)
      return blob
    },
  })
  t.after(async () => {
    bodies.close()
    await blobs.close()
  })
  // Who has left may still have a PUT or a DELETE in progress, and a worker never uses an id for two files.
  const put = `PUT /${OTHER_ID} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok`

  await everyRound((number) => leaveEarly({ path }, requestsTo('', `/${ID}`), number))

  assert.match(await exchange({ path }, put), /^HTTP\/1\.1 204 /)
  const get = `GET /${OTHER_ID}?start=0&end=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
  assert.match(await exchange({ path }, get), /^HTTP\/1\.1 200 .*ok$/s)
  await comesTrue('every file that was read is closed', () => opened.every((file) => file.destroyed))
})

test('the webhook: broken answers and resets are an exchange without an answer', async (t) => {
  const chance = seededNumbers(11)
  const address = await startRawServer(t, (socket) => answerBadly(socket, chance))
  const outbound = createOutbound()
  const outgoing = {
    url: `http://${address}/`,
    headers: {},
    body: '{}',
    timeoutMs: 100,
    answerBytesMax: 1_000,
    allowLoopback: true,
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const exchanges = await Promise.all(Array.from({ length: AT_ONCE }, () => outbound.post(outgoing)))
    for (const { status, error } of exchanges) assert.ok(error !== null || status !== null)
  }
})
