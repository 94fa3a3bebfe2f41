import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { deploy, newApp, sha256Of, browserFor } from '../../testing/hosted-apps.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const DAY_MS = 86_400_000
/** Too large for the cache in memory. */
const LARGE = Buffer.alloc(1_200_000, 'large ')
const FOREVER = 'public, max-age=31536000, immutable'

for (const engine of engines) {
  describe(`requests to hosted apps on ${engine}`, () => {
    let service: Service
    let visit: Awaited<ReturnType<typeof browserFor>>
    before(async () => {
      service = await startService(engine)
      visit = await browserFor(service)
    })
    after(() => service.stop())

    test('[HST-08] files with a hash in their name are cached, other files are revalidated', async () => {
      const { slug, development } = await newApp(service)
      await deploy(service, development, {
        'index.html': 'home',
        'assets/index-BxY3_a1Q.js': 'script',
        'assets/vendor-DqLHHUqZ.js': 'vendor',
        'assets/hero-portrait.png': 'picture',
        'assets/page-BxY3_a1Q.html': 'page',
        'jquery-3.7.1.min.js': 'jquery',
      })
      const cached = async (path: string) =>
        (await visit(`${slug}--dev`, path)).headers['cache-control'] === FOREVER
      for (const path of ['/assets/index-BxY3_a1Q.js', '/assets/vendor-DqLHHUqZ.js'])
        assert.ok(await cached(path), path)
      for (const path of [
        '/assets/hero-portrait.png',
        '/assets/page-BxY3_a1Q.html',
        '/jquery-3.7.1.min.js',
        '/',
        '/assets/index-AxY3_a1Q.js',
      ])
        assert.ok(!(await cached(path)), path)
    })

    test('[HST-08] a range with huge numbers is beyond the end, and the 416 is not cached', async () => {
      const { slug, development } = await newApp(service)
      await deploy(service, development, { 'a.3f9a2c41.txt': '0123456789' })
      const ask = (range: string) => visit(`${slug}--dev`, '/a.3f9a2c41.txt', { headers: { range } })
      const many = '9'.repeat(400)
      for (const range of ['bytes=10-', `bytes=${'9'.repeat(20)}-`, `bytes=${many}-${many}`, 'bytes=-0']) {
        const { status, headers, text } = await ask(range)
        assert.deepEqual([status, headers['content-range'], text], [416, 'bytes */10', ''], range)
        assert.equal(headers['cache-control'], 'no-store', range)
      }
      for (const range of [`bytes=0-${many}`, `bytes=-${many}`, 'bytes=0-18446744073709551616']) {
        const { status, headers, text } = await ask(range)
        assert.deepEqual([status, headers['content-range'], text], [206, 'bytes 0-9/10', '0123456789'], range)
      }
      for (const range of [
        'bytes=-1-2',
        'bytes=+1-2',
        'bytes=0x1-2',
        'bytes=1e1-',
        'bytes=0-0,-1',
        'bytes=٣-',
      ])
        assert.equal((await ask(encodeURI(range))).status, 200, range)
    })

    test('[HST-08] If-None-Match is evaluated before Range, and HEAD ignores Range', async () => {
      const { slug, development } = await newApp(service)
      await deploy(service, development, { 'a.txt': '0123456789' })
      const etag = `"${sha256Of('0123456789')}"`
      const known = { range: 'bytes=0-1', 'if-none-match': etag }
      assert.equal((await visit(`${slug}--dev`, '/a.txt', { headers: known })).status, 304)
      const head = await visit(`${slug}--dev`, '/a.txt', { method: 'HEAD', headers: { range: 'bytes=0-1' } })
      assert.deepEqual([head.status, head.headers['content-length']], [200, '10'])
      for (const other of ['W/"other"', '"a", W/"b"', `${etag.slice(1, -1)}`, '']) {
        const { status } = await visit(`${slug}--dev`, '/a.txt', { headers: { 'if-none-match': other } })
        assert.equal(status, 200, other)
      }
    })

    test('the redirect of a folder keeps the query', async () => {
      const { slug, development } = await newApp(service)
      await deploy(service, development, { 'docs/index.html': 'docs' })
      const ask = (target: string) => rawVisit(service, `${slug}--dev.localhost`, target)
      assert.match(await ask('/docs?a=?b'), /^location: \/docs\/\?a=\?b\r$/im)
      assert.match(await ask('/docs'), /^location: \/docs\/\r$/im)
      assert.match(await ask(`/docs${'?'.repeat(15_000)}`), /^location: \/docs\/\?{15000}\r$/im)
      for (const sign of ['\xe9', '\x7f', '\t'])
        assert.match(await ask(`/docs?a=${sign}?b=1`), /^HTTP\/1\.1 400 |^location: \/docs\/\r$/im)
    })

    test('files retained for open pages are removed after a day, from memory and from the store', async () => {
      const { id, slug, development } = await newApp(service)
      const home = `${slug}--dev`
      await deploy(service, development, { 'small.3f9a2c41.js': 'small', 'large.3f9a2c41.bin': LARGE })
      await deploy(service, development, { 'index.html': 'new' })
      const kept = ['/small.3f9a2c41.js', '/large.3f9a2c41.bin']
      for (const path of kept) assert.equal((await visit(home, path)).status, 200, path)

      const files = [{ path: 'index.html', sha256: sha256Of('new'), size: 3 }]
      for (let i = 0; i < 100; i++) await development.server('POST', '/v1/deployments', { files })
      service.clock.advance(DAY_MS - 1)
      for (const path of kept) assert.equal((await visit(home, path)).status, 200, path)
      service.clock.advance(1)
      await service.hosting.sweep()
      assert.equal((await Array.fromAsync(service.blobs.list(`${id}/`))).length, 1)
      for (const path of kept) assert.equal((await visit(home, path)).status, 404, path)
    })

    test('an app that is deleted during visits answers 404, never 500', async () => {
      const { id, slug, development, developer } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home', 'large.bin': LARGE, 'other.txt': 'other' })
      assert.equal((await visit(`${slug}--dev`, '/')).status, 200)
      await developer.call('DELETE', `/v1/projects/${id}`)
      await service.background.drained()
      // Not requested before, so not in memory; and the live version was read less than a second ago.
      for (const path of ['/large.bin', '/other.txt'])
        assert.equal((await visit(`${slug}--dev`, path)).status, 404, path)
    })

    test('[HST-08] a project cannot get the development host of another project', async () => {
      const mine = await newApp(service, `Twin ${engine}`)
      const yours = await newApp(service, `Twin ${engine}--dev`)
      assert.equal(yours.slug, `${mine.slug}-dev`)
      for (const [project, side] of [
        [mine, 'development'],
        [mine, 'production'],
        [yours, 'development'],
        [yours, 'production'],
      ] as const)
        await deploy(service, project[side], { 'index.html': `${project.slug} ${side}` })
      const expected = {
        [`${mine.slug}--dev`]: `${mine.slug} development`,
        [mine.slug]: `${mine.slug} production`,
        [`${yours.slug}--dev`]: `${yours.slug} development`,
        [yours.slug]: `${yours.slug} production`,
      }
      for (const [label, text] of Object.entries(expected))
        assert.equal((await visit(label, '/')).text, text, label)
      for (const label of [
        `${mine.slug}--dev--dev`,
        `${mine.slug}--prod`,
        `${mine.slug}---dev`,
        `xn--${mine.slug}`,
      ])
        assert.equal((await visit(label, '/')).status, 404, label)
    })

    test('[HST-08] promotion uploads nothing, and the other environment keeps its live version', async () => {
      const { slug, development, production } = await newApp(service)
      await deploy(service, development, { 'index.html': 'one' })
      const { missing } = await deploy(service, production, { 'index.html': 'one' })
      assert.deepEqual(missing, [])
      await deploy(service, development, { 'index.html': 'two' })
      assert.equal((await visit(slug, '/')).text, 'one')
      assert.equal((await visit(`${slug}--dev`, '/')).text, 'two')
    })

    test('[HST-08] every response has an explicit content type and nosniff; built-in pages forbid framing and caching', async () => {
      const { slug, development } = await newApp(service)
      const script = '<script>document.title = 1</script>'
      await deploy(service, development, {
        'index.html': script,
        'photo.png': script,
        'notes.txt': script,
        'page.svg': `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
        'sub/sw.js': 'self',
        unknown: script,
      })
      const types = {
        '/photo.png': 'image/png',
        '/notes.txt': 'text/plain; charset=utf-8',
        '/page.svg': 'image/svg+xml; charset=utf-8',
        '/sub/sw.js': 'text/javascript; charset=utf-8',
        '/unknown': 'application/octet-stream',
        '/missing.png': 'text/html; charset=utf-8',
        '/.svc/init.json': 'application/json; charset=utf-8',
        '/.svc/none': 'text/html; charset=utf-8',
        '/.card.png': 'application/json; charset=utf-8',
        '/.cards': 'text/html; charset=utf-8',
        '/.auth/verify': 'text/html; charset=utf-8',
        '/.auth/none': 'application/json; charset=utf-8',
        '/%00': 'text/html; charset=utf-8',
      }
      for (const [path, type] of Object.entries(types)) {
        const { headers } = await visit(`${slug}--dev`, path)
        assert.equal(headers['content-type'], type, path)
        assert.equal(headers['x-content-type-options'], 'nosniff', path)
        for (const absent of ['set-cookie', 'service-worker-allowed'])
          assert.equal(headers[absent], undefined, `${path}: ${absent}`)
      }
      for (const path of ['/.auth/verify', '/.cards', '/missing.png']) {
        const { headers } = await visit(`${slug}--dev`, path)
        assert.equal(headers['cache-control'], 'no-store', path)
        assert.match(headers['content-security-policy'] ?? '', /frame-ancestors 'none'/, path)
      }
    })
  })
}

/** Written directly to the socket, because clients correct such URLs. */
async function rawVisit({ http }: Service, host: string, target: string): Promise<string> {
  const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(received).toString('latin1')
}
