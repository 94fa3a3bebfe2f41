import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

import { createApps, hostLabels, type Served } from './apps.ts'
import { createHttpServer } from './server.ts'

describe('visitors who do not read', () => {
  /** More than all buffers on the way hold together. */
  const content = Buffer.alloc(32 * 1024 * 1024)
  const bodies = {
    '/memory': () => content,
    '/store': () => Readable.from(Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024))),
  }
  const addresses = { baseUrl: 'http://localhost:8787', appsDomain: 'localhost' }
  let http: FastifyInstance
  let port: number
  before(async () => {
    const serve = async ({ url }: { url: string }): Promise<Served> => ({
      status: 200,
      headers: ['Content-Length', String(content.length)],
      body: bodies[url as keyof typeof bodies](),
    })
    http = createHttpServer({
      log: pino({ level: 'silent' }),
      trustedProxies: 0,
      requestIds: () => 'req_1',
      apps: createApps({ addresses, serve, count: () => {}, silenceMaxMs: 100 }),
    })
    port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => http.close())

  for (const path of Object.keys(bodies)) {
    test(`[HST-08] an answer from ${path.slice(1)} that is left unread ends, and holds nothing any more`, async () => {
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => {})
      const [here] = (await once(http.server, 'connection')) as [Socket]
      const ended = once(here, 'close')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: app.localhost\r\n\r\n`)
      await ended
      socket.destroy()
    })

    test(`a visitor who reads gets all of it from ${path.slice(1)}`, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: app.localhost\r\nConnection: close\r\n\r\n`)
      let size = 0
      for await (const chunk of socket) size += (chunk as Buffer).length
      assert.ok(size > content.length, `${size}`)
    })
  }
})

test('[HST-08] a host below the apps domain is an app however it is written, and every other one is the API', () => {
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
