import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { nestedJson } from '../../testing/json-text.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`the HTTP edge on ${engine}`, () => {
    let service: Service
    let project: Awaited<ReturnType<Service['newProject']>>
    before(async () => {
      service = await startService(engine)
      project = await service.newProject()
    })
    after(() => service.stop())

    const raw = (payload: string | Buffer, headers: Record<string, string> = {}) =>
      service.http.inject({
        method: 'POST',
        url: '/v1/developers/login',
        headers: { 'content-type': 'application/json', ...headers },
        payload,
      })

    test('[GEN-08] [GEN-22] [GEN-10] an unknown URL answers 404 not_found, with a request id', async () => {
      const { status, body, headers } = await service.call('GET', '/v1/nothing/here')
      assert.equal(status, 404)
      assert.deepEqual(Object.keys(body.error), ['code', 'message'])
      assert.equal(body.error.code, 'not_found')
      assert.match(headers['x-request-id'] ?? '', /^req_/)
      assert.notEqual(
        headers['x-request-id'],
        (await service.call('GET', '/v1/nothing')).headers['x-request-id'],
      )
    })

    test('[GEN-08] a wrong method answers 405 with Allow', async () => {
      const { status, body, headers } = await service.call('DELETE', '/v1/config')
      assert.deepEqual(
        [status, body.error.code, headers['allow']],
        [405, 'method_not_allowed', 'GET, HEAD, PUT'],
      )
      const picture = await service.call('DELETE', '/v1/share/images/app/shr_1.png')
      assert.deepEqual([picture.status, picture.headers['allow']], [405, 'GET, HEAD'])
    })

    test('[GEN-08] a URL without the ending that its parameter has is unknown', async () => {
      for (const name of ['shr_1', '.png', 'shr_1.jpg', 'png', '__proto__']) {
        const { status, body } = await service.call('GET', `/v1/share/images/app/${name}`)
        assert.deepEqual([status, body.error.code], [404, 'not_found'], name)
      }
    })

    test('[ERR-06] every error links to its documentation; a success does not', async () => {
      const known = await service.call('GET', '/v1/nothing')
      const wrong = await project.development.public('POST', '/v1/auth/guest', { displayName: 7 })
      assert.equal(known.headers['link'], '</docs/errors#not_found>; rel="help"')
      assert.equal(wrong.headers['link'], '</docs/errors#invalid_request>; rel="help"')
      assert.equal((await service.call('GET', '/healthz')).headers['link'], undefined)
    })

    test('[GEN-08] a method that no route has answers 405, also one with a body', async () => {
      for (const method of ['QUERY', 'PROPFIND'])
        for (const url of ['/v1/config', '/v1/auth/guest', '/healthz']) {
          const { statusCode, headers } = await service.http.inject({ method: method as 'GET', url })
          assert.equal(statusCode, 405, `${method} ${url}`)
          assert.match(headers.allow ?? '', /GET|POST/)
        }
      const unknown = await service.http.inject({ method: 'QUERY' as 'GET', url: '/v1/nothing' })
      assert.equal(unknown.statusCode, 404)
    })

    test('[GEN-08] a URL that matches no route answers 404, also if it looks like one that has this method', async () => {
      for (const name of ['%0A.png', 'a%0Ab.png', '%E2%80%A8.png']) {
        const { status, body } = await service.call('GET', `/v1/share/images/the%20service/${name}`)
        assert.deepEqual([status, body.error.code], [404, 'not_found'], name)
      }
    })

    test('[GEN-06] malformed JSON answers 400 invalid_json with the reason', async () => {
      const bodies: (string | Buffer)[] = [
        '{',
        'nonsense',
        '{"a":"\u0000"}',
        '['.repeat(100_000),
        '['.repeat(2 * 1024 * 1024),
        Buffer.from([0x22, 0xff, 0x22]),
      ]
      for (const payload of bodies) {
        const answer = await raw(payload)
        assert.equal(answer.statusCode, 400, String(payload).slice(0, 20))
        assert.equal(answer.json().error.code, 'invalid_json')
        assert.equal(typeof answer.json().error.details.reason, 'string')
      }
    })

    test('[GEN-06] JSON values that no field accepts answer 400 invalid_request with the path and the reason', async () => {
      const bodies: [payload: string, path: string, reason: RegExp][] = [
        ['{"a":1e400}', '$.a', /finite/],
        ['{"a":"\\u0000"}', '$.a', /U\+0000/],
        ['{"a":{"\\u0000":1}}', '$.a', /U\+0000/],
        ['{"a":["\\ud800"]}', '$.a[0]', /surrogate/],
        ['{"__proto__":{}}', '$', /__proto__/],
        ['{"a":{"b.c":[0,{"__proto__":1}]}}', '$.a.b.c[1]', /__proto__/],
        [`{"a":${nestedJson(64)}}`, '$.a', /64 levels/],
        [nestedJson(65), '$', /an object/],
        [nestedJson(1_000_000), '$', /an object/],
      ]
      for (const [payload, path, reason] of bodies) {
        const answer = await raw(payload)
        const said = payload.slice(0, 40)
        assert.equal(answer.statusCode, 400, said)
        assert.equal(answer.json().error.code, 'invalid_request', said)
        const [problem] = answer.json().error.details.errors
        assert.equal(problem.path, path, said)
        assert.match(problem.message, reason)
      }
    })

    test('an Idempotency-Key with a body of any depth answers 400', async () => {
      const { token } = await service.newDeveloper()
      const payload = nestedJson(1_000_000)
      const answer = await service.http.inject({
        method: 'POST',
        url: '/v1/projects',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': 'deep',
        },
        payload,
      })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'invalid_request'])
    })

    test('[GEN-06] a body that does not match the contract answers 400 invalid_request and lists every problem', async () => {
      const { status, body } = await service.call('POST', '/v1/developers/signup', { password: 1, name: '' })
      assert.equal(status, 400)
      assert.equal(body.error.code, 'invalid_request')
      assert.deepEqual(body.error.details.errors.map(({ path }: { path: string }) => path).toSorted(), [
        '$.email',
        '$.name',
        '$.password',
      ])
      for (const wrong of [[], 'text', 1, null, true]) {
        assert.equal((await service.call('POST', '/v1/developers/signup', wrong)).status, 400)
      }
    })

    test('[GEN-07] unknown extra fields are ignored', async () => {
      const body = { email: 'extra@example.com', password: 'correct horse', futureField: { a: 1 } }
      assert.equal((await service.call('POST', '/v1/developers/signup', body)).status, 200)
    })

    test('[GEN-12] a body of 2 MiB is accepted, one byte more answers 413 payload_too_large', async () => {
      const bytes = 2 * 1024 * 1024
      const full = `{"email":"${'a'.repeat(bytes - 12)}"}`
      assert.equal(Buffer.byteLength(full), bytes)
      assert.equal((await raw(full)).json().error.code, 'invalid_request')
      const over = await raw(`${full} `)
      assert.deepEqual([over.statusCode, over.json().error.code], [413, 'payload_too_large'])
    })

    test('[GEN-21] a compressed body and another media type are rejected in the error shape', async () => {
      const compressed = await raw('{}', { 'content-encoding': 'gzip' })
      assert.deepEqual(
        [compressed.statusCode, compressed.json().error.code],
        [415, 'unsupported_content_encoding'],
      )
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'nonsense',
      ]) {
        const answer = await raw('a=1', { 'content-type': type })
        assert.deepEqual([answer.statusCode, answer.json().error.code], [415, 'unsupported_media_type'], type)
      }
      assert.equal((await raw('{}', { 'content-type': 'application/json; charset=utf-8' })).statusCode, 400)
    })

    test('a malformed URL answers 400 in the error shape', async () => {
      const answer = await service.http.inject({ method: 'GET', url: '/v1/projects/%ff' })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'invalid_request'])
    })

    test('[GEN-25] [GEN-26] [GEN-28] any page may call: preflight answers 204, and every response is readable, errors included', async () => {
      const preflight = await service.call('OPTIONS', '/v1/config', undefined, {
        origin: 'https://any.example',
        'access-control-request-method': 'PUT',
      })
      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers['access-control-allow-origin'], '*')
      assert.equal(
        preflight.headers['access-control-allow-headers'],
        'Authorization, Content-Type, X-Svc-Key, Idempotency-Key',
      )
      assert.equal(preflight.headers['access-control-max-age'], '86400')
      assert.equal(preflight.headers['access-control-allow-credentials'], undefined)

      const refusal = await service.call('GET', '/v1/config', undefined, { origin: 'https://any.example' })
      assert.equal(refusal.status, 401)
      assert.equal(refusal.headers['access-control-allow-origin'], '*')
      assert.equal(refusal.headers['access-control-expose-headers'], 'Retry-After, X-Request-Id, ETag')
    })

    test('[GEN-27] [GEN-29] [GEN-30] [GEN-31] with web.allowedOrigins only those pages may call; servers always may', async () => {
      const allowedOrigins = ['https://game.example', 'https://*.play.example', 'http://localhost:3000']
      await project.development.server('PUT', '/v1/config', { web: { allowedOrigins } })
      await project.production.server('PUT', '/v1/config', {
        web: { allowedOrigins: ['https://game.example'] },
      })
      const codeFrom = async (side: typeof project.development, origin?: string) =>
        (await side.server('GET', '/v1/config', undefined, origin ? { origin } : {})).body.error?.code

      const { development, production } = project
      for (const origin of ['https://game.example', 'https://a.play.example', 'https://a.b.play.example']) {
        assert.equal(await codeFrom(development, origin), undefined, origin)
      }
      for (const origin of [
        'http://localhost:5173',
        'https://127.0.0.1',
        'http://[::1]:80',
        'http://x.localhost:1',
      ]) {
        assert.equal(await codeFrom(development, origin), undefined, origin)
        assert.equal(await codeFrom(production, origin), 'origin_not_allowed', origin)
      }
      const hostile = [
        'https://evil.example',
        'http://game.example',
        'https://game.example:444',
        'https://game.example.evil.example',
        'https://play.example',
        'https://evilplay.example',
        'https://localhost.evil.example',
        'null',
      ]
      for (const origin of hostile)
        assert.equal(await codeFrom(development, origin), 'origin_not_allowed', origin)
      assert.equal(await codeFrom(development, `http://${project.slug}--dev.localhost:8787`), undefined)
      assert.equal(await codeFrom(production, `http://${project.slug}.localhost:8787`), undefined)
      assert.equal(
        await codeFrom(production, `http://${project.slug}--dev.localhost:8787`),
        'origin_not_allowed',
      )
      assert.equal(await codeFrom(production), undefined)
      for (const side of [development, production]) await side.server('PUT', '/v1/config', {})
    })

    test('[GEN-46] [GEN-20] an admin endpoint has two URLs with the same response', async () => {
      const byKey = await project.development.server('GET', '/v1/admin/features')
      const bySession = await project.developer.call('GET', `${project.development.path}/features`)
      assert.equal(byKey.status, 200)
      assert.deepEqual(byKey.body, bySession.body)
    })

    test('[GEN-16] health, readiness and the OpenAPI document need no key', async () => {
      assert.deepEqual((await service.call('GET', '/healthz')).body, { status: 'ok' })
      const ready = await service.call('GET', '/readyz')
      assert.equal(ready.status, 200)
      assert.equal(ready.body.checks.database, 'ok')
      const openapi = await service.call('GET', '/openapi.json')
      assert.equal(openapi.body.openapi, '3.1.0')
      assert.ok(openapi.body.paths['/v1/config'].put)
    })

    test('the API page and the metrics are served; metrics count by route, never by id', async () => {
      const page = await service.call('GET', '/docs')
      assert.match(page.headers['content-type'] ?? '', /text\/html/)
      assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/)
      for (const method of ['GET', 'HEAD'])
        assert.equal((await project.development.server(method, '/v1/config')).status, 200)
      const metrics = await service.call('GET', '/metrics')
      for (const method of ['GET', 'HEAD'])
        assert.match(
          metrics.body,
          new RegExp(`svc_http_requests_total\\{method="${method}",route="/v1/config",status="200"\\} \\d`),
        )
      assert.ok(!metrics.body.includes(project.id))
    })

    test('[GEN-16] a development key may move the clock forward; other keys and times answer 404 and 400', async () => {
      const before = service.clock.now().getTime()
      const moved = await project.development.server('POST', '/v1/dev/clock', { advanceMs: 1_500 })
      assert.equal(moved.body.now, new Date(before + 1_500).toISOString())
      assert.equal((await project.production.server('POST', '/v1/dev/clock', { advanceMs: 1 })).status, 404)
      assert.equal((await project.development.server('POST', '/v1/dev/clock', { advanceMs: -1 })).status, 400)
    })
  })
}

describe('the HTTP edge on a real socket', () => {
  let service: Service
  let port: number
  before(async () => {
    service = await startService('sqlite')
    port = Number(new URL(await service.http.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  after(() => service.stop())

  /** Sends bytes and returns all that the server sends until it ends the connection. */
  const exchange = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let received = ''
      socket.setEncoding('utf8').on('data', (text) => (received += text))
      socket.on('close', () => resolve(received)).on('error', reject)
    })

  test('[GEN-22] bytes that are not HTTP are answered in the error shape', async () => {
    const answer = await exchange('nonsense\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.code, 'invalid_request')
  })

  test('[GEN-22] headers over 16 KiB answer 431 in the error shape', async () => {
    const answer = await exchange(
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 431 /)
    assert.match(answer, /headers_too_large/)
  })

  test('HEAD answers with the status and the headers of GET, without a body', async () => {
    const { development } = await service.newProject()
    for (const url of [
      '/v1/config',
      '/v1/deployments/none',
      '/v1/share/images/app/shr_1.png',
      '/docs',
      '/',
    ]) {
      const ask = async (method: string) => {
        const answer = await exchange(
          `${method} ${url} HTTP/1.1\r\nHost: localhost\r\nX-Svc-Key: ${development.secretKey}\r\nConnection: close\r\n\r\n`,
        )
        const [head = '', ...body] = answer.split('\r\n\r\n')
        return { head: head.replaceAll(/(?:Date|X-Request-Id): .*/gi, ''), body: body.join() }
      }
      const [got, head] = [await ask('GET'), await ask('HEAD')]
      assert.equal(head.head, got.head, url)
      assert.equal(head.body, '', url)
    }
  })

  test('a stopping service answers further requests on open connections, and closes them', async () => {
    const socket = connect(port, '127.0.0.1')
    const answers: string[] = []
    socket.setEncoding('utf8').on('data', (text) => answers.push(String(text)))
    const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    ask('/healthz')
    await new Promise((resolve) => socket.once('data', resolve))
    const stopped = service.stop()
    ask('/healthz')
    await new Promise((resolve) => socket.once('close', resolve))
    await stopped

    assert.match(answers.at(-1) ?? '', /^HTTP\/1\.1 200 /)
    assert.match(answers.at(-1) ?? '', /connection: close/i)
    service = await startService('sqlite')
  })
})
