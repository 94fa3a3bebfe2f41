import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { createHttpServer } from './server.ts'

describe('slow clients', () => {
  let http: FastifyInstance
  let port: number
  before(async () => {
    http = createHttpServer({
      log: pino({ level: 'silent' }),
      trustedProxies: 0,
      requestIds: () => 'req_1',
      patience: { headersMs: 100, requestMs: 200, lookEveryMs: 20 },
    })
    http.post('/echo', async (request) => request.body)
    port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => http.close())

  /** All that comes back until the server ends the connection. */
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
})
