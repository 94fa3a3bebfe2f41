import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

import { ApiError } from '../../platform/api-error.ts'
import type { FunctionResponse } from '../../platform/ports/functions-engine.ts'
import { createBindingCalls } from './binding-calls.ts'
import type { OwnRequest } from './gateway.ts'

const ENVIRONMENT = {
  id: 'env_1',
  projectId: 'prj_1',
  name: 'development' as const,
  slug: 'game',
}
const BINDING = { type: 'kv', name: 'KV', id: 'kv' } as const

/** A socket of a process whose calls are answered with `answer`. */
async function listen(
  t: TestContext,
  target: 'binding' | 'functions',
  answer: (request: OwnRequest) => Promise<FunctionResponse>,
) {
  const reported: object[] = []
  let count = 0
  const calls = createBindingCalls({
    requestIds: () => `req_${++count}`,
    gateway: {
      send: (_environment, request) => answer(request),
      sendToBinding: (_environment, _binding, request) => answer(request),
    },
    report: (failure) => reported.push(failure),
  })
  const pass = (request: IncomingMessage, response: ServerResponse) =>
    target === 'binding'
      ? calls.toBinding(ENVIRONMENT, BINDING, request, response)
      : calls.toFunctions(ENVIRONMENT, request, response)
  const server = createServer(pass).listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function call(headers: Record<string, string> = {}, body?: string) {
    const sent = httpRequest({ port, method: body === undefined ? 'GET' : 'PUT', path: '/key?a=1', headers })
    sent.on('error', () => {})
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, text: await text(response) }
  }
  return { port, call, reported }
}
const ok = (body: Readable = Readable.from(['answer'])): FunctionResponse => ({
  status: 200,
  headers: { 'cf-kv-metadata': '{}', connection: 'close' },
  body,
})

test('[RWC-24] a process of rooms cannot speak as a node, nor as the service', async (t) => {
  const seen: OwnRequest[] = []
  const answer = async (request: OwnRequest) => {
    seen.push(request)
    return ok()
  }
  const forged = {
    'svc-node': 'x',
    'svc-node-call': 'logs',
    'svc-node-binding': '{}',
    'svc-caller': 'visitor',
    'svc-player-id': 'ply_1',
    'cf-kv-metadata': 'kept',
    'x-own': 'kept',
  }
  await (await listen(t, 'binding', answer)).call(forged)
  await (await listen(t, 'functions', answer)).call(forged)
  const [toBinding, toFunctions] = seen.map(({ headers }) => headers)
  assert.deepEqual(
    Object.keys(toBinding ?? {}).filter((name) => name.startsWith('svc-')),
    [],
  )
  assert.deepEqual([toBinding?.['cf-kv-metadata'], toBinding?.['x-own']], ['kept', 'kept'])
  const { host, ...headers } = toFunctions ?? {}
  assert.deepEqual([host, headers], [undefined, { 'svc-caller': 'room', 'x-own': 'kept' }])
})

test('[RWC-24] method, path and body of a call arrive as they were sent, and so does the response', async (t) => {
  const { call } = await listen(t, 'binding', async ({ method, path, body }) =>
    ok(Readable.from([`${method} ${path} ${body === null ? 'no body' : await text(body)}`])),
  )
  const { status, headers, text: put } = await call({}, 'value')
  assert.deepEqual([status, headers['cf-kv-metadata'], put], [200, '{}', 'PUT /key?a=1 value'])
  assert.equal((await call()).text, 'GET /key?a=1 no body')
})

test('[RWC-24] a failure is an error of the binding, in whatever way its kind reports one', async (t) => {
  const { call } = await listen(t, 'binding', async () => {
    throw new ApiError('functions_unavailable')
  })
  const { status, headers, text: body } = await call()
  assert.equal(status, 503)
  const { success, error } = JSON.parse(body)
  assert.deepEqual([success, /^functions_unavailable: /.test(error)], [false, true])
  assert.equal(JSON.parse(String(headers['cf-r2-error'])).message, error)

  const broken = await listen(t, 'binding', async () => {
    throw new Error('not for developers')
  })
  const answered = await broken.call()
  assert.deepEqual([answered.status, /not for developers/.test(answered.text)], [500, false])
  assert.equal(broken.reported.length, 1)
})

test('[RWC-24] a store that cannot be asked never looks like one without the entry', async (t) => {
  const refuse = async () => {
    throw new ApiError('binding_not_found')
  }
  assert.equal((await (await listen(t, 'binding', refuse)).call()).status, 500)
  const { status, text: body } = await (await listen(t, 'functions', refuse)).call()
  assert.deepEqual([status, JSON.parse(body).error.code], [404, 'binding_not_found'])
})

test('[RWC-24] an answer arrives although the body was not read', async (t) => {
  for (const target of ['binding', 'functions'] as const) {
    const { call } = await listen(t, target, async ({ body }) => {
      body?.destroy()
      return ok()
    })
    assert.equal((await call({}, 'x'.repeat(3_000_000))).text, 'answer')
  }
})

test('[RWC-24] a call whose process has gone is given up, and a response that breaks off is none', async (t) => {
  const aborted = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { port } = await listen(t, 'binding', ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve())
    asked.resolve()
    return new Promise(() => {})
  })
  const sent = httpRequest({ port })
  sent.on('error', () => {})
  sent.end()
  await asked.promise
  sent.destroy()
  await aborted.promise

  let reads = 0
  const body = new Readable({
    read() {
      if (reads++ === 0) this.push('beginning')
      else this.destroy(new Error('the node is lost'))
    },
  })
  const { call } = await listen(t, 'binding', async () => ok(body))
  await assert.rejects(call())
})
