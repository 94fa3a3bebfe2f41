import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'

import { startDns } from '../../testing/dns-server.ts'
import { answerWithoutEnd, ENDLESS_ANSWERS } from '../../testing/endless-answers.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { createOutbound, type Outgoing } from './outbound.ts'

const LIMITS = { timeoutMs: 2_000, answerBytesMax: 1_000 }

const to = (url: string, options: Partial<Outgoing> = {}): Outgoing => ({
  url,
  headers: { 'Content-Type': 'text/plain' },
  body: 'héllo',
  allowLoopback: true,
  ...LIMITS,
  ...options,
})

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const http = (t: TestContext, answer: RequestListener) => listening(t, createServer(answer))

test('the request arrives, and the response is returned', async (t) => {
  const port = await http(t, (request, response) => {
    const { method, url, headers } = request
    response.writeHead(202).write(`${method} ${url} ${headers['content-length']} `)
    request.pipe(response)
  })
  const outbound = createOutbound()
  for (const host of ['localhost', '127.0.0.1', 'app.localhost', 'localhost.']) {
    const { status, text, error } = await outbound.post(to(`http://${host}:${port}/a?b=c`))
    assert.deepEqual([status, text, error], [202, 'POST /a?b=c 6 héllo', null])
  }
})

test('an answer of the maximum size is accepted, one byte more is an error', async (t) => {
  const port = await http(
    t,
    (request, response) => void response.end('x'.repeat(Number(request.url?.slice(1)))),
  )
  const outbound = createOutbound()
  assert.equal((await outbound.post(to(`http://localhost:${port}/1000`))).text.length, 1_000)
  const { error } = await outbound.post(to(`http://localhost:${port}/1001`))
  assert.equal(error, 'the answer has more than 1000 bytes')
})

test('an answer that ends with its connection is complete', async (t) => {
  const port = await listening(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nthat is all'))
    }),
  )
  const { status, text, error } = await createOutbound().post(to(`http://localhost:${port}/`))
  assert.deepEqual([status, text, error], [200, 'that is all', null])
})

test('a server that does not speak HTTP causes an error of its own', async (t) => {
  const port = await listening(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n'))
    }),
  )
  const { status, error } = await createOutbound().post(to(`http://localhost:${port}/`))
  assert.equal(status, null)
  assert.match(String(error), /Parse Error/)
})

test('a 101 response counts as no response', async (t) => {
  const port = await listening(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => {})
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      socket.once('data', () => socket.write(head))
    }),
  )
  const { status, error } = await createOutbound().post(to(`http://localhost:${port}/`))
  assert.deepEqual([status, error], [null, 'the answer switches to another protocol'])
})

test('a keep-alive connection that the other side has closed is replaced once', async (t) => {
  const seen = new WeakSet<object>()
  let refused = 0
  const port = await http(t, (request, response) => {
    if (!seen.has(request.socket)) {
      seen.add(request.socket)
      return void response.end('ok')
    }
    refused++
    request.socket.resetAndDestroy()
  })
  const outbound = createOutbound()
  for (let i = 0; i < 3; i++) assert.equal((await outbound.post(to(`http://localhost:${port}/`))).text, 'ok')
  assert.equal(refused, 2)
})

test('the deadline covers a server that accepts the connection and never responds', async (t) => {
  const port = await listening(
    t,
    createTcpServer((socket) => void socket.on('error', () => {}).resume()),
  )
  for (const url of [`http://localhost:${port}/`, `https://localhost:${port}/`]) {
    const { error } = await createOutbound().post(to(url, { timeoutMs: 100 }))
    assert.equal(error, 'no complete answer within 100 ms')
  }
})

for (const name of Object.keys(ENDLESS_ANSWERS))
  test(`[FUN-15] a server that sends ${name} without end is left after few bytes, or at the deadline`, async (t) => {
    let received = 0
    const port = await listening(
      t,
      createTcpServer((socket) => {
        answerWithoutEnd(socket, () => {})
        socket.on('close', () => (received += socket.bytesWritten - socket.writableLength))
      }),
    )
    const { text, error } = await createOutbound().post(
      to(`http://localhost:${port}/${name}`, { timeoutMs: 1_000 }),
    )
    if (name !== 'redirects') assert.notEqual(error, null)
    assert.ok(text.length <= LIMITS.answerBytesMax + 65_536)
    await comesTrue('the connection is closed', () => name === 'redirects' || received > 0)
    // Kernel buffers have what was sent and not read.
    assert.ok(received < 16_000_000, `${received} bytes were sent`)
  })

test('an untrusted certificate is rejected before a byte is sent', async (t) => {
  let requests = 0
  const port = await listening(
    t,
    createTlsServer(selfSigned('localhost'), (_, response) => void response.end(String(requests++))),
  )
  const { status, error } = await createOutbound().post(to(`https://localhost:${port}/`))
  assert.equal(status, null)
  assert.match(String(error), /self-signed certificate/)
  assert.equal(requests, 0)
})

const REFUSED = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://①②⑦.0.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://[::]/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
]

for (const url of REFUSED) {
  test(`no request is sent to ${url}`, async () => {
    const { status, error } = await createOutbound().post(to(url, { allowLoopback: false }))
    assert.equal(status, null)
    assert.match(String(error), /is not on the public internet$/)
  })
}

test('other hosts are called by https only, and private networks never', async () => {
  const outbound = createOutbound()
  assert.equal((await outbound.post(to('http://192.0.2.1/'))).error, 'http://192.0.2.1 is not https')
  assert.equal((await outbound.post(to('https://10.0.0.1/'))).error, '10.0.0.1 is not on the public internet')
})

test('a name is resolved once, and not called if any of its addresses is private', async (t) => {
  const dns = await startDns(t, {
    'inside.example': ['127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'both.example': ['93.184.215.14', '10.0.0.1'],
    'six.example': ['::1'],
    'mapped.example': ['::ffff:7f00:1'],
  })
  const outbound = createOutbound(dns.resolver)
  for (const name of dns.names) {
    dns.questions.length = 0
    const { error } = await outbound.post(to(`https://${name}/`, { allowLoopback: false }))
    assert.equal(error, `${name} is not on the public internet`)
    assert.deepEqual(dns.questions.toSorted(), [`${name} A`, `${name} AAAA`])
  }
})

test('a name without an address, and a name server that never responds, are reported', async (t) => {
  const dns = await startDns(t, {})
  const outbound = createOutbound(dns.resolver)
  assert.equal((await outbound.post(to('https://none.example/'))).error, 'none.example has no address')
  dns.fallSilent()
  const { error } = await outbound.post(to('https://silent.example/', { timeoutMs: 100 }))
  assert.equal(error, 'no complete answer within 100 ms')
})

/** A self-signed certificate: X.509 version 1, written byte by byte. */
function selfSigned(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const der = (tag: number, ...parts: Buffer[]) => {
    const content = Buffer.concat(parts)
    const { length } = content
    const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
    return Buffer.concat([Buffer.from([tag, ...size]), content])
  }
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(name)))
  const subject = der(0x30, der(0x31, commonName))
  const validity = der(
    0x30,
    ...['20200101000000Z', '21200101000000Z'].map((time) => der(0x18, Buffer.from(time))),
  )
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const content = der(0x30, der(0x02, Buffer.from([1])), ecdsaWithSha256, subject, validity, subject, key)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const certificate = der(0x30, content, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  }
}
