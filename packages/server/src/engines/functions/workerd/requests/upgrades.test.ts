import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test, type TestContext } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import type { Running } from '../../../../platform/ports/functions-engine.ts'
import {
  codeOf,
  connectTo,
  get,
  openTestFunctions,
  servePort,
  specOf,
} from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'

const CODE = codeOf(
  `
const work = (ms) => { let x = 0; for (let i = 0; i < ms * 4e5; i++) x = (x * 31 + i) | 0; return x }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case '/loop': for (;;) {}
      case '/turns': for (let i = 0; i < 2000; i++) { work(5); await pause(1) } return new Response('done')
      case '/never': return new Promise(() => {})
      case '/fetches': { let done = 0; for (let i = 0; i < 6; i++) { try { await (await fetch(searchParams.get('origin'))).text(); done++ } catch { break } } return new Response('done ' + done) }
      case '/streamed': return new Response(new ReadableStream({ pull(controller) { controller.enqueue(new TextEncoder().encode('0\\r\\n\\r\\nsecond')); controller.close() } }), { headers: { 'content-type': 'text/x' } })
      case '/socket': {
        const [client, server] = Object.values(new WebSocketPair())
        server.accept()
        server.addEventListener('message', ({ data }) => server.send(data))
        return new Response(null, { status: 101, webSocket: client })
      }
      default: return new Response('ok')
    }
  },
}`,
  // Before the date from which workerd answers a Close by itself.
  { compatibilityDate: '2025-09-01' },
)
const SPEC = specOf(CODE, { limits: { cpuMs: 200, subRequests: 5 } })
const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

const HEAD = `host: app.localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
/** A frame of a client that closes, masked with zeros. */
const CLOSE = Buffer.from([0x88, 0x80, 0, 0, 0, 0])

describe('upgrades to functions', () => {
  let functions: Awaited<ReturnType<typeof openTestFunctions>>
  let running: Running
  let origin: Server
  before(async () => {
    functions = await openTestFunctions()
    running = await functions.engine.start(SPEC)
    origin = createServer((_request, response) => response.end('origin')).listen(0, '127.0.0.1')
    await once(origin, 'listening')
  })
  after(async () => {
    await functions.close()
    origin.close()
    origin.closeAllConnections()
  })

  /** The whole answer to an upgrade that is not accepted. */
  async function upgrade(t: TestContext, path: string, { method = 'GET', headers = '', body = '' } = {}) {
    const socket = connect(await servePort(t, running), '127.0.0.1')
    socket.write(`${method} ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n${body}`)
    return text(socket)
  }

  for (const path of ['/turns', '/loop'])
    test(`[FUN-12] an upgrade has the CPU limit of a request (${path})`, async (t) => {
      const answer = await upgrade(t, path)
      assert.match(answer, /^HTTP\/1\.1 503 /)
      assert.match(answer, /"code":"cpu_limit_exceeded"/)
      assert.equal((await get(running, '/')).text, 'ok')
    })

  test('[FUN-12] an upgrade has its own sub-requests', async (t) => {
    const url = encodeURIComponent(`http://127.0.0.1:${(origin.address() as AddressInfo).port}/`)
    for (let i = 0; i < 2; i++) assert.match(await upgrade(t, `/fetches?origin=${url}`), /done 5$/)
  })

  test('an upgrade whose caller leaves is no longer work', async (t) => {
    const socket = connect(await servePort(t, running), '127.0.0.1')
    socket.write(`GET /never HTTP/1.1\r\n${HEAD}\r\n`)
    await get(running, '/')
    socket.destroy()
    await running.stop(30_000)
    running = await functions.engine.start(SPEC)
  })

  test('a refused upgrade ends with its connection, whatever its body is', async (t) => {
    const answer = await upgrade(t, '/streamed')
    assert.equal(
      answer,
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/x\r\n\r\n0\r\n\r\nsecond',
    )
  })

  test('the body of an upgrade is not announced to the code', async (t) => {
    const answer = await upgrade(t, '/', { method: 'POST', headers: 'content-length: 4\r\n', body: 'body' })
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(answer, /ok$/)
  })

  test('[FUN-12] an open WebSocket does not switch the CPU limit off', async (t) => {
    const socket = await connectTo(t, running, '/socket')
    await assert.rejects(get(running, '/turns'), isCode('cpu_limit_exceeded'))
    socket.send('still open')
    await once(socket, 'message')
    socket.close()
  })

  for (const frame of [CLOSE, Buffer.alloc(0)])
    test(`a WebSocket that the client has left ${frame.length > 0 ? 'with' : 'without'} a Close does not keep the process`, async (t) => {
      const { engine, close } = await openTestFunctions({ idleMs: 200 })
      t.after(close)
      const other = await engine.start(SPEC)
      const socket = connect(await servePort(t, other), '127.0.0.1')
      socket.write(`GET /socket HTTP/1.1\r\n${HEAD}\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.match(
        answer.toString(),
        /^HTTP\/1\.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n/,
      )
      socket.end(frame)
      await comesTrue('the process stops', () => engine.pids().length === 0)
    })
})
