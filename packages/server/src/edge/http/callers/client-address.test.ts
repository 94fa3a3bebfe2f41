import assert from 'node:assert/strict'
import { test } from 'node:test'

import Fastify from 'fastify'

import { clientAddressOf } from './client-address.ts'

/** As in server.ts. */
const trustProxy = (trustedProxies: number) =>
  trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies)

for (const trustedProxies of [0, 1, 2, 3])
  test(`[GEN-13] with ${trustedProxies} trusted proxies a WebSocket has the address that a request would have`, async () => {
    const app = Fastify({ trustProxy: trustProxy(trustedProxies) })
    app.get('/', (request) => ({ ip: request.ip, address: clientAddressOf(request.raw, trustedProxies) }))
    for (const forwarded of [
      undefined,
      '',
      '1.1.1.1',
      '6.6.6.6, 1.1.1.1',
      '6.6.6.6,7.7.7.7 , 1.1.1.1',
      '2001:db8::1',
    ]) {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      const { ip, address } = (await app.inject({ url: '/', headers })).json()
      assert.equal(address, ip, String(forwarded))
    }
    await app.close()
  })

test('[GEN-13] without trusted proxies X-Forwarded-For is ignored', async () => {
  const app = Fastify()
  app.get('/', (request) => ({ address: clientAddressOf(request.raw, 0) }))
  const { address } = (await app.inject({ url: '/', headers: { 'x-forwarded-for': '1.1.1.1' } })).json()
  assert.equal(address, '127.0.0.1')
  await app.close()
})
