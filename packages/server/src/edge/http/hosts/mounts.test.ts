import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'

import type { Mounts } from '../../../app/foundation.ts'
import { currentEnvironmentId } from '../../../platform/current-environment.ts'
import { deploy, newApp, type Project, browserFor } from '../../../testing/hosted-apps.ts'
import { type Service, startService } from '../../../testing/service.ts'
import { portOf } from '../../../testing/sockets.ts'
import type { HostRequest } from './hosts.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

describe('a handler on the hosts of apps', () => {
  let service: Service
  let project: Project
  let visit: Awaited<ReturnType<typeof browserFor>>
  let port: number
  const requests: HostRequest[] = []
  const upgrades: Omit<HostRequest, 'body' | 'signal' | 'timing'>[] = []
  before(async () => {
    const png = Buffer.from('not really a picture'.repeat(100))
    const mount = ({ host }: Mounts) => {
      host(
        { path: '.share/' },
        {
          respond(request) {
            requests.push(request)
            if (request.path === '/.share/card.png')
              return { type: 'image/png', headers: { 'Cache-Control': 'public, max-age=60' }, body: png }
            // The response begins before the whole request has arrived.
            return { type: 'text/plain', body: request.body.map((chunk) => String(chunk).toUpperCase()) }
          },
          upgrade(request, socket, head) {
            upgrades.push(request)
            socket.on('error', () => {})
            socket.write(
              'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
            )
            socket.write(head)
            socket.pipe(socket)
          },
        },
      )
      host(
        { hostSuffix: '--test' },
        { respond: ({ path }) => ({ type: 'text/plain', body: `${currentEnvironmentId()} ${path}` }) },
      )
    }
    service = await startService('sqlite', { mount })
    port = await portOf(service)
    visit = await browserFor(service)
    project = await newApp(service)
    await deploy(service, project.production, { 'index.html': 'home' })
  })
  after(() => service.stop())

  const raw = (host: string, path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

  test('gets the body of a POST as a stream, and its response is sent as a stream', async () => {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/.share/abc?x=1',
      headers: { host: `${project.slug}.localhost`, 'content-type': 'text/plain' },
    })
    sent.write('first ')
    const [response] = await once(sent, 'response')
    assert.equal(response.statusCode, 200)
    assert.equal(String((await once(response, 'data'))[0]), 'FIRST ')
    sent.end('second')
    assert.equal(String((await once(response, 'data'))[0]), 'SECOND')
    const { app, method, path, url } = requests.at(-1) as HostRequest
    assert.deepEqual([app.environment.slug, app.state, app.version], [project.slug, 'live', 1])
    assert.deepEqual([method, path, url], ['POST', '/.share/abc', '/.share/abc?x=1'])
  })

  test('gets every method', async () => {
    for (const method of METHODS) {
      const { status, headers, text } = await visit(project.slug, '/.share/any', {
        method,
        ...(!['GET', 'HEAD'].includes(method) && { body: 'hello' }),
      })
      assert.equal(status, 200, method)
      assert.equal(text, ['GET', 'HEAD'].includes(method) ? '' : 'HELLO', method)
      assert.match(headers['x-request-id'] ?? '', /^req_/)
    }
  })

  test('responds with bytes, which get an ETag; pictures are not compressed', async () => {
    const { headers, bytes } = await visit(project.slug, '/.share/card.png', {
      headers: { 'accept-encoding': 'br' },
    })
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`
    assert.deepEqual(
      [headers['etag'], headers['content-encoding'], headers['cache-control'], headers['content-length']],
      [etag, undefined, 'public, max-age=60', String(bytes.length)],
    )
    const again = await visit(project.slug, '/.share/card.png', { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
  })

  test('takes an upgrade over', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(raw(`${project.slug}--dev.localhost`, '/.share/socket?y'))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /)
    socket.write('echo')
    assert.equal(String((await once(socket, 'data'))[0]), 'echo')
    socket.destroy()
    const { app, path } = upgrades[0] as HostRequest
    assert.deepEqual([app.environment.name, app.state, path], ['development', 'empty', '/.share/socket'])
  })

  test('[OPS-86] has separate hosts, with every path, and works for the environment', async () => {
    const { id } = (requests[0] as HostRequest).app.environment
    for (const path of ['/', '/deep/er', '/.svc/init.json', '/.share/x'])
      assert.equal((await visit(`${project.slug}--test`, path)).text, `${id} ${path}`)
    const development = await visit(`${project.slug}--dev--test`, '/')
    assert.equal(development.status, 200)
    assert.doesNotMatch(development.text, new RegExp(id))
    assert.equal((await visit('nobody--test', '/')).status, 404)
  })

  test('without a handler, files are read-only, and reserved paths and upgrades answer 404', async () => {
    for (const method of METHODS.slice(2)) {
      const { status, headers } = await visit(project.slug, '/form', { method, body: 'x' })
      assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'], method)
    }
    for (const path of ['/.fn/x', '/.fn', '/.card.png', '/.card/x.png', '/.share', '/.svc/nothing'])
      assert.equal((await visit(project.slug, path)).status, 404, path)
    for (const [host, path] of [
      [project.slug, '/'],
      [project.slug, '/v1/realtime'],
      [project.slug, '/.svc/sdk.js'],
      [project.slug, '/.auth/verify'],
      ['nobody', '/.share/socket'],
      [`${project.slug}--fn`, '/'],
    ]) {
      const socket = connect(port, '127.0.0.1')
      socket.write(raw(`${host}.localhost`, path as string))
      const answer = String(await Readable.from(socket).reduce((text, chunk) => text + String(chunk), ''))
      assert.match(answer, /^HTTP\/1\.1 404 .*"not_found"/s, `${host} ${path}`)
    }
  })

  test('no other part of the service answers on the hosts of apps', async () => {
    for (const path of ['/healthz', '/docs', '/v1/platform/info', '/dashboard'])
      assert.equal((await visit(project.slug, path)).text, 'home', path)
  })
})
