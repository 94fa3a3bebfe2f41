import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { createResolver } from '../../../../platform/network/outbound.ts'
import { answerWithoutEnd } from '../../../../testing/endless-answers.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { socketsOf } from '../../../../testing/process-counts.ts'
import { exchange, startRawServer } from '../../../../testing/raw-servers.ts'
import type { AnswerTuning } from './answer-limits.ts'
import { openEgress } from './egress.ts'

/** The text before the body, and an answer that every client accepts. */
const END = '\r\n\r\n'
const SOUND = `HTTP/1.1 200 OK\r\nContent-Length: 2${END}ok`

/** Answers that are not sound: the reason that the code gets, or the status that is passed on. */
const BROKEN: Record<string, [answer: string, expected: RegExp]> = {
  'a trailer beside a length': [
    `HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 2${END}ok`,
    /^HTTP\/1\.1 200 .*ok$/s,
  ],
  'status 000': [`HTTP/1.1 000 X\r\nContent-Length: 0${END}`, /svc-egress-refused: Fetch failed/],
  'status 099': [`HTTP/1.1 099 X\r\nContent-Length: 0${END}`, /svc-egress-refused: Fetch failed/],
  'a control character in the reason': [
    `HTTP/1.1 200 O\x01K\r\nContent-Length: 2${END}ok`,
    /^HTTP\/1\.1 200 .*ok$|svc-egress-refused/s,
  ],
  'DEL in the reason': [
    `HTTP/1.1 200 O\x7fK\r\nContent-Length: 2${END}ok`,
    /^HTTP\/1\.1 200 .*ok$|svc-egress-refused/s,
  ],
  'a switch to another protocol': [
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x${END}bytes`,
    /svc-egress-refused: Fetch failed: the answer switches to another protocol/,
  ],
  'no HTTP': ['SSH-2.0-x\r\n', /svc-egress-refused: Fetch failed/],
  nothing: ['', /svc-egress-refused: Fetch failed/],
  'a length that lies': [`HTTP/1.1 200 OK\r\nContent-Length: 5${END}ok`, /^HTTP\/1\.1 200 .*ok$/s],
  'two lengths': [`HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3${END}ok`, /svc-egress-refused/],
  'length and chunks': [
    `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked${END}2\r\nok\r\n0${END}`,
    /svc-egress-refused/,
  ],
  'a broken chunk': [
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked${END}2\r\nok\r\nzz\r\n`,
    /^(?:HTTP\/1\.1 200 .*)?$/s,
  ],
}

const fetchText = (address: string, more = '') =>
  `GET http://${address}/ HTTP/1.1\r\nConnection: close\r\n${more}\r\n`
const upgradeText = (address: string) =>
  `GET http://${address}/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`

async function open(t: TestContext, tuning: AnswerTuning = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-egress-'))
  const path = join(folder, 'egress.sock')
  const egress = await openEgress(path, {
    allowLoopback: true,
    resolver: createResolver(),
    judge: async () => ({ loop: 'svc' }),
    addBytes() {},
    addCpuMs() {},
    tuning,
  })
  t.after(() => {
    egress.close()
    rmSync(folder, { recursive: true })
  })
  return { path }
}

for (const [name, [answer, expected]] of Object.entries(BROKEN))
  test(`a fetched server that answers with ${name}: the code gets an answer, the service goes on`, async (t) => {
    const egress = await open(t)
    const address = await startRawServer(t, (socket) =>
      socket.once('data', () => socket.end(answer, 'latin1')),
    )

    assert.match(await exchange(egress, fetchText(address)), expected)
    // As the answer to an upgrade it is passed on or refused, and the connection is closed.
    await exchange(egress, upgradeText(address))
    const sound = await startRawServer(t, (socket) => socket.once('data', () => socket.end(SOUND)))
    assert.match(await exchange(egress, fetchText(sound)), /^HTTP\/1\.1 200 .*ok$/s)
  })

test('connect() of cloudflare:sockets that closes before it reads the refusal does not end the service', async (t) => {
  const egress = await open(t)
  const closed = Array.from({ length: 50 }, async () => {
    const socket = connect(egress)
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(`CONNECT 203.0.113.1:80 HTTP/1.1${END}more bytes`, () => socket.destroy())
    return promise
  })
  await Promise.all(closed)
  assert.match(await exchange(egress, `CONNECT 203.0.113.1:80 HTTP/1.1${END}`), /^HTTP\/1\.1 403 /)
})

test('[FUN-18] a connection that was refused and sends more before it closes is not left open', async (t) => {
  const egress = await open(t)
  const before = socketsOf(process.pid)
  for (const text of [
    `CONNECT 203.0.113.1:80 HTTP/1.1${END}`,
    `GET http://203.0.113.1/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket${END}`,
  ])
    for (let count = 0; count < 5; count++) {
      const socket = connect({ ...egress, allowHalfOpen: true }).on('error', () => {})
      socket.write(text)
      await once(socket, 'data')
      await new Promise((resolve) => socket.write('more bytes', resolve))
      socket.destroy()
    }
  await comesTrue('all are closed', () => socketsOf(process.pid) <= before)
})

test('the header Trailer of the code is not passed on, because it cannot be sent beside a length', async (t) => {
  const egress = await open(t)
  let received = ''
  const address = await startRawServer(t, (socket) =>
    socket.on('data', (data) => {
      received += data.toString()
      if (received.endsWith('ok')) socket.end(SOUND)
    }),
  )
  const sent = `POST http://${address}/ HTTP/1.1\r\nConnection: close\r\nTrailer: x\r\nContent-Length: 2${END}ok`
  assert.match(await exchange(egress, sent), /^HTTP\/1\.1 200 .*ok$/s)
  assert.doesNotMatch(received, /trailer/i)
})

const PASSED_IN_PART = /^(?:HTTP\/1\.1 200 .*)?$/s
/** How the proxy ends what a server sends without end: in the head of its own answer, or by closing the connection. */
const ENDED: Record<string, RegExp> = {
  'interim-answers': /svc-egress-refused: Fetch failed: the head of the answer has more than 65536 bytes/,
  'interim-answers-with-links':
    /svc-egress-refused: Fetch failed: the head of the answer has more than 65536/,
  processing: /svc-egress-refused: Fetch failed: the head of the answer has more than 65536 bytes/,
  continue: /svc-egress-refused: Fetch failed: the head of the answer has more than 65536 bytes/,
  'slow-interim-answers': /svc-egress-refused: Fetch failed: the head of the answer takes too long/,
  'slow-headers': /svc-egress-refused: Fetch failed: the head of the answer takes too long/,
  headers: /svc-egress-refused: Fetch failed/,
  'one-long-header': /svc-egress-refused: Fetch failed/,
  'empty-lines': /svc-egress-refused: Fetch failed/,
  'one-byte-chunks': PASSED_IN_PART,
  'chunk-extensions': PASSED_IN_PART,
  'one-long-extension': PASSED_IN_PART,
  trailers: PASSED_IN_PART,
  'large-body': PASSED_IN_PART,
  redirects: /^HTTP\/1\.1 302 /,
}

for (const [name, expected] of Object.entries(ENDED))
  test(`[FUN-15] the request to a server that sends ${name} without end is ended`, async (t) => {
    const egress = await open(t, { headMsMax: 200, cpuAheadMs: 50, cpuPartMax: 0 })
    const address = await startRawServer(t, (socket) => answerWithoutEnd(socket, () => {}))
    const text = `GET http://${address}/${name} HTTP/1.1\r\nConnection: close\r\n\r\n`
    const socket = connect(egress).setEncoding('latin1')
    let start = ''
    socket.on('data', (part: string) => void (start.length < 1_000 && (start += part)))
    socket.on('error', () => {}).write(text)
    await once(socket, 'close')
    assert.match(start, expected)
  })
