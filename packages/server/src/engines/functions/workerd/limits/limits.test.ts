import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import type { Running } from '../../../../platform/ports/functions-engine.ts'
import { codeOf, connectTo, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { runs } from '../../../../testing/runs.ts'

const CODE = codeOf(`
const work = (ms) => { const end = performance.now(); let x = 0; for (let i = 0; i < ms * 4e5; i++) x = (x * 31 + i) | 0; return x }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    const n = Number(searchParams.get('n'))
    const origin = searchParams.get('origin')
    switch (pathname) {
      case '/loop': for (;;) {}
      case '/regex': return new Response(String(/^(a+)+$/.test('a'.repeat(40) + '!')))
      case '/turns': for (let i = 0; i < n; i++) { work(5); await pause(1) } return new Response('done')
      case '/wait': await pause(n); return new Response('waited')
      case '/socket': {
        const [client, server] = Object.values(new WebSocketPair())
        server.accept()
        server.addEventListener('message', ({ data }) => server.send(String(work(Number(data)))))
        return new Response(null, { status: 101, webSocket: client })
      }
      case '/work': return new Response(String(work(n)))
      case '/heap': { const all = []; for (;;) all.push(new Array(1000).fill(all.length)) }
      case '/buffers': { const all = []; for (let i = 0; i < 4000; i++) { all.push(new Uint8Array(1 << 20).fill(1)); if (i % 8 === 0) await pause(1) } return new Response('kept') }
      case '/fetches': { let done = 0; for (let i = 0; i < n; i++) { try { await (await fetch(origin)).text(); done++ } catch (error) { return Response.json({ done, error: error.message }) } } return Response.json({ done }) }
      case '/together': { const all = await Promise.allSettled(Array.from({ length: n }, async () => (await fetch(origin)).text())); return Response.json(all.filter((one) => one.status === 'fulfilled').length) }
      case '/service': { let done = 0; for (let i = 0; i < n; i++) { try { await (await env.SVC.fetch('http://svc/')).text(); done++ } catch (error) { return Response.json({ done, error: error.message }) } } return Response.json({ done }) }
      case '/print': for (let i = 0; i < n; i++) console.log('x'.repeat(100)); return new Response('printed')
      default: return new Response('ok')
    }
  },
  async scheduled() { work(300) },
}`)

/** Has some memory, uses CPU time without new objects, and tells whether an object of the first request was collected. */
const COLLECTED = `
const kept = new Uint8Array(24e6).fill(1)
let first
function answer() {
  for (let i = 0, x = 0; i < 2e7; i++) x = (x * 31 + i) | 0
  first ??= new WeakRef({})
  return new Response(String(first.deref() === undefined))
}`
const MAINS = {
  object: 'export default { fetch: () => answer() }',
  class: `import { WorkerEntrypoint } from 'cloudflare:workers'
export default class extends WorkerEntrypoint { fetch() { return answer() } }`,
}

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

describe('limits of functions', () => {
  let functions: Awaited<ReturnType<typeof openTestFunctions>>
  let running: Running
  let neighbour: Running
  let origin: Server
  let originUrl: string
  let originCalls = 0
  const spec = specOf(CODE, {
    limits: { cpuMs: 200, subRequests: 5 },
    onServiceCall: (_request, response) => void response.end('service'),
  })
  before(async () => {
    origin = createServer((_request, response) => {
      originCalls++
      response.end('origin')
    }).listen(0, '127.0.0.1')
    await once(origin, 'listening')
    originUrl = encodeURIComponent(`http://127.0.0.1:${(origin.address() as AddressInfo).port}/`)
    functions = await openTestFunctions()
    running = await functions.engine.start(spec)
    neighbour = await functions.engine.start({ ...spec, dataId: 'neighbour' })
    await Promise.all([get(running, '/'), get(neighbour, '/')])
  })
  after(async () => {
    await functions.close()
    origin.close()
    origin.closeAllConnections()
  })

  for (const path of ['/loop', '/regex'])
    test(`[FUN-12] ${path} is ended by its CPU limit; in the meantime a neighbour answers, and the next request works`, async () => {
      let isOver = false
      const ended = assert
        .rejects(get(running, path), isCode('cpu_limit_exceeded'))
        .finally(() => (isOver = true))
      let answered = 0
      while (!isOver) {
        assert.equal((await get(neighbour, '/')).text, 'ok')
        answered++
      }
      await ended
      assert.ok(answered > 0)
      assert.equal((await get(running, '/')).text, 'ok')
    })

  test('[FUN-12] a request of many short turns is cancelled alone: its process continues', async () => {
    await get(running, '/')
    const pids = functions.engine.pids()
    await assert.rejects(get(running, '/turns?n=2000'), isCode('cpu_limit_exceeded'))
    assert.equal((await get(running, '/')).text, 'ok')
    assert.deepEqual(functions.engine.pids(), pids)
  })

  test('[FUN-12] a request that waits is not cancelled for the messages of a WebSocket', async (t) => {
    const socket = await connectTo(t, running, '/socket')
    let isOver = false
    const waited = get(running, '/wait?n=1000').finally(() => (isOver = true))
    while (!isOver) {
      socket.send('20')
      await once(socket, 'message')
    }
    assert.equal((await waited).text, 'waited')
    socket.close()
  })

  test('[FUN-12] several requests that run with an endless one fail with function_restarted', async () => {
    await get(running, '/')
    const outcomes = await Promise.allSettled([
      get(running, '/loop'),
      get(running, '/loop'),
      get(running, '/loop'),
    ])
    for (const outcome of outcomes)
      assert.ok(
        outcome.status === 'rejected' && isCode('function_restarted')(outcome.reason),
        JSON.stringify(outcome),
      )
  })

  test('[FUN-12] a cron may use more CPU time than a request', async () => {
    assert.equal((await running.runScheduled('* * * * *', new Date(0))).outcome, 'ok')
  })

  for (const path of ['/heap', '/buffers'])
    test(`${path} is ended by the memory limit, and the next request works`, async () => {
      const generous = { ...spec, dataId: 'memory', limits: { cpuMs: 30_000, subRequests: 5 } }
      const large = await functions.engine.start(generous)
      await get(large, '/')
      await assert.rejects(get(large, path), isCode('memory_limit_exceeded'))
      assert.equal((await get(large, '/')).text, 'ok')
      await large.stop(0)
    })

  test('[FUN-12] five sub-requests are allowed, the sixth fails its call only', async () => {
    const [error] = ['subrequest_limit_exceeded: this environment allows 5 sub-requests per invocation.']
    const call = async (path: string) => JSON.parse((await get(running, path)).text) as unknown
    assert.deepEqual(await call(`/fetches?n=5&origin=${originUrl}`), { done: 5 })
    assert.deepEqual(await call(`/fetches?n=6&origin=${originUrl}`), { done: 5, error })
    originCalls = 0
    assert.equal(await call(`/together?n=20&origin=${originUrl}`), 5)
    assert.equal(originCalls, 5, 'what is over the limit does not reach the origin')
    assert.deepEqual(await call('/service?n=6'), { done: 5, error })
  })

  for (const [kind, main] of Object.entries(MAINS))
    test(`a process that works collects its garbage (default export: ${kind})`, async () => {
      const code = codeOf(COLLECTED + main)
      const working = await functions.engine.start({ ...spec, code, dataId: `collected-${kind}` })
      await comesTrue('the object is collected', async () => (await get(working, '/')).text === 'true')
      await working.stop(0)
    })

  test('code that prints without end does not fill the memory', async () => {
    assert.equal((await get(running, '/print?n=1500')).text, 'printed')
    const lines = await functions.engine.readLogs('data', { limit: 2_000 })
    assert.ok(lines.length <= 1_000)
  })

  test('requests within their limit are not cancelled, with 200 at the same time, and answered in their order', async () => {
    const busy = await functions.engine.start({
      ...spec,
      dataId: 'busy',
      limits: { cpuMs: 10, subRequests: 5 },
    })
    await get(busy, '/')
    let left = runs(400, 4_500)
    let answered = 0
    let overtaken = 0
    const failed: unknown[] = []
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        while (left-- > 0) {
          const answeredBefore = answered
          await get(busy, '/work?n=1.5').catch((error: unknown) => failed.push(error))
          overtaken = Math.max(overtaken, answered++ - answeredBefore)
        }
      }),
    )
    assert.deepEqual(failed, [])
    assert.ok(overtaken < 300, `${overtaken} requests were answered before an older one`)
    await busy.stop(0)
  })

  test('250 requests wait for a sub-request at the same time, and others are answered', async () => {
    const waiting: ServerResponse[] = []
    const all = Promise.withResolvers<void>()
    const slow = createServer((_request, response) => {
      if (waiting.push(response) === 250) all.resolve()
    }).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const url = encodeURIComponent(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/`)
    const answers = Array.from({ length: 250 }, () => get(neighbour, `/fetches?n=1&origin=${url}`))
    await all.promise
    assert.equal((await get(neighbour, '/')).text, 'ok')
    for (const response of waiting) response.end()
    for (const { text } of await Promise.all(answers)) assert.deepEqual(JSON.parse(text), { done: 1 })
    slow.close()
    slow.closeAllConnections()
  })
})
