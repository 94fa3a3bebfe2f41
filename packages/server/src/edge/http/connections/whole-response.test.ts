import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { KEEP_ALIVE_MS, writeWhole } from './whole-response.ts'

const BODY = Buffer.from('a file: é')
const HEADERS = ['Content-Type', 'text/plain', 'ETag', '"é"', 'Content-Length', String(BODY.length)]
const ID = 'req_1'
const CLIENTS = 8
/** More than fits into all buffers of the connection together. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x')

describe('a response that is written whole', () => {
  let server: Server
  let port: number
  /** What each request was answered by. */
  const written: boolean[] = []
  const responses: ServerResponse[] = []
  let handle = (_request: IncomingMessage, _response: ServerResponse): void => {}

  function answer(response: ServerResponse, status = 200, headers: readonly string[] = HEADERS, body = BODY) {
    responses.push(response)
    const isWritten = writeWhole(response, { status, headers, body }, ID)
    written.push(isWritten)
    if (!isWritten) response.writeHead(status, [...headers, 'X-Request-Id', ID]).end(body)
  }

  before(async () => {
    server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
      handle(request, response),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  /** Sends text and returns what arrives until `bytes` have, or the connection is closed. */
  async function exchange(text: string, bytes = Infinity): Promise<string> {
    written.length = 0
    const socket = connect(port, '127.0.0.1')
    socket.write(text)
    const chunks: Buffer[] = []
    let received = 0
    for await (const chunk of socket) {
      chunks.push(chunk as Buffer)
      received += (chunk as Buffer).length
      if (received >= bytes) break
    }
    return Buffer.concat(chunks).toString('latin1')
  }

  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const withoutDate = (text: string) => text.replaceAll(/Date: [^\r]*/g, 'Date: now')

  test('has the bytes that Node would write, with the current time', async () => {
    handle = (_request, response) => void response.writeHead(200, [...HEADERS, 'X-Request-Id', ID]).end(BODY)
    const byNode = await exchange(get('/'), 1)
    handle = (_request, response) => answer(response)
    const whole = await exchange(get('/'), byNode.length)
    assert.deepEqual(written, [true])
    assert.equal(withoutDate(whole), withoutDate(byNode))
    const [, date = ''] = /Date: ([^\r]*)/.exec(whole) ?? []
    assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000, date)
  })

  test('is followed by the next request of the connection, also one that was sent at the same time', async () => {
    handle = (request, response) => answer(response, request.url === '/a' ? 200 : 404)
    const close = 'Connection: close\r\n'
    const all = await exchange(get('/a') + get('/b') + get('/c') + get('/d', close))
    assert.deepEqual(
      all.match(/HTTP\/1\.1 \d+/g),
      ['200', '404', '404', '404'].map((each) => `HTTP/1.1 ${each}`),
    )
    // A response that waits behind another one, and the last one, are written by Node.
    assert.equal(written[0], true)
    assert.equal(written.at(-1), false)
    assert.match(all, /Connection: close\r\n\r\na file/)
  })

  test('waits for the response before it', async () => {
    let first: ServerResponse | undefined
    handle = (request, response) => {
      if (request.url === '/first') first = response
      else {
        answer(response)
        first?.writeHead(200, { 'Content-Length': 5 }).end('first')
      }
    }
    const all = await exchange(get('/first') + get('/second', 'Connection: close\r\n'))
    assert.ok(all.indexOf('first') < all.indexOf('a file'))
    assert.deepEqual(written, [false])
  })

  for (const [name, [status, headers, body, request]] of Object.entries({
    'without a length': [200, ['Content-Type', 'text/plain'], BODY, get('/')],
    'whose length is not that of its body': [200, ['Content-Length', '3'], BODY, get('/')],
    'with a header of the connection': [200, ['Connection', 'close', ...HEADERS], BODY, get('/')],
    'without a body': [204, ['X-A', 'b'], Buffer.alloc(0), get('/')],
    'to HEAD': [200, HEADERS, BODY, 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n'],
    'to a client of HTTP/1.0': [200, HEADERS, BODY, 'GET / HTTP/1.0\r\n\r\n'],
  } satisfies Record<string, [number, string[], Buffer, string]>))
    test(`is left to Node: one ${name}`, async () => {
      handle = (_request, response) => answer(response, status, headers, body)
      await exchange(request, 1)
      assert.deepEqual(written, [false])
    })

  test('is left to Node while the service stops, which closes the connection', async () => {
    handle = (_request, response) => answer(response.setHeader('Connection', 'close'))
    assert.match(await exchange(get('/')), /Connection: close/i)
    assert.deepEqual(written, [false])
  })

  test('never contains a line break of a header value', async () => {
    let error: unknown
    handle = (_request, response) => {
      try {
        answer(response, 200, ['X-A', 'b\r\nX-Evil: 1', ...HEADERS])
      } catch (thrown) {
        error = thrown
        answer(response, 500)
      }
    }
    assert.match(await exchange(get('/'), 1), /^HTTP\/1\.1 500 /)
    assert.equal((error as NodeJS.ErrnoException).code, 'ERR_INVALID_CHAR')
  })

  test('keeps the bytes of the body only once, and ends when the client disconnects', async () => {
    const sent = Promise.withResolvers<void>()
    responses.length = 0
    handle = (_request, response) => {
      answer(response, 200, ['Content-Length', String(LARGE.length)], LARGE)
      if (responses.length === CLIENTS) sent.resolve()
    }
    const before = process.memoryUsage().arrayBuffers
    const clients: Socket[] = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1').pause())
    for (const client of clients) client.on('error', () => {}).write(get('/'))
    await sent.promise
    assert.ok(process.memoryUsage().arrayBuffers - before < LARGE.length)
    const [response] = responses as [ServerResponse]
    assert.ok(response.writableLength > 0)
    const closed = once(response, 'close')
    for (const client of clients) client.destroy()
    await closed
    assert.equal(response.destroyed, true)
  })

  test('is complete if the client reads slowly', async () => {
    handle = (_request, response) => answer(response, 200, ['Content-Length', String(LARGE.length)], LARGE)
    const text = await exchange(get('/'), LARGE.length)
    assert.deepEqual(written, [true])
    assert.ok(text.length >= LARGE.length)
  })

  test('leaves the connection idle, so that a stop closes it at once', async () => {
    handle = (_request, response) => answer(response)
    responses.length = 0
    const client = connect(port, '127.0.0.1')
    client.write(get('/'))
    await once(client, 'data')
    if (!responses[0]?.destroyed) await once(responses[0] as ServerResponse, 'close')
    const closed = once(client, 'close')
    server.closeIdleConnections()
    await closed
  })
})
