import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { createHttpServer } from '../server.ts'

const LONG = 'x'.repeat(1_000_000)
const MIB = 1024 * 1024

describe('the response to a request whose body is not read', () => {
  let http: FastifyInstance
  let port: number
  before(async () => {
    const options = { log: pino({ level: 'silent' }), requestIds: () => 'req_1' }
    http = createHttpServer(options)
    http.get('/long', (_request, reply) => void reply.send(LONG))
    http.post('/echo', (request, reply) => void reply.send(request.body))
    port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => http.close())

  /** Sends everything before it reads the response. */
  function exchange(head: string, body: Buffer): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.on('error', reject)
    socket.write(head)
    socket.write(body, () => {
      socket.on('data', (chunk) => (received += String(chunk)))
      socket.on('end', () => {
        socket.destroy()
        resolve(received)
      })
    })
    return promise
  }
  const head = (route: string, length: number, headers = '') =>
    `${route} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n`

  test('arrives complete if the client asked to close the connection', async () => {
    const body = Buffer.alloc(4 * MIB, '[')
    const answer = await exchange(head('GET /long', body.length, 'Connection: close\r\n'), body)
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.equal(answer.split('\r\n\r\n')[1]?.length, LONG.length)
  })

  test('arrives if it rejects a body that is too large', async () => {
    const body = Buffer.alloc(4 * MIB, '[')
    const answer = await exchange(head('POST /echo', body.length), body)
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.code, 'payload_too_large')
  })

  test('does not wait forever for the rest of the body', { timeout: 20_000 }, async () => {
    const answer = await exchange(head('POST /echo', 4 * MIB), Buffer.from('['))
    assert.match(answer, /^HTTP\/1\.1 413 /)
  })

  test('does not wait for the body on a keep-alive connection', async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(head('GET /unknown', 4 * MIB))
    const [answer] = await once(socket, 'data')
    socket.destroy()
    assert.match(String(answer), /^HTTP\/1\.1 404 /)
  })
})
