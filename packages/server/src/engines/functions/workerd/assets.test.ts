import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test, type TestContext } from 'node:test'

import type { FunctionAssets, FunctionCode } from '../../../platform/ports/functions-engine.ts'
import { codeOf, connectTo, get, openTestFunctions, specOf } from '../../../testing/functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'

const FILES = {
  'index.html': 'home',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'docs/404.html': 'no such document',
  '404.html': 'no such page',
  'data.json': '{}',
  'naïve file.txt': 'text',
  'empty.txt': '',
  'big.bin': 'x'.repeat(300_000),
}
const assetsWith = (rest: Partial<FunctionAssets> = {}): FunctionAssets => ({
  files: Object.entries(FILES).map(([path, content]) => ({
    path,
    type: path.endsWith('.html') ? 'text/html; charset=utf-8' : 'application/octet-stream',
    etag: hash('sha256', content).slice(0, 32),
    content: Buffer.from(content),
  })),
  notFoundHandling: 'none',
  htmlHandling: 'auto-trailing-slash',
  runWorkerFirst: false,
  headers: [],
  redirects: [],
  ...rest,
})
const CODE = `
import { WorkerEntrypoint } from 'cloudflare:workers'
export class Admin extends WorkerEntrypoint {
  double(n) { return n * 2 }
  fetch() { return new Response('admin') }
}
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (request.headers.get('upgrade') === 'websocket') {
      const [client, server] = Object.values(new WebSocketPair())
      server.accept()
      server.send('hello')
      return new Response(null, { status: 101, webSocket: client })
    }
    if (pathname === '/api/self') return env.SELF.fetch('http://self/api/who')
    if (pathname === '/api/admin') return Response.json([await env.ADMIN.double(21), await (await env.ADMIN.fetch('http://x')).text()])
    if (pathname.startsWith('/from-code')) return env.FILES.fetch(new Request(new URL(pathname.slice(10), request.url), request))
    console.log('code')
    return new Response('code ' + request.method + ' ' + await request.text())
  },
}`

describe('static files', () => {
  let functions: Awaited<ReturnType<typeof openTestFunctions>>
  before(async () => void (functions = await openTestFunctions()))
  after(() => functions.close())

  let count = 0
  async function start(t: TestContext, rest: Partial<FunctionAssets> = {}, code: Partial<FunctionCode> = {}) {
    const bindings = [
      { type: 'assets', name: 'FILES' },
      { type: 'service', name: 'SELF' },
      { type: 'service', name: 'ADMIN', entrypoint: 'Admin' },
    ] as const
    const dataId = `assets-${++count}`
    const running = await functions.engine.start(
      specOf(codeOf(CODE, { bindings, assets: assetsWith(rest), ...code }), {
        dataId,
        environmentId: dataId,
      }),
    )
    t.after(() => running.stop(0))
    const ask = async (path: string, init: Parameters<typeof get>[2] = {}) => {
      const { status, headers, text } = await get(running, path, init)
      return status === 307 ? `→ ${headers.location}` : `${status} ${text}`
    }
    return { running, ask, dataId }
  }
  async function asked(ask: (path: string) => Promise<string>, expected: Record<string, string>) {
    const answers = await Promise.all(Object.keys(expected).map(async (path) => [path, await ask(path)]))
    assert.deepEqual(Object.fromEntries(answers), expected)
  }

  test('[FUN-06] are served before the code runs; HTML files without their extension', async (t) => {
    const { ask } = await start(t)
    await asked(ask, {
      '/': '200 home',
      '/index.html': '→ ./',
      '/index': '→ ./',
      '/about': '200 about',
      '/about/': '→ ../about',
      '/about.html?a=1': '→ ./about?a=1',
      '/docs': '→ ./docs/',
      '/docs/': '200 docs',
      '/docs/index.html': '→ ../docs/',
      '/data.json': '200 {}',
      '/empty.txt': '200 ',
      '/na%C3%AFve%20file.txt': '200 text',
      '/data.json/': '200 code GET ',
      '//about.html': '200 code GET ',
      '/..%2f..%2fconfig.capnp': '200 code GET ',
      '/%E0%A4%A': '200 code GET ',
      '/missing': '200 code GET ',
      '/from-code/about': '200 about',
      '/from-code/missing': '404 ',
      '/api/self': '200 code GET ',
      '/api/admin': '200 [42,"admin"]',
    })
    assert.equal(await ask('/about', { method: 'DELETE' }), '200 code DELETE ')
    assert.equal(await ask('/from-code/about', { method: 'DELETE' }), '405 ')
  })

  test('[FUN-06] other handlings of HTML', async (t) => {
    await asked((await start(t, { htmlHandling: 'force-trailing-slash' })).ask, {
      '/': '200 home',
      '/about': '→ ./about/',
      '/about/': '200 about',
      '/about.html': '→ ./about/',
      '/docs': '→ ./docs/',
      '/docs/': '200 docs',
    })
    await asked((await start(t, { htmlHandling: 'drop-trailing-slash' })).ask, {
      '/': '200 home',
      '/about': '200 about',
      '/about/': '→ ../about',
      '/docs': '200 docs',
      '/docs/': '→ ../docs',
    })
    await asked((await start(t, { htmlHandling: 'none' })).ask, {
      '/': '200 code GET ',
      '/about': '200 code GET ',
      '/about.html': '200 about',
      '/docs/index.html': '200 docs',
    })
  })

  test('[FUN-06] a page instead of the code where browsers navigate, or always where rules leave it', async (t) => {
    const navigate = { headers: { 'sec-fetch-mode': 'navigate' } }
    const app = await start(t, { notFoundHandling: 'single-page-application' })
    assert.equal(await app.ask('/games/1'), '200 code GET ')
    assert.equal(await app.ask('/games/1', navigate), '200 home')
    assert.equal(await app.ask('/from-code/games/1'), '200 home')
    const before = { compatibilityDate: '2025-03-01' }
    const old = await start(t, { notFoundHandling: 'single-page-application' }, before)
    assert.equal(await old.ask('/games/1', navigate), '200 code GET ')

    const site = await start(t, { notFoundHandling: '404-page' })
    assert.equal(await site.ask('/games/1', navigate), '404 no such page')
    assert.equal(await site.ask('/docs/a/b', navigate), '404 no such document')

    const runWorkerFirst = ['/api/*', '/about', '!/api/docs/*']
    const ruled = await start(t, { notFoundHandling: 'single-page-application', runWorkerFirst })
    await asked(ruled.ask, {
      '/api/x': '200 code GET ',
      '/api/docs/x': '200 home',
      '/about': '200 code GET ',
      '/games/1': '200 home',
      '/docs/': '200 docs',
    })
    const first = await start(t, { runWorkerFirst: true })
    await asked(first.ask, { '/': '200 code GET ', '/from-code/': '200 home' })
  })

  test('[FUN-06] have an ETag, a type and their length; HEAD and WebSockets work', async (t) => {
    const { running, ask, dataId } = await start(t)
    const big = await get(running, '/big.bin')
    assert.equal(big.text, FILES['big.bin'])
    assert.equal(big.headers['content-length'], '300000')
    assert.equal(big.headers['content-type'], 'application/octet-stream')
    const etag = String(big.headers.etag)
    assert.equal(await ask('/big.bin', { headers: { 'if-none-match': `W/${etag}, "b"` } }), '304 ')
    const head = await get(running, '/about', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '5'])

    const socket = await connectTo(t, running, '/about')
    const message = await new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(data)))
    assert.equal(message, 'hello')
    socket.close()

    const { requestId } = await get(running, '/missing')
    // The output of the process may be read after its answer.
    await comesTrue('the line of the code is in the log', async () => {
      const lines = await functions.engine.readLogs(dataId, { limit: 10 })
      return lines.some((line) => line.requestId === requestId && line.message === 'code')
    })
  })

  test('[FUN-06] redirects of the rules come first; the first one that matches counts', async (t) => {
    const { running } = await start(t, {
      runWorkerFirst: ['/api/*'],
      redirects: [
        { from: '/old', to: '/new?from=old#top', status: 301 },
        { from: '/old', to: '/never', status: 302 },
        { from: '/about', to: '/data.json', status: 303 },
        { from: '/blog/*', to: '/posts/:splat', status: 302 },
        { from: '/blog/static', to: '/never', status: 302 },
        { from: '/shop/:id/:name', to: 'https://shop.example/?id=:id&name=:name', status: 307 },
        { from: '/out/*', to: '/:splat', status: 308 },
        { from: '/far/*', to: 'https://example.com/:splat', status: 302 },
        { from: '/faq/*', to: '/docs/', status: 200 },
        { from: '/page', to: '/about.html', status: 200 },
        { from: '/nothing', to: '/missing', status: 200 },
        { from: '/many/*', to: `/${':splat'.repeat(150)}`, status: 302 },
        { from: '/api/*', to: '/never', status: 302 },
      ],
    })
    const answer = async (path: string) => {
      const { status, headers, text } = await get(running, path)
      return `${status} ${headers.location ?? text}`
    }
    await asked(answer, {
      '/old': '301 ./new?from=old#top',
      '/about?a=1': '303 ./data.json?a=1',
      '/blog/2026/a%20b': '302 ../../posts/2026/a%20b',
      '/blog/static': '302 ../posts/static',
      '/shop/7/tea': '307 https://shop.example/?id=7&name=tea',
      '/shop/7': '200 code GET ',
      '/out//evil.example/': '308 ../../../evil.example/',
      '/far/a?b=1': '302 https://example.com/a?b=1',
      '/faq/anything': '200 docs',
      '/page': '200 about',
      '/nothing': '200 code GET ',
      [`/many/${'x'.repeat(100)}`]: '200 code GET ',
      '/api/x': '200 code GET ',
      '/from-code/old': '301 ./new?from=old#top',
    })
    assert.equal((await get(running, '/old', { method: 'POST' })).text, 'code POST ')
  })

  test('[FUN-06] rules change the headers of files, and of nothing else', async (t) => {
    const { running } = await start(t, {
      notFoundHandling: '404-page',
      headers: [
        {
          from: '/*',
          remove: ['cache-control'],
          add: [
            ['x-robots-tag', 'nosnippet'],
            ['x-frame', 'DENY'],
          ],
        },
        {
          from: '/docs/*',
          remove: ['x-frame'],
          add: [
            ['x-robots-tag', 'noindex'],
            ['x-path', 'a :splat b'],
          ],
        },
        {
          from: '/:page',
          remove: [],
          add: [
            ['x-page', ':page :unknown'],
            ['content-type', 'text/x'],
          ],
        },
        { from: '/big.bin', remove: [], add: [['x-long', 'y'.repeat(2_000)]] },
        ...Array.from({ length: 40 }, () => ({
          from: '/big.bin',
          remove: [],
          add: [['x-long', 'y'.repeat(2_000)] as [string, string]],
        })),
      ],
    })
    const named = async (path: string, init = {}) => {
      const { status, headers } = await get(running, path, init)
      const { 'x-robots-tag': robots, 'x-frame': frame, 'x-path': at, 'x-page': page } = headers
      return [status, headers['cache-control'], robots, frame, at, page, headers['content-type']]
    }
    const about = [200, undefined, 'nosnippet', 'DENY', undefined, 'about :unknown', 'text/x']
    assert.deepEqual(await named('/about'), about)
    const docs = [200, undefined, 'nosnippet, noindex', undefined, 'a  b']
    assert.deepEqual((await named('/docs/')).slice(0, 5), docs)
    const { etag } = (await get(running, '/about')).headers
    assert.equal((await named('/about', { headers: { 'if-none-match': etag } }))[2], 'nosnippet')
    const missing = await named('/a/b', { headers: { 'sec-fetch-mode': 'navigate' } })
    assert.deepEqual(missing.slice(0, 3), [404, undefined, 'nosnippet'])
    assert.equal((await named('/missing/x'))[2], undefined)
    const big = await get(running, '/big.bin')
    assert.deepEqual([big.status, big.text.length], [200, 300_000])
  })

  test('[FUN-06] vars are texts, numbers, lists and objects as they are', async (t) => {
    const vars = { TEXT: '1', NUMBER: 1.5, LIST: ['/a', { b: null }], OBJECT: { price: '$1' }, YES: true }
    const code =
      'export default { fetch: (_, { TEXT, NUMBER, LIST, OBJECT, YES }) => Response.json({ TEXT, NUMBER, LIST, OBJECT, YES }) }'
    const running = await functions.engine.start(specOf(codeOf(code, { vars }), { dataId: 'vars' }))
    t.after(() => running.stop(0))
    assert.deepEqual(JSON.parse((await get(running, '/')).text), vars)
  })
})
