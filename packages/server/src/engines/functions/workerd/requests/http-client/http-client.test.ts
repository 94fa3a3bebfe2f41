import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'

import type { FunctionResponse } from '../../../../../platform/ports/functions-engine.ts'
import { bodyText } from '../../../../../testing/body-text.ts'
import { sendRequest } from '../requests.ts'
import { HttpClient } from './http-client.ts'
import type { ClientRequest } from './messages.ts'

const FIXED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Own: one\r\nX-Own: two\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\nA\r\nllo, world\r\n0\r\n\r\n'

describe('the HTTP client of a process of functions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-connections-'))
  const path = join(folder, 'test.sock')
  /** What the server writes for each request, and all connections it has accepted. */
  let answer: (socket: Socket) => unknown = () => {}
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => void answer(socket))
  })

  before(async () => {
    server.listen(path)
    await once(server, 'listening')
  })
  after(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })

  function open(unusedMs = 60_000) {
    const client = new HttpClient(path, unusedMs)
    const ask = (method = 'GET', body: ClientRequest['body'] = null) =>
      new Promise<FunctionResponse>((resolve, reject) =>
        client.send({ method, path: '/', headers: [], body }, { onResponse: resolve, onError: reject }),
      )
    return { client, ask, [Symbol.dispose]: () => client.close() }
  }

  test('a response is read in whatever pieces it arrives', async () => {
    using opened = open()
    for (const [whole, status, content] of [
      [FIXED, 200, 'hello'],
      [CHUNKED, 201, 'hello, world'],
    ] as const)
      for (let at = 1; at <= whole.length; at++) {
        answer = (socket) => {
          socket.write(whole.slice(0, at))
          setImmediate(() => socket.write(whole.slice(at)))
        }
        const response = await opened.ask()
        assert.equal(response.status, status)
        assert.equal(await bodyText(response.body), content, `cut at ${at}`)
        if (status === 200) assert.equal(response.headers['x-own'], 'one, two')
      }
    assert.equal(accepted.length, 1, 'all of them on one connection')
  })

  test('cookies stay apart, and a header may have any name', async () => {
    using opened = open()
    answer = (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n__proto__: x\r\nContent-Length: 0\r\n\r\n',
      )
    const { headers, body } = await opened.ask()
    assert.equal(await bodyText(body), '')
    assert.deepEqual(Object.entries(headers), [
      ['set-cookie', ['a=1', 'b=2']],
      ['__proto__', 'x'],
      ['content-length', '0'],
    ])
  })

  test('a response may have 64 KB of headers, and not more', async () => {
    using opened = open()
    const head = (bytes: number) => {
      const [begin, end] = ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Own: ', '\r\n\r\n']
      return `${begin}${'x'.repeat(bytes - begin.length)}${end}`
    }
    answer = (socket) => socket.write(head(65_536))
    assert.equal((await opened.ask()).headers['x-own']?.length, 65_536 - 43)
    answer = (socket) => socket.write(head(65_537))
    await assert.rejects(opened.ask())
  })

  test('a response without a body ends with its head', async () => {
    using opened = open()
    const count = accepted.length
    for (const [method, head] of [
      ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
      ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
      ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
      ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
    ] as const) {
      answer = (socket) => socket.write(head)
      const { body } = await opened.ask(method)
      assert.equal(await bodyText(body), '')
    }
    assert.equal(accepted.length, count + 1)
  })

  test('a response that HTTP does not allow is an error, and its connection is closed', async () => {
    using opened = open()
    for (const head of [
      'nothing\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX-Own: a\x01b\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX Own: a\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n',
      `HTTP/1.1 200 OK\r\nX-Own: ${'a'.repeat(66_000)}\r\nContent-Length: 0\r\n\r\n`,
      `HTTP/1.1 200 OK\r\nX-Own: ${'a'.repeat(66_000)}`,
    ]) {
      answer = (socket) => socket.write(head, 'latin1')
      await assert.rejects(opened.ask(), /the response is not valid/, head.slice(0, 60))
    }
    for (const chunk of ['hello', '-1', '5x', '5;a=b', 'f'.repeat(13)]) {
      answer = (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}\r\n`)
      const { body } = await opened.ask()
      await assert.rejects(bodyText(body), /the response is not valid/, chunk)
    }
  })

  test('a connection that breaks fails the request, or the body of its response', async () => {
    using opened = open()
    answer = (socket) => socket.end('HTTP/1.1 200')
    await assert.rejects(opened.ask())
    answer = (socket) => socket.end(FIXED.slice(0, -1))
    const { body } = await opened.ask()
    await assert.rejects(bodyText(body))
  })

  test('a connection that the process closes, or on which it says too much, is not used again', async () => {
    using opened = open()
    for (const whole of [`${FIXED}HTTP/1.1 200 OK\r\n`, FIXED.replace('X-Own: one', 'Connection: close')]) {
      const count = accepted.length
      answer = (socket) => socket.write(whole)
      assert.equal(await bodyText((await opened.ask()).body), 'hello')
      answer = (socket) => socket.write(CHUNKED)
      assert.equal(await bodyText((await opened.ask()).body), 'hello, world')
      assert.equal(accepted.length, count + 2)
      opened.client.close()
    }
  })

  test('a connection that was not used for a time is closed, and not used again', async () => {
    answer = (socket) => socket.write(FIXED)
    for (const [unusedMs, connections] of [
      [60_000, 1],
      [-1, 3],
    ] as const) {
      using opened = open(unusedMs)
      const count = accepted.length
      await bodyText((await opened.ask()).body)
      await bodyText((await opened.ask()).body)
      opened.client.closeUnused()
      await bodyText((await opened.ask()).body)
      assert.equal(accepted.length, count + connections)
    }
  })

  test('connections that are not needed any more are closed', async () => {
    using opened = open(-1)
    answer = (socket) => socket.write(FIXED)
    await bodyText((await opened.ask()).body)
    const [socket] = accepted.slice(-1)
    const closed = socket && once(socket, 'close')
    opened.client.closeUnused()
    await closed
  })

  test('a body that nobody reads stops the process from sending', async () => {
    using opened = open()
    const bytes = 8 * 1024 * 1024
    const blocked = Promise.withResolvers<void>()
    answer = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`)
      socket.write(Buffer.alloc(bytes))
      setImmediate(blocked.resolve)
    }
    const { body } = await opened.ask()
    assert.ok(body instanceof Readable)
    await blocked.promise
    assert.ok(body.readableLength < bytes / 8, `${body.readableLength} bytes are in memory`)
    assert.equal((await bodyText(body)).length, bytes)
  })

  test('what follows a response is not the response to the next request', async () => {
    using opened = open()
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged'
    let next: Promise<FunctionResponse> | undefined
    answer = (socket) => {
      answer = (other) => other.write(FIXED)
      socket.write(FIXED + forged)
    }
    const request = { method: 'GET', path: '/', headers: [], body: null }
    await new Promise<void>((resolve, reject) =>
      opened.client.send(request, {
        // As the queue does it: with the end of one request the next one begins.
        onResponse() {
          next = opened.ask()
          resolve()
        },
        onError: reject,
      }),
    )
    assert.ok(next)
    assert.equal(await bodyText((await next).body), 'hello')
  })

  test('a request that is cancelled after its response has arrived does not end the next one', async () => {
    using opened = open()
    const work = new Map()
    const options = {
      work,
      cpuLimitNs: 10e6,
      answerDueAt: Infinity,
      noteProgress() {},
      onEnd() {},
      follow() {},
      failureOf: () => Promise.resolve(undefined),
    }
    const request = { method: 'GET', path: '/', headers: {}, body: null }
    const caller = new AbortController()
    const body = 'hello'
    const rest = Promise.withResolvers<void>()
    answer = (socket) => {
      socket.write(FIXED.slice(0, -body.length))
      void rest.promise.then(() => socket.write(body))
    }
    const first = await sendRequest(
      { ...request, requestId: 'first', signal: caller.signal },
      opened.client,
      options,
    )
    assert.ok(first.body instanceof Readable)
    rest.resolve()
    while (first.body.readableLength < body.length) await new Promise(setImmediate)
    const count = accepted.length
    const asked = Promise.withResolvers<Socket>()
    answer = asked.resolve
    const second = sendRequest({ ...request, requestId: 'second' }, opened.client, options)
    const socket = await asked.promise
    caller.abort()
    await assert.rejects(bodyText(first.body))
    socket.write(CHUNKED)
    assert.equal(await bodyText((await second).body), 'hello, world')
    assert.equal(accepted.length, count, 'both used one connection')
    assert.equal(work.size, 0)
  })

  test('a body that arrives slowly is sent in chunks, and its connection is used again', async () => {
    using opened = open()
    const count = accepted.length
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    let received = ''
    answer = () => {}
    server.once('connection', (socket: Socket) =>
      socket.on('data', (data) => {
        received += data.toString()
        if (received.endsWith('0\r\n\r\n')) socket.write(FIXED)
      }),
    )
    for (let index = 1; index <= 20; index++) {
      received = ''
      const body = Readable.from(['one', '', 'four'])
      const response = await opened.ask('POST', { stream: body, isChunked: true })
      assert.equal(await bodyText(response.body), 'hello')
      const head = 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n'
      assert.equal(received, `${head}3\r\none\r\n4\r\nfour\r\n0\r\n\r\n`)
    }
    assert.equal(accepted.length, count + 1)
    process.off('warning', warned)
    assert.deepEqual(warnings, [], 'nothing of a request is left on the connection')
  })

  test('a body that is no longer wanted closes the connection', async () => {
    using opened = open()
    answer = (socket) => socket.write(FIXED.slice(0, -1))
    const { body } = await opened.ask()
    assert.ok(body instanceof Readable)
    const socket = accepted.at(-1)
    const closed = socket && once(socket, 'close')
    body.destroy()
    await closed
  })
})
