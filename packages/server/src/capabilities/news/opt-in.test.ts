import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { emailCalls, newEmailProject } from '../../testing/email-players.ts'
import { type Guest, newGuest } from '../../testing/guests.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { newsLinksTo, newSubscriber, newUnconfirmedSubscriber } from '../../testing/news.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

suite('the news box', {}, ({ engine, service }) => {
  let project: Awaited<ReturnType<typeof newEmailProject>>
  before(async () => {
    project = await newEmailProject(service)
  })

  let count = 0
  const newEmail = () => `news${++count}-${engine}@example.com`
  const box = async (call = project.development.public, language?: string) =>
    (await call('GET', `/v1/news/box${language === undefined ? '' : `?language=${language}`}`)).body
  const confirm = (token: string) => service.call('POST', '/v1/news/confirm', { token })
  const unsubscribe = (token: string) => service.call('POST', '/v1/news/unsubscribe', { token })
  const newsOf = async (player: Guest) => (await player.call('GET', '/v1/players/me/export')).body.news
  const submit = async (url: string, token: string) => {
    const { pathname, search } = new URL(url)
    const { statusCode, body } = await service.http.inject({
      method: 'POST',
      url: pathname + search,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token }).toString(),
    })
    return { status: statusCode, body }
  }

  test('[NWS-01] [NWS-03] the service returns the HTML of the box: a label with one unchecked checkbox and no script', async () => {
    const { show, label, html } = await box()
    assert.equal(show, true)
    assert.match(label, /news from svc by email, at most twice a month/)
    assert.match(html, /^<label [^>]*><input type="checkbox" name="newsOptIn" value="true"> <span>/)
    assert.ok(html.includes(label))
    assert.doesNotMatch(html, /checked|<script|style=| on\w+=/)
  })

  test('[NWS-03] the box is available in en, ja, de, es, pt-BR and zh, and in English for other languages', async () => {
    const languageOf = async (asked?: string) =>
      /lang="([\w-]+)"/.exec((await box(undefined, asked)).html)?.[1]
    const spoken = ['en', 'ja', 'de-AT', 'es-MX', 'pt-BR', 'PT', 'zh-Hant', 'fr', 'x', '']
    const answered = await Promise.all(spoken.map(languageOf))
    assert.equal(answered.join(' '), 'en ja de es pt-BR pt-BR zh en en en')
    assert.equal(await languageOf(), 'en')
    const labels = await Promise.all(['en', 'ja', 'de', 'es', 'pt', 'zh'].map((one) => box(undefined, one)))
    assert.equal(new Set(labels.map(({ label }) => label)).size, 6)
  })

  test('[NWS-01] the box, its mail and its pages name the operator', async (t) => {
    const settings = { SVC_OPERATOR_NAME: 'Star Games Ltd', SVC_BRAND: 'starbase' }
    const other = await startService(engine, { settings })
    t.after(() => other.stop())
    const its = await newEmailProject(other)
    assert.match((await box(its.development.public)).label, /news from Star Games Ltd by email/)
    const email = newEmail()
    await newUnconfirmedSubscriber(its.development, email)
    const [mail] = await other.mailsTo(email)
    assert.match(mail?.subject ?? '', /Star Games Ltd/)
    assert.match(mail?.text ?? '', /news from Star Games Ltd/)
    for (const kind of ['confirm', 'unsubscribe'])
      assert.match((await other.http.inject({ url: `/.news/${kind}` })).body, /Star Games Ltd/)
  })

  test('[NWS-01] the name of the service is escaped', async () => {
    const other = await startService(engine, { settings: { SVC_BRAND: '<b>"Tom" & Jerry</b>' } })
    const { development } = await other.newProject()
    const { label, html } = await box(development.public)
    assert.ok(label.includes('<b>"Tom" & Jerry</b>'))
    assert.ok(!html.includes('<b>'))
    assert.match(html, /&#60;b&#62;/)
    await other.stop()
  })

  test('[NWS-02] [CFG-19] the box is on by default, off with svcNews.optIn: false, and never shown to kids', async () => {
    const off = await newEmailProject(service, { svcNews: { optIn: false } })
    const kids = await newEmailProject(service, { audience: 'kids', svcNews: { optIn: true } })
    for (const { development } of [off, kids]) {
      assert.deepEqual(await box(development.public), { show: false, label: '', html: '' })
    }
  })

  test('[NWS-03] the box requires a key of the environment; any kind of key is accepted', async () => {
    assert.equal((await service.call('GET', '/v1/news/box')).body.error.code, 'key_required')
    assert.equal((await box(project.development.server)).show, true)
  })

  test('[NWS-01] [NWS-03] an unchecked box sends nothing; a checked one sends a confirmation mail, and counts after its link is clicked', async () => {
    const quiet = newEmail()
    const silent = await emailCalls(project.development).player(quiet)
    assert.equal(await newsOf(silent), null)
    assert.equal((await newsLinksTo(service, quiet)).text, '')

    const email = newEmail()
    const ada = await newUnconfirmedSubscriber(project.development, email)
    assert.equal((await newsOf(ada)).status, 'pending')
    const { text, confirm: token, unsubscribe: unsubscribeToken } = await newsLinksTo(service, email)
    assert.match(text, /We send nothing until you confirm/)
    assert.ok(unsubscribeToken, 'every mail has an unsubscribe link')

    assert.deepEqual((await confirm(token)).body, { subscribed: true })
    assert.equal((await newsOf(ada)).status, 'confirmed')
    assert.deepEqual((await confirm(token)).body, { subscribed: true }, 'a second click changes nothing')
  })

  test('[NWS-03] linking an email with the box checked sends it, too, in the language of the app', async () => {
    const email = newEmail()
    const guest = await newGuest(project.development)
    await emailCalls(project.development).link(guest, email, { newsOptIn: true, language: 'de' })
    const { text, confirmUrl } = await newsLinksTo(service, email)
    assert.match(text, /^Neuigkeiten von svc\?/)
    assert.match(confirmUrl, /^http:\/\/localhost:8787\/\.news\/confirm\?language=de$/)
  })

  test('[NWS-03] [NWS-02] [AGE-09] for children, kids apps and apps that turned it off the box is ignored without an error', async () => {
    const projects = [
      await newEmailProject(service, { svcNews: { optIn: false } }),
      await newEmailProject(service, { audience: 'kids' }),
      await newEmailProject(service, { audience: 'mixed' }),
    ]
    for (const { development } of projects) {
      const email = newEmail()
      const answer = await emailCalls(development).signUp(email, { newsOptIn: true })
      assert.equal(answer.status, 200)
      assert.equal((await newsLinksTo(service, email)).text, '')
    }

    const child = await newGuest(project.development)
    await child.call('PUT', '/v1/social/age', { band: 'child' })
    const { capabilities } = (await child.call('GET', '/v1/social/profile')).body
    assert.equal(capabilities.newsOptIn, false)
    const email = newEmail()
    const linked = await emailCalls(project.development).link(child, email, { newsOptIn: true })
    assert.equal(linked.status, 200)
    assert.equal((await newsLinksTo(service, email)).text, '')
    assert.equal(await newsOf(child), null)
  })

  test('[NWS-01] the confirmation is valid for exactly 30 days; an invalid token answers 400', async () => {
    const email = newEmail()
    const ada = await newUnconfirmedSubscriber(project.development, email)
    const { confirm: token } = await newsLinksTo(service, email)
    for (const wrong of ['x', `${token}x`, token.toLowerCase(), 'a.b']) {
      assert.equal((await confirm(wrong)).body.error.code, 'invalid_or_expired_token')
    }
    assert.equal((await confirm('')).body.error.code, 'invalid_request')

    service.clock.advance(30 * DAY_MS - 1)
    assert.equal((await confirm(token)).status, 200)
    service.clock.advance(1)
    assert.equal((await confirm(token)).body.error.code, 'invalid_or_expired_token')
    const { status } = (await project.development.server('GET', `/v1/admin/players/${ada.id}/export`)).body
      .news
    assert.equal(status, 'confirmed')
  })

  test('[NWS-03] an unsubscribe link never expires, covers every app of the address, and voids an older confirmation', async () => {
    const email = newEmail()
    const other = await newEmailProject(service)
    const ada = await newSubscriber(service, project.development, email)
    const { unsubscribe: token } = await newsLinksTo(service, email)
    const elsewhere = await newUnconfirmedSubscriber(other.development, email)
    const { confirm: late } = await newsLinksTo(service, email)

    assert.deepEqual((await unsubscribe(token)).body, { subscribed: false })
    assert.equal((await newsOf(ada)).status, 'unsubscribed')
    assert.equal((await newsOf(elsewhere)).status, 'unsubscribed')
    assert.equal((await confirm(late)).body.error.code, 'invalid_or_expired_token')

    service.clock.advance(3 * 365 * DAY_MS)
    assert.deepEqual((await unsubscribe(token)).body, { subscribed: false })
    // The last of 43 characters has four significant bits and two unused ones.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sameBits = token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.at(-1) ?? '') + 1)
    for (const wrong of [`${token}x`, token.replace('.', ''), `x${token.slice(1)}x`, sameBits, late, 'x']) {
      assert.equal((await unsubscribe(wrong)).body.error.code, 'invalid_or_expired_token')
    }
  })

  test('[NWS-03] the unsubscribe link works after the player is deleted', async () => {
    const email = newEmail()
    const ada = await newSubscriber(service, project.development, email)
    const { unsubscribe: token } = await newsLinksTo(service, email)
    await ada.call('DELETE', '/v1/players/me', { refreshToken: ada.refreshToken })
    assert.deepEqual((await unsubscribe(token)).body, { subscribed: false })
  })

  test('[NWS-01] concurrent clicks on confirm and unsubscribe never leave a subscription', async () => {
    for (let round = 0; round < 10; round++) {
      const email = newEmail()
      const ada = await newUnconfirmedSubscriber(project.development, email)
      const { confirm: yes, unsubscribe: no } = await newsLinksTo(service, email)
      const answers = await Promise.all([confirm(yes), unsubscribe(no), confirm(yes), confirm(yes)])
      assert.equal(answers[1]?.status, 200)
      assert.equal((await newsOf(ada)).status, 'unsubscribed')
    }
  })

  test('[NWS-01] opening a link changes nothing; the button of the page does, also without scripts', async () => {
    const email = newEmail()
    const ada = await newUnconfirmedSubscriber(project.development, email, { language: 'ja' })
    const links = await newsLinksTo(service, email)
    for (const url of [links.confirmUrl, links.unsubscribeUrl]) {
      const { status, headers, body } = await service.call('GET', url.replace(/^http:\/\/[^/]+/, ''))
      assert.equal(status, 200)
      assert.match(body, /<html lang="ja">/)
      assert.match(body, /<form method="post"/)
      assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/)
      assert.deepEqual([headers['referrer-policy'], headers['cache-control']], ['no-referrer', 'no-store'])
    }
    assert.equal((await newsOf(ada)).status, 'pending')

    const done = await submit(links.confirmUrl, `${links.confirmUrl}#token=${links.confirm}`)
    assert.deepEqual([done.status, /登録が完了/.test(done.body)], [200, true])
    assert.equal((await newsOf(ada)).status, 'confirmed')
    assert.equal((await submit(links.unsubscribeUrl, links.unsubscribe)).status, 200)
    assert.equal((await newsOf(ada)).status, 'unsubscribed')
    const over = await submit(links.confirmUrl, links.confirm)
    assert.deepEqual([over.status, /このリンクは使えません/.test(over.body)], [400, true])
  })

  test('tokens are not in the database, and the box of a deleted project is removed', async () => {
    const email = newEmail()
    const gone = await newEmailProject(service)
    await newSubscriber(service, gone.development, email)
    const { confirm: token, unsubscribe: unsubscribeToken } = await newsLinksTo(service, email)
    const rows = () =>
      service.db.search((q) => q.selectFrom('news_subscriptions').selectAll().where('email', '=', email))
    assert.equal((await rows()).length, 1)
    const text = JSON.stringify(await rows())
    assert.ok(!text.includes(token) && !text.includes(unsubscribeToken))
    await gone.developer.call('DELETE', `/v1/projects/${gone.id}`)
    await comesTrue('the box is removed', async () => (await rows()).length === 0)
  })
})
