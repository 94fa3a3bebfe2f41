import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'

import type { ApiError } from '../../../../platform/api-error.ts'
import type { FunctionBinding } from '../../../../platform/ports/functions-engine.ts'
import { bodyText } from '../../../../testing/body-text.ts'
import { get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { callsOf, roomCodeOf, startTestRooms } from '../../../../testing/room-processes.ts'

const CONSUMER = {
  maxBatchSize: 10,
  maxBatchTimeoutSeconds: 0,
  maxRetries: 1,
  retryDelaySeconds: 1,
  deadLetterQueue: null,
}
const BINDINGS: FunctionBinding[] = [
  { type: 'db', name: 'DB', id: 'main' },
  { type: 'kv', name: 'KV', id: 'kv' },
  { type: 'files', name: 'FILES', id: 'files' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: CONSUMER },
  { type: 'durable_object', name: 'OBJECTS', className: 'Counter' },
  { type: 'service', name: 'SELF' },
]

const CODE = roomCodeOf(
  `
import { Room } from './room.js'
import { DurableObject } from 'cloudflare:workers'

export class Counter extends DurableObject {}
const tasks = {
  async stores({ DB, KV, FILES, JOBS }) {
    await DB.batch([
      DB.prepare('CREATE TABLE IF NOT EXISTS t (i INTEGER, b BLOB)'),
      DB.prepare('INSERT INTO t VALUES (?, ?)').bind(7, new Uint8Array([1, 2, 3])),
    ])
    await KV.put('key é', 'value', { metadata: { by: 'room' } })
    await FILES.put('file', 'x'.repeat(300_000), { customMetadata: { by: 'room' } })
    await JOBS.send({ from: 'room' })
    return {
      db: (await DB.prepare('SELECT i, b FROM t').all()).results,
      error: await DB.prepare('SELECT none').all().catch((error) => error.message),
      kv: await KV.getWithMetadata('key é'),
      missing: await KV.get('missing'),
      bytes: (await (await FILES.get('file')).text()).length,
      part: await (await FILES.get('file', { range: { offset: 5, length: 3 } })).text(),
      none: await FILES.head('none'),
      files: (await FILES.list()).objects.map(({ key, size }) => [key, size]),
    }
  },
  values: ({ TEXT, JSON_VALUE, SECRET }) => [TEXT, JSON_VALUE, SECRET],
  absent(env) {
    return ['OBJECTS', 'SELF'].map((name) => {
      try {
        return env[name].fetch('http://x')
      } catch (error) {
        return error.message
      }
    })
  },
  async functions({ SVC }) {
    const response = await SVC.functions.fetch('/path?q=1', { method: 'POST', body: 'hello', headers: { 'svc-binding': 'DB' } })
    return { status: response.status, text: await response.text() }
  },
  async service({ SVC }) { return (await SVC.fetch('http://svc/v1/x', { headers: { 'svc-binding': 'DB' } })).status },
  async fetched(_env, url) { return (await fetch(url)).status },
  async many({ KV }, count) {
    const all = await Promise.allSettled(Array.from({ length: count }, () => KV.get('none')))
    return all.filter(({ status }) => status === 'fulfilled').length
  },
}
export class Tasks extends Room {
  async onServerMessage(type, data) {
    try {
      return await tasks[type](this.env, data)
    } catch (error) {
      return String(error.message)
    }
  }
}
export default {
  async fetch(request, { KV }) {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/kv') return new Response(await KV.get('key é'))
    if (pathname === '/fake') {
      // What only the service may do: the code has no way to its own control worker.
      const headers = { 'svc-store': JSON.stringify({ entrypoint: 'namespaces', props: { id: 'other' } }) }
      return fetch('http://127.0.0.1:1/key', { headers }).catch(() => new Response('refused'))
    }
    return new Response(request.method + ' ' + pathname + search + ' ' + (await request.text()))
  },
  async queue({ messages }) { for (const { body } of messages) console.log('delivered', JSON.stringify(body)) },
}`,
  {
    bindings: BINDINGS,
    vars: { TEXT: 'text', JSON_VALUE: { a: [1] } },
  },
)
const SPEC = specOf(CODE, { secrets: { SECRET: 'hidden' } })

async function open(t: TestContext, subRequests = 50) {
  const { engine, close } = await openTestFunctions()
  t.after(close)
  const functions = await engine.start(SPEC)
  const limits = { cpuMs: 1_000, subRequests }
  const rooms = await startTestRooms(t, engine, CODE, { ...SPEC, ...callsOf(functions), limits })
  for (const roomId of ['rom_1', 'rom_2']) await rooms.open(roomId, 'Tasks')
  const ask = async (type: string, data: unknown = null, roomId = 'rom_1') =>
    JSON.parse((await rooms.ask(roomId, type, data)).payload) as unknown
  return { engine, functions, rooms, ask }
}

describe('bindings of rooms', () => {
  test('[RWC-16] databases, KV, files and queues are those of the functions', async (t) => {
    const { engine, functions, ask } = await open(t)
    const found = (await ask('stores')) as Record<string, unknown>
    assert.match(String(found['error']), /no such column: none/)
    assert.deepEqual(
      { ...found, error: undefined },
      {
        db: [{ i: 7, b: [1, 2, 3] }],
        error: undefined,
        kv: { value: 'value', metadata: { by: 'room' }, cacheStatus: null },
        missing: null,
        bytes: 300_000,
        part: 'xxx',
        none: null,
        files: [['file', 300_000]],
      },
    )
    assert.equal((await get(functions, '/kv')).text, 'value')
    assert.deepEqual((await functions.query('main', 'SELECT i FROM t', [])).results, [{ i: 7 }])
    await comesTrue('the message is delivered', async () => {
      const lines = await engine.readLogs('data', { limit: 10, q: 'delivered' })
      return lines.some(({ message }) => message === 'delivered {"from":"room"}')
    })
    const { rowsWritten, requests } = await functions.takeUsage()
    assert.ok(rowsWritten > 0)
    assert.equal(requests, 1, 'calls of bindings are no requests')
  })

  test('[RWC-16] variables and secrets are there; what needs the process of functions throws the way around', async (t) => {
    const { ask } = await open(t)
    assert.deepEqual(await ask('values'), ['text', { a: [1] }, 'hidden'])
    assert.deepEqual(await ask('absent'), [
      'env.OBJECTS (durable_object) is not available in rooms: call env.SVC.functions.fetch(path) and use it there.',
      'env.SELF (service) is not available in rooms: call env.SVC.functions.fetch(path) and use it there.',
    ])
  })

  test('[RWC-16] a store of a type that the live version lacks is refused, and one of another id is another', async (t) => {
    const { functions } = await open(t)
    const request = { method: 'PUT', path: '/key', headers: {}, body: null, requestId: 'call' }
    const other = await functions.fetchBinding({ type: 'kv', name: 'KV', id: 'other' }, request)
    assert.equal(other.status, 200)
    assert.equal(await bodyText(other.body), '')
    assert.equal((await get(functions, '/kv')).text, '')
    assert.equal((await get(functions, '/fake')).text, 'refused')

    await functions.replace(specOf(roomCodeOf('export default {}'), { secrets: {} }), 0)
    await assert.rejects(
      functions.fetchBinding({ type: 'kv', name: 'KV', id: 'kv' }, request),
      (error: ApiError) => error.code === 'binding_not_found',
    )
  })

  test('[RWC-16] at most 256 calls of bindings are in progress', async (t) => {
    const { engine, close } = await openTestFunctions()
    t.after(close)
    const held: ServerResponse[] = []
    const rooms = await startTestRooms(t, engine, CODE, {
      ...SPEC,
      onBindingCall: (_binding, request, response) => void held.push(request.resume() && response),
    })
    for (const roomId of ['rom_1', 'rom_2']) await rooms.open(roomId, 'Tasks')
    const answer = rooms.ask('rom_1', 'many', 256)
    await comesTrue('all that may are in progress', () => held.length === 256)
    assert.equal((await rooms.ask('rom_2', 'many', 4)).payload, '0')
    for (const response of held) response.end()
    assert.equal((await answer).payload, '256')
    const next = rooms.ask('rom_1', 'many', 1)
    await comesTrue('the next is in progress', () => held.length === 257)
    held[256]?.end()
    assert.equal((await next).payload, '1')
  })

  test('[RWC-17] a room reaches the functions and the service; sub-requests are counted per room and minute', async (t) => {
    const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { rooms, ask } = await open(t, 1)
    assert.deepEqual(await ask('functions'), { status: 200, text: 'POST /path?q=1 hello' })
    assert.equal(await ask('service'), 404)
    rooms.process.takeUsage()
    for (let sent = 3; sent <= 6; sent++) assert.equal(await ask('fetched', url), 200)
    let bytes = 0
    await comesTrue(
      'the bytes of four answers are counted',
      () => (bytes += rooms.process.takeUsage().egressBytes) === 4 * 'ok'.length,
    )
    for (const [type, data] of [['fetched', url], ['functions'], ['service']] as const)
      assert.match(String(await ask(type, data)), /^subrequest_limit_exceeded: .* 6 .* per room and minute/)
    assert.equal(await ask('fetched', url, 'rom_2'), 200)
  })
})
