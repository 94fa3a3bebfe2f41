import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { deploy, type Files, newApp, type Project, browserFor } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { runs } from '../../testing/runs.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MINUTE_MS = 60_000
const BROWSERS = 20
const VERSIONS = runs(12, 100)
const site = (mark: string): Files => ({
  'index.html': `<script src="app.js"></script>${mark}`,
  'app.js': `'${mark}'`,
  'other.txt': 'the same in all versions',
})
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const SCRIPT = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }
const cookieOf = (answer: { headers: Record<string, unknown> }) =>
  (answer.headers['set-cookie'] as string[] | undefined)?.join()
const jar = (version: number | string) => ({ cookie: `other=1; __svc-version=${version}; more=2` })

for (const engine of engines) {
  describe(`the version of a page on ${engine}`, () => {
    let service: Service
    let visit: Awaited<ReturnType<typeof browserFor>>
    let project: Project
    let home: string
    before(async () => {
      service = await startService(engine)
      visit = await browserFor(service)
    })
    after(() => service.stop())

    async function twoVersions() {
      project = await newApp(service)
      home = `${project.slug}--dev`
      await deploy(service, project.development, site('one'))
      await deploy(service, project.development, site('two'))
    }
    const script = async (version: number | string, headers: Record<string, string> = SCRIPT) =>
      (await visit(home, '/app.js', { headers: { ...jar(version), ...headers } })).text

    test('[HST-08] a document sets a cookie for 10 minutes that contains only its version', async () => {
      await twoVersions()
      const expected = '__svc-version=2; Max-Age=600; Path=/; HttpOnly; SameSite=Lax'
      const { headers } = await visit(home, '/', { headers: NAVIGATION })
      const documents: [status: number, path: string, headers: Record<string, string>][] = [
        [200, '/', NAVIGATION],
        [200, '/', {}],
        [200, '/index.html?a=b.c', {}],
        [200, '/some/route', NAVIGATION],
        [304, '/', { ...NAVIGATION, 'if-none-match': headers['etag'] ?? '' }],
      ]
      for (const [status, path, sent] of documents) {
        const answer = await visit(home, path, { headers: sent })
        assert.deepEqual([answer.status, cookieOf(answer)], [status, expected], path)
      }
      await deploy(service, project.development, { ...site('three'), '404.html': 'lost' })
      const lost = await visit(home, '/lost', { headers: NAVIGATION })
      assert.deepEqual([lost.status, cookieOf(lost)], [404, expected.replace('=2', '=3')])
    })

    test('[HST-08] only documents set the cookie', async () => {
      await twoVersions()
      const others: [path: string, headers: Record<string, string>][] = [
        ['/app.js', SCRIPT],
        ['/app.js', {}],
        ['/app.js', NAVIGATION],
        ['/', { 'sec-fetch-mode': 'cors' }],
        ['/index.html', { 'sec-fetch-mode': 'same-origin' }],
        ['/not-there.png', {}],
        ['/.svc/init.json', {}],
        ['/.svc/sdk.js', SCRIPT],
      ]
      for (const [path, headers] of others)
        assert.equal(cookieOf(await visit(home, path, { headers })), undefined, path)
    })

    test('[HST-08] the files of a page come from its version, and documents from the live one', async () => {
      await twoVersions()
      assert.equal(await script(1), "'one'")
      assert.equal(await script(1, {}), "'one'")
      assert.equal(await script(2), "'two'")
      assert.equal((await visit(home, '/app.js', { headers: SCRIPT })).text, "'two'")
      for (const headers of [NAVIGATION, {}]) {
        const page = await visit(home, '/', { headers: { ...jar(1), ...headers } })
        assert.match(page.text, /two$/)
        assert.match(cookieOf(page) ?? '', /^__svc-version=2;/)
      }
      const fetched = await visit(home, '/', { headers: { ...jar(1), 'sec-fetch-mode': 'cors' } })
      assert.match(fetched.text, /one$/)
      const { version } = JSON.parse((await visit(home, '/.svc/init.json', { headers: jar(1) })).text)
      assert.equal(version, 2)
    })

    test('[HST-08] ETag and Range apply to the chosen version', async () => {
      await twoVersions()
      const ask = (version: number, headers = {}) =>
        visit(home, '/app.js', { headers: { ...SCRIPT, ...jar(version), ...headers } })
      const [one, two] = [await ask(1), await ask(2)]
      assert.notEqual(one.headers['etag'], two.headers['etag'])
      assert.equal(one.headers['cache-control'], 'no-cache')
      for (const [version, answer, other] of [
        [1, one, two],
        [2, two, one],
      ] as const) {
        const known = await ask(version, { 'if-none-match': answer.headers['etag'] })
        assert.equal(known.status, 304)
        const changed = await ask(version, { 'if-none-match': other.headers['etag'] })
        assert.deepEqual([changed.status, changed.text], [200, answer.text])
        const part = await ask(version, { range: 'bytes=1-3', 'if-range': answer.headers['etag'] })
        assert.deepEqual([part.status, part.text], [206, answer.text.slice(1, 4)])
        const whole = await ask(version, { range: 'bytes=1-3', 'if-range': other.headers['etag'] })
        assert.deepEqual([whole.status, whole.text], [200, answer.text])
      }
    })

    test('[HST-08] a version is no longer served 10 minutes after it was replaced', async () => {
      await twoVersions()
      service.clock.advance(10 * MINUTE_MS - 1)
      assert.equal(await script(1), "'one'")
      service.clock.advance(1)
      assert.equal(await script(1), "'two'")
      // It was live again in between: the ten minutes start at its last replacement.
      await project.development.server('POST', '/v1/deployments/1/activate')
      service.clock.advance(5 * MINUTE_MS)
      assert.equal(await script(2), "'two'")
      await project.development.server('POST', '/v1/deployments/2/activate')
      service.clock.advance(10 * MINUTE_MS - 1)
      assert.equal(await script(1), "'one'")
    })

    test('[HST-08] a version that was never live or does not exist is not served', async () => {
      await twoVersions()
      await deploy(service, project.development, site('secret'), { activate: false })
      for (const version of [3, 4, 0, -1, 999_999_999, '1e0', '01', '1.0', 'x', '', '9'.repeat(5_000)])
        assert.equal(await script(version), "'two'", String(version))
      const others = [
        '__svc-version',
        'x__svc-version=1',
        '__svc-version=1x',
        '__Host-svc-version=1',
        `${';'.repeat(8_000)}`,
      ]
      for (const cookie of others)
        assert.equal((await visit(home, '/app.js', { headers: { ...SCRIPT, cookie } })).text, "'two'", cookie)
    })

    test('[HST-08] a file in neither version answers 404, and a removed version is not read', async () => {
      await twoVersions()
      await deploy(service, project.development, { ...site('three'), 'new.txt': 'new' })
      assert.equal((await visit(home, '/new.txt', { headers: { ...SCRIPT, ...jar(2) } })).status, 404)
      const files = [{ path: 'index.html', sha256: 'a'.repeat(64), size: 3 }]
      for (let i = 0; i < 100; i++) await project.development.server('POST', '/v1/deployments', { files })
      // What is known of an app is read again within a second.
      await comesTrue('the removed version is not read', async () => {
        return (await visit(home, '/new.txt', { headers: { ...SCRIPT, ...jar(2) } })).text === 'new'
      })
    })

    test('[HST-08] visits during activations: no page loads a file of another version', async (t) => {
      project = await newApp(service)
      home = `${project.slug}--dev`
      await deploy(service, project.development, site('0'))
      let [visits, isOver] = [0, false]
      const seen = new Set<string>()
      async function browse() {
        while (!isOver) {
          const page = await visit(home, '/', { headers: NAVIGATION })
          const cookie = (cookieOf(page) ?? '').split(';')[0] ?? ''
          const part = await visit(home, '/app.js', { headers: { ...SCRIPT, cookie } })
          const mark = /(\d+)$/.exec(page.text)?.[1] ?? ''
          assert.equal(part.text, `'${mark}'`)
          seen.add(mark)
          visits++
        }
      }
      async function activate() {
        try {
          for (let version = 1; version <= VERSIONS; version++) {
            await deploy(service, project.development, site(String(version)))
            // More than are under way: some of them have begun with this version.
            const before = visits
            await comesTrue('the version is visited', () => visits > before + 2 * BROWSERS)
          }
        } finally {
          isOver = true
        }
      }
      await Promise.all([activate(), ...Array.from({ length: BROWSERS }, browse)])
      t.diagnostic(`${visits} visits of ${seen.size} versions`)
      assert.ok(seen.size >= VERSIONS)
    })
  })
}

describe('the version of a page in other setups', () => {
  test('[HST-08] over https the cookie is Secure and bound to the host', async (t) => {
    const service = await startService('sqlite', { settings: { SVC_BASE_URL: 'https://svc.example' } })
    t.after(() => service.stop())
    const visit = await browserFor(service)
    const project = await newApp(service)
    for (const mark of ['one', 'two']) await deploy(service, project.production, site(mark))
    assert.equal(
      cookieOf(await visit(project.slug, '/', { headers: NAVIGATION })),
      '__Host-svc-version=2; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
    const headers = { ...SCRIPT, cookie: '__Host-svc-version=1' }
    assert.equal((await visit(project.slug, '/app.js', { headers })).text, "'one'")
  })

  test('SVC_SKEW_PROTECTION=off: no cookie is set or read', async (t) => {
    const service = await startService('sqlite', { settings: { SVC_SKEW_PROTECTION: 'off' } })
    t.after(() => service.stop())
    const visit = await browserFor(service)
    const project = await newApp(service)
    for (const mark of ['one', 'two']) await deploy(service, project.production, site(mark))
    assert.equal(cookieOf(await visit(project.slug, '/', { headers: NAVIGATION })), undefined)
    const headers = { ...SCRIPT, ...jar(1) }
    assert.equal((await visit(project.slug, '/app.js', { headers })).text, "'two'")
  })

  test('[HST-08] on two nodes without messages between them, a page of one node finds its files on the other', async (t) => {
    const first = await startService('postgres')
    const second = await startService('postgres', {
      clusterOf: { ...first, redisPrefix: `${first.redisPrefix}apart:` },
    })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    const [onFirst, onSecond] = [await browserFor(first), await browserFor(second)]
    const project = await newApp(first)
    const home = project.slug
    await deploy(first, project.production, site('0'))
    let mixed = 0
    for (let i = 1; i <= runs(8, 30); i++) {
      await onSecond(home, '/app.js')
      await deploy(first, project.production, site(String(i)))
      // A node that does not get messages reads the version again for an unknown one, but at most every 50 ms.
      await pause(60)
      const page = await onFirst(home, '/', { headers: NAVIGATION })
      assert.match(page.text, new RegExp(`${i}$`))
      const cookie = (cookieOf(page) ?? '').split(';')[0] ?? ''
      const part = await onSecond(home, '/app.js', { headers: { ...SCRIPT, cookie } })
      if (part.text !== `'${i}'`) mixed++
    }
    assert.equal(mixed, 0)
  })
})
