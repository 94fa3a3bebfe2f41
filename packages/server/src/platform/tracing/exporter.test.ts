import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'

import { comesTrue } from '../../testing/in-time.ts'
import { startCollector } from '../../testing/trace-collector.ts'
import { systemRandom } from '../random.ts'
import { createExporter } from './exporter.ts'
import { createTracer, type Span } from './tracer.ts'

const RESOURCE = { 'service.name': 'svc', 'service.version': '1', 'service.instance.id': 'a' }

/** Spans of a request that was sampled. */
function spansOf(count: number): Span[] {
  let sent: Span[] = []
  const tracer = createTracer({ sampleRatio: 1, random: systemRandom, send: (spans) => void (sent = spans) })
  tracer.request('request', {}, undefined, () => {
    for (let step = 1; step < count; step++) tracer.step('transaction', 'client', { step }, () => {})
  })
  return sent
}

const exporterTo = (
  endpoint: string,
  limits: { queueMax?: number; flushMs?: number; timeoutMs?: number } = {},
) => createExporter({ endpoint, headers: {}, resource: RESOURCE, flushMs: 1, timeoutMs: 300, ...limits })

async function startSocketServer(t: TestContext, onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const endless = (response: ServerResponse) => {
  response.writeHead(200)
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', write)
  write()
}

const SOCKETS: [name: string, onSocket: (socket: Socket) => void][] = [
  ['never answers', () => {}],
  ['resets the connection', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
  ['answers nonsense', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  [
    'switches the protocol',
    (socket) => void socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  [
    'begins an answer and stops',
    (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'),
  ],
]
for (const [name, onSocket] of SOCKETS)
  test(`[OPS-46] a collector that ${name} costs its spans and nothing else`, async (t) => {
    const exporter = exporterTo(await startSocketServer(t, onSocket))
    exporter.add(spansOf(3))
    // One that began with 200 has accepted them.
    if (name === 'begins an answer and stops') await exporter.close(10_000)
    else await comesTrue('the spans were dropped', () => exporter.dropped() === 3)
    await exporter.close()
  })

test('[OPS-46] an answer with an error, and a collector that is not there, drop the spans', async (t) => {
  const collector = await startCollector((response) => void response.writeHead(500).end('x'))
  t.after(() => collector.stop())
  for (const url of [collector.url, 'http://127.0.0.1:1', 'http://collector.invalid:4318']) {
    const exporter = exporterTo(url, { timeoutMs: 30_000 })
    exporter.add(spansOf(2))
    await comesTrue('the spans were dropped', () => exporter.dropped() === 2)
    await exporter.close()
  }
})

test('[OPS-46] an endless answer is not read', async (t) => {
  const collector = await startCollector(endless)
  t.after(() => collector.stop())
  const exporter = exporterTo(collector.url, { timeoutMs: 30_000 })
  exporter.add(spansOf(2))
  await exporter.close(30_000)
  assert.equal(collector.spans.length, 2)
  collector.assertValid()
})

test('[OPS-46] a full queue drops and counts; the rest arrives', async (t) => {
  const answers: ServerResponse[] = []
  const collector = await startCollector((response) => void answers.push(response))
  t.after(() => collector.stop())
  const exporter = exporterTo(collector.url, { queueMax: 10, timeoutMs: 60_000 })
  exporter.add(spansOf(1))
  await comesTrue('the collector is busy', () => answers.length === 1)
  exporter.add(spansOf(8))
  exporter.add(spansOf(8))
  assert.equal(exporter.dropped(), 6)
  answers.shift()?.writeHead(200).end()
  await comesTrue('the rest was sent', () => answers.length === 1)
  answers.shift()?.writeHead(200).end()
  await exporter.close()
  assert.equal(collector.spans.length, 11)
  assert.equal(exporter.dropped(), 6)
  collector.assertValid()
})

test('[OPS-46] a request with very many steps has a bounded number of spans', () => {
  const spans = spansOf(1_000)
  assert.equal(spans.length, 128)
  assert.equal(spans[0]?.attributes['svc.spans_left_out'], 872)
})

test('[OPS-43] work that outlives its request is in no span', async () => {
  const sent: Span[][] = []
  const tracer = createTracer({
    sampleRatio: 1,
    random: systemRandom,
    send: (spans) => void sent.push(spans),
  })
  let later: (() => unknown) | undefined
  await tracer.request('request', {}, undefined, async () => {
    later = () => tracer.step('transaction', 'client', {}, (span) => span)
    setImmediate(() => void (later?.() === undefined))
  })
  await new Promise(setImmediate)
  assert.equal(later?.(), undefined)
  assert.deepEqual(
    sent.map((spans) => spans.map(({ name }) => name)),
    [['request']],
  )
})

test('[OPS-43] the share of sampled requests is that of the setting', () => {
  let sent = 0
  const tracer = createTracer({ sampleRatio: 0.25, random: systemRandom, send: () => void sent++ })
  for (let i = 0; i < 4_000; i++) tracer.request('request', {}, undefined, () => {})
  assert.ok(sent > 800 && sent < 1_200, String(sent))
})
