import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { WebSocket } from 'ws'

import { callerOf, type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'
import { adaptCaddyfile, type Caddy, startCaddy } from './caddy.ts'

const ACCOUNT = { email: 'dev@example.com', password: 'correct horse' }
const PAGE = '<html>home</html>'
const LARGEST_UPLOAD = Buffer.alloc(50_000_000, 'a large file ')
const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('Caddy with deploy/Caddyfile in front of the service', () => {
  let folder: string
  let server: ServerProcess
  let caddy: Caddy
  let slug = ''
  let secretKey = ''
  let publishableKey = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-caddy-'))
    server = await startServer({
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_BASE_URL: 'https://api.localhost',
      SVC_APPS_DOMAIN: 'apps.localhost',
      SVC_SIGN_UP: 'open',
      SVC_TRUSTED_PROXIES: '1',
      SVC_LIMIT_SIGN_IN_PER_MINUTE: '5',
    })
    caddy = await startCaddy(folder, `127.0.0.1:${server.port}`)
    const call = setUpCallerOf(server)
    const { token } = (await call('POST', '/v1/developers/signup', { body: ACCOUNT })).body
    const created = await call('POST', '/v1/projects', { token, body: { name: 'Star Duel' } })
    ;({ slug } = created.body.project)
    const keyOf = (wanted: string): string =>
      created.body.keys.find(
        ({ type, env }: { type: string; env: string }) => type === wanted && env !== 'production',
      ).key
    secretKey = keyOf('secret')
    publishableKey = keyOf('publishable')
    await call('PUT', '/v1/config', {
      key: secretKey,
      body: { features: { hosting: true, multiplayer: true } },
    })
  })
  after(async () => {
    await caddy?.stop()
    server?.signal('SIGKILL')
    await server?.ended
    await rm(folder, { recursive: true, force: true })
  })

  const call = async (method: string, path: string, body: object) => {
    const headers = { 'x-svc-key': secretKey, 'content-type': 'application/json' }
    const answer = await caddy.send('api.localhost', path, {
      method,
      headers,
      body: Buffer.from(JSON.stringify(body)),
    })
    assert.equal(answer.status, 200, answer.text)
    return JSON.parse(answer.text)
  }

  test('[OPS-11] the host of the API has a certificate, and HTTP leads to HTTPS', async () => {
    assert.equal((await caddy.send('api.localhost', '/healthz')).status, 200)
    const [answer] = (await once(
      get({ host: '127.0.0.1', port: caddy.httpPort, path: '/docs', headers: { host: 'api.localhost' } }),
      'response',
    )) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 308)
    assert.match(String(answer.headers.location), /^https:\/\/api\.localhost\/docs$/)
  })

  test('[OPS-11] a file of 50 MB is uploaded, and the app gets a certificate with its first visit', async () => {
    const files = [
      { path: 'index.html', sha256: sha256Of(PAGE), size: PAGE.length },
      { path: 'large.bin', sha256: sha256Of(LARGEST_UPLOAD), size: LARGEST_UPLOAD.length },
    ]
    const { deploymentId } = await call('POST', '/v1/deployments', { files })
    for (const bytes of [Buffer.from(PAGE), LARGEST_UPLOAD]) {
      const headers = { 'x-svc-key': secretKey, 'content-type': 'application/octet-stream' }
      const sent = { method: 'PUT', headers, body: bytes }
      assert.equal((await caddy.send('api.localhost', `/v1/blobs/${sha256Of(bytes)}`, sent)).status, 200)
    }
    await call('POST', `/v1/deployments/${deploymentId}/finalize`, { activate: true })

    const visited = await caddy.send(`${slug}--dev.apps.localhost`, '/')
    assert.deepEqual({ status: visited.status, text: visited.text }, { status: 200, text: PAGE })
    // Without functions this host answers with an error of the service, over TLS.
    assert.equal((await caddy.send(`${slug}--dev--fn.apps.localhost`, '/')).status, 404)
  })

  for (const host of ['nobody.apps.localhost', 'a.b.apps.localhost', 'apps.localhost', 'elsewhere.localhost'])
    test(`[OPS-11] there is no certificate for ${host}`, async () => {
      await assert.rejects(caddy.send(host, '/'), /alert internal error|ECONNRESET|socket hang up/)
    })

  test('[OPS-11] a player connects by WebSocket', async () => {
    const { accessToken } = (
      await callerOf(server)('POST', '/v1/auth/guest', { key: publishableKey, body: {} })
    ).body
    const socket = new WebSocket(`wss://127.0.0.1:${caddy.httpsPort}/v1/realtime`, {
      agent: new Agent({ ca: caddy.ca, servername: 'api.localhost' }),
      headers: { host: 'api.localhost' },
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ t: 'auth', key: publishableKey, token: accessToken }))
    const [message] = await once(socket, 'message')
    assert.equal(JSON.parse(String(message)).t, 'welcome', String(message))
    socket.close()
    await once(socket, 'close')
  })

  test('[OPS-11] an address that a client sends does not count: limits see the one that Caddy sees', async () => {
    const signIn = (address: string) =>
      caddy.send('api.localhost', '/v1/developers/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: Buffer.from(JSON.stringify({ email: `nobody-${address}@example.com`, password: 'wrong' })),
      })
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 6; i++) statuses.push((await signIn(`203.0.113.${i}`)).status)
    assert.equal(statuses.at(-1), 429, statuses.join(' '))
  })
})

test('[OPS-11] Caddy accepts the file for one node and for two', () => {
  for (const upstreams of ['svc:8787', 'svc1:8787 svc2:8787']) {
    const variables = {
      SVC_BASE_URL: 'https://api.example.com',
      SVC_APPS_DOMAIN: 'apps.example.com',
      CADDY_UPSTREAMS: upstreams,
    }
    const config = adaptCaddyfile(variables)
    for (const upstream of upstreams.split(' '))
      assert.ok(config.includes(`{"dial":"${upstream}"}`), upstream)
  }
})
