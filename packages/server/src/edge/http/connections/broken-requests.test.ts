import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { createHttpServer } from '../server.ts'

/** More than fits into the buffers of both sides. */
const LONG = 'x'.repeat(16_000_000)
/** No client is disconnected earlier, even on a busy machine. */
const PATIENT = { headersMs: 60_000, requestMs: 60_000, checkIntervalMs: 100 }
const IMPATIENT = { headersMs: 1_000, requestMs: 1_000, checkIntervalMs: 100 }

describe('malformed bytes after a request whose long response is still being sent', () => {
  async function startHttp(t: TestContext, timeouts: typeof PATIENT): Promise<FastifyInstance> {
    const options = { log: pino({ level: 'silent' }), requestIds: () => 'req_1' }
    const http = createHttpServer({ ...options, timeouts })
    t.after(() => http.close())
    http.get('/long', (_request, reply) => void reply.send(LONG))
    await http.listen({ host: '127.0.0.1', port: 0 })
    return http
  }

  /** A client that has received the beginning of the long response, stops reading, and has sent malformed bytes. */
  async function breakOff(
    http: FastifyInstance,
    headers: string,
  ): Promise<{ client: Socket; server: Socket }> {
    const accepted = once(http.server, 'connection')
    const client = connect((http.server.address() as AddressInfo).port, '127.0.0.1')
    const [server] = (await accepted) as [Socket]
    const refused = once(http.server, 'clientError')
    client.write(`GET /long HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
    await once(client, 'readable')
    client.write('zz\r\n\r\n')
    await refused
    return { client, server }
  }

  async function rest(client: Socket): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of client) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  for (const headers of ['', 'Connection: close\r\n']) {
    const name = headers ? 'asked to be closed' : 'kept alive'
    test(`on a connection that was ${name}, the long response arrives complete and is the last one`, async (t) => {
      const { client } = await breakOff(await startHttp(t, PATIENT), headers)
      const [head = '', body = ''] = (await rest(client)).split('\r\n\r\n')
      assert.match(head, /^HTTP\/1\.1 200 /)
      assert.equal(body.length, LONG.length)
    })
  }

  test('a client that never reads the response is disconnected', { timeout: 20_000 }, async (t) => {
    const { client, server } = await breakOff(await startHttp(t, IMPATIENT), '')
    client.on('error', () => {})
    await once(server, 'close')
    client.destroy()
  })
})
