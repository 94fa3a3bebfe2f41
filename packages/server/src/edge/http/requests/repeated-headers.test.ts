import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { deploy, newApp } from '../../../testing/hosted-apps.ts'
import { type Service, startService } from '../../../testing/service.ts'

describe('headers that a request may carry only once', () => {
  let service: Service
  let port: number
  let app: string
  before(async () => {
    service = await startService('sqlite')
    await service.http.listen({ host: '127.0.0.1', port: 0 })
    port = (service.http.server.address() as AddressInfo).port
    const project = await newApp(service)
    await deploy(service, project.production, { 'index.html': 'hello' })
    app = `${project.slug}.localhost`
  })
  after(() => service.stop())

  async function answerTo(lines: string[]) {
    const socket = connect(port, '127.0.0.1')
    const close = lines.some((line) => line.startsWith('Connection:')) ? [] : ['Connection: close']
    socket.write([...lines, ...close, '\r\n'].join('\r\n'))
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    await once(socket, 'close')
    return { status: Number(text.slice(9, 12)), head: text.split('\r\n\r\n')[0] ?? '', text }
  }

  const repeated: [name: string, lines: string[]][] = [
    ['Host', ['Host: a.example', 'Host: b.example']],
    ['Host', ['Host: a.example', 'HOST: a.example']],
    ['Authorization', ['Host: x', 'Authorization: Bearer a', 'authorization: Bearer b']],
    ['X-Svc-Key', ['Host: x', 'X-Svc-Key: pk_a', 'X-Svc-Key: pk_b']],
    ['Idempotency-Key', ['Host: x', 'Idempotency-Key: a', 'Idempotency-Key: b']],
    ['Content-Type', ['Host: x', 'Content-Type: application/json', 'Content-Type: text/plain']],
    ['Origin', ['Host: x', 'Origin: https://a.example', 'Origin: https://b.example']],
  ]
  for (const [name, lines] of repeated) {
    test(`two ${name} headers (${lines.at(-1)}) answer 400 invalid_request with the name of the header`, async () => {
      const { status, head, text } = await answerTo(['GET /v1/platform/info HTTP/1.1', ...lines])
      assert.equal(status, 400, text)
      assert.match(head, /^X-Request-Id: req_/im)
      assert.match(text, new RegExp(`the header ${name} must occur only once`))
    })
  }

  test('two Host headers of hosted apps answer 400, whichever comes first', async () => {
    for (const hosts of [
      [app, 'other.localhost'],
      ['other.localhost', app],
      [app, `127.0.0.1:${port}`],
    ]) {
      const { status, text } = await answerTo(['GET / HTTP/1.1', ...hosts.map((host) => `Host: ${host}`)])
      assert.equal(status, 400, text)
      assert.doesNotMatch(text, /hello/)
    }
    assert.equal((await answerTo(['GET / HTTP/1.1', `Host: ${app}`])).status, 200)
  })

  test('two Host headers of a WebSocket handshake answer 400', async () => {
    const { status, text } = await answerTo([
      'GET /v1/realtime HTTP/1.1',
      'Host: 127.0.0.1',
      'Host: b.example',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ])
    assert.equal(status, 400)
    assert.match(text, /the header Host must occur only once/)
  })

  test('headers that are lists may occur several times', async () => {
    const lines = ['Accept: text/html', 'Accept: */*', 'Accept-Encoding: gzip', 'Accept-Encoding: br']
    assert.equal((await answerTo(['GET /healthz HTTP/1.1', 'Host: localhost', ...lines])).status, 200)
  })
})
