import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'

import { addressesOf, isForOwnPages } from '@svc/contract/common/endpoint'
import { PARTS } from '@svc/contract/common/endpoints'

import { newApp } from '../../../testing/hosted-apps.ts'
import { newKey, URLS } from '../../../testing/money.ts'
import { handshake } from '../../../testing/raw-websocket.ts'
import { startService } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'

const ENDPOINTS = PARTS.flatMap(({ endpoints }) => endpoints)
const FOREIGN = [
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'https://evil.example',
  'http://localhost.evil.example:8787',
  'null',
]
/** A path without parameters; no value of one exists. */
const pathOf = (path: string) => path.replaceAll(/:[a-zA-Z]+/g, 'unknown')

suite('a service that only its own machine may reach', {}, ({ service }) => {
  const inject = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
    service.http.inject({ method, url, headers, ...(method === 'POST' && { payload: {} }) })

  test('[DEV-20] no endpoint without credential, but those for players, answers a page of another origin', async () => {
    const { slug } = await newApp(service)
    const open = ENDPOINTS.filter(({ caller }) => caller === 'none').filter((one) => !isForOwnPages(one))
    assert.deepEqual(open.map(({ name }) => name).toSorted(), [
      'confirmNews',
      'readDefaultCard',
      'readLinkCard',
      'unsubscribeFromNews',
    ])
    const origins = [...FOREIGN, `http://${slug}.localhost:8787`, `http://${slug}--dev.localhost:8787`]
    const own = ENDPOINTS.filter(isForOwnPages)
    assert.ok(own.length > 10)
    for (const endpoint of own)
      for (const { method, path } of addressesOf(endpoint)) {
        for (const origin of origins) {
          const { status, body } = await service.call(method, pathOf(path), undefined, { origin })
          assert.deepEqual(
            [status, body.error?.code],
            [403, 'origin_not_allowed'],
            `${method} ${path} ${origin}`,
          )
          assert.match(body.error.message, /another origin/)
        }
        for (const headers of [
          { origin: 'http://localhost:8787' },
          { origin: 'http://127.0.0.1:9000', host: '127.0.0.1:9000' },
          { origin: 'null', 'sec-fetch-site': 'same-origin' },
          {},
        ]) {
          const { body } = await service.call(method, pathOf(path), undefined, headers)
          assert.notEqual(
            body.error?.code,
            'origin_not_allowed',
            `${method} ${path} ${JSON.stringify(headers)}`,
          )
        }
      }
  })

  test('[DEV-20] without a credential, a page of another origin gets nothing from the endpoints of developers, operators, servers and players', async () => {
    for (const endpoint of ENDPOINTS.filter(({ caller }) => caller !== 'none'))
      for (const { method, path } of addressesOf(endpoint)) {
        const { status } = await service.call(method, pathOf(path), undefined, { origin: FOREIGN[0] ?? '' })
        assert.ok([401, 403].includes(status), `${method} ${path} ${status}`)
      }
  })

  test('[DEV-20] nor the metrics; a browser that sends no Origin still says that another site sends the request', async () => {
    const url = '/v1/developers/login'
    for (const site of ['cross-site', 'same-site', 'none']) {
      const { statusCode } = await inject(url, { 'sec-fetch-site': site }, 'POST')
      assert.equal(statusCode, 403, site)
    }
    assert.equal((await inject(url, { 'sec-fetch-site': 'same-origin' }, 'POST')).statusCode, 400)
    for (const origin of FOREIGN) assert.equal((await inject('/metrics', { origin })).statusCode, 403, origin)
    assert.equal((await inject('/metrics', {})).statusCode, 200)
    // A link to the service: the page that has it cannot read the response.
    assert.equal((await inject('/v1/platform/info', { 'sec-fetch-site': 'cross-site' })).statusCode, 200)
  })

  test('[DEV-20] a page of another origin cannot pay at the test checkout', async () => {
    const ada = await service.newDeveloper()
    const amount = { amount: 2_000, ...URLS }
    const { body } = await ada.call('POST', '/v1/money/prepaid/checkout', amount, newKey())
    const pay = (headers: Record<string, string>) =>
      service.http.inject({
        method: 'POST',
        url: `/checkout/test/${body.id}`,
        payload: 'action=pay',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
    for (const origin of FOREIGN) assert.equal((await pay({ origin })).statusCode, 403, origin)
    assert.equal((await ada.call('GET', `/v1/money/prepaid/checkouts/${body.id}`)).body.status, 'open')
    assert.equal((await pay({ origin: 'null', 'sec-fetch-site': 'same-origin' })).statusCode, 303)
  })

  test('[DEV-20] players call from pages of every origin', async () => {
    const { development } = await service.newProject()
    for (const origin of FOREIGN) {
      const { status } = await development.public('POST', '/v1/auth/guest', {}, { origin })
      assert.equal(status, 200, origin)
    }
  })

  test('[DEV-21] only names of this machine and of its apps are answered: no other name that points here', async () => {
    const { slug } = await newApp(service)
    const statusAt = async (host: string, url = '/healthz') => (await inject(url, { host })).statusCode
    for (const host of [
      'localhost',
      'localhost:8787',
      'LOCALHOST.:1',
      '127.0.0.1',
      '127.1.2.3:9',
      '[::1]:8787',
    ])
      assert.equal(await statusAt(host), 200, host)
    assert.equal(await statusAt(`${slug}--dev.localhost:8787`, '/'), 404, 'nothing is deployed')
    for (const host of [
      'evil.test',
      'evil.test:8787',
      'localhost.evil.test',
      '192.168.1.7:8787',
      '0.0.0.0',
      '[::]',
      'xlocalhost',
    ]) {
      const { statusCode, body } = await inject('/healthz', { host })
      assert.deepEqual([statusCode, JSON.parse(body).error.code], [403, 'host_not_allowed'], host)
    }
    for (const url of ['/', '/dashboard', '/docs', '/v1/config', '/mcp', '/unknown', '/metrics'])
      assert.equal(await statusAt('evil.test', url), 403, url)
  })

  test('[DEV-21] what a proxy has forwarded from elsewhere is refused, and the response names the settings', async () => {
    for (const headers of [
      { 'x-forwarded-for': '8.8.8.8' },
      { 'x-forwarded-for': '127.0.0.1, 8.8.8.8' },
      { 'x-forwarded-for': '8.8.8.8, 127.0.0.1' },
      { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'game.example.com' },
      { 'x-forwarded-for': 'unknown' },
      { 'x-forwarded-for': '' },
      { 'x-forwarded-proto': 'https' },
      { 'x-real-ip': '8.8.8.8' },
      { forwarded: 'for=127.0.0.1' },
      { host: 'game.example.com', 'x-forwarded-for': '8.8.8.8' },
    ]) {
      const { statusCode, body } = await inject('/v1/developers/signup', headers, 'POST')
      assert.equal(statusCode, 403, JSON.stringify(headers))
      const { code, message } = JSON.parse(body).error
      assert.equal(code, 'host_not_allowed')
      assert.match(message, /SVC_BASE_URL.*SVC_TRUSTED_PROXIES/)
    }
    // As development servers send it.
    const here = {
      'x-forwarded-for': '::1',
      'x-forwarded-host': 'localhost:5173',
      'x-forwarded-proto': 'http',
    }
    for (const from of ['127.0.0.1', '::1', '127.0.0.1, ::1'])
      assert.equal((await inject('/healthz', { ...here, 'x-forwarded-for': from })).statusCode, 200, from)
  })

  test('[DEV-21] upgrades to WebSockets are refused in the same way', async () => {
    await service.http.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.http.server.address() as AddressInfo
    const answerTo = async (more: string, host = 'localhost') => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(handshake().replace(/Host: [^\r]*\r\n/, `Host: ${host}\r\n${more}`))
      const [first] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return String(first)
    }
    assert.match(await answerTo(''), /^HTTP\/1\.1 101 /)
    assert.match(await answerTo('', 'evil.test'), /^HTTP\/1\.1 403 [^]*host_not_allowed/)
    assert.match(await answerTo('X-Forwarded-For: 8.8.8.8\r\n'), /^HTTP\/1\.1 403 [^]*host_not_allowed/)
  })
})

suite(
  'a service whose settings name a proxy',
  { start: (engine) => startService(engine, { settings: { SVC_TRUSTED_PROXIES: '1' } }) },
  ({ service }) => {
    test('[DEV-21] what it forwards is answered, and what only a service of this machine allows is off', async () => {
      const headers = { 'x-forwarded-for': '8.8.8.8', host: 'game.example.com' }
      const { statusCode, body } = await service.http.inject({ url: '/v1/platform/info', headers })
      assert.equal(statusCode, 200)
      assert.equal(JSON.parse(body).local, undefined)
    })
  },
)
