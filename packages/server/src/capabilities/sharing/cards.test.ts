import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { browserFor, deploy, sha256Of, type Visited } from '../../testing/hosted-apps.ts'
import { pngOf } from '../../testing/png.ts'
import {
  drawnCard,
  EVERY_TOOL,
  newShareApp,
  pngSize,
  type ShareApp,
  startSharing,
} from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const solidPng = (width: number, height: number, color: readonly [number, number, number]) =>
  pngOf(width, height, () => color)

const IMAGES_ONLY = { images: { enabled: true, title: 'Star Duel' }, links: { enabled: true } }

suite('card images', { start: startSharing }, ({ service, engine }) => {
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => void (visit = await browserFor(service)))

  /** Requests a picture at the URL of the API. */
  const image = (app: ShareApp, name: string, headers: Record<string, string> = {}, method = 'GET') =>
    drawnCard(service, () => visit('', app.imageAddress(name), { headers, method }))
  const drawingsOf = ({ environmentId }: ShareApp) =>
    service.drawn.filter((card) => card.environmentId === environmentId)
  const problemsOf = async (app: ShareApp) => {
    const { body } = await app.server('GET', '/v1/admin/features')
    return body.features.find(({ key }: { key: string }) => key === 'share.images').problems
  }

  test('[SHR-07] a card is a PNG of 1200x600, cached for a day, with the hash of its bytes as ETag', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const id = await app.newLink({ kind: 'score', score: 4_200 })
    for (const name of ['card', id]) {
      const { status, headers, bytes } = await image(app, name)
      assert.equal(status, 200)
      assert.equal(pngSize(bytes), '1200x600')
      assert.ok(bytes.length > 2_000, `${bytes.length} bytes`)
      const etag = `"${sha256Of(bytes)}"`
      const expected = {
        'content-type': 'image/png',
        'cache-control': 'public, max-age=86400',
        etag,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'content-length': String(bytes.length),
      }
      for (const [header, value] of Object.entries(expected)) assert.equal(headers[header], value, header)

      const head = await image(app, name, {}, 'HEAD')
      assert.deepEqual([head.status, head.bytes.length, head.headers['etag']], [200, 0, etag])
      assert.equal(head.headers['content-length'], String(bytes.length))
      const same = await image(app, name, { 'if-none-match': etag })
      assert.deepEqual([same.status, same.bytes.length], [304, 0])
      const part = await image(app, name, { range: 'bytes=0-9' })
      assert.deepEqual([part.status, part.bytes.length], [200, bytes.length])
      assert.equal(part.headers['accept-ranges'], 'none')
    }
  })

  test('[DSH-47] a design is drawn before it is pushed, and nothing is stored', async () => {
    const app = await newShareApp(service, { images: { enabled: false } })
    const path = `${app.path}/share/card-preview`
    const design = {
      kind: 'score',
      title: 'Star Duel',
      score: 4_200,
      theme: { background: '#102030', accent: '#ffcc33', text: '#ffffff' },
    }
    const { status, body } = await app.developer.call('POST', path, design)
    assert.equal(status, 200)
    assert.deepEqual(
      [pngSize(Buffer.from(body.png, 'base64')), body.drawn, body.problems],
      ['1200x600', true, []],
    )
    const [drawn] = drawingsOf(app)
    assert.deepEqual(
      [drawn?.title, drawn?.theme, drawn?.score, drawn?.kind, drawn?.background],
      ['Star Duel', design.theme, 4_200, 'score', null],
    )
    assert.equal((await image(app, 'card')).status, 404, 'the tool is still off')

    const plain = await app.developer.call('POST', path, { ...design, kind: 'default', title: '' })
    assert.equal(plain.status, 200)
    assert.notEqual(plain.body.png, body.png)
    for (const wrong of [
      { ...design, kind: 'tracked' },
      { ...design, title: 'x'.repeat(61) },
      { ...design, theme: { ...design.theme, text: 'red' } },
      { ...design, theme: {} },
    ])
      assert.equal((await app.developer.call('POST', path, wrong)).body.error.code, 'invalid_request')
    const stranger = await service.newDeveloper()
    assert.equal((await stranger.call('POST', path, design)).body.error.code, 'project_not_found')
    assert.equal((await app.server('POST', path, design)).body.error.code, 'developer_session_required')
    assert.equal(drawingsOf(app).length, 2, 'refused designs are not drawn')
  })

  test('[SHR-07] [SHR-08] all four addresses serve the same bytes, on the host also before anything is live', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const id = await app.newLink({ kind: 'challenge', score: 7 })
    for (const [name, path] of [
      ['card', '/.card.png'],
      [id, `/.card/${id}.png`],
    ] as const) {
      const there = await image(app, name)
      const compare = async () => {
        const here = await visit(app.label, path)
        assert.deepEqual([here.status, here.bytes.equals(there.bytes)], [200, true])
        for (const header of ['etag', 'cache-control', 'content-type', 'access-control-allow-origin'])
          assert.equal(here.headers[header], there.headers[header], header)
        const part = await visit(app.label, path, { headers: { range: 'bytes=0-9' } })
        assert.equal(part.bytes.length, there.bytes.length)
        assert.equal((await visit(app.label, path, { method: 'POST' })).status, 405)
      }
      await compare()
      await deploy(service, app, { 'index.html': 'home' })
      await compare()
    }
    assert.equal(drawingsOf(app).length, 2)
  })

  test('[SHR-07] unknown ids and apps answer 404, a suspended app too', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const id = await app.newLink()
    const unknown = await image(app, 'shr_000000000000')
    assert.deepEqual([unknown.status, JSON.parse(unknown.text).error.code], [404, 'share_link_not_found'])
    const hosted = await visit(app.label, '/.card/shr_000000000000.png')
    assert.deepEqual([hosted.status, hosted.text], [404, unknown.text])
    for (const label of ['nobody', app.label.toUpperCase(), '..%2f..', '%20'])
      for (const name of ['card', id]) {
        const { status, text } = await visit('', `/v1/share/images/${label}/${name}.png`)
        assert.deepEqual([status, JSON.parse(text).error.code], [404, 'not_found'], `${label} ${name}`)
      }
    await service.hosting.suspend(app.slug, true)
    assert.equal((await image(app, id)).status, 404)
    assert.equal((await visit(app.label, `/.card/${id}.png`)).status, 404)
  })

  test('[SHR-07] production has the slug as its label', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    await app.production.server('PUT', '/v1/config', { share: IMAGES_ONLY })
    const { status, bytes } = await visit('', `/v1/share/images/${app.slug}/card.png`)
    assert.deepEqual([status, pngSize(bytes)], [200, '1200x600'])
  })

  test('[SHR-07] 200 concurrent requests for a new link cause one drawing', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const id = await app.newLink({ kind: 'score', score: 200 })
    const answers = await Promise.all(Array.from({ length: 200 }, () => image(app, id)))
    const [first] = answers
    assert.ok(answers.every(({ status, bytes }) => status === 200 && first?.bytes.equals(bytes)))
    await image(app, id)
    assert.equal(drawingsOf(app).length, 1)
    const stored = await Array.fromAsync(service.blobs.list(`cards/${app.environmentId}/`))
    assert.equal(stored.length, 1)
  })

  test('[SHR-07] the picture of a link is drawn right after its creation, before the first request', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    await app.newLink({ kind: 'score', score: 1 })
    await service.background.drained()
    assert.equal(drawingsOf(app).length, 1)
    const stored = await Array.fromAsync(service.blobs.list(`cards/${app.environmentId}/`))
    assert.equal(stored.length, 1)
  })

  test('[SHR-07] thousands of requests for unknown links draw nothing', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const off = await newShareApp(service, {})
    const letters = '0123456789abcdefghjkmnpqrstvwxyz'
    const idOf = (at: number) =>
      `shr_${Array.from({ length: 12 }, (_, place) => letters[(at >> place) % 32]).join('')}`
    const rounds = engine === 'sqlite' ? 1_000 : 100
    for (let at = 0; at < rounds; at++) {
      const ask = (label: string, name: string) =>
        service.http.inject({ method: 'GET', url: `/v1/share/images/${label}/${name}.png` })
      const host = `${app.label}.localhost`
      const answers = await Promise.all([
        ask(app.label, idOf(at)),
        ask(app.label, `nonsense-${at}`),
        ask(off.label, idOf(at)),
        ask(`nobody-${at}`, 'card'),
        service.http.inject({ method: 'GET', url: `/.card/${idOf(at)}.png`, headers: { host } }),
      ])
      assert.ok(answers.every(({ statusCode }) => statusCode === 404))
    }
    assert.deepEqual([drawingsOf(app).length, drawingsOf(off).length], [0, 0])
  })

  test('[SHR-07] a link keeps its picture after a config push, and after its deployment was removed', async () => {
    const look = (title: string, background: string) => ({
      ...IMAGES_ONLY,
      images: { enabled: true, title, background, theme: { background: '#203040' } },
    })
    const app = await newShareApp(service, look('Before', 'art/back.png'))
    await deploy(service, app, { 'index.html': 'one', 'art/back.png': solidPng(64, 32, [200, 30, 30]) })
    const drawn = await app.newLink({ kind: 'score', score: 1 })
    const first = await image(app, drawn)
    await service.background.drained()
    const [card] = drawingsOf(app)
    assert.deepEqual(
      [card?.title, (await card?.background?.read())?.length],
      ['Before', solidPng(64, 32, [200, 30, 30]).length],
    )

    await app.configure(look('After', 'art/other.png'))
    await deploy(service, app, { 'index.html': 'two', 'art/other.png': solidPng(8, 8, [0, 200, 0]) })
    await service.db.transaction((work) =>
      work.search((q) =>
        q
          .updateTable('hosting_blobs')
          .set({ state: 'removing' })
          .where('projectId', '=', app.id)
          .where('sha256', '=', sha256Of(solidPng(64, 32, [200, 30, 30]))),
      ),
    )
    await service.hosting.sweep()
    const later = await image(app, drawn)
    assert.deepEqual([later.headers['etag'], later.bytes.equals(first.bytes)], [first.headers['etag'], true])
    const next = await app.newLink({ kind: 'score', score: 1 })
    assert.notEqual((await image(app, next)).headers['etag'], first.headers['etag'])
    assert.equal(drawingsOf(app).length, 2)
  })

  test('[SHR-07] the picture of a link that is drawn only after a config push uses the config of its creation', async () => {
    const app = await newShareApp(service, { links: { enabled: true }, images: { title: 'Then' } })
    const id = await app.newLink({ kind: 'score', score: 3 })
    await app.configure({ links: { enabled: true }, images: { enabled: true, title: 'Now' } })
    assert.equal((await image(app, id)).status, 200)
    assert.equal(drawingsOf(app)[0]?.title, 'Then')
  })

  test('[SHR-07] the card of the app follows its config and its live version', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const etags: (string | undefined)[] = []
    const note = async () => void etags.push((await image(app, 'card')).headers['etag'])
    await note()
    await app.configure({ images: { enabled: true, title: 'Renamed', background: 'back.png' } })
    await note()
    await deploy(service, app, { 'index.html': 'one', 'back.png': solidPng(64, 32, [10, 200, 10]) })
    await note()
    assert.equal(new Set(etags).size, 3)
    await app.configure(IMAGES_ONLY)
    await note()
    assert.equal(etags[3], etags[0])
    assert.equal(drawingsOf(app).length, 3)
  })

  test('[SHR-09] title, theme, background, font, score, name and language reach the drawing', async () => {
    const theme = { background: '#102030', accent: '#405060', text: '#708090' }
    const app = await newShareApp(service, {
      links: { enabled: true },
      images: {
        enabled: true,
        title: { en: 'Duel', de: 'Duell' },
        background: 'b.png',
        font: 'f.ttf',
        theme,
      },
    })
    const background = solidPng(40, 20, [1, 2, 3])
    await deploy(service, app, { 'b.png': background, 'f.ttf': 'no font at all' })
    const guest = await app.guest()
    const body = { kind: 'challenge', score: 12.5, showName: true }
    await guest.call('POST', '/v1/share/links', body, { 'accept-language': 'de-CH' })
    await service.background.drained()
    const [card] = drawingsOf(app)
    assert.ok(card?.background && card.font)
    assert.ok(background.equals((await card.background.read()) ?? assert.fail()))
    assert.equal(Buffer.from((await card.font.read()) ?? '').toString(), 'no font at all')
    const { background: _, font: __, environmentId, ...rest } = card
    assert.deepEqual(rest, {
      templateVersion: 1,
      kind: 'challenge',
      title: 'Duell',
      score: 12.5,
      displayName: guest.displayName,
      language: 'de-CH',
      theme,
    })
    assert.equal(environmentId, app.environmentId)
  })

  test('[SHR-09] a missing, broken or too large background or font is left out and reported in the list of features', async () => {
    const app = await newShareApp(service, { images: { enabled: true, title: 'Plain' } })
    const plain = await image(app, 'card')
    assert.equal(await problemsOf(app), undefined)
    const tryWith = async (file: 'background' | 'font', content: string | Buffer | undefined) => {
      const path = `art/${file}`
      await app.configure({ images: { enabled: true, title: 'Plain', [file]: path } })
      await deploy(service, app, { 'index.html': 'home', ...(content !== undefined && { [path]: content }) })
      const { status, bytes } = await image(app, 'card')
      assert.deepEqual([status, bytes.equals(plain.bytes)], [200, true], `${file} ${await problemsOf(app)}`)
      return (await problemsOf(app))?.[0]
    }
    const huge = solidPng(1, 1, [0, 0, 0])
    huge.writeUInt32BE(20_000, 16)
    const cut = solidPng(300, 300, [9, 9, 9]).subarray(0, 60)
    const missing = 'is not in the live deployment'
    assert.equal(await tryWith('background', undefined), `share.images.background: art/background ${missing}`)
    assert.match(await tryWith('background', Buffer.alloc(2 * 1024 * 1024 + 1, 'x')), /is larger than 2 MB$/)
    assert.match(await tryWith('background', 'no picture'), /is neither a PNG nor a JPEG$/)
    assert.match(await tryWith('background', huge), /20000x1/)
    assert.match(await tryWith('background', cut), /^share\.images\.background: art\/background /)
    assert.equal(await tryWith('font', undefined), `share.images.font: art/font ${missing}`)
    assert.match(await tryWith('font', Buffer.alloc(10 * 1024 * 1024 + 1, 'x')), /is larger than 10 MB$/)
    assert.match(await tryWith('font', 'no font'), /is neither a TTF nor an OTF font$/)
    await app.configure({ images: { enabled: true, title: 'Plain' } })
    assert.equal(await problemsOf(app), undefined)
    await app.configure({ images: { background: 'nowhere.png' } })
    assert.equal(await problemsOf(app), undefined, 'there is a problem although images are off')
  })

  test('[SHR-09] a stored picture whose bytes were lost is drawn again', async () => {
    const app = await newShareApp(service, IMAGES_ONLY)
    const id = await app.newLink({ kind: 'score', score: 11 })
    // HEAD draws, but does not read the bytes into memory.
    const before = [await image(app, id, {}, 'HEAD'), await image(app, 'card', {}, 'HEAD')]
    for await (const key of service.blobs.list(`cards/${app.environmentId}/`)) await service.blobs.remove(key)
    const after = [await image(app, id), await image(app, 'card')]
    const shown = ({ status, headers }: Visited) => [status, headers['etag']]
    assert.deepEqual(after.map(shown), before.map(shown))
    assert.equal(drawingsOf(app).length, 4)
  })

  test('[SHR-11] [HST-08] with every tool on, hosted files have the same bytes, ETags, ranges and compressed copies', async () => {
    const files = {
      'index.html': `<!doctype html><title>home</title>${'x'.repeat(5_000)}`,
      'a.js': 'a'.repeat(5_000),
    }
    const [on, off] = [await newShareApp(service, EVERY_TOOL), await newShareApp(service, {})]
    const id = await on.newLink()
    for (const app of [on, off]) {
      await deploy(service, app, files)
      await visit(app.label, '/')
    }
    // Compressed copies are built after the first visit.
    await service.background.drained()
    const etag = `"${sha256Of(files['index.html'])}"`
    for (const headers of [
      {},
      { 'accept-encoding': 'br' },
      { range: 'bytes=10-19' },
      { range: 'bytes=10-19', 'if-range': etag },
      { 'if-none-match': etag },
      { 'user-agent': 'Twitterbot/1.0' },
    ] as Record<string, string>[]) {
      for (const path of ['/', `/?ks=${id}`, '/deep/page', '/a.js']) {
        const [one, two] = [
          await visit(on.label, path, { headers }),
          await visit(off.label, path, { headers }),
        ]
        const shown = ({ status, headers: sent, text }: Visited) => [
          status,
          Object.entries(sent).filter(([name]) => name !== 'date' && name !== 'x-request-id'),
          text,
        ]
        assert.deepEqual(shown(one), shown(two), `${path} ${JSON.stringify(headers)}`)
      }
    }
  })
})

suite(
  'card images that cannot be drawn',
  { start: (engine) => startSharing(engine, { settings: { SVC_CARDS: 'off' } }) },
  ({ service }) => {
    test('[SHR-09] are a simple PNG that is not stored', async () => {
      const visit = await browserFor(service)
      const app = await newShareApp(service, IMAGES_ONLY)
      const id = await app.newLink({ kind: 'score', score: 1 })
      for (const [label, path] of [
        ['', app.imageAddress('card')],
        ['', app.imageAddress(id)],
        [app.label, '/.card.png'],
        [app.label, `/.card/${id}.png`],
      ] as const) {
        const { status, headers, bytes } = await visit(label, path)
        assert.deepEqual([status, headers['cache-control'], pngSize(bytes)], [200, 'no-store', '1200x600'])
        assert.equal(headers['content-type'], 'image/png')
      }
      assert.deepEqual(await Array.fromAsync(service.blobs.list('cards/')), [])
    })
  },
)

suite(
  'card images in production',
  {
    start: (engine) =>
      startSharing(engine, { settings: { SVC_LIMIT_PUBLIC_PER_MINUTE: '4', SVC_CARDS: 'off' } }),
  },
  ({ service }) => {
    test('[SHR-07] [GEN-13] have the limit per address of hosted apps; hosts that belong to no app share one limit', async () => {
      const visit = await browserFor(service)
      const app = await newShareApp(service, IMAGES_ONLY)
      await app.production.server('PUT', '/v1/config', { share: IMAGES_ONLY })
      const statuses = async (label: string, names: string[]) => {
        const asked = names.map((name) => visit('', `/v1/share/images/${label}/${name}.png`))
        return (await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b)
      }
      const unknown = ['card', 'shr_000000000000', 'shr_000000000001', 'x']
      assert.deepEqual(await statuses(app.slug, unknown), [200, 404, 404, 404])
      assert.deepEqual(await statuses(app.slug, ['card']), [429])
      assert.deepEqual(await statuses('nobody', unknown), [404, 404, 404, 404])
      assert.deepEqual(await statuses('somebody-else', ['card']), [429])
    })
  },
)

describe('card images on two nodes', () => {
  let [first, second]: (Awaited<ReturnType<typeof startSharing>> | undefined)[] = []
  before(async () => {
    first = await startSharing('postgres')
    second = await startSharing('postgres', { clusterOf: first })
  })
  after(async () => {
    await second?.stop()
    await first?.stop()
  })

  test('[SHR-07] a picture that both draw at the same time is stored once, with the same bytes for all', async () => {
    assert.ok(first && second)
    const nodes = [
      { service: first, visit: await browserFor(first) },
      { service: second, visit: await browserFor(second) },
    ]
    const app = await newShareApp(first, { links: { enabled: true }, images: { title: 'Two' } })
    const ids = [await app.newLink({ kind: 'score', score: 1 }), await app.newLink({ kind: 'plain' })]
    // Nothing is drawn before both nodes get a request.
    await app.configure(IMAGES_ONLY)
    for (const name of [...ids, 'card']) {
      const asked = nodes.flatMap(({ service, visit }) =>
        [1, 2, 3].map(() => drawnCard(service, () => visit('', app.imageAddress(name)))),
      )
      const answers = await Promise.all(asked)
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.equal(new Set(answers.map(({ bytes }) => sha256Of(bytes))).size, 1, name)
      assert.equal(new Set(answers.map(({ headers }) => headers['etag'])).size, 1, name)
    }
    const stored = await Array.fromAsync(first.blobs.list(`cards/${app.environmentId}/`))
    assert.equal(stored.length, 3)
    const planned = await first.db.search((q) => q.selectFrom('sharing_removals').selectAll())
    assert.deepEqual(planned, [])
  })
})

suite(
  'card previews without a card engine',
  { start: (engine) => startSharing(engine, { settings: { SVC_CARDS: 'off' } }) },
  ({ service }) => {
    test('[DSH-47] the plain card is returned, 60 times a minute', async () => {
      const app = await newShareApp(service, {})
      const theme = { background: '#000000', accent: '#000000', text: '#000000' }
      const ask = () =>
        app.developer.call('POST', `${app.path}/share/card-preview`, { kind: 'default', theme })
      for (let count = 0; count < 60; count++) {
        const { status, body } = await ask()
        assert.deepEqual([status, body.drawn], [200, false])
      }
      const { status, body } = await ask()
      assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
    })
  },
)
