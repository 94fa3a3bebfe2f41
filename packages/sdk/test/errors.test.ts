import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'

import { newError } from '../src/http/errors.ts'
import { resolveService } from '../src/http/service-location.ts'
import { connect, isSvcError, type Platform, SvcError } from '../src/index.ts'
import { createServerClient } from '../src/server/server.ts'
import { signInError } from '../src/session/sign-in-errors.ts'
import { eventually, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures({ features: { emailLogin: true } })))
after(() => fixtures.stop())

/** A server with the header of the service. */
async function answering(listener: RequestListener, work: (url: string) => Promise<void>) {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', 'req_1')
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('an error has one class with code, status, details and a hint with the switch', async () => {
  const svc = await fixtures.client()
  const error = await svc.saves.list().catch((refusal: unknown) => refusal)
  assert.ok(error instanceof SvcError)
  assert.deepEqual([error.name, error.code, error.status], ['SvcError', 'feature_disabled', 403])
  assert.equal(error.details['configPath'], 'features.saves')
  assert.equal(error.hint, 'Run: svc enable saves')
  assert.ok(error.message.endsWith(error.hint))
  assert.equal(inspect(error).split('enable saves').length - 1, 1, 'a console prints the hint once')
  assert.ok(isSvcError(error, 'feature_disabled') && !isSvcError(error, 'not_found') && isSvcError(error))
  assert.equal(isSvcError(new Error('feature_disabled')), false)
})

test('errors of the SDK and of provider pages have a message, too', () => {
  assert.match(new SvcError('popup_blocked').message, /^[A-Z][^_]+\./)
  const codes = ['popup_closed', 'access_denied', 'identity_already_linked', 'provider_error'] as const
  for (const code of codes) assert.match(signInError(newError, code).message, /^[A-Z][^_]+\./)
  assert.match(new SvcError('identity_already_linked').hint ?? '', /orSignIn: true/)
})

test('an address without a scheme is reported', async () => {
  await assert.rejects(
    connect({ url: 'localhost:8787', key: 'pk_dev_x' }),
    (error: SvcError) => error.code === 'invalid_options' && /must begin with http/.test(error.message),
  )
})

test('rooms and channels that are off fail with a hint, too', async () => {
  const svc = await fixtures.client()
  for (const refused of [svc.rooms.create(), svc.rooms.quickMatch(), svc.channels.join('lobby')]) {
    await assert.rejects(refused, (error: SvcError) => error.code === 'feature_disabled')
  }
})

test('[GEN-47] connect rejects a secret key everywhere', async () => {
  const { secretKey: key } = fixtures.development
  await assert.rejects(connect({ url: fixtures.url, key }), (error: SvcError) => {
    assert.match(error.hint ?? '', /createServerClient/)
    return error.code === 'secret_key_refused'
  })
})

test('connect outside of a page needs url and key', async () => {
  await assert.rejects(connect(), (error: SvcError) => error.code === 'invalid_options')
  await assert.rejects(connect({ url: fixtures.url }), (error: SvcError) => error.code === 'invalid_options')
})

test('an unknown key fails with a hint', async () => {
  await assert.rejects(
    connect({ url: fixtures.url, key: 'pk_dev_unknown' }),
    (error: SvcError) => error.code === 'invalid_key' && error.status === 401 && error.hint !== undefined,
  )
})

test('[GEN-47] the server client throws immediately in a browser', () => {
  Object.assign(globalThis, { importScripts: () => {} })
  try {
    const { secretKey } = fixtures.development
    assert.throws(
      () => createServerClient({ url: fixtures.url, secretKey }),
      (error: SvcError) => error.code === 'secret_key_refused',
    )
  } finally {
    Reflect.deleteProperty(globalThis, 'importScripts')
  }
})

test('the server client needs a secret key', () => {
  assert.throws(
    () => createServerClient({ url: fixtures.url, secretKey: fixtures.key }),
    (error: SvcError) => error.code === 'invalid_options',
  )
})

test('a response that is not from the service is an unexpected_answer', async () => {
  const pages: RequestListener[] = [
    (_, response) => response.end('<html>Welcome to the hotel network'),
    (_, response) => response.writeHead(502).end('Bad gateway'),
    (_, response) => response.writeHead(418).end('{"error":"no code"}'),
  ]
  for (const page of pages) {
    await answering(page, (url) =>
      assert.rejects(
        connect({ url, key: fixtures.key }),
        (error: SvcError) => error.code === 'unexpected_answer',
      ),
    )
  }
})

test('reads are retried if the service is briefly unavailable, writes are not', async () => {
  const seen: string[] = []
  const busy: RequestListener = ({ method }, response) => {
    seen.push(String(method))
    const body = { error: { code: 'service_unavailable', message: 'later' } }
    if (seen.length % 3 !== 0) response.writeHead(503)
    response.end(JSON.stringify(seen.length % 3 === 0 ? { config: {}, version: 1, updatedAt: null } : body))
  }
  await answering(busy, async (url) => {
    const server = createServerClient({ url, secretKey: 'sk_dev_x' })
    assert.equal((await server.config.read()).version, 1)
    await assert.rejects(server.config.push({}), (error: SvcError) => error.status === 503)
  })
  assert.deepEqual(seen, ['GET', 'GET', 'GET', 'PUT'])
})

test('every call times out', async () => {
  await answering(
    () => {},
    async (url) => {
      const server = createServerClient({ url, secretKey: 'sk_dev_x', timeoutMs: 50 })
      await assert.rejects(server.config.push({}), (error: SvcError) => error.code === 'network_error')
    },
  )
})

test('[GEN-13] rate-limited calls, writes too, are retried after a short Retry-After', async () => {
  const seen: string[] = []
  const limited: RequestListener = ({ method }, response) => {
    seen.push(String(method))
    const error = { code: 'rate_limited', message: 'slower', details: { retryAfterSeconds: 1 } }
    if (seen.length % 2 === 1) response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ error }))
    else response.end('{}')
  }
  await answering(limited, async (url) => {
    const server = createServerClient({ url, secretKey: 'sk_dev_x' })
    await server.config.push({})
    await server.config.read()
  })
  assert.deepEqual(seen, ['PUT', 'PUT', 'GET', 'GET'])
})

test('[GEN-13] a longer Retry-After is passed to the caller in seconds, also from a proxy', async () => {
  let requests = 0
  const pages: RequestListener[] = [
    (_, response) => response.writeHead(429, { 'Retry-After': '42' }).end('Too many requests'),
    (_, response) =>
      response
        .writeHead(429, { 'Retry-After': '42' })
        .end('{"error":{"code":"rate_limited","message":"slower","details":{"retryAfterSeconds":42}}}'),
  ]
  for (const page of pages) {
    const counting: RequestListener = (request, response) => (requests++, page(request, response))
    await answering(counting, async (url) => {
      const server = createServerClient({ url, secretKey: 'sk_dev_x' })
      await assert.rejects(server.config.read(), (error: SvcError) => {
        assert.deepEqual(error.details, { retryAfterSeconds: 42 })
        assert.match(error.hint ?? '', /42 s/)
        return error.code === 'rate_limited' && error.status === 429
      })
    })
  }
  assert.equal(requests, 2)
})

const hosted = { apiUrl: 'https://api.example.com', key: 'pk_dev_1' }
const failed = () => Promise.reject(new TypeError('Failed to fetch'))
/** Of the policies for retries: never. */
const never = () => undefined
const initAnswers: [what: string, fetch: Platform['fetch'], error: string][] = [
  ['nothing', failed, 'network_error'],
  ['503', async () => new Response('', { status: 503 }), 'unexpected_answer'],
  ['403 of a proxy', async () => new Response('<html>', { status: 403 }), 'unexpected_answer'],
  ['413 of a proxy', async () => new Response('', { status: 413 }), 'unexpected_answer'],
  ['the sign-in page of a network', async () => new Response('<html>'), 'unexpected_answer'],
  ['JSON of something else', async () => Response.json({}), 'unexpected_answer'],
  ['null', async () => Response.json(null), 'unexpected_answer'],
  ['404', async () => new Response('', { status: 404 }), 'invalid_options'],
]
for (const [what, fetch, error] of initAnswers)
  test(`[AUT-29] [AUT-30] ${what} instead of init.json is ${error}; a page that was here before ${error === 'invalid_options' ? 'too' : 'goes on with what it had'}`, async () => {
    const page = { location: { hash: '' }, localStorage: sharedStorage() } as unknown as Window
    const refused = (reason: SvcError) => reason.code === error && reason.message.includes('init.json')
    await assert.rejects(resolveService({ fetch, page, random: Math.random }, {}, never), refused)

    const first = await resolveService(
      { fetch: async () => Response.json(hosted), page, random: Math.random },
      {},
    )
    assert.deepEqual([first.url, first.key], [hosted.apiUrl, hosted.key])
    const again = resolveService({ fetch, page, random: Math.random }, {}, never)
    if (error === 'invalid_options') await assert.rejects(again, refused)
    else assert.deepEqual(await again, first)
  })

test('[AUT-29] an init.json that is late is used in the next visit; one that is garbage in the storage is not used', async () => {
  const storage = sharedStorage()
  const page = { location: { hash: '' }, localStorage: storage } as unknown as Window
  const visit = (fetch: Platform['fetch']) => resolveService({ fetch, page, random: Math.random }, {}, never)
  for (const text of ['{', '1', 'null', '{}', '{"key":"pk_dev_1"}']) {
    storage.values.set('svc.init', text)
    await assert.rejects(visit(failed), { code: 'network_error' })
  }
  await visit(async () => Response.json(hosted))
  const late = Promise.withResolvers<Response>()
  assert.equal((await visit(() => late.promise)).key, 'pk_dev_1')
  late.resolve(Response.json({ ...hosted, key: 'pk_dev_2' }))
  await eventually(() => storage.values.get('svc.init')?.includes('pk_dev_2') === true, 'the new one')
  assert.equal((await visit(failed)).key, 'pk_dev_2')
})

test('[AUT-29] [SAV-14] a first visit outlives a restart of the service: init.json is read again', async () => {
  const page = { location: { hash: '' }, localStorage: sharedStorage() } as unknown as Window
  const answers = [failed, async () => new Response('', { status: 502 }), async () => Response.json(hosted)]
  const fetch: Platform['fetch'] = () => (answers.shift() ?? assert.fail())()
  const { key } = await resolveService({ fetch, page, random: () => 0 }, {})
  assert.deepEqual([key, answers.length], [hosted.key, 0])
})

test('an invalid address fails with an error that contains it', async () => {
  const svc = await fixtures.client({ realtimeUrl: 'nonsense://nowhere' })
  await assert.rejects(
    svc.rooms.create(),
    (error: SvcError) => error.code === 'invalid_options' && error.message.includes('nonsense://nowhere'),
  )
})
