import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { deploy, newApp, browserFor } from '../../../testing/hosted-apps.ts'
import { type Service, startService } from '../../../testing/service.ts'

const SMALL_BYTES = 1_024
const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync }

describe('files that the service itself serves', () => {
  let service: Service
  let visit: Awaited<ReturnType<typeof browserFor>>
  let app: string
  before(async () => {
    service = await startService('sqlite')
    visit = await browserFor(service)
    const project = await newApp(service)
    await deploy(service, project.production, { 'index.html': 'home' })
    app = project.slug
  })
  after(() => service.stop())

  const cached = [
    '/dashboard',
    '/docs',
    '/openapi.json',
    '/llms.txt',
    '/docs/api/saves',
    '/docs/guide/hosting',
    '/docs/search.json',
    '/docs/errors.md',
    '/docs/guide/hosting.md',
    '/docs/svc.config.schema.json',
    '/.well-known/jwks.json',
  ]
  const ofApps = ['/.svc/sdk.js', '/.svc/sdk-ui.js', '/.svc/sdk.d.ts', '/.svc/sdk-ui.d.ts', '/.svc/init.json']
  const places = () => [
    ...cached.map((path) => ['', path] as const),
    ...ofApps.map((path) => [app, path] as const),
  ]

  test('they are compressed if the client accepts it, and decompress to the same bytes', async () => {
    for (const [host, path] of places()) {
      const plain = await visit(host, path)
      assert.equal(plain.status, 200, path)
      assert.equal(plain.headers['content-encoding'], undefined, path)
      for (const encoding of ['br', 'gzip'] as const) {
        const { status, headers, bytes } = await visit(host, path, {
          headers: { 'accept-encoding': encoding },
        })
        assert.equal(status, 200, path)
        assert.equal(headers['vary'], 'Accept-Encoding', path)
        assert.equal(Number(headers['content-length']), bytes.length, path)
        assert.equal(headers['content-type'], plain.headers['content-type'], path)
        if (plain.bytes.length < SMALL_BYTES) assert.deepEqual(bytes, plain.bytes, path)
        else {
          assert.equal(headers['content-encoding'], encoding, path)
          assert.deepEqual(UNPACK[encoding](bytes), plain.bytes, path)
          // A short text repeats little.
          const bytesMax = plain.bytes.length / (plain.bytes.length < 2 * SMALL_BYTES ? 1 : 2)
          assert.ok(bytes.length < bytesMax, `${path}: ${bytes.length} of ${plain.bytes.length}`)
        }
      }
      const both = await visit(host, path, { headers: { 'accept-encoding': 'gzip, deflate, br;q=0' } })
      assert.notEqual(both.headers['content-encoding'], 'br', path)
    }
  })

  test('they have an ETag of their bytes, and a client that has them gets 304', async () => {
    for (const [host, path] of places()) {
      const etags = new Set<string>()
      for (const encoding of ['identity', 'br', 'gzip']) {
        const ask = (tag?: string) =>
          visit(host, path, {
            headers: { 'accept-encoding': encoding, ...(tag && { 'if-none-match': tag }) },
          })
        const { headers, bytes } = await ask()
        const etag = headers['etag'] ?? ''
        assert.match(etag, /^"[0-9a-f]{64}(?:-br|-gz)?"$/, path)
        etags.add(headers['content-encoding'] === undefined ? `${etag} as it is` : etag)
        for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const unchanged = await ask(tag)
          assert.deepEqual([unchanged.status, unchanged.bytes.length], [304, 0], `${path} ${tag}`)
          assert.equal(unchanged.headers['etag'], etag)
          assert.match(unchanged.headers['x-request-id'] ?? '', /^req_/)
        }
        assert.deepEqual((await ask('"other"')).bytes, bytes, path)
      }
      assert.ok(etags.size === 3 || etags.size === 1, `${path} ${[...etags].join()}`)
      assert.match(
        (await visit(host, path)).headers['cache-control'] ?? '',
        /^(?:no-cache|public, max-age=60)$/,
        path,
      )
    }
  })

  test('pages that must not be cached are compressed, too, error pages of an app included', async () => {
    for (const [host, path, status] of [
      ['', '/dashboard/confirm', 200],
      [app, '/.auth/verify', 200],
      [app, '/nothing.png', 404],
      ['nobody', '/', 404],
    ] as const) {
      const plain = await visit(host, path)
      const packed = await visit(host, path, { headers: { 'accept-encoding': 'br' } })
      assert.deepEqual([plain.status, packed.status], [status, status], path)
      assert.equal(packed.headers['content-encoding'], 'br', path)
      assert.equal(packed.headers['cache-control'], 'no-store', path)
      assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes, path)
    }
  })

  test('HEAD has the headers of GET', async () => {
    for (const [host, path] of places()) {
      const headers = { 'accept-encoding': 'br' }
      const [got, received] = [
        await visit(host, path, { headers }),
        await visit(host, path, { headers, method: 'HEAD' }),
      ]
      assert.equal(received.status, 200, path)
      for (const name of ['etag', 'content-encoding', 'content-length', 'content-type', 'cache-control'])
        assert.equal(received.headers[name], got.headers[name], `${path} ${name}`)
    }
  })
})
