import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'

import { endpointList } from '@svc/contract/common/endpoints'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { DEVELOPER_CALLS, SECRET_KEY_CALLS } from '../src/developer/developer-calls.ts'
import {
  createDeveloperClient,
  createSecretKeyClient,
  isSvcError,
  SvcError,
} from '../src/developer/developer.ts'
import { CONFIG, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, features: { ...CONFIG.features, hosting: true } })
})
after(() => fixtures.stop())

const code = (expected: string) => (error: unknown) => isSvcError(error) && error.code === expected

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', 'req_1')
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function signUp(email: string) {
  let token: string | undefined
  const developer = createDeveloperClient({ url: fixtures.url, token: () => token })
  const body = { email, password: 'long enough' }
  token = (await developer.call('signUp', { body })).token
  return { developer, body }
}

test('the tables contain every endpoint that a developer or a secret key may call', () => {
  const named = (...callers: string[]) =>
    endpointList.filter(({ caller }) => callers.includes(caller)).map(({ name }) => name)
  assert.deepEqual(Object.keys(DEVELOPER_CALLS), named('none', 'developer', 'operator', 'admin'))
  assert.deepEqual(Object.keys(SECRET_KEY_CALLS), named('server', 'admin'))
})

test('a developer signs up, creates a project and reads its config', async () => {
  const { developer } = await signUp('ada@example.com')
  assert.equal((await developer.call('readMe', {})).developer.email, 'ada@example.com')

  const { project } = await developer.call(
    'createProject',
    { body: { name: 'Star Duel' } },
    { idempotencyKey: 'once' },
  )
  const again = await developer.call(
    'createProject',
    { body: { name: 'Star Duel' } },
    { idempotencyKey: 'once' },
  )
  assert.equal(again.project.id, project.id)
  const params = { projectId: project.id, env: 'development' } as const
  assert.equal((await developer.call('readConfig', { params })).version, 0)
})

test('a secret key reads the same config without an environment, and uploads a file', async () => {
  const environment = createSecretKeyClient({ url: fixtures.url, secretKey: fixtures.development.secretKey })
  assert.equal((await environment.call('readConfig', {})).version, 1)

  const bytes = new Blob(['<p>one'])
  const sha256 = createHash('sha256').update('<p>one').digest('hex')
  const files = [{ path: 'index.html', sha256, size: bytes.size }]
  const { missing } = await environment.call('createDeployment', { body: { files } })
  assert.deepEqual(missing, [sha256])
  await environment.call('uploadBlob', { params: { sha256 } }, { bytes })
  assert.deepEqual((await environment.call('createDeployment', { body: { files } })).missing, [])
})

test('an error has the message and the request id of the service', async () => {
  const { developer } = await signUp('bob@example.com')
  const error = await developer
    .call('readProject', { params: { projectId: 'prj_none' } })
    .catch((refusal: unknown) => refusal)
  assert.ok(error instanceof SvcError)
  const { body } = await fixtures.developer('GET', '/v1/projects/prj_none')
  assert.deepEqual([error.code, error.status, error.message], ['project_not_found', 404, body.error.message])
  assert.ok(error.requestId)
})

test('after a rejected token, the call is repeated once if there is a new one', async () => {
  const { body } = await signUp('eve@example.com')
  const guest = createDeveloperClient({ url: fixtures.url, token: () => undefined })
  await assert.rejects(guest.call('readMe', {}), code('unauthorized'))

  let token = 'kds_ended'
  let renewals = 0
  const developer = createDeveloperClient({
    url: fixtures.url,
    token: () => token,
    async renewToken() {
      renewals++
      token = (await guest.call('logIn', { body })).token
      return true
    },
  })
  assert.equal((await developer.call('readMe', {})).developer.email, 'eve@example.com')
  await developer.call('readMe', {})
  assert.equal(renewals, 1)
})

test('tokens and keys are not sent to the target of a redirect', async (t) => {
  const requested: string[] = []
  const other = await listen(t, ({ url = '' }, response) => {
    requested.push(url)
    response.end('{}')
  })
  let requests = 0
  const url = await listen(t, (_, response) => {
    requests++
    response.writeHead(307, { Location: `${other}/v1` }).end()
  })
  const isRedirect = (error: unknown) =>
    isSvcError(error, 'unexpected_answer') && error.details['location'] === `${other}/v1`

  await assert.rejects(
    createDeveloperClient({ url, token: () => 'kds_x' }).call('listProjects', {}),
    isRedirect,
  )
  await assert.rejects(createSecretKeyClient({ url, secretKey: 'sk_x' }).call('readConfig', {}), isRedirect)
  assert.deepEqual(requested, [])
  assert.equal(requests, 2)
})

test('a signal ends a call with aborted, a time limit ends it with network_error', async (t) => {
  const abort = new AbortController()
  const url = await listen(t, () => abort.abort())
  const developer = createDeveloperClient({ url, token: () => 'kds_x' })
  await assert.rejects(developer.call('listProjects', {}, { signal: abort.signal }), code('aborted'))
  await assert.rejects(developer.call('listProjects', {}, { signal: AbortSignal.abort() }), code('aborted'))

  const impatient = createDeveloperClient({ url, token: () => 'kds_x', retry: () => undefined })
  const error = await impatient.call('listProjects', {}, { timeoutMs: 50 }).catch((late: unknown) => late)
  assert.ok(isSvcError(error, 'network_error'))
  assert.equal((error.cause as Error).name, 'TimeoutError')
})

test('a retry policy decides what is repeated', async (t) => {
  let requests = 0
  const url = await listen(t, (_, response) => {
    if (++requests < 3) response.writeHead(500).end()
    else response.end('{ "projects": [] }')
  })
  const failures: unknown[] = []
  const developer = createDeveloperClient({
    url,
    token: () => 'kds_x',
    retry(error, failed) {
      failures.push([error.code, failed])
      return 0
    },
  })
  assert.deepEqual(await developer.call('listProjects', {}), { projects: [] })
  const failed = { route: 'GET /v1/projects', mayRepeat: true }
  assert.deepEqual(failures, [
    ['unexpected_answer', { ...failed, retries: 0 }],
    ['unexpected_answer', { ...failed, retries: 1 }],
  ])
})

test('a page may call as a developer, but not with a secret key', async (t) => {
  const { sdkFiles, SDK_PACKAGE_FILES } = await import('../../../scripts/build-sdk.ts')
  const script = new Map(sdkFiles()).get(SDK_PACKAGE_FILES['developer.js'].file) ?? ''
  const url = await listen(t, (request, response) => {
    if (request.url === '/page') return response.setHeader('Content-Type', 'text/html').end('<p>page')
    if (request.url === '/developer.js')
      return response.setHeader('Content-Type', 'text/javascript').end(script)
    if (request.url === '/v1/projects/gone')
      return response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()
    return response.end(JSON.stringify({ projects: [request.headers.authorization] }))
  })
  const browser: Browser = await startBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.open(`${url}/page`)
  const seen = await page.read(`(async () => {
    const { createDeveloperClient, createSecretKeyClient } = await import('/developer.js')
    const { call } = createDeveloperClient({ url: location.origin, token: () => 'kds_page' })
    const codeOf = (error) => error.code
    return {
      projects: (await call('listProjects', {})).projects,
      redirect: await call('readProject', { params: { projectId: 'gone' } }).catch(codeOf),
      key: await (async () => createSecretKeyClient({ url: location.origin, secretKey: 'sk_x' }))().catch(codeOf),
    }
  })()`)
  assert.deepEqual(seen, {
    projects: ['Bearer kds_page'],
    redirect: 'unexpected_answer',
    key: 'secret_key_refused',
  })
})

test('[DSH-09] a developer follows the changes of an environment until the session ends', async () => {
  const { developer } = await signUp('events@example.com')
  const { project } = await developer.call('createProject', { body: { name: 'Events' } })
  const params = { projectId: project.id, env: 'development' } as const
  const opened = Promise.withResolvers<void>()
  const hinted = Promise.withResolvers<string>()
  const following = developer.followEvents(
    params,
    { onOpen: opened.resolve, onHint: ({ topic }) => hinted.resolve(topic) },
    new AbortController().signal,
  )
  await opened.promise
  await developer.call('pushConfig', { params, query: {}, body: { version: 1 } })
  assert.equal(await hinted.promise, 'config')
  await developer.call('logOut', {})
  await following

  const again = developer.followEvents(params, { onHint: () => assert.fail() }, new AbortController().signal)
  await assert.rejects(again, code('unauthorized'))
})

test('[DSH-09] following ends with `aborted` if the caller ends it, and with `network_error` if the stream breaks', async (t) => {
  const leaving = new AbortController()
  const url = await listen(t, ({ url: path = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\ndata: {"topic":"con')
    if (path.includes('prj_1')) response.write('fig"}\n\n: beat\n\n')
    else response.destroy()
  })
  const developer = createDeveloperClient({ url, token: () => 'kds_1' })
  const follow = (projectId: string, onHint: (hint: object) => void) =>
    developer.followEvents({ projectId, env: 'development' }, { onHint }, leaving.signal)
  await assert.rejects(
    follow('prj_2', () => assert.fail()),
    code('network_error'),
  )
  await assert.rejects(
    follow('prj_1', (hint) => {
      assert.deepEqual(hint, { topic: 'config' })
      leaving.abort()
    }),
    code('aborted'),
  )
})

test('[DSH-08] what has an ETag is asked for with it, and a 304 returns the same answer', async (t) => {
  const asked: (string | undefined)[] = []
  let version = 1
  const url = await listen(t, ({ headers }, response) => {
    asked.push(headers['if-none-match'])
    const etag = `"${version}"`
    if (headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
    response.writeHead(200, { etag, 'content-type': 'application/json' }).end(JSON.stringify({ version }))
  })
  const developer = createDeveloperClient({ url, token: () => 'kds_1' })
  const read = (projectId = 'prj_1') =>
    developer.call('readLiveView', { params: { projectId, env: 'development' } })
  assert.deepEqual([await read(), await read()], [{ version: 1 }, { version: 1 }])
  version = 2
  assert.deepEqual([await read(), await read()], [{ version: 2 }, { version: 2 }])
  assert.deepEqual(asked, [undefined, '"1"', '"1"', '"2"'])
  for (let other = 0; other < 10; other++) await read(`prj_other${other}`)
  await read()
  assert.equal(asked.at(-1), undefined, 'the oldest of eleven answers is not kept')
})
