import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, test, type TestContext } from 'node:test'

import { fillDefaults } from '@svc/contract/config/defaults'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { hostLabels } from '../callers/origins.ts'
import type { RawResponse } from '../files/raw-response.ts'
import { createHttpServer } from '../server.ts'
import { createHosts } from './hosts.ts'

const addresses = { baseUrl: 'http://localhost:8787', appsDomain: 'localhost' }
const environment = { id: 'env_1', projectId: 'prj_1', name: 'production', slug: 'app' } as const

/** A server whose apps answer with these responses. */
const serverOf = (respond: (path: string) => Promise<RawResponse>, readTimeoutMs?: number) =>
  createHttpServer({
    log: pino({ level: 'silent' }),
    requestIds: () => 'req_1',
    hosts: createHosts({
      addresses,
      apps: {
        find: async () => ({ environment, name: 'App', config: fillDefaults({}), state: 'empty' }),
        serve: async ({ path = '' }) => ({ body: path }),
        forget: () => {},
        enforceRateLimit: async () => {},
      },
      respond: (content) =>
        respond('body' in content && typeof content.body === 'string' ? content.body : ''),
      count: () => {},
      clientAddressOf: () => '127.0.0.1',
      missing: (what) => new Error(what),
      ...(readTimeoutMs !== undefined && { readTimeoutMs }),
    }),
  })

describe('visitors who do not read', () => {
  /** More than all buffers on the way hold together. */
  const content = Buffer.alloc(32 * 1024 * 1024)
  const bodies = {
    '/memory': () => content,
    '/store': () => Readable.from(Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024))),
  }
  const respond = async (path: string) => ({
    status: 200,
    headers: ['Content-Length', String(content.length)],
    body: bodies[path as keyof typeof bodies](),
  })
  async function startHttp(t: TestContext, readTimeoutMs?: number) {
    const http = serverOf(respond, readTimeoutMs)
    t.after(() => http.close())
    return { http, port: Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port) }
  }

  for (const path of Object.keys(bodies)) {
    test(`[HST-08] a response from ${path.slice(1)} that is not read ends, and its file is closed`, async (t) => {
      const { http, port } = await startHttp(t, 100)
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => {})
      const [here] = (await once(http.server, 'connection')) as [Socket]
      const ended = once(here, 'close')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: app.localhost\r\n\r\n`)
      await ended
      socket.destroy()
    })

    test(`a visitor who reads gets the complete response from ${path.slice(1)}`, async (t) => {
      // With the default timeout: on a busy machine a reader may pause for 100 ms.
      const { port } = await startHttp(t)
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: app.localhost\r\nConnection: close\r\n\r\n`)
      let size = 0
      for await (const chunk of socket) size += (chunk as Buffer).length
      assert.ok(size > content.length, `${size}`)
    })
  }
})

describe('visitors who leave', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: app.localhost\r\n\r\n'
  let http: FastifyInstance
  let port: number
  let serve: () => Promise<RawResponse>
  before(async () => {
    http = serverOf(() => serve())
    http.server.on('upgrade', (_request, socket) => socket.on('error', () => {}).resume())
    port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => http.close())

  async function visit(bytes: string) {
    const visitor = connect(port, '127.0.0.1').pause()
    visitor.on('error', () => {})
    const [here] = (await once(http.server, 'connection')) as [Socket]
    visitor.write(bytes)
    return { visitor, here }
  }

  /** More than all buffers on the way hold together. */
  const newFile = () => Readable.from(Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024)))
  /** Resolves when the stream has closed, with or without an error. */
  const closed = (stream: Readable) =>
    new Promise<void>((resolve) => (stream.closed ? resolve() : stream.once('close', resolve)))

  test('[HST-08] a file that is opened after its visitor has left is closed', async () => {
    const asked = Promise.withResolvers<void>()
    const found = Promise.withResolvers<RawResponse>()
    serve = () => {
      asked.resolve()
      return found.promise
    }
    const { visitor, here } = await visit(GET)
    await asked.promise
    visitor.resetAndDestroy()
    await closed(here)

    const body = newFile()
    found.resolve({ status: 200, headers: [], body })
    await closed(body)
  })

  test('[HST-08] if the store fails in the middle of a file, the connection is closed', async () => {
    const body = new Readable({ read() {} })
    body.push('the first bytes')
    serve = async () => ({ status: 200, headers: ['Content-Length', '1000'], body })
    const { visitor, here } = await visit(GET)
    visitor.resume()
    await once(visitor, 'data')
    body.destroy(new Error('the disk failed'))
    await closed(here)
  })

  for (const [what, body] of [
    ['memory', () => Buffer.from('the answer')],
    ['a stream', () => Readable.from([Buffer.from('the answer')])],
  ] as const)
    test(`[HST-08] a response from ${what} that closes the connection reaches a visitor who still sends a body`, async () => {
      serve = async () => ({ status: 200, headers: ['Content-Length', '10'], body: body() })
      const bytes = 4 * 1024 * 1024
      const head = `POST / HTTP/1.1\r\nHost: app.localhost\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`
      const { visitor } = await visit(head)
      const answer = text(visitor)
      for (let sent = 0; sent < bytes; sent += 65_536)
        if (!visitor.write(Buffer.alloc(65_536))) await once(visitor, 'drain')
      assert.match(await answer, /the answer$/)
    })

  for (const last of [
    'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket',
    'CONNECT a:1 HTTP/1.1',
  ]) {
    test(`[HST-08] files queued behind others are closed, also if ${last.slice(0, 7)} came after them`, async () => {
      const files: Readable[] = []
      const opened = Promise.withResolvers<void>()
      serve = async () => {
        const body = newFile()
        if (files.push(body) === 12) opened.resolve()
        return { status: 200, headers: [], body }
      }
      const { visitor } = await visit(`${GET.repeat(12)}${last}\r\nHost: x\r\n\r\n`)
      await opened.promise
      visitor.resetAndDestroy()
      await Promise.all(files.map(closed))
    })
  }
})

test('[HST-08] every spelling of a host below the apps domain is an app, and every other host is the API', () => {
  const labelOf = hostLabels({ baseUrl: 'https://api.example.app', appsDomain: 'example.app' })
  const labels = {
    'duel.example.app': 'duel',
    'DUEL.Example.App': 'duel',
    'duel.example.app:443': 'duel',
    'duel.example.app:': 'duel',
    'duel.example.app.': 'duel',
    'duel.example.app.:8443': 'duel',
    'duel--dev.example.app': 'duel--dev',
    'a.b.example.app': 'a.b',
    '.example.app': '',
    'api.example.app': undefined,
    'API.example.app.:443': undefined,
    'example.app': undefined,
    'example.app.': undefined,
    'xexample.app': undefined,
    'duel.example.app.evil.example': undefined,
    'duel.example.app..': undefined,
    'duel.example.app:80:80': undefined,
    'duel.example.app:x': undefined,
    'duel.example.app@evil.example': undefined,
    'duel.example.app/': undefined,
    'duel.example.app%00': undefined,
    '[::1]': undefined,
    '[::1]:8787': undefined,
    '[::ffff:127.0.0.1]:8787': undefined,
    '127.0.0.1:8787': undefined,
    '': undefined,
  }
  for (const [host, label] of Object.entries(labels)) assert.equal(labelOf(host), label, host)
})
