import { ENDLESS_ANSWERS } from '../../src/testing/endless-answers.ts'

/** Code that a hostile or careless developer may deploy. */
export type HostileCode = {
  name: string
  source: string
  bindings?: object[]
  crons?: string[]
}

const ALLOCATE = `const kept = []; for (;;) kept.push(new Uint8Array(4_000_000).fill(1))`
const SPIN = `for (; i < 3e6; i++);`

const handler = (body: string) => `export default { async fetch(request, env, context) { ${body}
  return new Response('done') } }`

const fetchesEight = (url: string) =>
  handler(`await Promise.allSettled(Array.from({ length: 8 }, async () => {
      for await (const part of (await fetch('${url}')).body); }))`)

/** `server` is the address of a server whose answers are broken, `endless` of one that answers without end. */
export const hostileCode = (server: string, endless: string = server): HostileCode[] => [
  ...Object.keys(ENDLESS_ANSWERS).map((name) => ({
    name: `a server that sends ${name} without end`,
    source: fetchesEight(`http://${endless}/${name}`),
  })),
  { name: 'a loop', source: handler('for (;;);') },
  {
    name: 'many short turns',
    source: handler(`for (let n = 0; n < 2000; n++) { let i = 0; ${SPIN} await scheduler.wait(0) }`),
  },
  {
    name: 'a loop after the answer',
    source: handler('context.waitUntil((async () => { await scheduler.wait(1); for (;;); })())'),
  },
  {
    name: 'turns after the answer',
    source: handler(
      `context.waitUntil((async () => { for (let n = 0; n < 5000; n++) { let i = 0; ${SPIN} await scheduler.wait(1) } })())`,
    ),
  },
  { name: 'a slow regular expression', source: handler(`/^(a+)+$/.test('a'.repeat(40) + 'b')`) },
  { name: 'too much memory', source: handler(ALLOCATE) },
  {
    name: 'a leak',
    source: `const kept = []; ${handler(`kept.push(new Uint8Array(2_000_000).fill(1)); if (kept.length > 500) kept.length = 0`)}`,
  },
  {
    name: 'raw sockets',
    source: `import { connect } from 'cloudflare:sockets'
      const quiet = (socket) => { socket.opened?.catch(() => {}); socket.closed?.catch(() => {}) }
      ${handler(`for (let i = 0; i < 30; i++) quiet(connect('203.0.113.1:80')); await scheduler.wait(1)`)}`,
  },
  {
    name: 'broken servers',
    source: handler(
      `await Promise.allSettled(Array.from({ length: 20 }, async () => (await fetch('http://${server}/')).text()))`,
    ),
  },
  {
    name: 'aborted requests',
    source: handler(`await Promise.allSettled(Array.from({ length: 20 }, (_, n) => {
      const abort = new AbortController(); setTimeout(() => abort.abort(), n)
      return fetch('http://${server}/', { method: 'POST', body: new Uint8Array(500_000), signal: abort.signal }) }))`),
  },
  {
    name: 'WebSockets to broken servers',
    source: handler(`await Promise.allSettled(Array.from({ length: 10 }, () =>
      fetch('http://${server}/', { headers: { upgrade: 'websocket' } })))`),
  },
  {
    name: 'an upgrade without an answer',
    source: handler(`if (request.headers.has('upgrade')) await new Promise(() => {})`),
  },
  { name: 'a loop at an upgrade', source: handler(`if (request.headers.has('upgrade')) for (;;);`) },
  {
    name: 'an odd answer to an upgrade',
    source: handler(`const { readable, writable } = new TransformStream()
      const writer = writable.getWriter()
      context.waitUntil((async () => { for (let i = 0; i < 50; i++) await writer.write(new Uint8Array(10_000)); await writer.close() })().catch(() => {}))
      return new Response(readable, { status: 400, headers: { 'x-request-id': 'forged', 'set-cookie': 'a=b; Domain=localhost' } })`),
  },
  {
    name: 'a flood of messages',
    source: handler(`if (request.headers.get('upgrade') === 'websocket') {
      const { 0: client, 1: server } = new WebSocketPair(); server.accept()
      for (let i = 0; i < 10_000; i++) server.send('x'.repeat(1_000))
      return new Response(null, { status: 101, webSocket: client }) }`),
  },
  {
    name: 'an endless answer',
    source: handler(
      `return new Response(new ReadableStream({ pull(controller) { controller.enqueue(new Uint8Array(65_536)) } }))`,
    ),
  },
  {
    name: 'an answer that breaks',
    source: handler(`let sent = 0; return new Response(new ReadableStream({ pull(controller) {
      if (sent++ < 3) controller.enqueue(new Uint8Array(1_000)); else throw new Error('broken') } }))`),
  },
  {
    name: 'late errors',
    source:
      handler(`setTimeout(() => { throw new Error('late') }, 1); Promise.reject(new Error('unhandled')); queueMicrotask(() => { throw new Error('micro') })
      await scheduler.wait(5)`),
  },
  {
    name: 'a flood of logs',
    source: handler(`for (let i = 0; i < 5_000; i++) console.log('x'.repeat(2_000), 'out of memory')`),
  },
  {
    name: 'odd headers',
    source:
      handler(`const headers = new Headers(); for (let i = 0; i < 400; i++) headers.append('x-' + i, 'y'.repeat(200))
      return new Response('x', { headers, status: 200 + Math.floor(Math.random() * 399) })`),
  },
  {
    name: 'a message that ends its consumer',
    source: `export default {
      async fetch(request, { JOBS }) { await JOBS.send('poison'); return new Response('sent') },
      async queue() { ${ALLOCATE} } }`,
    bindings: [{ type: 'queue', name: 'JOBS', queue: 'jobs', consumer: { maxRetries: 2 } }],
  },
  {
    name: 'an alarm that ends its process',
    source: `export class Bomb { constructor(state) { this.state = state }
        async fetch() { await this.state.storage.setAlarm(Date.now() + 10); return new Response('set') }
        async alarm() { for (;;); } }
      export default { fetch: (request, { BOMB }) => BOMB.get(BOMB.idFromName('one')).fetch(request) }`,
    bindings: [{ type: 'durable_object', name: 'BOMB', className: 'Bomb' }],
  },
  {
    name: 'ten thousand objects',
    source: `export class Small { async fetch() { return new Response('x') } }
      export default { async fetch(request, { SMALL }) {
        await Promise.allSettled(Array.from({ length: 500 }, () => SMALL.get(SMALL.newUniqueId()).fetch('http://x/')))
        return new Response('done') } }`,
    bindings: [{ type: 'durable_object', name: 'SMALL', className: 'Small' }],
  },
  {
    name: 'an endless query',
    source: `export default { async fetch(request, { DB }) {
      await DB.prepare('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n').all()
      return new Response('done') } }`,
    bindings: [{ type: 'db', name: 'DB', id: 'main' }],
  },
  {
    name: 'a growing database',
    source: `export default { async fetch(request, { DB }) {
      await DB.exec('CREATE TABLE IF NOT EXISTS t (x BLOB)')
      for (let i = 0; i < 20; i++) await DB.prepare('INSERT INTO t VALUES (randomblob(900000))').run()
      return new Response('done') } }`,
    bindings: [{ type: 'db', name: 'DB', id: 'main' }],
  },
  {
    name: 'a flood of keys',
    source: `export default { async fetch(request, { KV }) {
      await Promise.allSettled(Array.from({ length: 500 }, (_, i) => KV.put('k' + Math.random(), 'x'.repeat(1_000), { expirationTtl: 60 })))
      return new Response('done') } }`,
    bindings: [{ type: 'kv', name: 'KV' }],
  },
  {
    name: 'a flood of files',
    source: `export default { async fetch(request, { FILES }) {
      await Promise.allSettled(Array.from({ length: 30 }, (_, i) => FILES.put('f' + (i % 3), new Uint8Array(300_000))))
      return new Response('done') } }`,
    bindings: [{ type: 'files', name: 'FILES' }],
  },
  {
    name: 'a flood of calls to the service',
    source: handler(
      `await Promise.allSettled(Array.from({ length: 200 }, () => env.SVC.fetch('http://svc/v1/admin/players')))`,
    ),
  },
  {
    name: 'processes',
    source: `import * as processes from 'node:child_process'
      ${handler(`for (let i = 0; i < 50; i++) try { processes.spawn('/bin/sh', ['-c', ':']) } catch {}`)}`,
  },
  {
    name: 'crons that loop',
    source: `export default { fetch: () => new Response('x'), scheduled() { for (;;); } }`,
    crons: ['* * * * *'],
  },
]

/** Deployments that must be refused: each keeps a trial busy. */
export const REFUSED_CODE = [
  `for (;;);`,
  `const kept = []; for (;;) kept.push(new Uint8Array(4_000_000).fill(1))`,
  `throw new Error('at the top level')`,
  `export default { fetch: () => new Response('x') } }`,
]
