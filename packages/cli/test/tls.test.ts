import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { type TestSetup, startTestSetup } from './cli.ts'

/** The service behind a proxy with https, as Caddy or mkcert set one up on a developer's machine. */
describe('https', () => {
  let setup: TestSetup
  let proxy: ReturnType<typeof createServer>
  let port: number
  let ca: string
  let hosts: (string | undefined)[] = []

  before(async () => {
    setup = await startTestSetup({ SVC_BASE_URL: 'https://svc.localhost' })
    ca = join(setup.root, 'cert.pem')
    const key = join(setup.root, 'key.pem')
    const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
    const named = '-subj /CN=svc.localhost -addext subjectAltName=DNS:svc.localhost'
    const args = [...`${made} ${named}`.split(' '), '-keyout', key, '-out', ca]
    execFileSync('openssl', args, { stdio: 'ignore' })
    proxy = createServer({ cert: await readFile(ca), key: await readFile(key) }, (asked, answer) => {
      hosts.push(asked.headers.host)
      const { method, url, headers } = asked
      const onward = request({ port: setup.port, method, path: url, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
      })
      asked.pipe(onward)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    ;({ port } = proxy.address() as AddressInfo)
  })
  after(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await setup.stop()
  })

  test('a certificate of an unknown authority: the message contains NODE_EXTRA_CA_CERTS', async () => {
    const url = `https://svc.localhost:${port}`
    const { code, err } = await setup.program(['login', '--local', '--url', url])
    assert.equal(code, 5)
    assert.match(
      err,
      /its certificate is not from a known authority: DEPTH_ZERO_SELF_SIGNED_CERT\)\.\n {2}→ .*NODE_EXTRA_CA_CERTS/,
    )

    const examined = await setup.program(['doctor', '--url', url])
    assert.match(examined.out, /✖ service .*not from a known authority.*→ .*NODE_EXTRA_CA_CERTS/)
  })

  test('a name under localhost works over https, with the name in the handshake and in the Host header', async () => {
    hosts = []
    const url = `https://svc.localhost:${port}`
    const { code, err } = await setup.program(['login', '--local', '--url', url], {
      variables: { NODE_EXTRA_CA_CERTS: ca },
    })
    assert.equal(code, 0, err)
    assert.deepEqual([...new Set(hosts)], [`svc.localhost:${port}`])
  })

  test('a certificate for another name, and a service without https, are reported', async () => {
    const variables = { NODE_EXTRA_CA_CERTS: ca }
    const other = await setup.program(['login', '--local', '--url', `https://other.localhost:${port}`], {
      variables,
    })
    assert.match(other.err, /its certificate is for another name/)
    const plain = await setup.program(['login', '--local', '--url', `https://localhost:${setup.port}`], {
      variables,
    })
    assert.match(plain.err, /it does not speak https\)\.\n {2}→ Use http:\/\//)
  })
})
