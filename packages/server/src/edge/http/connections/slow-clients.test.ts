import assert from 'node:assert/strict'
import { on, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { ApiError } from '../../../platform/api-error.ts'
import { fileBody, routeForFiles } from '../requests/bodies.ts'
import { createHttpServer } from '../server.ts'

describe('slow clients', () => {
  let http: FastifyInstance
  let port: number
  const serverWith = (timeouts: { headersMs: number; requestMs: number; checkIntervalMs: number }) =>
    createHttpServer({
      log: pino({ level: 'silent' }),
      requestIds: () => 'req_1',
      timeouts,
      readTimeoutMs: 300,
    })
  before(async () => {
    http = serverWith({ headersMs: 100, requestMs: 200, checkIntervalMs: 20 })
    /** More than fits into all buffers of the connection together. */
    http.get('/large', async () => Buffer.alloc(32 * 1024 * 1024))
    http.post('/echo', async (request) => request.body)
    port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => http.close())

  /** Returns all that the server sends until it ends the connection. */
  const sendAndWait = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let received = ''
      socket.setEncoding('utf8').on('data', (text) => (received += text))
      socket.on('close', () => resolve(received)).on('error', reject)
    })

  test('headers that never end are answered 408 in the error shape, and the connection is closed', async () => {
    const answer = await sendAndWait('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a')
    assert.match(answer, /^HTTP\/1\.1 408 /)
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.code, 'request_timeout')
  })

  test('a body that never ends is answered 408 too', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
    assert.match(await sendAndWait(`${head}{"a":`), /^HTTP\/1\.1 408 /)
  })

  test('an upload may take longer than other requests', async (t) => {
    // Even on a busy machine the first bytes arrive within two seconds.
    const files = serverWith({ headersMs: 2_000, requestMs: 2_000, checkIntervalMs: 20 })
    t.after(() => files.close())
    const limit = { bytesMax: 10, refusal: () => new ApiError('blob_too_large') }
    routeForFiles(files, {
      method: 'PUT',
      url: '/file',
      handler: async ({ raw }) => JSON.stringify(await text(fileBody(raw, limit))),
    })
    const socket = connect(
      Number(new URL(await files.listen({ host: '127.0.0.1', port: 0 })).port),
      '127.0.0.1',
    )
    socket.setEncoding('utf8')
    socket.write('PUT /file HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsl')
    for await (const [{ code }, { remotePort }] of on(files.server, 'clientError'))
      if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && remotePort === socket.localPort) break
    socket.write('ow')
    const [answer] = await once(socket, 'data')
    assert.match(answer, /^HTTP\/1\.1 200 [^]*"slow"$/)
    await once(socket, 'close')
  })

  test('a connection whose client does not read the response is closed', async () => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {})
    const [here] = (await once(http.server, 'connection')) as [Socket]
    const ended = once(here, 'close')
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    await ended
    socket.destroy()
  })
})
