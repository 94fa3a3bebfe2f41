import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { deploy } from '../../testing/hosted-apps.ts'
import { EVERY_TOOL, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

suite('share links', { start: startSharing }, ({ service }) => {
  let app: ShareApp
  before(async () => void (app = await newShareApp(service)))

  const share = async (body: unknown, headers: Record<string, string> = {}, of = app) =>
    (await of.guest()).call('POST', '/v1/share/links', body, headers)
  const trackedLink = (body: unknown, of = app) => of.server('POST', '/v1/admin/share/links', body)

  test('[SHR-01] each tool that is off answers 404 with its own code, before the body is checked', async () => {
    const off = await newShareApp(service, {})
    const guest = await off.guest()
    const [dev, path] = [off.developer.call, off.path]
    const calls = [
      ['share_links_disabled', await guest.call('POST', '/v1/share/links', { kind: 'nonsense' })],
      ['share_links_disabled', await off.public('GET', '/v1/share/links/nonsense')],
      ['share_links_disabled', await off.server('POST', '/v1/admin/share/links', { label: '' })],
      ['share_links_disabled', await dev('POST', `${path}/share/links`, { label: '' })],
      ['share_tracking_disabled', await off.public('POST', '/v1/share/visits', { shareId: 1 })],
      ['share_tracking_disabled', await off.server('GET', '/v1/admin/share/stats?from=x')],
      ['share_tracking_disabled', await dev('GET', `${path}/share/stats?from=x`)],
      ['share_tags_disabled', await off.public('GET', '/v1/share/tags')],
      ['share_tags_disabled', await off.server('GET', '/v1/admin/share/tags')],
      ['share_tags_disabled', await dev('GET', `${path}/share/tags`)],
      ['share_images_disabled', await service.call('GET', off.imageAddress('card'))],
      ['share_images_disabled', await service.call('GET', off.imageAddress('nonsense'))],
      ['share_inAppBrowser_disabled', await guest.call('POST', '/v1/auth/transfer', {})],
      ['share_inAppBrowser_disabled', await off.public('POST', '/v1/auth/transfer/redeem', {})],
    ] as const
    for (const [code, { status, body }] of calls) assert.deepEqual([status, body.error.code], [404, code])
  })

  test('[SHR-01] with every tool on, a transfer code continues as the same player', async () => {
    const guest = await app.guest()
    const { body } = await guest.call('POST', '/v1/auth/transfer', {})
    const redeemed = await app.public('POST', '/v1/auth/transfer/redeem', { code: body.code })
    assert.equal(redeemed.body.player.id, guest.id)
    const again = await app.public('POST', '/v1/auth/transfer/redeem', { code: body.code })
    assert.deepEqual([again.status, again.body.error.code], [400, 'invalid_code'])
  })

  test('[SHR-02] a link has an id, its kind and score; the name only with showName', async () => {
    const guest = await app.guest()
    const { status, body } = await guest.call('POST', '/v1/share/links', { kind: 'score', score: 4_200.5 })
    assert.equal(status, 201)
    const { id, createdAt, ...link } = body.link
    assert.match(id, /^shr_[0-9a-hjkmnp-tv-z]{12}$/)
    assert.equal(createdAt, service.clock.now().toISOString())
    assert.deepEqual(link, { kind: 'score', score: 4_200.5, displayName: null })
    assert.equal(body.imageUrl, `http://localhost:8787${app.imageAddress(id)}`)
    assert.equal(body.url, null)

    const named = await guest.call('POST', '/v1/share/links', {
      kind: 'challenge',
      score: -1,
      showName: true,
    })
    assert.equal(named.body.link.displayName, guest.displayName)
    const plain = await guest.call('POST', '/v1/share/links', { kind: 'plain', score: 7, showName: false })
    assert.deepEqual([plain.body.link.score, plain.body.link.displayName], [null, null])
  })

  test('[SHR-02] every finite score is returned unchanged, 0 for -0', async () => {
    for (const score of [0, -0, 1, -273.15, 1e-300, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER]) {
      const id = await app.newLink({ kind: 'score', score })
      const { body } = await app.public('GET', `/v1/share/links/${id}`)
      assert.ok(Object.is(body.link.score, score === 0 ? 0 : score), `${score}`)
    }
  })

  test('[SHR-02] an unknown kind, a missing or infinite score, or another type is rejected', async () => {
    const guest = await app.guest()
    const refused: unknown[] = [
      {},
      { kind: 'tracked' },
      { kind: 'boast', score: 1 },
      { kind: 'score' },
      { kind: 'challenge', score: null },
      { kind: 'score', score: '12' },
      { kind: 'plain', showName: 'yes' },
    ]
    for (const body of refused) {
      const answer = await guest.call('POST', '/v1/share/links', body)
      assert.deepEqual(
        [answer.status, answer.body.error.code],
        [400, 'invalid_request'],
        JSON.stringify(body),
      )
    }
    const infinite = await service.http.inject({
      method: 'POST',
      url: '/v1/share/links',
      headers: {
        'content-type': 'application/json',
        'x-svc-key': app.publishableKey,
        authorization: `Bearer ${guest.accessToken}`,
      },
      payload: '{"kind":"score","score":1e999}',
    })
    assert.equal(infinite.statusCode, 400)
  })

  test('[SHR-02] the text of the post is links.text in the language of the player, with the score', async () => {
    const words = await newShareApp(service, {
      links: {
        enabled: true,
        text: { en: 'I have {score}, and {score}!', de: 'Ich habe {score}!' },
        hashtags: ['#duel', 'stars'],
        via: '@starduel',
      },
    })
    const post = async (body: object, language: string) =>
      (await share(body, { 'accept-language': language }, words)).body.post
    const score = { kind: 'score', score: 1200 }
    assert.deepEqual(await post(score, 'en'), {
      text: 'I have 1200, and 1200!',
      hashtags: ['duel', 'stars'],
      via: 'starduel',
    })
    assert.equal((await post(score, 'fr, de-AT;q=0.8, en;q=0.5')).text, 'Ich habe 1200!')
    assert.equal((await post(score, 'fr')).text, 'I have 1200, and 1200!')
    assert.equal((await post(score, ';;,q=%')).text, 'I have 1200, and 1200!')
    assert.equal((await post({ kind: 'plain' }, 'en')).text, words.name)
  })

  test('[SHR-02] imageUrl is null while images are off, and url is the page of the link while the app is live', async () => {
    const live = await newShareApp(service, { links: { enabled: true } })
    await deploy(service, live, { 'index.html': 'home' })
    const { body } = await share({ kind: 'plain' }, {}, live)
    assert.equal(body.imageUrl, null)
    assert.equal(body.url, `http://${live.label}.localhost:8787/.share/${body.link.id}`)
  })

  test('[SHR-02] the name of a child is not shown, nor that of a player of unknown age in mixed', async () => {
    for (const audience of ['kids', 'mixed']) {
      const young = await newShareApp(service, EVERY_TOOL, { audience })
      const { body } = await share({ kind: 'plain', showName: true }, {}, young)
      assert.equal(body.link.displayName, null, audience)
    }
    const mixed = await newShareApp(service, EVERY_TOOL, { audience: 'mixed' })
    const adult = await mixed.guest()
    await adult.call('PUT', '/v1/social/age', { band: 'adult' })
    const { body } = await adult.call('POST', '/v1/share/links', { kind: 'plain', showName: true })
    assert.equal(body.link.displayName, adult.displayName)
  })

  test('[SHR-02] a retry with the same Idempotency-Key returns the same link', async () => {
    const guest = await app.guest()
    const headers = { 'idempotency-key': 'share-1' }
    const ask = () => guest.call('POST', '/v1/share/links', { kind: 'score', score: 5 }, headers)
    const [first, second] = [await ask(), await ask()]
    assert.deepEqual([second.status, second.body], [201, first.body])
  })

  test('[SHR-02] an Idempotency-Key belongs to the player: with any publishable key, and apart from other players', async () => {
    const [one, two] = [await app.guest(), await app.guest()]
    const { body: created } = await app.developer.call('POST', `${app.path}/keys`, { type: 'publishable' })
    const ask = (player: { accessToken: string }, key = app.publishableKey) =>
      service.call(
        'POST',
        '/v1/share/links',
        { kind: 'plain', showName: true },
        {
          'x-svc-key': key,
          authorization: `Bearer ${player.accessToken}`,
          'idempotency-key': 'of-the-player',
        },
      )
    const first = await ask(one)
    assert.equal(first.status, 201)
    assert.deepEqual((await ask(one, created.plaintext)).body, first.body)
    const other = await ask(two)
    assert.deepEqual([other.status, other.body.link.displayName], [201, two.displayName])
    assert.notEqual(other.body.link.id, first.body.link.id)
  })

  test('[OWN-03] stored responses do not contain the id of their player, and go with the player', async () => {
    const guest = await app.guest()
    const stored = () => service.db.search((q) => q.selectFrom('idempotency_answers').selectAll())
    const before = await stored()
    await guest.call('POST', '/v1/share/links', { kind: 'plain' }, { 'idempotency-key': 'leaving' })
    const rows = await stored()
    assert.equal(rows.length, before.length + 1)
    assert.ok(!JSON.stringify(rows).includes(guest.id))
    await guest.call('DELETE', '/v1/players/me')
    assert.deepEqual(await stored(), before)
  })

  test('[SHR-02] a player may create 30 links per minute and 500 per day', async () => {
    const quiet = await newShareApp(service, { links: { enabled: true } })
    let { refreshToken, accessToken } = await quiet.guest()
    const ask = () =>
      quiet.public('POST', '/v1/share/links', { kind: 'plain' }, { authorization: `Bearer ${accessToken}` })
    /** Access tokens are valid for 15 minutes. */
    const advance = async (ms: number) => {
      service.clock.advance(ms)
      ;({ refreshToken, accessToken } = (
        await quiet.public('POST', '/v1/auth/refresh', { refreshToken })
      ).body)
    }
    for (let made = 0; made < 500; made++) {
      if (made > 0 && made % 30 === 0) {
        const over = await ask()
        assert.deepEqual([over.status, over.body.error.code], [429, 'rate_limited'])
        assert.ok(Number(over.headers['retry-after']) > 0)
        await advance(MINUTE_MS)
      }
      assert.equal((await ask()).status, 201)
    }
    await advance(MINUTE_MS)
    const over = await ask()
    assert.deepEqual([over.status, over.body.error.code], [429, 'rate_limited'])
    assert.equal((await share({ kind: 'plain' }, {}, quiet)).status, 201)
    await advance(DAY_MS)
    assert.equal((await ask()).status, 201)
  })

  test('[SHR-03] every key can read a link', async () => {
    const guest = await app.guest()
    const { body } = await guest.call('POST', '/v1/share/links', {
      kind: 'challenge',
      score: 9,
      showName: true,
    })
    for (const call of [app.public, app.server]) {
      const read = await call('GET', `/v1/share/links/${body.link.id}`)
      assert.deepEqual([read.status, read.body], [200, { link: body.link }])
    }
  })

  test('[SHR-03] unknown ids, ids of other environments and malformed ids get exactly the same response', async () => {
    const other = await newShareApp(service)
    const foreign = await other.newLink()
    const bodies = new Set<string>()
    const ids = [
      foreign,
      'shr_000000000000',
      'shr_00000000000',
      'SHR_000000000000',
      'x',
      '%20',
      'x'.repeat(5_000),
    ]
    for (const id of [...ids, ...ids]) {
      const answers = [
        await app.public('GET', `/v1/share/links/${id}`),
        await app.visit(decodeURIComponent(id)),
        await service.call('GET', app.imageAddress(id)),
        ...(id.length > 128 ? [] : [await app.server('GET', `/v1/admin/share/stats?shareId=${id}`)]),
      ]
      for (const { status, body } of answers) {
        assert.equal(status, 404, id)
        bodies.add(JSON.stringify(body))
      }
    }
    assert.deepEqual(
      [...bodies],
      ['{"error":{"code":"share_link_not_found","message":"There is no such share link."}}'],
    )
  })

  test('[SHR-06] a tracked link has a label, a query and the URL of the live app', async () => {
    const label = 'Newsletter, November'
    const { status, body } = await trackedLink({ label })
    assert.equal(status, 201)
    const { id, createdAt, ...link } = body.link
    assert.deepEqual(link, { kind: 'tracked', score: null, displayName: null, label })
    assert.ok(createdAt)
    assert.deepEqual([body.query, body.url], [`ks=${id}`, null])
    const read = await app.public('GET', `/v1/share/links/${id}`)
    assert.equal(read.body.link.kind, 'tracked')
    assert.ok(!JSON.stringify(read.body).includes(label))

    const live = await newShareApp(service)
    await deploy(service, live, { 'index.html': 'home' })
    const hosted = await live.developer.call('POST', `${live.path}/share/links`, { label })
    assert.equal(hosted.body.url, `http://${live.label}.localhost:8787/?ks=${hosted.body.link.id}`)
    const elsewhere = await newShareApp(service, EVERY_TOOL, {
      web: { allowedOrigins: ['https://duel.example'] },
    })
    const there = await trackedLink({ label }, elsewhere)
    assert.equal(there.body.url, `https://duel.example/?${there.body.query}`)
  })

  test('[SHR-06] a label has 1 to 60 visible characters', async () => {
    for (const label of ['', '   ', 'x'.repeat(61), '\u0000', 'a\nb', 1, null, '\u202e']) {
      assert.equal((await trackedLink({ label })).status, 400, JSON.stringify(label))
    }
    assert.equal((await trackedLink({ label: 'é'.repeat(60) })).status, 201)
    assert.equal((await trackedLink({ label: ' x ' })).body.link.label, 'x')
  })

  test('[SHR-06] creating a tracked link is in the audit log; a publishable key cannot create one', async () => {
    const { body } = await trackedLink({ label: 'Audited' })
    const { body: audit } = await app.developer.call('GET', `/v1/projects/${app.id}/audit`)
    const entry = audit.entries.find(({ target }: { target: string }) => target === body.link.id)
    assert.deepEqual([entry.action, entry.details], ['share_link.create', { label: 'Audited' }])
    const refused = await app.public('POST', '/v1/admin/share/links', { label: 'x' })
    assert.equal(refused.body.error.code, 'secret_key_required')
  })

  test('[SHR-06] an environment has at most 1,000 tracked links, also if two are created concurrently', async () => {
    const full = await newShareApp(service, { links: { enabled: true } })
    const { body } = await trackedLink({ label: 'first' }, full)
    await service.db.transaction(async (transaction) => {
      const [row] = await transaction.search((q) =>
        q.selectFrom('sharing_links').selectAll().where('id', '=', body.link.id),
      )
      assert.ok(row)
      for (let at = 0; at < 997; at++)
        await transaction.search((q) =>
          q.insertInto('sharing_links').values({ ...row, id: `shr_${String(at).padStart(12, '0')}` }),
        )
    })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => trackedLink({ label: `last ${at}` }, full)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 409, 409, 409, 409],
    )
    const refused = answers.find(({ status }) => status === 409)?.body.error
    assert.deepEqual([refused.code, refused.details], ['too_many_links', { limit: 1_000 }])
  })
})
