import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { browserFor, deploy, sha256Of } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const BASE = 'http://localhost:8787'
const HOSTILE = `"><script>alert('1')</script>&amp;<!-- \u2028 '`
/** Drawing is tested elsewhere. */
const NO_DRAWING = { settings: { SVC_CARDS: 'off' } }

type Tag = { name?: string; property?: string; content: string }
const contentOf = (tags: Tag[], key: string) =>
  tags.find(({ name, property }) => name === key || property === key)?.content

suite('share tags', { start: (engine) => startSharing(engine, NO_DRAWING) }, ({ service }) => {
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => void (visit = await browserFor(service)))

  const newApp = (share: Record<string, object>, more: object = {}) =>
    newShareApp(service, { links: { enabled: true }, ...share }, more)
  const tagsOf = async (app: ShareApp, query = '', language = 'en') => {
    const answer = await app.public('GET', `/v1/share/tags${query}`, undefined, {
      'accept-language': language,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  test('[SHR-10] title and description of a link with a score contain links.text with the score', async () => {
    const app = await newApp({
      images: { enabled: true },
      links: { enabled: true, text: { en: 'I caught {score} stars.', de: '{score} Sterne.' } },
      tags: { title: 'Star Duel', description: 'Beat everybody' },
    })
    const [score, plain] = [await app.newLink({ kind: 'score', score: 42 }), await app.newLink()]
    const said = async (id: string, language: string) => {
      const { tags } = await tagsOf(app, `?ks=${id}`, language)
      return ['og:title', 'og:description'].map((name) => contentOf(tags, name))
    }
    assert.deepEqual(await said(score, 'en'), [
      'Star Duel: I caught 42 stars.',
      'I caught 42 stars. Beat everybody',
    ])
    assert.deepEqual(await said(score, 'de'), ['Star Duel: 42 Sterne.', '42 Sterne. Beat everybody'])
    assert.deepEqual(await said(plain, 'en'), ['Star Duel', 'Beat everybody'])
  })

  test('[SHR-10] tags of the app: title, description, alt text and the card of the app', async () => {
    const app = await newApp(
      {
        images: { enabled: true, title: 'On the card' },
        tags: {
          title: { en: 'Star Duel', de: 'Sternduell' },
          description: 'Beat everybody',
          imageAlt: 'A star',
          site: '@starduel',
        },
      },
      { web: { allowedOrigins: ['https://duel.example'] } },
    )
    const image = `${BASE}${app.imageAddress('card')}`
    const { tags, ...rest } = await tagsOf(app)
    assert.deepEqual(tags, [
      { property: 'og:type', content: 'website' },
      { property: 'og:title', content: 'Star Duel' },
      { property: 'og:description', content: 'Beat everybody' },
      { property: 'og:url', content: 'https://duel.example/' },
      { property: 'og:image', content: image },
      { property: 'og:image:width', content: '1200' },
      { property: 'og:image:height', content: '600' },
      { property: 'og:image:alt', content: 'A star' },
      { name: 'twitter:card', content: 'summary_large_image' },
      { name: 'twitter:site', content: '@starduel' },
      { name: 'twitter:title', content: 'Star Duel' },
      { name: 'twitter:description', content: 'Beat everybody' },
      { name: 'twitter:image', content: image },
      { name: 'twitter:image:alt', content: 'A star' },
    ])
    assert.deepEqual([rest.image, rest.defaultImage], [image, image])
    assert.equal(rest.shareImageTemplate, `${BASE}${app.imageAddress('{shareId}')}`)
    assert.equal(rest.html.split('\n').length, tags.length)
    assert.ok(rest.html.startsWith('<meta property="og:type" content="website">\n'))
    for (const [language, title] of [
      ['de-AT', 'Sternduell'],
      ['fr, de;q=0.5', 'Sternduell'],
      ['ja', 'Star Duel'],
      ['', 'Star Duel'],
    ] as const)
      assert.equal(contentOf((await tagsOf(app, '', language)).tags, 'og:title'), title, language)
  })

  test('[SHR-10] with ks the image and the URL are those of the link; an unknown ks returns the default tags', async () => {
    const app = await newApp({ images: { enabled: true } })
    await deploy(service, app, { 'index.html': 'home' })
    const id = await app.newLink({ kind: 'score', score: 1 })
    const { tags, image, defaultImage } = await tagsOf(app, `?ks=${id}`)
    assert.equal(image, `${BASE}${app.imageAddress(id)}`)
    assert.equal(defaultImage, `${BASE}${app.imageAddress('card')}`)
    assert.equal(contentOf(tags, 'og:url'), `http://${app.label}.localhost:8787/.share/${id}`)
    assert.equal(contentOf(tags, 'og:title'), app.name)
    assert.equal(contentOf(tags, 'og:description'), undefined)
    const other = await newApp({ images: { enabled: true } })
    const byDefault = await tagsOf(app)
    for (const ks of ['shr_000000000000', await other.newLink(), 'x', ''])
      assert.deepEqual(await tagsOf(app, `?ks=${ks}`), byDefault, ks)
    assert.equal((await app.public('GET', `/v1/share/tags?ks=${'x'.repeat(129)}`)).status, 400)
  })

  test('[SHR-10] servers and developers read the same tags at their URLs', async () => {
    const app = await newApp({ images: { enabled: true } })
    const id = await app.newLink()
    const expected = await tagsOf(app, `?ks=${id}`)
    for (const answer of [
      await app.server('GET', `/v1/share/tags?ks=${id}`),
      await app.server('GET', `/v1/admin/share/tags?ks=${id}`),
      await app.developer.call('GET', `${app.path}/share/tags?ks=${id}`),
    ])
      assert.deepEqual([answer.status, answer.body], [200, expected])
  })

  test('[SHR-11] card tags require an image: a fixed one or the rendered card; tags.enabled has no effect', async () => {
    const app = await newApp({})
    for (const share of [
      {},
      { tags: { enabled: true, title: 'T' } },
      { tags: { enabled: true }, images: {} },
    ]) {
      await app.configure(share)
      const { status, body } = await app.public('GET', '/v1/share/tags')
      assert.deepEqual([status, body.error.code], [404, 'share_tags_disabled'])
    }
    const fixed = 'https://cdn.example/card.png'
    await app.configure({ tags: { enabled: false, image: fixed } })
    const tags = await tagsOf(app)
    assert.deepEqual([tags.image, tags.defaultImage, tags.shareImageTemplate], [fixed, fixed, null])
    assert.equal(contentOf(tags.tags, 'og:image:width'), undefined)

    await app.configure({ tags: { image: fixed }, images: { enabled: true }, links: { enabled: true } })
    const id = await app.newLink()
    const both = await tagsOf(app, `?ks=${id}`)
    assert.deepEqual([both.image, both.defaultImage], [`${BASE}${app.imageAddress(id)}`, fixed])
  })

  test('[SHR-11] a fixed image of the deployment has a URL on the host of the app', async () => {
    const app = await newApp({ tags: { image: 'art/my card.png' } })
    const { status, body } = await app.public('GET', '/v1/share/tags')
    assert.deepEqual([status, body.error.code], [404, 'share_tags_disabled'], 'while nothing is live')
    await deploy(service, app, { 'index.html': 'home' })
    assert.equal((await tagsOf(app)).image, `http://${app.label}.localhost:8787/art/my%20card.png`)
  })

  test('[SHR-10] texts of the config are escaped, in html and on the page of a link', async () => {
    const app = await newApp({
      images: { enabled: true },
      tags: { title: HOSTILE, description: HOSTILE, imageAlt: HOSTILE },
    })
    const { html, tags } = await tagsOf(app)
    assert.equal(contentOf(tags, 'og:title'), HOSTILE)
    const id = await app.newLink()
    const page = await visit(app.label, `/.share/${id}`)
    for (const text of [html, page.text]) {
      assert.doesNotMatch(text, /<script|<!--|alert\('/)
      const attributes = [...text.matchAll(/content="([^"]*)"/g)].map(([, value = '']) => value)
      assert.ok(attributes.some((value) => unescaped(value) === HOSTILE))
    }
  })

  test('[SHR-10] the page of a link has its tags, and redirects browsers to the app', async () => {
    const app = await newApp({
      images: { enabled: true },
      tags: { title: { en: 'Star Duel', de: 'Sternduell' } },
    })
    await deploy(service, app, { 'index.html': 'home' })
    const german = await app.guest()
    const { body } = await german.call(
      'POST',
      '/v1/share/links',
      { kind: 'plain' },
      { 'accept-language': 'de' },
    )
    const { id } = body.link
    const path = new URL(body.url).pathname
    const page = await visit(app.label, path)
    assert.equal(page.status, 200)
    assert.equal(page.headers['cache-control'], 'public, max-age=300')
    assert.equal(page.headers['etag'], `"${sha256Of(page.bytes)}"`)
    assert.equal(page.headers['x-robots-tag'], 'noindex')
    assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'/)
    assert.ok(page.text.includes(`<meta http-equiv="refresh" content="0;url=/?ks=${id}">`))
    assert.ok(page.text.includes(`<a href="/?ks=${id}">Sternduell</a>`))
    assert.ok(page.text.includes('<html lang="de">'))
    assert.ok(page.text.includes('<meta property="og:title" content="Sternduell">'))
    assert.ok(page.text.includes(`<meta property="og:image" content="${BASE}${app.imageAddress(id)}">`))
    assert.ok(page.text.includes(`<meta property="og:url" content="${body.url}">`))

    for (const headers of [
      { 'user-agent': 'Twitterbot/1.0' },
      { 'accept-language': 'en' },
      { cookie: 'a=b', 'sec-fetch-mode': 'navigate' },
    ] as Record<string, string>[])
      assert.ok((await visit(app.label, path, { headers })).bytes.equals(page.bytes), JSON.stringify(headers))
    const same = await visit(app.label, path, { headers: { 'if-none-match': page.headers['etag'] ?? '' } })
    assert.equal(same.status, 304)
    assert.equal((await visit(app.label, path, { method: 'HEAD' })).status, 200)
    assert.equal((await visit(app.label, path, { method: 'POST' })).status, 405)
  })

  test('[SHR-10] the page of a link that is known executes no SQL', async (t) => {
    const app = await newApp({ images: { enabled: true } })
    await deploy(service, app, { 'index.html': 'home' })
    const path = `/.share/${await app.newLink()}`
    const methods = [
      'first',
      'all',
      'run',
      'search',
      'scan',
      'transaction',
      'pipelined',
      'exclusively',
    ] as const
    const calls = methods.map((method) => t.mock.method(service.db, method).mock)
    const calledSince = (before: number[]) => calls.some((call, index) => call.callCount() !== before[index])
    // Known for a second: on a busy machine the next request may come later.
    await comesTrue('a page without SQL', async () => {
      assert.equal((await visit(app.label, path)).status, 200)
      const before = calls.map((call) => call.callCount())
      assert.ok((await visit(app.label, path)).text.includes(`<title>${app.name}</title>`))
      return !calledSince(before)
    })
  })

  test('[SHR-10] the page of a link has the new name of the project immediately after a rename', async () => {
    const app = await newApp({ images: { enabled: true } })
    const path = `/.share/${await app.newLink()}`
    assert.ok((await visit(app.label, path)).text.includes(`<title>${app.name}</title>`))
    const { status } = await app.developer.call('PATCH', `/v1/projects/${app.id}`, { name: 'Moon Duel' })
    assert.equal(status, 200)
    assert.ok((await visit(app.label, path)).text.includes('<title>Moon Duel</title>'))
  })

  test('[SHR-10] the page of an unknown link redirects to the start of the app; if links are off, it does not exist', async () => {
    const app = await newApp({ images: { enabled: true } })
    const other = await newApp({})
    for (const id of ['shr_000000000000', await other.newLink(), 'x', '%22%3E']) {
      const { status, headers } = await visit(app.label, `/.share/${id}`)
      assert.deepEqual([status, headers['location']], [302, '/'], id)
    }
    for (const path of ['/.share/', '/.share/a/b'])
      assert.equal((await visit(app.label, path)).status, 404, path)
    const id = await app.newLink()
    await app.configure({ images: { enabled: true } })
    const { status, text } = await visit(app.label, `/.share/${id}`)
    assert.deepEqual([status, JSON.parse(text).error.code], [404, 'share_links_disabled'])
  })

  test('[SHR-11] without an image the page of a link has no card tags', async () => {
    const app = await newApp({ tags: { title: 'T' } })
    const { status, text } = await visit(app.label, `/.share/${await app.newLink()}`)
    assert.equal(status, 200)
    assert.doesNotMatch(text, /og:|twitter:/)
  })
})

const unescaped = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
