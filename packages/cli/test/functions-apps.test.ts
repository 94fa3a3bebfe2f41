import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { WebSocket } from 'ws'

import { type TestSetup, startFunctionsSetup } from './cli.ts'

const NODE_MODULES = join(import.meta.dirname, '../../../node_modules')

/** Applications as in the documentation of their libraries. They contain no code for this service. */
const APPS = {
  jsx: {
    'wrangler.toml':
      'name = "pages"\nmain = "src/index.tsx"\ncompatibility_date = "2025-05-05"\n[vars]\nTITLE = "Scores"\n',
    'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "hono/jsx" } }',
    'src/index.tsx': `
import { Hono } from 'hono'
import type { FC, PropsWithChildren } from 'hono/jsx'
import { cors } from 'hono/cors'
import { jsxRenderer } from 'hono/jsx-renderer'
import { secureHeaders } from 'hono/secure-headers'
import { streamSSE } from 'hono/streaming'

const app = new Hono<{ Bindings: { TITLE: string } }>()
const Row: FC<PropsWithChildren<{ name: string }>> = ({ name, children }) => <li>{name}: {children}</li>
app.use(secureHeaders())
app.use('/api/*', cors())
app.use('/page/*', jsxRenderer(({ children }) => <html><body>{children}</body></html>))
app.get('/page/:name', (c) =>
  c.render(<><h1>{c.env.TITLE}</h1><ul><Row name={c.req.param('name')}>{'<3'}</Row></ul></>))
app.get('/api/events', (c) => streamSSE(c, async (stream) => {
  for (let id = 0; id < 3; id++) await stream.writeSSE({ data: 'event ' + id, id: String(id) })
}))
app.onError((error, c) => c.text(error.message, 418))
app.get('/teapot', () => { throw new Error('short and stout') })
export default app
`,
  },
  openapi: {
    'wrangler.jsonc': `{
      // A database and a package that was written for Node.
      "name": "tasks", "main": "src/index.ts", "compatibility_date": "2025-10-08",
      "compatibility_flags": ["nodejs_compat"],
      "d1_databases": [{ "binding": "DB", "database_name": "openapi-db", "database_id": "00000000-0000", "migrations_dir": "migrations" }],
      "observability": { "enabled": true },
    }`,
    'migrations/0001_tasks.sql': `-- tasks
CREATE TABLE tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);
INSERT INTO tasks (name) VALUES ('first');
-- the end`,
    'src/legacy.cjs': `
const { EventEmitter } = require('events')
const { createHash } = require('node:crypto')
const path = require('path')
module.exports = { tag: (text) => createHash('md5').update(path.basename(text)).digest('hex'), emitter: new EventEmitter() }
`,
    'src/index.ts': `
import { contentJson, fromHono, OpenAPIRoute } from 'chanfana'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import legacy from './legacy.cjs'

const Task = z.object({ id: z.number().int(), name: z.string().min(1).max(20), done: z.boolean() })
type Bindings = { DB: D1Database }
type Row = { id: number; name: string; done: number }

class TaskList extends OpenAPIRoute {
  schema = {
    request: { query: z.object({ done: z.coerce.boolean().optional() }) },
    responses: { '200': { description: 'tasks', ...contentJson(z.object({ tasks: Task.array() })) } },
  }
  async handle(c: Context<{ Bindings: Bindings }>) {
    const { results } = await c.env.DB.prepare('SELECT * FROM tasks ORDER BY id').all<Row>()
    return { tasks: results.map((row) => ({ ...row, done: row.done === 1 })) }
  }
}
class TaskCreate extends OpenAPIRoute {
  schema = { request: { body: contentJson(Task.omit({ id: true })) }, responses: { '200': { description: 'the task', ...contentJson(Task) } } }
  async handle(c: Context<{ Bindings: Bindings }>) {
    const { body } = await this.getValidatedData<typeof this.schema>()
    const { meta } = await c.env.DB.prepare('INSERT INTO tasks (name, done) VALUES (?, ?)').bind(body.name, body.done ? 1 : 0).run()
    return { id: meta.last_row_id, ...body }
  }
}

const app = new Hono<{ Bindings: Bindings }>()
app.get('/tag/:text', (c) => c.text(legacy.tag(c.req.param('text'))))
const openapi = fromHono(app, { docs_url: '/' })
openapi.get('/tasks', TaskList)
openapi.post('/tasks', TaskCreate)
export default app
`,
  },
  chat: {
    'wrangler.json': `{
      "name": "chat", "main": "src/server.ts", "compatibility_date": "2025-10-08",
      "durable_objects": { "bindings": [{ "name": "Chat", "class_name": "Chat" }] },
      "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Chat"] }],
      "assets": { "directory": "./public", "binding": "ASSETS", "not_found_handling": "single-page-application" },
      "build": { "command": "esbuild src/page.ts --bundle --format=esm --outdir=public/dist" }
    }`,
    'public/index.html': '<script type="module" src="/dist/page.js"></script>',
    'public/.assetsignore': '*.map\nprivate/\n',
    'public/private/notes.txt': 'not for visitors',
    'src/page.ts': 'document.title = "Chat" as string',
    'src/server.ts': `
import { type Connection, type ConnectionContext, routePartykitRequest, Server, type WSMessage } from 'partyserver'

export class Chat extends Server {
  static options = { hibernate: true }
  onStart() { this.ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT)') }
  onConnect(connection: Connection<{ name: string }>, { request }: ConnectionContext) {
    connection.setState({ name: new URL(request.url).searchParams.get('name') ?? 'nobody' })
    const said = this.ctx.storage.sql.exec('SELECT text FROM messages ORDER BY id').toArray().map(({ text }) => text)
    connection.send(JSON.stringify({ said }))
  }
  onMessage(connection: Connection<{ name: string }>, message: WSMessage) {
    const text = connection.state?.name + ': ' + message
    this.ctx.storage.sql.exec('INSERT INTO messages (text) VALUES (?)', text)
    this.broadcast(JSON.stringify({ text }))
  }
  onRequest() { return Response.json({ room: this.name, connected: [...this.getConnections()].length }) }
}

export default {
  async fetch(request: Request, env: Record<string, any>) {
    return (await routePartykitRequest(request, env)) ?? env.ASSETS.fetch(request)
  },
}
`,
  },
  gate: {
    'wrangler.jsonc': `/** A header comment */
    {
      "name": "gate", "main": "src/index.ts", "compatibility_date": "2025-10-08",
      "assets": { "directory": "public" },
      "vars": { "KEY": "a key of the test", "PROTECTED": ["/premium", "/club/*"], "PRICE": { "cents": 100, "unit": "hour" } },
      "upload_source_maps": true,
    }`,
    'public/index.html': 'the gate',
    'src/index.ts': `
import { Hono } from 'hono'
import { setCookie, getCookie } from 'hono/cookie'
import { jwtVerify, SignJWT } from 'jose'
import { nanoid } from 'nanoid'
type Bindings = { KEY: string; PROTECTED: string[]; PRICE: { cents: number } }
const app = new Hono<{ Bindings: Bindings }>()
const keyOf = (env: Bindings) => new TextEncoder().encode(env.KEY)
app.use(async (c, next) => {
  const isProtected = c.env.PROTECTED.some((path) => path.endsWith('/*') ? c.req.path.startsWith(path.slice(0, -1)) : path === c.req.path)
  if (!isProtected) return next()
  const token = getCookie(c, 'paid')
  if (token === undefined) return c.json({ price: c.env.PRICE.cents }, 402)
  await jwtVerify(token, keyOf(c.env))
  await next()
})
app.post('/pay', async (c) => {
  const token = await new SignJWT({ id: nanoid() }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(keyOf(c.env))
  setCookie(c, 'paid', token, { httpOnly: true })
  return c.text('thanks')
})
app.get('/premium', (c) => c.text('welcome'))
export default app
`,
  },
  notify: {
    'wrangler.jsonc': `{
      "name": "notify", "main": "src/index.js", "compatibility_date": "2025-10-08", "workers_dev": true,
      "assets": { "directory": "./public" },
      "queues": { "consumers": [{ "queue": "builds", "max_batch_size": 10, "max_batch_timeout": 30 }] }
    }`,
    'public/index.html': 'how to set it up',
    'src/index.js':
      'export default { async queue(batch) { for (const message of batch.messages) message.ack() } }',
  },
  counter: {
    'wrangler.toml': `name = "counter"
compatibility_date = "2022-02-12"

[durable_objects]
bindings = [{name = "COUNTER", class_name = "Counter"}]

[[migrations]]
tag = "v1"
new_classes = ["Counter"]
`,
    'src/index.ts': `
import { Hono } from 'hono'
export class Counter {
  value = 0
  app = new Hono()
  constructor(state: any) {
    state.blockConcurrencyWhile(async () => { this.value = (await state.storage.get('value')) ?? 0 })
    this.app.get('/increment', async (c) => { await state.storage.put('value', ++this.value); return c.text(String(this.value)) })
  }
  fetch(request: Request) { return this.app.fetch(request) }
}
const app = new Hono<{ Bindings: { COUNTER: any } }>()
app.get('*', (c) => c.env.COUNTER.get(c.env.COUNTER.idFromName('A')).fetch(c.req.raw))
export default app
`,
  },
  imports: {
    'wrangler.toml': `
name = "imports"
main = "src/index.js"
node_compat = true
[[rules]]
type = "Data"
globs = ["**/*.html"]
fallthrough = false
[[rules]]
type = "Text"
globs = ["src/*.tpl", "src/*.sql"]
`,
    'src/page.html': '<p>bytes</p>',
    'src/greeting.tpl': 'Hello ${name}',
    'src/plain.txt': 'plain',
    'src/index.js': `
import { basename } from 'path'
import page from './page.html'
import greeting from './greeting.tpl'
import plain from './plain.txt'
export default { fetch: () => Response.json([page instanceof ArrayBuffer, new TextDecoder().decode(page), greeting, plain, basename('a/b')]) }
`,
  },
  listener: {
    'src/index.js': "addEventListener('fetch', (event) => event.respondWith(new Response('old')))",
  },
  single: { 'src/hello.ts': 'export default { fetch: () => new Response("no wrangler file") }' },
  site: {
    'wrangler.json':
      '{ "name": "site", "assets": { "directory": "dist", "not_found_handling": "404-page" } }',
    'dist/index.html': 'a site',
    'dist/404.html': 'nothing here',
    'dist/_redirects': '/old /new 301\n/lost',
    'dist/_headers': '/*\n  X-Robots-Tag: noindex',
  },
  everything: {
    'wrangler.jsonc': `{
      "name": "everything", "main": "src/index.ts", "compatibility_date": "2025-10-08",
      "assets": { "directory": "web", "not_found_handling": "single-page-application", "run_worker_first": ["/api/*"] },
      "services": [{ "binding": "SELF", "service": "everything" }, { "binding": "MATHS", "service": "everything", "entrypoint": "Maths" }],
      "d1_databases": [{ "binding": "DB", "database_name": "all", "migrations_dir": "database/steps", "migrations_table": "steps" }],
      "kv_namespaces": [{ "binding": "KV", "id": "1" }],
      "vars": { "RETRIES": 3 }
    }`,
    'web/index.html': 'the app',
    'database/steps/0001.sql': 'create table t (n integer);',
    'src/index.ts': `
import { WorkerEntrypoint } from 'cloudflare:workers'
export class Maths extends WorkerEntrypoint { add(a: number, b: number) { return a + b } }
export default {
  async fetch(request: Request, env: any) {
    if (new URL(request.url).pathname === '/api/inner') {
      await env.DB.prepare('insert into t values (?)').bind(env.RETRIES + 1).run()
      return Response.json(await env.DB.prepare('select n from t').first())
    }
    const inner = await (await env.SELF.fetch('http://self/api/inner')).json()
    return Response.json({ inner, sum: await env.MATHS.add(20, 22) })
  },
}`,
  },
}

type Fetched = { status: number; headers: IncomingHttpHeaders; type: string; cookie: string; body: string }

describe('applications on libraries for Workers', () => {
  let setup: TestSetup
  let folder: string
  before(async () => {
    setup = await startFunctionsSetup()
    await setup.json(['new', 'star-duel', '--no-install'])
    folder = join(setup.root, 'star-duel')
    await symlink(NODE_MODULES, join(setup.root, 'node_modules'))
    for (const [app, files] of Object.entries(APPS))
      for (const [name, content] of Object.entries(files)) {
        const path = join(folder, app, name)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, content)
      }
  })
  after(() => setup.stop())

  async function deploy(app: string, from = folder) {
    const { url } = await setup.json(['functions', 'deploy', app], { folder: from })
    const { host } = new URL(url)
    return {
      host,
      fetch: (path: string, body?: unknown, more: Record<string, string> = {}) =>
        new Promise<Fetched>((resolve, reject) => {
          const headers = { host, ...more, ...(body !== undefined && { 'content-type': 'application/json' }) }
          const method = body === undefined ? 'GET' : 'POST'
          const options = { host: '127.0.0.1', port: setup.port, path, method, headers }
          request(options, (response) => {
            const type = response.headers['content-type'] ?? ''
            const [cookie = ''] = response.headers['set-cookie'] ?? []
            const finish = (all: string) =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                type,
                cookie,
                body: all,
              })
            text(response).then(finish, reject)
          })
            .on('error', reject)
            .end(body === undefined ? undefined : JSON.stringify(body))
        }),
    }
  }

  test('[FUN-06] Hono with JSX, middleware and a stream of events', async () => {
    const { fetch } = await deploy('jsx')
    const page = await fetch('/page/ann')
    assert.match(page.type, /text\/html/)
    assert.match(page.body, /<html><body><h1>Scores<\/h1><ul><li>ann: &lt;3<\/li><\/ul><\/body><\/html>/)
    const events = await fetch('/api/events')
    assert.match(events.type, /text\/event-stream/)
    assert.deepEqual(events.body.match(/event \d/g), ['event 0', 'event 1', 'event 2'])
    const failed = await fetch('/teapot')
    assert.deepEqual([failed.status, failed.body], [418, 'short and stout'])
  })

  test('[FUN-06] an API with OpenAPI, a database, migrations and packages for Node', async () => {
    const { fetch } = await deploy('openapi')
    const migrate = ['functions', 'db', 'migrate', 'DB', 'openapi']
    assert.deepEqual((await setup.json(migrate, { folder })).applied, ['0001_tasks.sql'])
    assert.deepEqual((await setup.json(migrate, { folder })).skipped, ['0001_tasks.sql'])

    const document = JSON.parse((await fetch('/openapi.json')).body)
    assert.deepEqual(Object.keys(document.paths['/tasks']).toSorted(), ['get', 'post'])
    assert.deepEqual(JSON.parse((await fetch('/tasks', { name: 'second', done: true })).body), {
      id: 2,
      name: 'second',
      done: true,
    })
    assert.equal((await fetch('/tasks', { name: '', done: 'maybe' })).status, 400)
    assert.deepEqual(
      JSON.parse((await fetch('/tasks')).body).tasks.map(({ name }: { name: string }) => name),
      ['first', 'second'],
    )
    assert.equal((await fetch('/tag/a')).body, '0cc175b9c0f1b6a831c399e269772661')
  })

  test('[FUN-06] a chat of durable objects on partyserver, whose messages are kept across a deployment', async () => {
    const { fetch, host } = await deploy('chat')
    const join = async (name: string) => {
      const path = `/parties/chat/lobby?name=${name}`
      const socket = new WebSocket(`ws://127.0.0.1:${setup.port}${path}`, { headers: { host } })
      const next = async () => JSON.parse(String((await once(socket, 'message'))[0]))
      return { socket, next, first: await next() }
    }
    const ann = await join('ann')
    const bob = await join('bob')
    assert.deepEqual([ann.first, bob.first], [{ said: [] }, { said: [] }])
    const heard = Promise.all([ann.next(), bob.next()])
    ann.socket.send('hello')
    assert.deepEqual(await heard, [{ text: 'ann: hello' }, { text: 'ann: hello' }])
    assert.deepEqual(JSON.parse((await fetch('/parties/chat/lobby')).body), { room: 'lobby', connected: 2 })

    await deploy('chat')
    const cem = await join('cem')
    assert.deepEqual(cem.first, { said: ['ann: hello'] })
    cem.socket.terminate()

    const page = await fetch('/')
    assert.deepEqual([page.type, /dist\/page\.js/.test(page.body)], ['text/html; charset=utf-8', true])
    const script = await fetch('/dist/page.js')
    assert.deepEqual(
      [script.type, /title = "Chat"/.test(script.body)],
      ['text/javascript; charset=utf-8', true],
    )
    for (const path of ['/elsewhere', '/private/notes.txt', '/.assetsignore'])
      assert.equal((await fetch(path)).body, page.body)
  })

  test('[FUN-06] lists and objects in vars, a page in front of the code, and cookies', async () => {
    const { fetch } = await deploy('gate')
    assert.equal((await fetch('/')).body, 'the gate')
    const refused = await fetch('/premium')
    assert.deepEqual([refused.status, refused.body], [402, '{"price":100}'])
    assert.equal((await fetch('/club/a')).status, 402)
    const { cookie } = await fetch('/pay', {})
    assert.equal((await fetch('/premium', undefined, { cookie: cookie.split(';')[0] ?? '' })).body, 'welcome')
    assert.equal((await deploy('notify')).host !== '', true)
    assert.equal((await fetch('/')).body, 'how to set it up')
  })

  test('[FUN-05] a file of code as argument, with a wrangler file that has no main, or without one', async () => {
    const { fetch } = await deploy('src/index.ts', join(folder, 'counter'))
    assert.deepEqual([(await fetch('/increment')).body, (await fetch('/increment')).body], ['1', '2'])
    const refused = await setup.svc(['functions', 'deploy', 'counter'], { folder })
    assert.deepEqual([refused.code, /add main = "src\/index\.ts"/.test(refused.err)], [2, true], refused.err)
    await deploy('single/src/hello.ts')
    assert.equal((await fetch('/')).body, 'no wrangler file')
  })

  test('[FUN-05] imports of text and data, as the rules of the project say', async () => {
    const { fetch } = await deploy('imports')
    const { body } = await fetch('/')
    assert.deepEqual(JSON.parse(body), [true, '<p>bytes</p>', 'Hello ${name}', 'plain', 'b'])
    const { err } = await setup.svc(['functions', 'deploy', 'imports'], { folder })
    assert.doesNotMatch(err, /not supported/)
    const old = await setup.svc(['functions', 'deploy', 'listener/src/index.js'], { folder })
    assert.deepEqual(
      [old.code, /has no default export[\s\S]*The older form/.test(old.err)],
      [2, true],
      old.err,
    )
  })

  test('[FUN-05] a project of files without code', async () => {
    const { out } = await setup.svc(['functions', 'deploy', 'site'], { folder })
    assert.match(out, /bundled .* and 4 files[\s\S]*_redirects, line 2 must be: path, destination, status/)
    const { fetch } = await deploy('site')
    assert.equal((await fetch('/')).body, 'a site')
    assert.equal((await fetch('/')).headers['x-robots-tag'], 'noindex')
    const moved = await fetch('/old')
    assert.deepEqual([moved.status, moved.headers.location], [301, './new'])
    const missing = await fetch('/_redirects')
    assert.deepEqual([missing.status, missing.body], [404, 'nothing here'])
  })

  test('[FUN-06] [FUN-11] bindings to itself, rules for pages, and the folder of migrations', async () => {
    const { fetch } = await deploy('everything')
    const migrate = ['functions', 'db', 'migrate', 'DB']
    const { applied } = await setup.json(migrate, { folder: join(folder, 'everything') })
    assert.deepEqual(applied, ['0001.sql'])
    const noted = await setup.json(['functions', 'db', 'query', 'DB', 'select name from steps'], { folder })
    assert.deepEqual(noted.results, [{ name: '0001.sql' }])
    assert.deepEqual(JSON.parse((await fetch('/api/all')).body), { inner: { n: 4 }, sum: 42 })
    assert.equal((await fetch('/games/1')).body, 'the app')
  })
})
