import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'

import { guardedLookup, isLoopbackHost, isPublicAddress, limitedAddress } from './networks.ts'

const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 168.63.129.15
  169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
  2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001:80b::200e 2003::1`

const NOT_PUBLIC = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254
  168.63.129.16 172.16.0.0 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.0 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 64:ff9b::7f00:1 64:ff9b::8.8.8.8
  64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:20::1 2001:db8::1 2002:7f00:1::
  2002:808:808:: 3fff::1 3fff:fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 ff02::1
  127.1 2130706433 0x7f.1 0177.0.0.1 [::1] localhost example.com`

const words = (text: string) => text.trim().split(/\s+/)

describe('an address of the public internet', () => {
  for (const ip of words(PUBLIC)) test(`is ${ip}`, () => assert.equal(isPublicAddress(ip), true))
  for (const ip of [...words(NOT_PUBLIC), ''])
    test(`is not ${ip}`, () => assert.equal(isPublicAddress(ip), false))
})

test('loopback is 127.0.0.0/8, ::1 and localhost', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
    assert.equal(isLoopbackHost(host), true, host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '::2', 'localhost.example.com', '']) {
    assert.equal(isLoopbackHost(host), false, host)
  }
})

test('[GEN-13] limits per address count an IPv4 address, or the /64 of an IPv6 address', () => {
  const same = [
    ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:c000:0201'],
    [
      '2001:db8:0:7::1',
      '2001:DB8::7:0:0:0:2',
      '2001:0db8:0000:0007:ffff:ffff:ffff:ffff',
      '2001:db8:0:7::1.2.3.4',
    ],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::1', '::2', '::'],
  ]
  const counted = same.map((addresses) => new Set(addresses.map(limitedAddress)))
  for (const [at, set] of counted.entries()) assert.equal(set.size, 1, String(same[at]))
  assert.equal(new Set(counted.flatMap((set) => [...set])).size, same.length)

  assert.equal(limitedAddress('192.0.2.1'), '192.0.2.1')
  assert.equal(limitedAddress('2001:db8::1'), '2001:db8:0:0::/64')
  const neighbours = ['192.0.2.2', '2001:db8:0:8::1', '2001:db8:1:7::1']
  assert.equal(new Set(neighbours.map(limitedAddress)).size, 3)
  // A proxy may write anything.
  for (const text of ['', 'unknown', ':', '::::', 'a:b', '_hidden:80'])
    assert.equal(limitedAddress(text), text)
})

test('a request to a name with a private address is never sent', async (t) => {
  let requests = 0
  const server = createServer((_, response) => void response.end(String(requests++))).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const call = request({ host: 'localhost', port, lookup: guardedLookup }).end()
  const [error] = await once(call, 'error')

  assert.match(String(error), /localhost is not on the public internet/)
  assert.equal(requests, 0)
})

test('a name that cannot be resolved fails as it does without the guard', async () => {
  // Longer than a label may be, so that no name server is asked.
  const call = request({ host: 'a'.repeat(64), port: 1, lookup: guardedLookup }).end()
  const [error] = (await once(call, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.syscall, 'getaddrinfo')
})
