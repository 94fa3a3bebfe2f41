import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

import { createStoppedClock } from '../../../platform/clock.ts'
import { clusterOnOwnRedis } from '../../../testing/cluster.ts'
import { argumentsOf, CALL, createNodes, NodeUnreachableError, SIGNATURE } from './nodes.ts'

const HOST = 'game--fn.localhost'
const GET = { method: 'GET', path: '/score?a=1', headers: { host: 'asked.example' }, body: null }

/** One node that asks, and one that answers with `handler`. */
async function twoNodes(
  t: TestContext,
  handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
) {
  const { here, there } = await (await clusterOnOwnRedis(t)).twoNodes()
  let connections = 0
  const server = createServer((request, response) => void handler(request, response))
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const clock = createStoppedClock()
  const key = async () => Buffer.alloc(32, 1)
  const { port } = server.address() as AddressInfo
  const asking = createNodes({ cluster: here.cluster, clock, nodeUrl: undefined, key })
  const answering = createNodes({ cluster: there.cluster, clock, nodeUrl: `http://127.0.0.1:${port}`, key })
  await answering.publish()
  const { nodeId } = there.cluster
  return {
    asking,
    answering,
    clock,
    server,
    nodeId,
    ask: async (request: Parameters<typeof asking.fetch>[2] = GET) =>
      text((await asking.fetch(nodeId, HOST, request)).body),
    connections: () => connections,
  }
}

test('[FUN-05] a signature of a node is good for its method, host, path, svc headers and time only', async (t) => {
  let seen: { method: string; path: string; headers: IncomingHttpHeaders } | undefined
  const { ask, answering, clock } = await twoNodes(t, ({ method = '', url = '', headers }, response) => {
    seen = { method, path: url, headers }
    response.end()
  })
  await ask({ ...GET, headers: { ...GET.headers, 'svc-player-id': 'ply_1', 'x-own': 'kept' } })
  const sent = seen ?? assert.fail('nothing arrived')
  const isGood = (change: Partial<typeof sent> = {}) => answering.isFromNode({ ...sent, ...change })
  const isGoodWith = (headers: IncomingHttpHeaders) => isGood({ headers: { ...sent.headers, ...headers } })
  assert.equal(await isGood(), true)

  assert.equal(await isGood({ method: 'POST' }), false)
  assert.equal(await isGood({ path: '/score?a=2' }), false)
  for (const headers of [
    { host: 'other--fn.localhost' },
    { 'svc-node-host': 'other.example' },
    { 'svc-player-id': 'ply_2' },
    { 'svc-player-id': undefined },
    { 'svc-player-banned': '0' },
    { [CALL]: 'query' },
    { [SIGNATURE]: 'nonsense' },
    { [SIGNATURE]: undefined },
  ])
    assert.equal(await isGoodWith(headers), false, JSON.stringify(headers))
  clock.advance(30_000)
  assert.equal(await isGood(), true)
  clock.advance(1)
  assert.equal(await isGood(), false)
})

test('[FUN-05] the body of a call is covered by its signature', async (t) => {
  let signed: IncomingHttpHeaders | undefined
  const { asking, nodeId } = await twoNodes(t, async (request, response) => {
    signed = request.headers
    response.end(JSON.stringify({ result: await argumentsOf(request.headers, request) }))
  })
  assert.deepEqual(await asking.call(nodeId, HOST, 'query', { sql: 'SELECT 1' }), { sql: 'SELECT 1' })
  const headers = signed ?? assert.fail('nothing arrived')
  await assert.rejects(argumentsOf(headers, Readable.from(['{"sql":"DROP TABLE t"}'])), { code: 'not_found' })
  await assert.rejects(argumentsOf({}, Readable.from(['{}'])), { code: 'not_found' })
})

test('[FUN-05] requests to another node share its connections, until it stops', async (t) => {
  const { ask, asking, nodeId, connections } = await twoNodes(t, async (request, response) => {
    await text(request)
    response.end('answer')
  })
  for (let i = 0; i < 10; i++) assert.equal(await ask(), 'answer')
  const body = Readable.from([Buffer.alloc(100_000)])
  assert.equal(await ask({ ...GET, method: 'POST', body }), 'answer')
  assert.equal(connections(), 1)

  asking.noteStopping(nodeId)
  for (let i = 0; i < 2; i++) assert.equal(await ask(), 'answer')
  assert.equal(connections(), 3)
})

test('[FUN-05] another node may answer with 64 KB of headers', async (t) => {
  const { ask } = await twoNodes(t, (_request, response) => {
    for (let index = 0; index < 8; index++) response.setHeader(`x-own-${index}`, 'x'.repeat(8_000))
    response.end('answer')
  })
  assert.equal(await ask(), 'answer')
})

test('[FUN-05] a request that another node may have started is not sent again; one without a connection can be', async (t) => {
  let requests = 0
  const { ask, server } = await twoNodes(t, (request, response) => {
    requests++
    if (requests === 1) response.end('answer')
    else request.socket.destroy()
  })
  assert.equal(await ask(), 'answer')
  await assert.rejects(ask(), { code: 'functions_unavailable' })
  assert.equal(requests, 2)

  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  await assert.rejects(ask(), NodeUnreachableError)
})

test('[FUN-05] a request that a stopping node has not taken can be sent again', async (t) => {
  const bodies: string[] = []
  const { ask, asking, nodeId, server } = await twoNodes(t, async (request, response) => {
    bodies.push(await text(request))
    response.end('answer')
  })
  asking.noteStopping(nodeId)
  const post = { ...GET, method: 'POST' }
  const body = () => Readable.from(['body'])
  assert.equal(await ask({ ...post, body: body() }), 'answer')
  assert.deepEqual(bodies, ['body'])

  server.prependListener('connection', (socket) => socket.resetAndDestroy())
  const unsent = body()
  await assert.rejects(ask({ ...post, body: unsent }), NodeUnreachableError)
  assert.equal(await text(unsent), 'body')
})

test('[FUN-05] an answer of another node that leaves the body unread is passed on, and the body is given up', async (t) => {
  const { ask } = await twoNodes(t, (_request, response) => void response.end('not read'))
  const body = new Readable({
    read() {
      this.push(Buffer.alloc(65_536))
    },
  })
  assert.equal(await ask({ ...GET, method: 'POST', body }), 'not read')
  if (!body.destroyed) await once(body, 'close')
})
