import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, mock, test } from 'node:test'

import { ApiError } from '../../../platform/api-error.ts'
import { clientClose, clientText, HANDSHAKE_KEY, startLinks } from '../../../testing/raw-websocket.ts'
import { acceptWebSocket, refuseUpgrade } from './upgrade.ts'

// No peer is disconnected by time unless a test moves the timers.
mock.timers.enable({ apis: ['setInterval'] })

const GOOD = {
  Host: 'svc.test',
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Key': HANDSHAKE_KEY,
  'Sec-WebSocket-Version': '13',
}

type Change = {
  line?: string
  /** Replaces headers; null removes them. */
  headers?: Record<string, string | null>
  /** Complete lines after the others. */
  more?: string[]
}

function requestOf({ line = 'GET /v1/realtime HTTP/1.1', headers = {}, more = [] }: Change): string {
  const lines = Object.entries({ ...GOOD, ...headers }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  )
  return [line, ...lines, ...more, '\r\n'].join('\r\n')
}

describe('the handshake', () => {
  let server: Server
  let port: number
  let accepted = 0
  let refused = 0
  before(async () => {
    server = createServer().on('upgrade', (request, socket, head) => {
      const requestIds = () => `req_${++refused}`
      if (request.url === '/elsewhere')
        return refuseUpgrade(socket, new ApiError('service_unavailable'), requestIds())
      const link = acceptWebSocket(request, socket, head, { payloadBytesMax: 100, requestIds })
      if (!link) return
      accepted++
      link.close(1000, '')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  /** Returns all that the server sends until it ends its side; an accepted WebSocket is closed immediately. */
  async function answerTo(request: string) {
    const before = accepted
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let text = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece
      if (text.startsWith('HTTP/1.1 101')) socket.end(clientClose(1000))
    })
    await once(socket, 'close')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const [status = '', ...headers] = head.split('\r\n')
    return { status, headers, body, isAccepted: accepted > before }
  }

  const good: [name: string, change: Change][] = [
    ['as browsers send it', {}],
    ['Connection lists other options too', { headers: { Connection: 'keep-alive, Upgrade' } }],
    ['Connection comes twice', { headers: { Connection: 'keep-alive' }, more: ['Connection: upgrade'] }],
    ['tokens in capitals', { headers: { Upgrade: 'WebSocket', Connection: 'UPGRADE' } }],
    ['Upgrade lists other protocols too', { headers: { Upgrade: 'example/1, websocket' } }],
    ['names in capitals', { headers: { Upgrade: null }, more: ['UPGRADE: websocket'] }],
    ['a key of + and /', { headers: { 'Sec-WebSocket-Key': '+/+/+/+/+/+/+/+/+/+/+w==' } }],
    [
      'an extension is offered',
      { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' } },
    ],
    ['a subprotocol is offered', { headers: { 'Sec-WebSocket-Protocol': 'chat, superchat' } }],
    ['from a page', { headers: { Origin: 'https://game.example' } }],
    ['with a query', { line: 'GET /v1/realtime?x=1 HTTP/1.1' }],
  ]
  for (const [name, change] of good) {
    test(`accepted: ${name}`, async () => {
      const { status, headers, isAccepted } = await answerTo(requestOf(change))
      assert.equal(status, 'HTTP/1.1 101 Switching Protocols')
      assert.ok(isAccepted)
      assert.deepEqual(
        headers.map((header) => header.split(':')[0]),
        ['Upgrade', 'Connection', 'Sec-WebSocket-Accept', 'X-Request-Id'],
      )
    })
  }

  test('the accept key is that of the example in the RFC', async () => {
    const { headers } = await answerTo(requestOf({}))
    assert.ok(headers.includes('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo='))
  })

  const bad: [name: string, change: Change, says: RegExp][] = [
    ['POST', { line: 'POST /v1/realtime HTTP/1.1' }, /requires GET/],
    ['PUT', { line: 'PUT /v1/realtime HTTP/1.1' }, /requires GET/],
    ['HTTP/1.0', { line: 'GET /v1/realtime HTTP/1.0' }, /HTTP\/1\.1/],
    ['no Host', { headers: { Host: null } }, /Host/],
    ['two Hosts', { more: ['host: svc.test'] }, /Host must occur only once/],
    ['another protocol', { headers: { Upgrade: 'h2c' } }, /Upgrade must contain websocket/],
    [
      'a protocol that only begins alike',
      { headers: { Upgrade: 'websockets' } },
      /Upgrade must contain websocket/,
    ],
    ['a version of the protocol', { headers: { Upgrade: 'websocket/13' } }, /Upgrade must contain websocket/],
    ['a body', { headers: { 'Content-Length': '4' }, more: ['', 'body'] }, /no body/],
    ['an empty body', { headers: { 'Content-Length': '0' } }, /no body/],
    ['a body in chunks', { headers: { 'Transfer-Encoding': 'chunked' }, more: ['', '0'] }, /no body/],
    ['no key', { headers: { 'Sec-WebSocket-Key': null } }, /Key/],
    ['an empty key', { headers: { 'Sec-WebSocket-Key': '' } }, /Key/],
    ['a key of 15 bytes', { headers: { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25j' } }, /Key/],
    ['a key of 17 bytes', { headers: { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQE=' } }, /Key/],
    ['a key of 18 bytes', { headers: { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQEB' } }, /Key/],
    ['a key without its padding', { headers: { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ' } }, /Key/],
    ['a key in base64url', { headers: { 'Sec-WebSocket-Key': '-_-_-_-_-_-_-_-_-_-_-w==' } }, /Key/],
    ['two keys', { more: [`Sec-WebSocket-Key: ${HANDSHAKE_KEY}`] }, /Key/],
  ]
  for (const [name, change, says] of bad) {
    test(`rejected with 400 invalid_request: ${name}`, async () => {
      const { status, headers, body, isAccepted } = await answerTo(requestOf(change))
      assert.equal(status, 'HTTP/1.1 400 Bad Request')
      assert.ok(headers.includes('Connection: close'))
      assert.ok(headers.includes(`X-Request-Id: req_${refused}`))
      assert.ok(headers.includes(`Content-Length: ${body.length}`))
      const { error } = JSON.parse(body)
      assert.equal(error.code, 'invalid_request')
      assert.match(error.details.errors[0].message, says)
      assert.ok(!isAccepted)
    })
  }

  for (const version of ['0', '8', '12', '14', '130', '013', '', '13, 13', 'x', null]) {
    test(`rejected with 426 and the supported version: version ${version ?? 'missing'}`, async () => {
      const { status, headers, body, isAccepted } = await answerTo(
        requestOf({ headers: { 'Sec-WebSocket-Version': version } }),
      )
      assert.equal(status, 'HTTP/1.1 426 Upgrade Required')
      assert.ok(headers.includes('Sec-WebSocket-Version: 13'))
      assert.ok(headers.includes(`X-Request-Id: req_${refused}`))
      const { code, details } = JSON.parse(body).error
      assert.deepEqual([code, details], ['upgrade_required', { version: '13' }])
      assert.ok(!isAccepted)
    })
  }

  test('other rejections have their own status; a busy one has Retry-After', async () => {
    const { status, headers, body } = await answerTo(requestOf({ line: 'GET /elsewhere HTTP/1.1' }))
    assert.equal(status, 'HTTP/1.1 503 Service Unavailable')
    assert.ok(headers.includes('Retry-After: 1'))
    assert.ok(headers.includes(`X-Request-Id: req_${refused}`))
    assert.equal(JSON.parse(body).error.code, 'service_unavailable')
  })

  test('a rejected client that closes is removed immediately', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(requestOf({ line: 'POST / HTTP/1.1' }))
    const [upgraded] = await once(server, 'upgrade')
    socket.write('more')
    await Promise.all([once(upgraded.socket, 'close'), once(socket.resume(), 'close')])
  })

  test('a rejected client that does not close is disconnected', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    socket.write(requestOf({ line: 'POST / HTTP/1.1' }))
    const [upgraded] = await once(server, 'upgrade')
    socket.resume()
    await once(socket, 'end')
    assert.equal(upgraded.socket.destroyed, false)
    mock.timers.tick(2_000)
    await once(upgraded.socket, 'close')
    socket.destroy()
  })
})

test('frames in the packet of the handshake are delivered', async (t) => {
  const links = await startLinks()
  t.after(links.stop)
  const { client, received } = await links.open(Buffer.concat([clientText('early'), clientText('bird')]))
  await received.until(() => received.messages.length === 2)
  assert.deepEqual(received.messages, ['early', 'bird'])
  client.socket.destroy()
})
