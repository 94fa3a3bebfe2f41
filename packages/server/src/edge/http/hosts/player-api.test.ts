import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'

import { newAgent } from '../../../testing/agents.ts'
import { browserFor, newApp } from '../../../testing/hosted-apps.ts'
import { clientText, handshake } from '../../../testing/raw-websocket.ts'
import { type Engine, startService } from '../../../testing/service.ts'
import { portOf } from '../../../testing/sockets.ts'
import { suite } from '../../../testing/suite.ts'

type Headers = Record<string, string>
/** Every address of every endpoint; parameters have a value that nothing has. */
const ADDRESSES = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint).map(({ method, path }) => ({ endpoint, method, path: path.replace(/:\w+/g, 'x') })),
)
const V1 = ADDRESSES.filter(({ path }) => path.startsWith('/v1/'))
/** What a page of an app may call as its own origin. */
const isForPlayers = ({ caller, anyOrigin }: (typeof endpointList)[number]) =>
  caller === 'player' || caller === 'public' || (caller === 'none' && anyOrigin === true)
const FOR_PLAYERS = V1.filter(({ endpoint }) => isForPlayers(endpoint))

const codeIn = (text: string) => /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1]

const PER_MINUTE = 30
const start = (engine: Engine) =>
  startService(engine, { settings: { SVC_LIMIT_PUBLIC_PER_MINUTE: `${PER_MINUTE}` } })

suite('the API on the hosts of apps', { features: {}, start }, ({ service, project }) => {
  const ask = async (method: string, url: string, headers: Headers = {}, payload?: object) => {
    const answer = await service.http.inject({
      method: method as 'GET',
      url,
      headers,
      ...(payload && { payload }),
    })
    const { statusCode: status, headers: received, body: text } = answer
    return { status, code: codeIn(text), headers: received, text }
  }
  const appHost = () => `${project.slug}--dev.localhost:8787`
  const onApp = (method: string, path: string, headers: Headers = {}, payload?: object) =>
    ask(method, `/.svc${path}`, { host: appHost(), ...headers }, payload)
  const result = ({ status, code }: { status: number; code: string | undefined }) => [status, code]

  test('[HST-10] of all endpoints, exactly those for players are there: on hosts of production, development and of no app', async () => {
    assert.ok(FOR_PLAYERS.length > 40 && V1.length > 200)
    const hosts = [appHost(), `${project.slug}.localhost:8787`, 'nobody.localhost:8787']
    for (const { endpoint, method, path: pattern } of V1) {
      const path = pattern.replace('/images/x/', `/images/${project.slug}--dev/`)
      const there = result(await ask(method, path))
      for (const host of hosts)
        assert.deepEqual(
          result(await ask(method, `/.svc${path}`, { host })),
          isForPlayers(endpoint) ? there : [404, 'not_found'],
          `${method} ${path} on ${host}`,
        )
    }
    for (const { method, path } of FOR_PLAYERS)
      assert.doesNotMatch(
        path,
        /^\/v1\/(x\/)?(developers|projects|admin|money|agents|invitations|platform|operator|oauth)\b/,
        `${method} ${path}`,
      )
  })

  test('[HST-10] the host of the API and those of functions have no API below /.svc, and hosts of apps none below /v1', async () => {
    const visit = await browserFor(service)
    const codeOn = async (label: string, method: string, path: string) =>
      codeIn((await visit(label, path, { method })).text)
    for (const { method, path } of V1) {
      const name = `${method} ${path}`
      for (const host of ['localhost:8787', '127.0.0.1:8787'])
        assert.deepEqual(result(await ask(method, `/.svc${path}`, { host })), [404, 'not_found'], name)
      assert.equal(await codeOn(`${project.slug}--dev--fn`, method, `/.svc${path}`), 'not_found', name)
      // Files are there, in an error page of hosting.
      assert.equal(await codeOn(`${project.slug}--dev`, method, path), undefined, name)
    }
  })

  test('[HST-10] no developer, operator, agent or secret key can use it, also where a player may', async () => {
    const operator = await service.newOperator()
    const agent = await newAgent(service, project, project.development)
    for (const { endpoint, method, path } of V1) {
      const name = `${method} ${path}`
      const key = await onApp(method, path, { 'x-svc-key': project.development.secretKey })
      assert.deepEqual(
        result(key),
        isForPlayers(endpoint) ? [403, 'publishable_key_required'] : [404, 'not_found'],
        name,
      )
      for (const token of [operator.token, project.developer.token, agent.token])
        assert.deepEqual(
          result(await onApp(method, path, { authorization: `Bearer ${token}` })),
          isForPlayers(endpoint) ? [401, 'invalid_token'] : [404, 'not_found'],
          name,
        )
    }
  })

  test('[HST-10] no other part of the service is there, in any spelling', async () => {
    // Not injected: that would correct some of these URLs.
    const visit = await browserFor(service)
    const see = async (method: string, url: string) => {
      const headers = { authorization: `Bearer ${project.developer.token}` }
      const { status, text } = await visit(`${project.slug}--dev`, url, { method, headers })
      return { status, code: codeIn(text) }
    }
    for (const path of [
      '/mcp',
      '/docs',
      '/dashboard',
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/checkout/test/x',
      '/.well-known/oauth-authorization-server',
      '/v1',
      '/v1/',
      '/v1/../mcp',
      '/v1/%2e%2e/mcp',
      '/v1//../metrics',
      '/v1/auth/oauth/test/callback',
      '/v1/developers/oauth/google/callback',
      '/v1/agents/oauth/token',
      `/v1/projects/${project.id}/environments/development/config`,
      '/V1/saves',
      '/v1/Saves',
    ])
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status, code } = await see(method, `/.svc${path}`)
        assert.ok([400, 404, 405].includes(status), `${method} ${path}: ${status} ${code}`)
      }
    for (const url of [
      '/.SVC/v1/rooms',
      '/%2esvc/v1/rooms',
      '/.svc%2fv1/rooms',
      '/.svc//v1/rooms',
      '//.svc/v1/rooms',
      '/x/.svc/v1/rooms',
    ])
      assert.equal((await see('GET', url)).code, undefined, url)
  })

  test('[HST-11] a player signs up, saves, and reads there and at the API: it is one service', async () => {
    await project.development.server('PUT', '/v1/config', { features: { saves: true } })
    const key = { 'x-svc-key': project.development.publishableKey }
    const { text, headers } = await onApp('POST', '/v1/auth/guest', key, {})
    assert.equal(headers['x-content-type-options'], 'nosniff')
    const player = { ...key, authorization: `Bearer ${JSON.parse(text).accessToken}` }
    const save = { data: { gold: 3 } }
    assert.equal((await onApp('PUT', '/v1/saves/slot', player, save)).status, 200)
    for (const read of [onApp, ask])
      assert.deepEqual(JSON.parse((await read('GET', '/v1/saves/slot', player)).text).data, save.data)
    const head = await onApp('HEAD', '/v1/saves/slot', player)
    assert.equal(head.status, 200)
  })

  test('[HST-11] methods, CORS, the request id and the help about an error are as at the API; Allow names only what is there', async () => {
    const origin = 'https://elsewhere.example'
    const compared = [
      'access-control-allow-origin',
      'access-control-expose-headers',
      'cache-control',
    ] as const
    for (const [method, path] of [
      ['OPTIONS', '/v1/saves/slot'],
      ['OPTIONS', '/v1/developers/login'],
      ['GET', '/v1/saves/slot'],
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/developers/login'],
    ] as const) {
      const there = await ask(method, path, { origin })
      const here = await onApp(method, path, { origin })
      for (const name of [...compared, 'access-control-allow-headers', 'access-control-max-age'])
        assert.equal(here.headers[name], there.headers[name], `${method} ${path}: ${name}`)
      assert.match(String(here.headers['x-request-id']), /^req_/)
    }
    const refused = await onApp('GET', '/v1/saves/slot')
    assert.equal(refused.headers['link'], '<http://localhost:8787/docs/errors#key_required>; rel="help"')
    const patch = await onApp('PATCH', '/v1/saves/slot')
    assert.deepEqual(
      [...result(patch), patch.headers['allow']],
      [405, 'method_not_allowed', 'DELETE, GET, HEAD, PUT'],
    )
    // At the API, PUT is a developer's.
    const rooms = await onApp('PATCH', '/v1/rooms')
    assert.deepEqual([...result(rooms), rooms.headers['allow']], [405, 'method_not_allowed', 'GET, HEAD'])
    assert.deepEqual(result(await onApp('PATCH', '/v1/config')), [404, 'not_found'])
  })

  test('[HST-11] a page that names no Origin is the page of its host: of another app, it needs the permission of the key', async () => {
    const other = await newApp(service)
    const allow = (allowedOrigins: string[]) =>
      other.development.server('PUT', '/v1/config', { web: { allowedOrigins } })
    const key = { 'x-svc-key': other.production.publishableKey }
    const set = (allowedOrigins: string[]) =>
      other.production.server('PUT', '/v1/config', { web: { allowedOrigins } })
    const read = (label: string, more: Headers = {}) =>
      ask('GET', '/.svc/v1/rooms', { host: `${label}.localhost:8787`, ...key, ...more })
    assert.equal((await allow([])).status, 200)
    assert.equal((await read(project.slug)).code, 'feature_disabled')

    await set(['https://elsewhere.example'])
    assert.equal((await read(other.slug)).code, 'feature_disabled')
    assert.equal((await read(project.slug)).code, 'origin_not_allowed')
    assert.equal((await read(other.slug, { origin: 'https://evil.example' })).code, 'origin_not_allowed')
    assert.equal((await ask('GET', '/v1/rooms', key)).code, 'feature_disabled')

    await set([`http://${project.slug}.localhost:8787`])
    assert.equal((await read(project.slug)).code, 'feature_disabled')
  })

  test('[HST-11] calls there and at the API count together for the limit', async () => {
    const { slug, production } = await newApp(service)
    const key = { 'x-svc-key': production.publishableKey }
    const onHost = { ...key, host: `${slug}.localhost:8787` }
    for (let i = 0; i < PER_MINUTE / 2; i++)
      for (const answer of [await ask('GET', '/v1/rooms', key), await ask('GET', '/.svc/v1/rooms', onHost)])
        assert.equal(answer.code, 'feature_disabled')
    for (const answer of [await ask('GET', '/v1/rooms', key), await ask('GET', '/.svc/v1/rooms', onHost)]) {
      assert.equal(answer.code, 'rate_limited')
      assert.ok(Number(answer.headers['retry-after']) > 0)
    }
  })

  test('[HST-11] metrics and the request log name the route of the API', async () => {
    const key = { 'x-svc-key': project.development.publishableKey }
    await onApp('GET', '/v1/saves/slot', { ...key, authorization: 'Bearer x' })
    const { text } = await ask('GET', '/metrics')
    assert.match(text, /svc_http_requests_total\{method="GET",route="\/v1\/saves\/:key",status="401"\}/)
    assert.doesNotMatch(text, /\.svc\/v1/)
    const { body } = await project.developer.call('GET', `${project.development.path}/requests`)
    assert.ok(
      body.requests.some(
        ({ route, code }: Headers) => route === '/v1/saves/:key' && code === 'invalid_token',
      ),
    )
  })

  test('[HST-11] the page that starts a sign-in is there; the one to which the provider sends back is not', async () => {
    const start = await onApp('GET', '/v1/auth/oauth/google/start?key=pk_dev_x', { accept: 'text/html' })
    assert.equal(start.status, 401)
    assert.match(start.text, /invalid_key/)
    assert.equal((await onApp('GET', '/v1/auth/oauth/google/callback?state=x')).code, 'not_found')
  })

  test('[HST-12] the WebSocket is there too, on hosts of apps alone', async () => {
    await project.development.server('PUT', '/v1/config', { features: { multiplayer: true } })
    const port = await portOf(service)
    /** What is received until the text, or until the end. */
    const upgrade = async (host: string, path: string, until: RegExp) => {
      const socket = connect(port, '127.0.0.1')
      const frame = { t: 'auth', key: project.development.publishableKey, anon: true }
      socket.write(handshake(path).replace('Host: 127.0.0.1', `Host: ${host}`))
      let received = ''
      for await (const bytes of socket) {
        received += String(bytes)
        if (received.startsWith('HTTP/1.1 101 ')) socket.write(clientText(JSON.stringify(frame)))
        if (until.test(received)) break
      }
      return received
    }
    assert.match(await upgrade(appHost(), '/.svc/v1/realtime', /"welcome"/), /"welcome"/)
    assert.deepEqual(result(await onApp('GET', '/v1/realtime')), [426, 'upgrade_required'])
    for (const [host, path] of [
      ['localhost:8787', '/.svc/v1/realtime'],
      [`${project.slug}--dev--fn.localhost`, '/.svc/v1/realtime'],
      [appHost(), '/.svc/v1/rooms'],
      [appHost(), '/v1/realtime'],
    ] as const)
      assert.match(await upgrade(host, path, /$^/), /^HTTP\/1\.1 404 .*"not_found"/s, `${host} ${path}`)
  })
})
