import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { DAY_MS, HOUR_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { startService, type Service } from '../../testing/service.ts'
import { BROWSER, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'

const TRACKING = { links: { enabled: true }, tracking: { enabled: true } }

const visitorRows = ({ db }: Pick<Service, 'db'>, environmentId: string) =>
  db.search((q) => q.selectFrom('sharing_visitors').selectAll().where('environmentId', '=', environmentId))

const statsOf = async (app: ShareApp, query = '') =>
  (await app.server('GET', `/v1/admin/share/stats${query}`)).body
const totalsOf = async (app: ShareApp) => (await statsOf(app)).totals

suite('share visits', { start: startSharing }, ({ service }) => {
  let app: ShareApp
  before(async () => void (app = await newShareApp(service, TRACKING)))
  const newApp = (more: object = {}) => newShareApp(service, TRACKING, more)

  test('[SHR-04] a player counts once per link, kind and day', async () => {
    const own = await newApp()
    const [guest, other] = [await own.guest(), await own.guest()]
    const ids = [await own.newLink(), await own.newLink()]
    const report = async (id = '', landed = true, by = guest) =>
      (await own.visit(id, { landed, call: by.call })).body
    assert.deepEqual(await report(ids[0]), { counted: true })
    assert.deepEqual(await report(ids[0]), { counted: false })
    assert.deepEqual(await report(ids[0], false), { counted: true })
    assert.deepEqual(await report(ids[0], false), { counted: false })
    assert.deepEqual(await report(ids[1]), { counted: true })
    assert.deepEqual(await report(ids[0], true, other), { counted: true })
    const { links } = await statsOf(own)
    assert.deepEqual(
      links.map(({ shareId, visits, plays }: Record<string, unknown>) => [shareId, visits, plays]),
      [
        [ids[0], 2, 1],
        [ids[1], 1, 0],
      ],
    )
  })

  test('[SHR-04] a visitor without a player is identified by address and browser, and counts once', async () => {
    const own = await newApp()
    const id = await own.newLink()
    const as = (userAgent: string) => own.visit(id, { headers: { 'user-agent': userAgent } })
    assert.equal((await as(BROWSER)).body.counted, true)
    assert.equal((await as(BROWSER)).body.counted, false)
    assert.equal((await as(`${BROWSER} another`)).body.counted, true)
    assert.deepEqual(await totalsOf(own), { visits: 2, newPlayers: 0, plays: 0 })
  })

  test('[SHR-04] 50 concurrent visits of one visitor count once, for a player and for an anonymous visitor', async () => {
    const own = await newApp()
    const [guest, id] = [await own.guest(), await own.newLink()]
    for (const call of [own.public, guest.call]) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => own.visit(id, { call })))
      assert.equal(answers.filter(({ body }) => body.counted).length, 1)
    }
    assert.equal((await totalsOf(own)).visits, 2)
  })

  test('[SHR-04] at most 50 anonymous visits per address, link and day count', async () => {
    const own = await newApp()
    const id = await own.newLink()
    for (let at = 0; at < 53; at++) {
      const { body } = await own.visit(id, { headers: { 'user-agent': `${BROWSER} ${at}` } })
      assert.equal(body.counted, at < 50)
    }
    assert.equal((await own.visit(id, { landed: false })).body.counted, true)
    const guest = await own.guest()
    assert.equal((await own.visit(id, { call: guest.call })).body.counted, true)
    assert.equal((await totalsOf(own)).visits, 51)
  })

  test('[SHR-04] a player created in the last 24 hours counts as new once, over all links, before and after midnight', async () => {
    const own = await newApp()
    const ids = [await own.newLink(), await own.newLink()]
    // An hour before midnight UTC.
    service.clock.advance(DAY_MS - (service.clock.now().getTime() % DAY_MS) - HOUR_MS)
    const guest = await own.guest()
    let { accessToken, refreshToken } = guest
    const arrive = (id = '') => own.visit(id, { headers: { authorization: `Bearer ${accessToken}` } })
    assert.equal((await arrive(ids[0])).body.counted, true)
    assert.equal((await arrive(ids[1])).body.counted, true)
    service.clock.advance(2 * HOUR_MS)
    ;({ accessToken, refreshToken } = (await own.public('POST', '/v1/auth/refresh', { refreshToken })).body)
    assert.equal((await arrive(ids[0])).body.counted, true)
    assert.deepEqual(await totalsOf(own), { visits: 3, newPlayers: 1, plays: 0 })

    const late = await own.guest()
    service.clock.advance(DAY_MS)
    const { body } = await own.public('POST', '/v1/auth/refresh', { refreshToken: late.refreshToken })
    await own.visit(ids[0] ?? '', { headers: { authorization: `Bearer ${body.accessToken}` } })
    assert.deepEqual(await totalsOf(own), { visits: 4, newPlayers: 1, plays: 0 })
  })

  test('[SHR-04] the day ends at midnight UTC', async () => {
    const own = await newApp()
    const id = await own.newLink()
    service.clock.advance(DAY_MS - (service.clock.now().getTime() % DAY_MS) - 1)
    const before = service.clock.now().toISOString().slice(0, 10)
    assert.equal((await own.visit(id)).body.counted, true)
    assert.equal((await own.visit(id)).body.counted, false)
    service.clock.advance(1)
    assert.equal((await own.visit(id)).body.counted, true)
    assert.equal((await own.visit(id)).body.counted, false)
    const { days } = await statsOf(own)
    assert.deepEqual(
      days.slice(-2).map(({ date, visits }: Record<string, unknown>) => [date, visits]),
      [
        [before, 1],
        [service.clock.now().toISOString().slice(0, 10), 1],
      ],
    )
  })

  test('[SHR-04] children, all players in kids, and players of unknown age in mixed are not counted, and nothing is stored about them', async () => {
    const general = await newApp()
    const child = await general.guest()
    await child.call('PUT', '/v1/social/age', { band: 'child' })
    const id = await general.newLink()
    for (const landed of [true, false])
      assert.deepEqual((await general.visit(id, { call: child.call, landed })).body, { counted: false })
    assert.deepEqual(await visitorRows(service, general.environmentId), [])

    for (const audience of ['kids', 'mixed']) {
      const young = await newApp({ audience })
      const link = await young.newLink()
      const unknown = await young.guest()
      for (const call of [young.public, unknown.call])
        assert.deepEqual((await young.visit(link, { call })).body, { counted: false }, audience)
      const adult = await young.guest()
      await adult.call('PUT', '/v1/social/age', { band: 'adult' })
      const { body } = await young.visit(link, { call: adult.call })
      assert.deepEqual(body, { counted: audience === 'mixed' })
      const rows = await visitorRows(service, young.environmentId)
      assert.equal(rows.length, audience === 'mixed' ? 2 : 0, 'one visit, one new player')
    }
  })

  test('[SHR-04] programs and prefetches are not counted, and nothing is stored about them', async () => {
    const own = await newApp()
    const id = await own.newLink()
    const machines: Record<string, string>[] = [
      { 'user-agent': '' },
      { 'user-agent': 'Twitterbot/1.0' },
      { 'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
      { 'user-agent': 'WhatsApp/2.23.20.0' },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0' },
      { 'user-agent': 'curl/8.5.0' },
      { 'user-agent': 'node' },
      { 'user-agent': BROWSER, 'sec-purpose': 'prefetch;prerender' },
    ]
    for (const headers of machines)
      assert.deepEqual((await own.visit(id, { headers })).body, { counted: false }, JSON.stringify(headers))
    assert.deepEqual(await visitorRows(service, own.environmentId), [])
    for (const userAgent of [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Instagram 340.0',
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 Line/14.1',
      'Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
    ])
      assert.equal(
        (await own.visit(id, { headers: { 'user-agent': userAgent } })).body.counted,
        true,
        userAgent,
      )
  })

  test('[SHR-04] an invalid body answers 400 and counts nothing', async () => {
    const id = await app.newLink()
    for (const body of [
      {},
      { shareId: id },
      { shareId: id, landed: 1 },
      { shareId: '', landed: true },
      { landed: true },
    ])
      assert.equal((await app.public('POST', '/v1/share/visits', body)).status, 400, JSON.stringify(body))
    assert.deepEqual(await visitorRows(service, app.environmentId), [])
  })

  test('[SHR-05] stats are per link, most visited first, with every day of the window and the totals', async () => {
    const own = await newApp()
    const { body: tracked } = await own.server('POST', '/v1/admin/share/links', { label: 'Post' })
    const { body: idle } = await own.server('POST', '/v1/admin/share/links', { label: 'Idle' })
    const score = await own.newLink({ kind: 'score', score: 1 })
    const guests = [await own.guest(), await own.guest()]
    for (const { call } of guests) await own.visit(tracked.link.id, { call })
    await own.visit(score, { call: guests[0]?.call ?? own.public })
    await own.visit(score, { call: guests[0]?.call ?? own.public, landed: false })

    const today = service.clock.now().toISOString().slice(0, 10)
    const { from, to, totals, days, links } = await statsOf(own)
    assert.equal(to, today)
    assert.equal(Date.parse(to) - Date.parse(from), 29 * DAY_MS)
    assert.deepEqual(totals, { visits: 3, newPlayers: 2, plays: 1 })
    assert.equal(days.length, 30)
    assert.deepEqual(days.at(-1), { date: today, visits: 3, newPlayers: 2, plays: 1 })
    assert.deepEqual(days[0], { date: from, visits: 0, newPlayers: 0, plays: 0 })
    assert.deepEqual(links, [
      { shareId: tracked.link.id, label: 'Post', kind: 'tracked', visits: 2, newPlayers: 2, plays: 0 },
      { shareId: score, label: null, kind: 'score', visits: 1, newPlayers: 0, plays: 1 },
      { shareId: idle.link.id, label: 'Idle', kind: 'tracked', visits: 0, newPlayers: 0, plays: 0 },
    ])
    assert.deepEqual((await statsOf(own, '?limit=1')).links, [links[0]])
    const one = await statsOf(own, `?shareId=${score}`)
    assert.deepEqual([one.totals, one.links], [{ visits: 1, newPlayers: 0, plays: 1 }, [links[1]]])
    const developer = await own.developer.call('GET', `${own.path}/share/stats?from=${today}&to=${today}`)
    assert.deepEqual([developer.body.days.length, developer.body.totals], [1, totals])
    const past = await statsOf(own, '?from=2020-01-01&to=2020-01-31')
    assert.deepEqual([past.days.length, past.totals.visits, past.links.length], [31, 0, 2])
  })

  test('[GEN-14] the statistics list 100 links unless a limit is given', async () => {
    const own = await newShareApp(service, TRACKING)
    for (let i = 0; i < 101; i++) await own.server('POST', '/v1/admin/share/links', { label: `Post ${i}` })
    assert.equal((await statsOf(own)).links.length, 100)
    assert.equal((await statsOf(own, '?limit=1000')).links.length, 101)
  })

  test('[SHR-05] 366 days are accepted and one more is rejected; invalid dates, limits and orders are rejected, too', async () => {
    const ask = (query: string) => app.server('GET', `/v1/admin/share/stats?${query}`)
    const leap = await ask('from=2024-01-01&to=2024-12-31')
    assert.equal(leap.body.days.length, 366)
    const long = await ask('from=2024-01-01&to=2025-01-01')
    assert.deepEqual([long.status, long.body.error.code], [400, 'range_too_long'])
    assert.deepEqual(long.body.error.details, { limit: 366 })
    for (const query of [
      'from=2026-02-30',
      'to=2026-13-01',
      'from=yesterday',
      'from=2026-1-1',
      'from=2026-01-02&to=2026-01-01',
      'from=9999-12-31',
      'limit=0',
      'limit=1001',
      'limit=x',
    ]) {
      const { status, body } = await ask(query)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], query)
    }
  })
})

suite('share visitors on the third day', { start: startSharing }, ({ service, engine }) => {
  test('[SHR-04] neither a salt nor a visitor is left in the database; the sums are', async () => {
    const app = await newShareApp(service, TRACKING)
    const [guest, id] = [await app.guest(), await app.newLink()]
    const agent = `${BROWSER} canary-agent`
    await app.visit(id, { headers: { 'user-agent': agent } })
    await app.visit(id, { call: guest.call })
    const rows = await visitorRows(service, app.environmentId)
    assert.equal(rows.length, 3)
    assert.ok(!JSON.stringify(rows).includes(guest.id), 'players are stored as hashes, too')
    const salts = () =>
      service.db.search((q) =>
        q.selectFrom('secrets').select(['id', 'sealed']).where('id', 'like', 'sharing:%'),
      )
    const [salt] = await salts()
    assert.ok(salt)
    const canaries = [salt.sealed, ...rows.map(({ visitor }) => visitor)]

    service.clock.advance(DAY_MS)
    await service.everyHour()
    assert.equal(
      (await visitorRows(service, app.environmentId)).length,
      3,
      'kept until an hour after the day',
    )
    service.clock.advance(HOUR_MS)
    await service.everyHour()
    const kept = await visitorRows(service, app.environmentId)
    assert.deepEqual(
      kept.map(({ kind }) => kind),
      ['new'],
    )
    service.clock.advance(DAY_MS - HOUR_MS)
    await service.everyHour()
    assert.deepEqual(await visitorRows(service, app.environmentId), [])
    assert.deepEqual(await salts(), [])
    assert.deepEqual(await totalsOf(app), { visits: 2, newPlayers: 1, plays: 0 })
    if (engine === 'postgres') return

    await service.close()
    const files = await readdir(service.dataDir)
    const bytes = await Promise.all(
      files
        .filter((name) => name.includes('.db') || name.includes('sqlite'))
        .map((name) => readFile(join(service.dataDir, name))),
    )
    assert.ok(bytes.length > 0, files.join())
    const all = Buffer.concat(bytes)
    assert.ok(all.includes(id), 'the scan reads the database')
    for (const canary of [...canaries, 'canary-agent']) assert.ok(!all.includes(canary), canary)
  })
})

describe('share visits on two nodes', () => {
  let [first, second]: (Service | undefined)[] = []
  before(async () => {
    first = await startService('postgres')
    second = await startService('postgres', { clusterOf: first })
  })
  after(async () => {
    await second?.stop()
    await first?.stop()
  })

  test('[SHR-04] concurrent visits on both nodes count once', async () => {
    assert.ok(first && second)
    const app = await newShareApp(first, TRACKING)
    const [guest, id] = [await newGuest(app), await app.newLink()]
    const here = first.withKey(app.publishableKey)
    const there = second.withKey(app.publishableKey)
    for (const calls of [
      [here, there],
      [guest.at(here), guest.at(there)],
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, at) => app.visit(id, { call: calls[at % 2] ?? here })),
      )
      assert.equal(answers.filter(({ body }) => body.counted).length, 1)
    }
    assert.deepEqual(await totalsOf(app), { visits: 2, newPlayers: 1, plays: 0 })
  })
})
