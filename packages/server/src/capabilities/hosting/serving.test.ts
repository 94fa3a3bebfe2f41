import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { deploy, type Files, newApp, type Project, sha256Of, browserFor } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const LONG = 'body { color: rebeccapurple }\n'.repeat(200)
const BIG = Buffer.alloc(1_500_000, 'svc hosts this. ')

const SITE: Files = {
  'index.html': '<h1>Home</h1>',
  'docs/index.html': '<h1>Docs</h1>',
  'style.css': LONG,
  'assets/app.3f9a2c41.js': `export default 1 // ${'x'.repeat(2_000)}`,
  'report-20261115.txt': 'a date is not a hash',
  'noise.bin': BIG,
  'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  'data.unknown': 'who knows',
  'caf\u00e9 menu.txt': 'un caf\u00e9',
  '100%.txt': 'all of it',
  'Readme.md': '# Hi',
  empty: '',
}

for (const engine of engines) {
  describe(`serving hosted apps on ${engine}`, () => {
    let service: Service
    let visit: Awaited<ReturnType<typeof browserFor>>
    let project: Project
    let home: string
    before(async () => {
      service = await startService(engine)
      visit = await browserFor(service)
      project = await newApp(service)
      home = `${project.slug}--dev`
      await deploy(service, project.development, SITE)
    })
    after(() => service.stop())

    test('[HST-08] / and folders answer their index.html, a folder without its slash redirects', async () => {
      assert.equal((await visit(home, '/')).text, '<h1>Home</h1>')
      assert.equal((await visit(home, '/index.html')).text, '<h1>Home</h1>')
      assert.equal((await visit(home, '/docs/')).text, '<h1>Docs</h1>')

      const { status, headers } = await visit(home, '/docs?a=1&b=//evil.example')
      assert.deepEqual([status, headers['location']], [302, '/docs/?a=1&b=//evil.example'])
      assert.equal(headers['cache-control'], 'no-cache')
    })

    test('[GEN-10] every response of a hosted app has its own X-Request-Id', async () => {
      const { headers } = await visit(home, '/style.css')
      const known = { 'if-none-match': headers['etag'] ?? '' }
      const seen = new Set([headers['x-request-id']])
      const answers: [status: number, host: string, path: string, how?: Parameters<typeof visit>[2]][] = [
        [200, home, '/'],
        [200, home, '/noise.bin'],
        [200, home, '/', { method: 'HEAD' }],
        [200, home, '/.svc/sdk.js'],
        [200, home, '/.svc/init.json'],
        [200, home, '/.auth/verify'],
        [206, home, '/style.css', { headers: { range: 'bytes=0-9' } }],
        [302, home, '/docs'],
        [304, home, '/style.css', { headers: known }],
        [400, home, '/%ff'],
        [404, home, '/not/there.png'],
        [404, 'no-such-app', '/'],
        [405, home, '/', { method: 'POST' }],
        [416, home, '/style.css', { headers: { range: 'bytes=1000000-' } }],
      ]
      for (const [status, host, path, how] of answers) {
        const answer = await visit(host, path, how)
        assert.equal(answer.status, status, path)
        assert.match(answer.headers['x-request-id'] ?? '', /^req_/, path)
        seen.add(answer.headers['x-request-id'])
      }
      assert.equal(seen.size, answers.length + 1)
    })

    test('[HST-08] production is served only at <slug>, development only at <slug>--dev', async () => {
      assert.equal((await visit(project.slug, '/')).status, 404)
      await deploy(service, project.production, { 'index.html': 'production' })
      assert.equal((await visit(project.slug, '/')).text, 'production')
      assert.equal((await visit(home, '/')).text, '<h1>Home</h1>')
    })

    test('[HST-08] a host may be in capitals, end with a dot, and have a port', async () => {
      for (const host of [
        `${home}.localhost`,
        `${home}.localhost.`,
        `${home.toUpperCase()}.LocalHost:80`,
        `${home}.localhost:`,
      ]) {
        assert.equal((await visit('', '/', { headers: { host } })).text, '<h1>Home</h1>', host)
      }
    })

    test('[HST-08] requests to an app never reach the API, and requests to the API never reach an app', async () => {
      for (const path of [
        '/v1/platform/info',
        '/healthz',
        '/docs',
        '/openapi.json',
        '/metrics',
        '/v1/config',
      ]) {
        const onApp = await visit(home, path, { headers: { 'x-svc-key': project.development.secretKey } })
        assert.notEqual(onApp.headers['content-type'], 'application/json; charset=utf-8', path)
      }
      assert.equal((await visit('', '/style.css')).status, 404)
      assert.equal((await visit('', '/healthz')).status, 200)
      assert.equal((await visit(home, '/v1/auth/guest', { method: 'POST' })).status, 405)
      assert.equal((await visit('', '/healthz', { headers: { host: 'localhost' } })).status, 200)
      // Names that are not of this machine are refused by the API (DEV-21), and reach no app either.
      for (const host of ['example.com', `${home}.localhost.example.com`, 'notlocalhost'])
        assert.match((await visit('', '/healthz', { headers: { host } })).text, /"host_not_allowed"/, host)
    })

    test('[HST-08] an unknown app answers a 404 page that is not cached', async () => {
      const labels = [
        'nobody',
        'nobody--dev',
        'a',
        '',
        'a.b',
        `${home}--dev`,
        `x.${home}`,
        '--dev',
        'constructor',
        '%2e',
      ]
      for (const label of labels) {
        const { status, headers, text } = await visit('', '/', { headers: { host: `${label}.localhost` } })
        assert.equal(status, 404, label)
        assert.equal(headers['cache-control'], 'no-store')
        assert.match(text, /There is no app here/)
      }
    })

    test('[HST-08] content types depend on the extension, text has a charset, unknown ones are not guessed', async () => {
      const types = {
        '/': 'text/html; charset=utf-8',
        '/style.css': 'text/css; charset=utf-8',
        '/assets/app.3f9a2c41.js': 'text/javascript; charset=utf-8',
        '/picture.png': 'image/png',
        '/data.unknown': 'application/octet-stream',
        '/empty': 'application/octet-stream',
        '/noise.bin': 'application/octet-stream',
      }
      for (const [path, type] of Object.entries(types)) {
        const { status, headers } = await visit(home, path)
        assert.deepEqual([status, headers['content-type']], [200, type], path)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        for (const absent of ['x-frame-options', 'service-worker-allowed', 'referrer-policy'])
          assert.equal(headers[absent], undefined, `${path}: ${absent}`)
      }
    })

    test('[HST-08] HTML and names without a hash are revalidated, names with a hash are cached', async () => {
      const kept = 'public, max-age=31536000, immutable'
      for (const path of ['/', '/style.css', '/report-20261115.txt', '/anywhere/else'])
        assert.equal((await visit(home, path)).headers['cache-control'], 'no-cache', path)
      assert.equal((await visit(home, '/assets/app.3f9a2c41.js')).headers['cache-control'], kept)
    })

    test('[HST-08] a strong ETag is the hash of the bytes; a client that has them gets 304', async () => {
      const etag = `"${sha256Of(LONG)}"`
      assert.equal((await visit(home, '/style.css')).headers['etag'], etag)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const { status, bytes, headers } = await visit(home, '/style.css', {
          headers: { 'if-none-match': known },
        })
        assert.deepEqual([status, bytes.length, headers['etag']], [304, 0, etag], known)
      }
      const { status } = await visit(home, '/style.css', { headers: { 'if-none-match': '"other"' } })
      assert.equal(status, 200)
    })

    test('[HST-08] HEAD has the headers of GET, without the body', async () => {
      for (const path of ['/', '/style.css', '/noise.bin', '/nothing.png', '/.svc/init.json', '/docs']) {
        const [got, received] = [await visit(home, path), await visit(home, path, { method: 'HEAD' })]
        for (const answer of [got, received])
          for (const name of ['date', 'x-request-id']) delete answer.headers[name]
        assert.deepEqual([received.status, received.headers], [got.status, got.headers], path)
        assert.equal(received.bytes.length, 0)
      }
    })

    test('[HST-08] one range is answered 206, from memory and from the store', async () => {
      for (const [path, content] of [
        ['/style.css', Buffer.from(LONG)],
        ['/noise.bin', BIG],
      ] as const) {
        const size = content.length
        const ranges = {
          'bytes=0-0': [0, 0],
          'bytes=10-19': [10, 19],
          [`bytes=${size - 1}-`]: [size - 1, size - 1],
          'bytes=-5': [size - 5, size - 1],
          [`bytes=-${size + 10}`]: [0, size - 1],
          [`bytes=0-${size + 10}`]: [0, size - 1],
        }
        for (const [range, [start = 0, end = 0]] of Object.entries(ranges)) {
          const answer = await visit(home, path, { headers: { range, 'accept-encoding': 'br, gzip' } })
          assert.equal(answer.status, 206, range)
          assert.equal(answer.headers['content-range'], `bytes ${start}-${end}/${size}`)
          assert.equal(answer.headers['content-encoding'], undefined)
          assert.ok(answer.bytes.equals(content.subarray(start, end + 1)), range)
        }
        const beyond = await visit(home, path, { headers: { range: `bytes=${size}-` } })
        assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${size}`])
        for (const range of [
          'bytes=0-1,3-4',
          'bytes=5-2',
          'bytes=',
          'bytes=-',
          'lines=1-2',
          'bytes=a-b',
          '0-5',
        ]) {
          const answer = await visit(home, path, { headers: { range } })
          assert.deepEqual([answer.status, answer.bytes.length], [200, size], range)
        }
      }
      assert.equal((await visit(home, '/empty', { headers: { range: 'bytes=0-0' } })).status, 416)
      assert.equal((await visit(home, '/empty', { headers: { range: 'bytes=-1' } })).status, 416)
    })

    test('[HST-08] If-Range answers a part only if its ETag matches', async () => {
      const range = 'bytes=0-3'
      const ask = (ifRange: string) => visit(home, '/noise.bin', { headers: { range, 'if-range': ifRange } })
      assert.equal((await ask(`"${sha256Of(BIG)}"`)).status, 206)
      for (const other of ['"other"', `W/"${sha256Of(BIG)}"`, 'Wed, 21 Oct 2026 07:28:00 GMT'])
        assert.equal((await ask(other)).status, 200, other)
    })

    test('[HST-08] brotli and gzip are made once, are smaller than the file, and have separate ETags', async () => {
      const ask = (encoding: string, more = {}) =>
        visit(home, '/style.css', { headers: { 'accept-encoding': encoding, ...more } })
      for (const encoding of ['br', 'gzip'])
        await comesTrue(
          `${encoding} is made`,
          async () => (await ask(encoding)).headers['content-encoding'] === encoding,
        )

      const br = await ask('gzip, deflate, br')
      assert.deepEqual([br.headers['content-encoding'], br.headers['vary']], ['br', 'Accept-Encoding'])
      assert.equal(br.headers['etag'], `"${sha256Of(LONG)}-br"`)
      assert.equal(brotliDecompressSync(br.bytes).toString(), LONG)
      const gzip = await ask('gzip')
      assert.deepEqual(
        [gzip.headers['content-encoding'], gzip.headers['etag']],
        ['gzip', `"${sha256Of(LONG)}-gz"`],
      )
      assert.equal(gunzipSync(gzip.bytes).toString(), LONG)
      assert.ok(gzip.bytes.length < LONG.length && br.bytes.length < LONG.length)
      assert.equal((await ask('br', { 'if-none-match': `"${sha256Of(LONG)}-br"` })).status, 304)

      for (const none of [
        '',
        'identity',
        'br;q=0',
        'br;q=0, gzip;q=0.0, identity',
        'deflate',
        '*;q=0',
        'brotli',
      ]) {
        const plain = await ask(none)
        assert.deepEqual([plain.headers['content-encoding'], plain.text], [undefined, LONG], none)
        assert.equal(plain.headers['vary'], 'Accept-Encoding')
      }
      assert.equal((await ask('*')).headers['content-encoding'], 'br')
      assert.equal((await ask('br;q=0, *')).headers['content-encoding'], 'gzip')

      const large = await visit(home, '/noise.bin', { headers: { 'accept-encoding': 'br' } })
      assert.ok(brotliDecompressSync(large.bytes).equals(BIG))
      for (const path of ['/picture.png', '/index.html', '/data.unknown'])
        assert.equal(
          (await visit(home, path, { headers: { 'accept-encoding': 'br' } })).headers['content-encoding'],
          undefined,
        )
    })

    test('[HST-08] an unknown path without an extension answers the start page, with an extension 404', async () => {
      for (const path of ['/play', '/room/42', '/a/b/c/', '/v1.2/play', '/search/a%2Fb', '/%E2%82%AC'])
        assert.equal((await visit(home, path)).text, '<h1>Home</h1>', path)
      for (const path of ['/nothing.png', '/docs/nothing.html', '/assets/app.00000000.js'])
        assert.equal((await visit(home, path)).status, 404, path)
    })

    test('[HST-08] an app without an icon shows no error in the console: favicon.ico is empty, unless the app has one', async () => {
      const { development, slug } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home' })
      const none = await visit(`${slug}--dev`, '/favicon.ico')
      assert.deepEqual([none.status, none.text], [204, ''])
      assert.equal(none.headers['cache-control'], 'no-cache')
      assert.equal((await visit(`${slug}--dev`, '/icons/favicon.ico')).status, 404)
      assert.equal((await visit(`${slug}--dev`, '/other.ico')).status, 404)

      await deploy(service, development, { 'index.html': 'home', 'favicon.ico': 'icon' })
      assert.equal((await visit(`${slug}--dev`, '/favicon.ico')).text, 'icon')
      await deploy(service, development, { 'index.html': 'home', '404.html': 'lost' })
      assert.equal((await visit(`${slug}--dev`, '/favicon.ico')).status, 404)
    })

    test('[HST-08] a 404.html is the response to every unknown path, with status 404', async () => {
      const { development, slug } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home', '404.html': 'lost' })
      for (const path of ['/play', '/nothing.png', '/deep/er/']) {
        const { status, text, headers } = await visit(`${slug}--dev`, path, {
          headers: { range: 'bytes=0-0', 'if-none-match': '*' },
        })
        assert.deepEqual([status, text, headers['cache-control']], [404, 'lost', 'no-cache'], path)
      }
      assert.equal((await visit(`${slug}--dev`, '/')).text, 'home')
    })

    test('[HST-08] an app accepts only GET and HEAD', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const { status, headers } = await visit(home, '/', {
          method,
          headers: { 'content-type': 'text/plain' },
          body: 'x',
        })
        assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'], method)
      }
    })

    test('[HST-08] names match in both Unicode forms, case-sensitively, and with percent-encoded characters', async () => {
      for (const path of ['/caf%C3%A9%20menu.txt', '/cafe%CC%81%20menu.txt'])
        assert.equal((await visit(home, path)).text, 'un café', path)
      assert.equal((await visit(home, '/100%25.txt')).text, 'all of it')
      assert.equal((await visit(home, '/Readme.md')).status, 200)
      assert.equal((await visit(home, '/readme.md')).status, 404)
      assert.equal((await visit(home, '/%52eadme.md')).text, '# Hi')
    })

    test('[HST-01] with hosting turned off the app answers 404 immediately, and the API feature_disabled', async () => {
      const { development, slug } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home' })
      assert.equal((await visit(`${slug}--dev`, '/')).status, 200)

      await development.server('PUT', '/v1/config', {})
      const { status, text, headers } = await visit(`${slug}--dev`, '/')
      assert.deepEqual([status, headers['cache-control']], [404, 'no-store'])
      assert.match(text, /Hosting is off/)
      assert.equal((await visit(`${slug}--dev`, '/.svc/init.json')).status, 404)
      assert.equal((await development.server('GET', '/v1/hosting')).body.error.code, 'feature_disabled')
    })

    test('before the first activation a page says that nothing is live yet', async () => {
      const { slug, development } = await newApp(service)
      assert.match((await visit(`${slug}--dev`, '/')).text, /Nothing is live yet/)
      await deploy(service, development, { 'index.html': 'home' }, { activate: false })
      assert.equal((await visit(`${slug}--dev`, '/')).status, 404)
    })

    test('[DEV-12] the app of a deleted project answers 404, and its keys are invalid', async () => {
      const { id, slug, development, production, developer } = await newApp(service)
      const labels = [`${slug}--dev`, slug]
      for (const side of [development, production]) await deploy(service, side, { 'index.html': 'here' })
      for (const label of labels) assert.equal((await visit(label, '/')).status, 200)
      await developer.call('DELETE', `/v1/projects/${id}`)
      for (const label of labels)
        for (const path of ['/', '/.svc/init.json', '/.auth/verify'])
          assert.equal((await visit(label, path)).status, 404, path)
    })

    test('all visits are counted as one route', async () => {
      await visit(home, '/some/address/of/mine')
      const { text } = await visit('', '/metrics')
      assert.match(text, /svc_http_requests_total\{method="any",route="app",status="200"\} \d+/)
      assert.doesNotMatch(text, /some\/address/)
    })
  })
}

test('[HST-08] with a separate apps domain the API answers on its own host, also if that is below the apps domain', async () => {
  const service = await startService('sqlite', {
    settings: { SVC_BASE_URL: 'https://api.example.app', SVC_APPS_DOMAIN: 'example.app' },
  })
  try {
    const visit = await browserFor(service, 'example.app')
    const { slug, development } = await newApp(service)
    const { url } = await deploy(service, development, { 'index.html': 'home' })
    assert.equal(url, `https://${slug}--dev.example.app`)
    assert.equal((await visit(`${slug}--dev`, '/')).text, 'home')
    assert.equal((await visit('api', '/healthz')).status, 200)
    for (const host of ['example.app', `${slug}--dev.localhost`, 'x.example.app.evil.example'])
      assert.equal((await visit('', '/healthz', { headers: { host } })).status, 200, host)
    const init = JSON.parse((await visit(`${slug}--dev`, '/.svc/init.json')).text)
    assert.deepEqual(
      [init.apiUrl, init.realtimeUrl],
      [`https://${slug}--dev.example.app/.svc`, `wss://${slug}--dev.example.app/.svc/v1/realtime`],
    )
    assert.equal((await visit(`${slug}--dev`, '/.svc/v1/rooms')).status, 401)
    assert.equal((await visit('api', '/.svc/v1/rooms')).status, 404)
  } finally {
    await service.stop()
  }
})
