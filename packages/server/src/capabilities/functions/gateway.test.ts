import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'
import { WebSocket } from 'ws'

import { deployFunctions, ECHO, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor, newApp } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { portOf } from '../../testing/sockets.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const MEGABYTES_50 = 50 * 1024 * 1024

const CODE = `
const COOKIES = [
  ['Set-Cookie', 'a=1; Domain=localhost; Path=/'],
  ['Set-Cookie', 'b=2; Secure; DOMAIN=.localhost; HttpOnly'],
  ['X-Own', 'kept'], ['X-Request-Id', 'forged'], ['Clear-Site-Data', '"cookies"'],
]
const routes = {
  '/echo': async (request) => Response.json({
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? null : await request.text(),
  }),
  '/size': async (request) => {
    let bytes = 0
    for await (const chunk of request.body) bytes += chunk.length
    return Response.json({ bytes })
  },
  '/seen': () => new Response(String(globalThis.seen = (globalThis.seen ?? 0) + 1)),
  '/forged': () => new Response(String(globalThis.forged = (globalThis.forged ?? 0) + 1)),
  '/forged-count': () => new Response(String(globalThis.forged ?? 0)),
  '/unread': () => new Response('not read'),
  '/first-chunk': async (request) => {
    const reader = request.body.getReader()
    await reader.read()
    return new Response('first chunk')
  },
  '/released': async (request) => {
    const reader = request.body.getReader()
    await reader.read()
    reader.releaseLock()
    return new Response('released')
  },
  '/cancelled': async (request) => {
    await request.body.cancel()
    return new Response('cancelled')
  },
  '/first-chunk-streamed': async (request) => {
    const reader = request.body.getReader()
    await reader.read()
    return new Response(ReadableStream.from((async function* () {
      for (let i = 0; i < 64; i++) yield new Uint8Array(65536)
    })()))
  },
  '/echo-stream': (request) => new Response(request.body),
  '/echo-lazy': (request) => new Response(ReadableStream.from((async function* () { yield* request.body })())),
  '/cookies': () => new Response('', { status: 203, headers: COOKIES }),
  '/socket-cookies': () => {
    const { 0: client, 1: server } = new WebSocketPair()
    server.accept()
    return new Response(null, { status: 101, webSocket: client, headers: COOKIES })
  },
  '/stream': () => {
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    const text = new TextEncoder()
    writer.write(text.encode('first')).then(async () => { while (!globalThis.goOn) await scheduler.wait(5) })
      .then(() => writer.write(text.encode('second'))).then(() => writer.close())
    return new Response(readable)
  },
  '/go-on': () => new Response(String(globalThis.goOn = true)),
  '/throw': () => { throw new Error('canary of a stack') },
  '/loop': () => { for (;;); },
  '/subrequests': async (_, env) => {
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await env.SVC.fetch('http://svc/v1/platform/info').then((r) => r.status, (e) => e.message))
    return Response.json(answers)
  },
  '/svc': async (request, env) => {
    const { method, path, body, headers } = await request.json()
    const answer = await env.SVC.fetch('http://whatever.localhost' + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return new Response(await answer.text(), { status: answer.status })
  },
  '/socket': () => {
    const { 0: client, 1: server } = new WebSocketPair()
    server.accept()
    server.addEventListener('message', ({ data }) => server.send('echo ' + data))
    return new Response(null, { status: 101, webSocket: client })
  },
}
export default {
  fetch(request, env) {
    const route = routes[new URL(request.url).pathname]
    return route ? route(request, env) : new Response('none', { status: 404 })
  },
}`

suite('the gateway of functions', { start: startFunctionsService }, ({ service }) => {
  let visit: Awaited<ReturnType<typeof browserFor>>
  let project: Awaited<ReturnType<typeof newApp>>
  let host: string
  let port: number
  before(async () => {
    visit = await browserFor(service)
    port = await portOf(service)
    project = await newApp(service)
    host = `${project.slug}--dev--fn`
    await deployFunctions(project.development, CODE)
  })
  type Visit = Parameters<typeof visit>[2]
  const post = (path: string, body: unknown, more: Visit = {}) =>
    visit(host, path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...more,
    })

  test('[FUN-05] passes every method, the path, the query, headers and the body on', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const body = method === 'GET' ? undefined : `body of ${method}`
      const { text } = await visit(host, '/echo?x=%20y', {
        method,
        ...(body !== undefined && { body }),
        headers: { 'x-own': 'kept' },
      })
      const seen = JSON.parse(text)
      assert.deepEqual([seen.method, seen.body, seen.headers['x-own']], [method, body ?? null, 'kept'])
      assert.match(seen.url, /\/echo\?x=%20y$/)
    }
    assert.equal((await visit(host, '/echo', { method: 'HEAD' })).status, 200)
  })

  test('[FUN-05] answers at /.fn/ of the hosted app, too, also where hosting is off', async () => {
    const hosted = JSON.parse((await visit(`${project.slug}--dev`, '/.fn/echo?q=1')).text)
    assert.match(hosted.url, /^http:\/\/[^/]+\/echo\?q=1$/)
    await project.development.server('PUT', '/v1/config', { features: { hosting: false } })
    assert.equal((await visit(`${project.slug}--dev`, '/.fn/echo')).status, 200)
    assert.equal((await visit(project.slug, '/.fn/echo')).status, 404)
  })

  test('[FUN-05] headers contain the player who calls, and callers cannot forge them', async () => {
    const { body: guest } = await project.development.public('POST', '/v1/auth/guest', {})
    const forged = {
      'svc-player-id': 'ply_forged',
      'svc-player-banned': '0',
      'svc-client-ip': '1.2.3.4',
      'svc-node-call': 'query',
      'cf-connecting-ip': '1.2.3.4',
      'x-forwarded-for': '127.0.0.2',
    }
    const seenWith = async (headers: Record<string, string>) =>
      JSON.parse((await visit(host, '/echo', { headers })).text).headers
    const anonymous = await seenWith(forged)
    assert.deepEqual(
      [
        anonymous['svc-player-id'],
        anonymous['svc-client-ip'],
        anonymous['cf-connecting-ip'],
        anonymous['x-forwarded-for'],
      ],
      [undefined, '127.0.0.1', '127.0.0.1', '127.0.0.1'],
    )
    assert.match(anonymous['svc-request-id'], /^req_/)
    assert.equal(anonymous['svc-node-call'], undefined)

    const bearer = { authorization: `Bearer ${guest.accessToken}` }
    const player = await seenWith({ ...forged, ...bearer })
    assert.deepEqual([player['svc-player-id'], player['svc-player-banned']], [guest.player.id, '0'])
    const other = await service.newProject()
    const { body: stranger } = await other.development.public('POST', '/v1/auth/guest', {})
    for (const token of [stranger.accessToken, 'nonsense', `${guest.accessToken}x`])
      assert.equal((await seenWith({ authorization: `Bearer ${token}` }))['svc-player-id'], undefined)

    await project.development.server('POST', `/v1/admin/players/${guest.player.id}/ban`, { reason: 'x' })
    const banned = await seenWith(bearer)
    assert.deepEqual([banned['svc-player-id'], banned['svc-player-banned']], [guest.player.id, '1'])
  })

  test('[FUN-05] what has a wrong or old signature of a node is refused, and does not reach the code', async () => {
    const before = Number((await visit(host, '/seen')).text)
    for (const signature of [`${Date.now()}.${'0'.repeat(64)}`, `0.${'0'.repeat(64)}`, 'nonsense', ''])
      for (const [at, path] of [
        [host, '/seen'],
        [`${project.slug}--dev`, '/.fn/seen'],
      ] as const)
        for (const upgrade of [{}, { connection: 'Upgrade', upgrade: 'websocket' }]) {
          const headers = { 'svc-node': signature, 'svc-node-call': 'query', ...upgrade }
          const answer = await visit(at, path, { method: 'POST', body: '{"sql":"SELECT 1"}', headers })
          assert.deepEqual(
            [answer.status, JSON.parse(answer.text).error.code],
            [503, 'functions_unavailable'],
            JSON.stringify([at, headers]),
          )
        }
    assert.equal((await visit(host, '/seen')).text, String(before + 1))
  })

  test('[FUN-05] passes status, headers and several cookies back, which lose their domain', async () => {
    const { status, headers } = await visit(host, '/cookies')
    assert.equal(status, 203)
    assert.deepEqual(headers['set-cookie'], ['a=1; Path=/', 'b=2; Secure; HttpOnly'])
    assert.equal(headers['x-own'], 'kept')
    assert.match(headers['x-request-id'] ?? '', /^req_/)
    assert.equal(headers['clear-site-data'], undefined)
  })

  test('[FUN-05] sends a response while it arrives', async () => {
    const sent = request({ port, host: '127.0.0.1', path: '/stream', headers: { host: `${host}.localhost` } })
    sent.end()
    const [response] = await once(sent, 'response')
    const chunks: string[] = []
    for await (const chunk of response) {
      chunks.push(String(chunk))
      if (chunks.length === 1) await visit(host, '/go-on')
    }
    assert.deepEqual(chunks, ['first', 'second'])
  })

  test('[FUN-05] takes bodies of 50 MB, and not one byte more', async () => {
    // The code takes it in 13,000 chunks, which is near the limit of CPU time by default.
    const limits = (cpuMs: number) =>
      project.development.server('PUT', '/v1/admin/functions/limits', { cpuMs })
    await limits(LIMITS.functionsCpuMsMax)
    const largest = await post('/size', 'x'.repeat(MEGABYTES_50))
    await limits(LIMITS.functionsCpuMsByDefault)
    assert.deepEqual([largest.status, largest.text], [200, JSON.stringify({ bytes: MEGABYTES_50 })])
    const refused = await post('/size', 'x'.repeat(MEGABYTES_50 + 1))
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [413, 'payload_too_large'])
    const unread = await post('/unread', 'x'.repeat(1024))
    assert.deepEqual([unread.status, unread.text], [200, 'not read'])
  })

  test('[FUN-05] passes an answer on that comes before the body was read', async () => {
    const body = 'x'.repeat(8 * 1024 * 1024)
    const expected = {
      '/unread': 'not read',
      '/first-chunk': 'first chunk',
      '/released': 'released',
      '/cancelled': 'cancelled',
      '/first-chunk-streamed': '\0'.repeat(64 * 65_536),
    }
    for (const [path, text] of Object.entries(expected))
      for (let round = 0; round < 5; round++) {
        const answer = await post(path, body)
        assert.deepEqual([answer.status, answer.text.length], [200, text.length], `${path} ${answer.text}`)
        assert.equal(answer.text, text)
      }
    for (const path of ['/echo-stream', '/echo-lazy'])
      assert.equal((await post(path, body)).text.length, body.length, path)
  })

  test('[FUN-05] a body of unknown length is never read as another request, for any method', async () => {
    const smuggled = `GET /forged HTTP/1.1\r\nHost: x\r\nsvc-player-id: ply_forged\r\n\r\n`
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH']) {
      const headers = { host: `${host}.localhost`, 'transfer-encoding': 'chunked' }
      const sent = request({ port, host: '127.0.0.1', method, path: '/echo', headers })
      sent.write(smuggled.slice(0, 20))
      sent.end(smuggled.slice(20))
      const [response] = await once(sent, 'response')
      const seen = JSON.parse(await text(response))
      assert.deepEqual([seen.method, seen.body], [method, smuggled])
    }
    assert.equal((await visit(host, '/forged-count')).text, '0')
  })

  for (const path of ['/cookies', '/socket-cookies'])
    test(`answers to upgrades have the headers of other answers (${path})`, async () => {
      const headers = { host: `${host}.localhost`, connection: 'Upgrade', upgrade: 'websocket' }
      const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
      const sent = request({ host: '127.0.0.1', port, path, headers: { ...headers, ...key } }).end()
      const answered = Promise.withResolvers<IncomingMessage>()
      sent.on('error', answered.reject)
      sent.on('response', answered.resolve)
      sent.on('upgrade', (answer, socket) => {
        socket.destroy()
        answered.resolve(answer)
      })
      const answer = await answered.promise
      answer.resume()
      assert.deepEqual(answer.headers['set-cookie'], ['a=1; Path=/', 'b=2; Secure; HttpOnly'])
      assert.notEqual(answer.headers['x-request-id'], 'forged')
      assert.ok(answer.headers['x-request-id'])
      assert.equal(answer.headers['x-own'], 'kept')
      assert.equal(answer.headers.connection, path === '/cookies' ? 'close' : 'Upgrade')
    })

  test('[FUN-05] passes WebSockets on', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers: { host: `${host}.localhost` } })
    await once(socket, 'open')
    socket.send('hello')
    assert.equal(String((await once(socket, 'message'))[0]), 'echo hello')
    socket.close()
    await once(socket, 'close')

    const refused = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
      headers: { host: `${project.slug}--fn.localhost` },
    })
    const [error] = await once(refused, 'error')
    assert.match(String(error), /404/)
  })

  test('[FUN-12] code that throws answers a bare 500, and its stack is only in the logs', async () => {
    const { status, text, headers } = await visit(host, '/throw')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /canary/)
    let line: { id: string; requestId: string } | undefined
    await comesTrue('the stack is in the logs', async () => {
      const { lines } = (await project.development.server('GET', `${FUNCTIONS}/logs?level=error`)).body
      line = lines.find(({ message }: { message: string }) => message.includes('canary of a stack'))
      return line !== undefined
    })
    assert.ok(line)
    assert.equal(line.requestId, headers['x-request-id'])
    const { next } = (await project.development.server('GET', `${FUNCTIONS}/logs`)).body
    const after = (await project.development.server('GET', `${FUNCTIONS}/logs?after=${next}`)).body
    assert.deepEqual(after, { lines: [], next })

    const found = async (q: string) =>
      (await project.development.server('GET', `${FUNCTIONS}/logs?q=${encodeURIComponent(q)}`)).body.lines
    assert.deepEqual(await found('CANARY of a'), [line], 'case does not matter')
    assert.ok((await found(line.requestId)).some(({ id }: { id: string }) => id === line?.id))
    assert.deepEqual(await found('nothing like it'), [])
    const long = await project.development.server('GET', `${FUNCTIONS}/logs?q=${'x'.repeat(201)}`)
    assert.equal(long.status, 400)
  })

  test('[FUN-12] a loop is ended by the CPU limit, and the next request works', async () => {
    await project.development.server('PUT', `${FUNCTIONS}/limits`, { cpuMs: 100 })
    const { status, text } = await visit(host, '/loop')
    assert.deepEqual([status, JSON.parse(text).error.code], [503, 'cpu_limit_exceeded'])
    await project.development.server('PUT', `${FUNCTIONS}/limits`, { cpuMs: 1_000 })
    assert.equal((await visit(host, '/echo')).status, 200)
  })

  test('[FUN-12] sub-requests over the limit fail that call', async () => {
    await project.development.server('PUT', `${FUNCTIONS}/limits`, { subRequests: 2 })
    const answers = JSON.parse((await visit(host, '/subrequests')).text)
    assert.deepEqual(answers.slice(0, 2), [200, 200])
    assert.match(String(answers[2]), /subrequest_limit_exceeded/)
    await project.development.server('PUT', `${FUNCTIONS}/limits`, { subRequests: 50 })
  })

  test('[FUN-05] env.SVC calls the API of the environment with a key that the code never sees', async () => {
    const call = async (method: string, path: string, body?: unknown, headers = {}) => {
      const answer = await post('/svc', { method, path, body, headers })
      return { status: answer.status, body: JSON.parse(answer.text) }
    }
    const config = await call('GET', '/v1/config')
    assert.equal(config.status, 200)
    assert.equal((await call('GET', '/v1/admin/functions')).body.deployed, true)
    // Whatever the code says about itself.
    const other = await service.newProject()
    const claimed = await call('GET', '/v1/admin/functions', undefined, {
      'x-svc-key': other.development.secretKey,
      origin: 'https://evil.example',
    })
    assert.equal(claimed.body.deployed, true)

    const { accessToken, player } = (await project.development.public('POST', '/v1/auth/guest', {})).body
    const authorization = `Bearer ${accessToken}`
    assert.equal(
      (await call('GET', '/v1/players/me', undefined, { authorization })).body.player.id,
      player.id,
    )
    const refused = await call('GET', '/v1/admin/functions', undefined, { authorization })
    assert.equal(refused.body.error.code, 'secret_key_required')

    const { keys } = (await project.developer.call('GET', `${project.development.path}/keys`)).body
    const own = keys.find(({ label }: { label: string }) => label === 'functions')
    assert.equal(own.type, 'secret')
    await project.developer.call('DELETE', `/v1/projects/${project.id}/keys/${own.id}`)
    await comesTrue('there is another key', async () => (await call('GET', '/v1/config')).status === 200)
  })

  test('[GEN-13] env.SVC in production has the limits of an address of its own per environment', async () => {
    const [one, another] = [await service.newProject(), await service.newProject()]
    for (const { production } of [one, another]) await deployFunctions(production, CODE)
    const call = async ({ slug }: typeof one, method: string, path: string, headers = {}, body?: unknown) => {
      const sent = { method: 'POST', body: JSON.stringify({ method, path, headers, body }) }
      const { status, text } = await visit(`${slug}--fn`, '/svc', sent)
      return { status, body: JSON.parse(text) }
    }
    const { accessToken, player } = (await one.production.public('POST', '/v1/auth/guest', {})).body
    const seen = await call(one, 'GET', '/v1/players/me', { authorization: `Bearer ${accessToken}` })
    assert.deepEqual([seen.status, seen.body.player?.id], [200, player.id])

    const json = { 'content-type': 'application/json' }
    const login = { email: 'nobody@example.com', password: 'not this one' }
    const signIn = (from: typeof one) => call(from, 'POST', '/v1/developers/login', json, login)
    const statuses: number[] = []
    while (statuses.length < 100 && statuses.at(-1) !== 429) statuses.push((await signIn(one)).status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
    assert.equal((await signIn(another)).status, 401)
  })

  test('[FUN-05] an unchanged echo worker runs', async () => {
    const another = await service.newProject()
    await deployFunctions(another.production, ECHO)
    const { text } = await visit(`${another.slug}--fn`, '/x')
    assert.equal(JSON.parse(text).method, 'GET')
  })
})
