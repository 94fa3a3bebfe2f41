import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request as httpRequest } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'

import { seededNumbers } from '../../../../../testing/hostile-connections.ts'
import { runs } from '../../../../../testing/runs.ts'
import { HttpClient } from './http-client.ts'

const ROUNDS = runs(500, 20_000)

const ANSWERS = [
  'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nX-Own: one\r\n\r\nhello, world',
  'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\nA\r\nllo, world\r\n0\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
]
const PARTS = [
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/1.1 200 OK\r\n',
  '\r\n',
  '\n',
  '\0',
  ': ',
  '0\r\n\r\n',
  'ff',
  '-',
]

/** A valid answer with up to three bytes changed, removed or added, or a line that is not expected. */
function damaged(number: (below: number) => number): string {
  let answer = ANSWERS[number(ANSWERS.length)] ?? ''
  for (let count = number(4); count > 0; count--) {
    const at = number(answer.length + 1)
    const added = [String.fromCharCode(number(256)), PARTS[number(PARTS.length)] ?? ''][number(2)] ?? ''
    answer = answer.slice(0, at) + (number(3) === 0 ? '' : added) + answer.slice(at + number(2))
  }
  return answer
}

type Result = { status: number; text: string } | undefined
const wholeOf = async (status: number, body: Buffer | Readable): Promise<Result> =>
  (Buffer.isBuffer(body) ? Promise.resolve(body) : buffer(body)).then(
    (bytes) => ({ status, text: bytes.toString('latin1') }),
    () => undefined,
  )

const isMarked = (headers: IncomingHttpHeaders) =>
  'content-length' in headers || 'transfer-encoding' in headers

const sendWithNode = (socketPath: string) =>
  new Promise<Result>((resolve) => {
    const sent = httpRequest({ socketPath, agent: false })
    sent.on('response', (answer) => resolve(wholeOf(answer.statusCode ?? 0, answer)))
    sent.on('error', () => resolve(undefined))
    sent.on('close', () => resolve(undefined))
    sent.end()
  })

const sendWith = (client: HttpClient) =>
  new Promise<Result>((resolve) => {
    client.send(
      { method: 'GET', path: '/', headers: ['host', 'x'], body: null },
      {
        // An answer without a length has no body here, and ends with the connection in Node. workerd always sends a length.
        onResponse: ({ status, headers, body }) =>
          resolve(isMarked(headers) ? wholeOf(status, body) : undefined),
        onError: () => resolve(undefined),
      },
    )
  })

test("a damaged answer fails, or is what Node's client reads", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-answers-'))
  const path = join(folder, 'test.sock')
  let answer = ''
  let pieces = 1
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    const writeFrom = (at: number) => {
      if (socket.destroyed || at >= answer.length) return void socket.end()
      const size = Math.ceil(answer.length / pieces)
      socket.write(answer.slice(at, at + size), 'latin1')
      setImmediate(writeFrom, at + size)
    }
    socket.once('data', () => writeFrom(0))
  }).listen(path)
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })
  await once(server, 'listening')

  let accepted = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const number = seededNumbers(round)
    answer = damaged(number)
    pieces = 1 + number(3)
    const client = new HttpClient(path, 60_000)
    const ours = await sendWith(client)
    client.close()
    if (!ours) continue
    accepted++
    assert.deepEqual(ours, await sendWithNode(path), `round ${round}: ${JSON.stringify(answer)}`)
  }
  assert.ok(accepted > ROUNDS / 10, `${accepted} of ${ROUNDS} were accepted`)
})
