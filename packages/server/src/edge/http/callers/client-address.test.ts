import assert from 'node:assert/strict'
import { test } from 'node:test'

import Fastify, { type FastifyInstance } from 'fastify'

import { createClientAddress } from './client-address.ts'

const serverWith = (trustedProxies: number, warn: (line: string) => void = () => {}) => {
  const addressOf = createClientAddress(trustedProxies, warn)
  const app = Fastify()
  app.get('/', (request) => ({ address: addressOf(request.raw) }))
  return app
}

async function addressWith(app: FastifyInstance, forwarded: string | undefined): Promise<string> {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return (await app.inject({ url: '/', headers })).json().address
}

const PROXY = '127.0.0.1'

for (const [trustedProxies, expected] of [
  [0, [PROXY, PROXY, PROXY, PROXY, PROXY]],
  [1, [PROXY, PROXY, '1.1.1.1', '1.1.1.1', '1.1.1.1']],
  [2, [PROXY, PROXY, '1.1.1.1', '6.6.6.6', '7.7.7.7']],
  [3, [PROXY, PROXY, '1.1.1.1', '6.6.6.6', '6.6.6.6']],
] as const)
  test(`[GEN-13] with ${trustedProxies} trusted proxies the client's address is ${trustedProxies} entries from the end`, async () => {
    const app = serverWith(trustedProxies)
    const sent = [undefined, '', '1.1.1.1', '6.6.6.6, 1.1.1.1', '6.6.6.6,7.7.7.7 , 1.1.1.1']
    assert.deepEqual(await Promise.all(sent.map((forwarded) => addressWith(app, forwarded))), expected)
    await app.close()
  })

test('[GEN-48] an address with a port, brackets or a zone is the address', async () => {
  const app = serverWith(1)
  for (const [entry, address] of [
    ['9.9.9.9:4001', '9.9.9.9'],
    ['[2001:db8::1]:4001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['[::ffff:192.0.2.1]:80', '::ffff:192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:4001', 'fe80::1'],
  ] as const)
    assert.equal(await addressWith(app, `6.6.6.6, ${entry}`), address, entry)
  await app.close()
})

test('[GEN-48] what is no address counts as the proxy that sent it, with one warning', async () => {
  for (const text of [
    'unknown',
    '_hidden:80',
    '9.9.9',
    '9.9.9.999',
    '[]:1',
    '[::g]:1',
    '9.9.9.9:',
    ':4001',
    'a%b',
  ]) {
    const lines: string[] = []
    const one = serverWith(1, (line) => void lines.push(line))
    const two = serverWith(2, (line) => void lines.push(line))
    assert.equal(await addressWith(one, `6.6.6.6, ${text}`), PROXY, text)
    assert.equal(await addressWith(one, text), PROXY, text)
    assert.equal(lines.length, 1)
    assert.ok(lines[0]?.includes(JSON.stringify(text)))
    // The nearer proxy has seen the address of the one that sent it.
    assert.equal(await addressWith(two, `${text}, 8.8.8.8`), '8.8.8.8', text)
    assert.equal(await addressWith(two, `7.7.7.7, ${text}`), '7.7.7.7', text)
    assert.equal(lines.length, 2)
    await Promise.all([one.close(), two.close()])
  }
})
