import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

import { pino } from 'pino'

import { ApiError } from '../../../platform/api-error.ts'
import { createHttpServer } from '../server.ts'
import { fileBody, discardRemainder, routeForFiles } from './bodies.ts'

const FILE = Buffer.alloc(8 * 1024 * 1024)

test('after a rejected upload the rest is discarded and the connection is reused', async (t) => {
  const http = createHttpServer({
    log: pino({ level: 'silent' }),
    requestIds: () => 'req_1',
  })
  t.after(() => http.close())
  http.get('/next', async () => '"the next one"')
  const limit = { bytesMax: FILE.length, refusal: () => new ApiError('blob_too_large') }
  routeForFiles(http, {
    method: 'PUT',
    url: '/file',
    async handler({ raw }) {
      const body = fileBody(raw, limit)
      // Like a full disk: the first bytes are read, and no more.
      for await (const _ of body.iterator({ destroyOnReturn: false })) break
      discardRemainder(raw)
      throw new ApiError('service_unavailable')
    },
  })
  const { port } = new URL(await http.listen({ host: '127.0.0.1', port: 0 }))

  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`PUT /file HTTP/1.1\r\nHost: x\r\nContent-Length: ${FILE.length}\r\n\r\n`)
  socket.write(FILE)
  socket.write('GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const received = await text(socket)
  assert.match(received, /^HTTP\/1\.1 503 /)
  assert.match(received, /"service_unavailable"[^]*HTTP\/1\.1 200 OK[^]*"the next one"$/)
})

const STOPPED = { 'before the body is read': 0, 'after its reader has stopped': 1 }
for (const [when, chunks] of Object.entries(STOPPED)) {
  test(`a client that disconnects ${when} causes an error on the body stream only`, async (t) => {
    const http = createHttpServer({
      log: pino({ level: 'silent' }),
      requestIds: () => 'req_1',
    })
    t.after(() => http.close())
    const limit = { bytesMax: FILE.length, refusal: () => new ApiError('blob_too_large') }
    const taken = Promise.withResolvers<Readable>()
    const answering = Promise.withResolvers<void>()
    routeForFiles(http, {
      method: 'PUT',
      url: '/file',
      async handler({ raw }) {
        const body = fileBody(raw, limit)
        for (let read = 0; read < chunks; read++)
          for await (const _ of body.iterator({ destroyOnReturn: false })) break
        taken.resolve(body)
        await answering.promise
      },
    })
    const { port } = new URL(await http.listen({ host: '127.0.0.1', port: 0 }))

    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`PUT /file HTTP/1.1\r\nHost: x\r\nContent-Length: ${FILE.length}\r\n\r\nsome`)
    const body = await taken.promise
    const closed = new Promise((resolve) => body.once('close', resolve))
    socket.resetAndDestroy()
    // An error without a listener would end the process here.
    await closed
    await assert.rejects(text(body))
    answering.resolve()
  })
}
