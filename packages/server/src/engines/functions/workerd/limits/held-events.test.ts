import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { ApiError } from '../../../../platform/api-error.ts'
import type { FunctionBinding } from '../../../../platform/ports/functions-engine.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'

const QUEUE = { maxBatchSize: 10, maxBatchTimeoutSeconds: 0, maxRetries: 1, retryDelaySeconds: 0 }
const BINDINGS: FunctionBinding[] = [
  { type: 'kv', name: 'KV', id: 'kv' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: { ...QUEUE, deadLetterQueue: 'dead' } },
  { type: 'queue', name: 'DEAD', queue: 'dead', consumer: { ...QUEUE, deadLetterQueue: null } },
  { type: 'durable_object', name: 'ROOM', className: 'Room' },
]
const CODE = codeOf(
  `
import { DurableObject } from 'cloudflare:workers'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const fill = async () => { const all = []; for (;;) { all.push(new Uint8Array(8 << 20).fill(1)); await pause(1) } }
export class Room extends DurableObject {
  async alarm() { console.log('alarm'); await fill() }
  remind() { return this.ctx.storage.setAlarm(Date.now()) }
  remindedIn() { return this.ctx.storage.getAlarm().then((at) => (at ?? 0) - Date.now()) }
}
export default {
  async fetch(request, { KV, JOBS, ROOM }) {
    const room = ROOM.get(ROOM.idFromName('a'))
    switch (new URL(request.url).pathname) {
      case '/send': await JOBS.sendBatch(['first', 'poison', 'last'].map((body) => ({ body }))); return new Response('sent')
      case '/seen': return Response.json((await KV.list()).keys.map(({ name }) => name))
      case '/remind': await room.remind(); return new Response('set')
      case '/reminded': return new Response(String(await room.remindedIn()))
      default: return new Response('ok')
    }
  },
  async queue({ queue, messages }, { KV }) {
    for (const { body, attempts } of messages) {
      console.log(queue + ' ' + body + ' ' + attempts + ' of ' + messages.length)
      if (queue === 'jobs' && body === 'poison') await fill()
      await KV.put(queue + ' ' + body, '')
    }
  },
}`,
  { bindings: BINDINGS },
)
const SPEC = specOf(CODE)

describe('events that end their process', () => {
  test('a message is delivered once and at each retry, then it is in the dead-letter queue; its neighbours are delivered', async (t) => {
    const { engine, close } = await openTestFunctions({ heldMs: 100 })
    t.after(close)
    const running = await engine.start(SPEC)
    await get(running, '/send')
    const failures = new Set<unknown>()
    let seen: string[] = []
    await comesTrue('the message is given up', async () => {
      try {
        seen = JSON.parse((await get(running, '/seen')).text) as string[]
      } catch (error) {
        failures.add(error instanceof ApiError ? error.code : error)
      }
      return seen.includes('dead poison')
    })
    const lines = (await engine.readLogs('data', { limit: 1_000 })).map(({ message }) => message)
    assert.deepEqual(
      lines.filter((line) => line.startsWith('jobs poison')),
      ['jobs poison 1 of 3', 'jobs poison 2 of 1'],
    )
    assert.deepEqual(seen, ['dead poison', 'jobs first', 'jobs last'])
    // A request that the process had received when it ended.
    failures.delete('function_restarted')
    failures.delete('memory_limit_exceeded')
    assert.deepEqual([...failures], [])
  })

  test('after an alarm that ends its process, alarms wait and requests are answered', async (t) => {
    const { engine, close } = await openTestFunctions({ heldMs: 60_000 })
    t.after(close)
    const running = await engine.start(SPEC)
    assert.equal((await get(running, '/')).text, 'ok')
    const [first] = engine.pids()
    assert.ok(first)
    // The alarm may end the process before the answer is read.
    await get(running, '/remind').catch(({ code }) => assert.equal(code, 'memory_limit_exceeded'))
    await comesTrue('the end of the process', () => engine.pids()[0] !== first)
    assert.equal((await get(running, '/')).text, 'ok')
    await comesTrue(
      'the alarm is set to a later time',
      async () => Number((await get(running, '/reminded')).text) > 30_000,
    )
    const lines = await engine.readLogs('data', { limit: 1_000 })
    assert.equal(lines.filter(({ message }) => message === 'alarm').length, 1)
  })
})
