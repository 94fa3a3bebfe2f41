import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'

import { connect, isSvcError, SvcError } from '../src/index.ts'
import { createServerClient } from '../src/server.ts'
import { startWorld, type World } from './world.ts'

let world: World
before(async () => void (world = await startWorld({ features: { emailLogin: true } })))
after(() => world.stop())

/** Something in between that is not the service. */
async function answering(listener: RequestListener, work: (url: string) => Promise<void>) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a refusal is one class with code, status, details and a hint that names the switch', async () => {
  const svc = await world.client()
  const error = await svc.saves.list().catch((refusal: unknown) => refusal)
  assert.ok(error instanceof SvcError)
  assert.deepEqual([error.name, error.code, error.status], ['SvcError', 'feature_disabled', 403])
  assert.equal(error.details['configPath'], 'features.saves')
  assert.match(error.hint ?? '', /features\.saves to true in svc\.config\.json/)
  assert.match(error.message, /features\.saves/)
  assert.ok(isSvcError(error, 'feature_disabled') && !isSvcError(error, 'not_found') && isSvcError(error))
  assert.equal(isSvcError(new Error('feature_disabled')), false)
})

test('rooms and channels that are off are refused with a hint too', async () => {
  const svc = await world.client()
  for (const refused of [svc.rooms.create(), svc.rooms.quickMatch(), svc.channels.join('lobby')]) {
    await assert.rejects(refused, (error: SvcError) => error.code === 'feature_disabled')
  }
})

test('[GEN-47] a secret key is refused by connect, wherever', async () => {
  const { secretKey: key } = world.development
  await assert.rejects(connect({ url: world.url, key }), (error: SvcError) => {
    assert.match(error.hint ?? '', /createServerClient/)
    return error.code === 'secret_key_refused'
  })
})

test('connect outside of a page needs url and key', async () => {
  await assert.rejects(connect(), (error: SvcError) => error.code === 'invalid_options')
  await assert.rejects(connect({ url: world.url }), (error: SvcError) => error.code === 'invalid_options')
})

test('an unknown key is refused by the service, with a hint', async () => {
  await assert.rejects(
    connect({ url: world.url, key: 'pk_dev_unknown' }),
    (error: SvcError) => error.code === 'invalid_key' && error.status === 401 && error.hint !== undefined,
  )
})

test('[GEN-47] the server client throws in a browser at once', () => {
  Object.assign(globalThis, { importScripts: () => {} })
  try {
    const { secretKey } = world.development
    assert.throws(
      () => createServerClient({ url: world.url, secretKey }),
      (error: SvcError) => error.code === 'secret_key_refused',
    )
  } finally {
    Reflect.deleteProperty(globalThis, 'importScripts')
  }
})

test('the server client needs a secret key', () => {
  assert.throws(
    () => createServerClient({ url: world.url, secretKey: world.key }),
    (error: SvcError) => error.code === 'invalid_options',
  )
})

test('an answer that is not the service’s is an unexpected_answer, never a guess', async () => {
  const pages: RequestListener[] = [
    (_, response) => response.end('<html>Welcome to the hotel network'),
    (_, response) => response.writeHead(502).end('Bad gateway'),
    (_, response) => response.writeHead(418).end('{"error":"no code"}'),
  ]
  for (const page of pages) {
    await answering(page, (url) =>
      assert.rejects(
        connect({ url, key: world.key }),
        (error: SvcError) => error.code === 'unexpected_answer',
      ),
    )
  }
})

test('what only reads is tried again when the service is away for a moment; what writes is not', async () => {
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

test('no call waits for ever', async () => {
  await answering(
    () => {},
    async (url) => {
      const server = createServerClient({ url, secretKey: 'sk_dev_x', timeoutMs: 50 })
      await assert.rejects(server.config.push({}), (error: SvcError) => error.code === 'network_error')
    },
  )
})
