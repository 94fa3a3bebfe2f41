import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { newEmailProject } from '../../testing/email-players.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { newsLinksTo, newSubscriber, newUnconfirmedSubscriber } from '../../testing/news.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import type { Progress } from './sender.ts'

for (const engine of engines) {
  describe(`news on ${engine}`, () => {
    let service: Service
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())

    let count = 0
    const newEmail = () => `sub${++count}-${engine}@example.com`
    const news = (subject: string) => ({ subject, paragraphs: ['First.', 'Second <b>.'] })
    const send = (subject: string, options = {}, node = service) =>
      node.newsSender.sendNews(news(subject), options)
    const subjectsTo = async (email: string) =>
      (await service.mailsTo(email))
        .map(({ subject }) => subject)
        .filter((subject) => subject.startsWith('Issue'))
        .toSorted()
    const oneClickUrlTo = async (email: string) =>
      (
        await service.db.search((q) =>
          q.selectFrom('mail_outbox').select('unsubscribeUrl').where('recipient', '=', email).orderBy('id'),
        )
      ).at(-1)?.unsubscribeUrl
    const nextMonth = () => service.clock.advance(31 * DAY_MS)

    test('[NWS-01] news are sent to confirmed addresses, and every mail has an unsubscribe link', async () => {
      const { development } = await newEmailProject(service)
      const [confirmed, pending, unsubscribed] = [newEmail(), newEmail(), newEmail()]
      await newSubscriber(service, development, confirmed)
      await newUnconfirmedSubscriber(development, pending)
      await newSubscriber(service, development, unsubscribed)
      const { unsubscribe } = await newsLinksTo(service, unsubscribed)
      await service.call('POST', '/v1/news/unsubscribe', { token: unsubscribe })

      const { sent } = await send('Issue 1')

      assert.equal(sent, 1)
      assert.deepEqual(await subjectsTo(confirmed), ['Issue 1'])
      assert.deepEqual([await subjectsTo(pending), await subjectsTo(unsubscribed)], [[], []])
      const links = await newsLinksTo(service, confirmed)
      assert.match(links.text, /First\.\n\nSecond <b>\./)
      await service.call('POST', '/v1/news/unsubscribe', { token: links.unsubscribe })
      assert.equal((await send('Issue 2')).sent, 0)
    })

    test('[NWS-01] one POST of a mail program unsubscribes; a GET of a link scanner does not', async () => {
      const { development } = await newEmailProject(service)
      for (const contentType of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']) {
        nextMonth()
        const email = newEmail()
        await newSubscriber(service, development, email)
        assert.equal((await send(`Issue for ${email}`)).sent, 1)
        const { pathname } = new URL((await oneClickUrlTo(email)) ?? '')
        const call = (method: 'GET' | 'POST', url = pathname) =>
          service.http.inject({
            method,
            url,
            ...(method === 'POST' && {
              headers: { 'content-type': contentType },
              payload: 'List-Unsubscribe=One-Click',
            }),
          })

        const looked = await call('GET')
        assert.equal(looked.statusCode, 303)
        assert.match(String(looked.headers.location), /^\/\.news\/unsubscribe#token=/)
        const forged = await call('POST', pathname.replace(/[^/]{8}$/, 'AAAAAAAA'))
        assert.equal(forged.json().error.code, 'invalid_or_expired_token')
        nextMonth()
        assert.equal((await send(`Issue after looking ${email}`)).sent, 1)

        assert.equal((await call('POST')).statusCode, 200)
        nextMonth()
        assert.equal((await send(`Issue after unsubscribing ${email}`)).sent, 0)
        assert.equal((await call('POST')).statusCode, 200, 'a second click is not an error')
      }
    })

    test('[NWS-01] an address gets at most two mails in a calendar month, and each issue once', async () => {
      nextMonth()
      const email = newEmail()
      await newSubscriber(service, (await newEmailProject(service)).development, email)
      assert.deepEqual(await send('Issue A'), { sent: 1, had: 0, full: 0, notAllowed: 0 })
      assert.deepEqual(await send('Issue A'), { sent: 0, had: 1, full: 0, notAllowed: 0 })
      assert.equal((await send('Issue B')).sent, 1)
      assert.deepEqual(await send('Issue C'), { sent: 0, had: 0, full: 1, notAllowed: 0 })
      assert.deepEqual(await subjectsTo(email), ['Issue A', 'Issue B'])

      nextMonth()
      assert.equal((await send('Issue C')).sent, 1)
      assert.equal((await send('Issue A')).had, 1, 'the same issue is never sent twice')
      const { unsubscribe } = await newsLinksTo(service, email)
      await service.call('POST', '/v1/news/unsubscribe', { token: unsubscribe })
    })

    test('[NWS-01] an address that subscribed through several apps gets one mail, and at most two per month in total', async () => {
      nextMonth()
      const email = newEmail()
      for (const project of [await newEmailProject(service), await newEmailProject(service)]) {
        await newSubscriber(service, project.development, email)
        await newSubscriber(service, project.production, email)
      }
      assert.equal((await send('Issue D')).sent, 1)
      assert.equal((await send('Issue E')).sent, 1)
      assert.equal((await send('Issue F')).full, 1)
      assert.deepEqual(await subjectsTo(email), ['Issue D', 'Issue E'])
      const { unsubscribe } = await newsLinksTo(service, email)
      await service.call('POST', '/v1/news/unsubscribe', { token: unsubscribe })
      nextMonth()
      assert.equal((await send('Issue G')).sent, 0)
    })

    test('[NWS-01] the monthly limit also counts mails sent before the account was deleted and created again', async () => {
      const email = newEmail()
      const { development } = await newEmailProject(service)
      const ada = await newSubscriber(service, development, email)
      await send('Issue H')
      await send('Issue I')
      await ada.call('DELETE', '/v1/players/me', { refreshToken: ada.refreshToken })
      assert.deepEqual(await service.mailsTo(email), [])
      const again = await newSubscriber(service, development, email)
      assert.equal((await send('Issue J')).full, 1)
      await again.call('DELETE', '/v1/players/me', { refreshToken: again.refreshToken })
    })

    test('[NWS-02] players who became a child, and players of apps that turned news off, get no mail', async () => {
      nextMonth()
      const [child, off] = [newEmail(), newEmail()]
      const project = await newEmailProject(service)
      const bob = await newSubscriber(service, project.development, child)
      await bob.call('PUT', '/v1/social/age', { band: 'child' })
      await newSubscriber(service, project.production, off)
      await project.production.server('PUT', '/v1/config', { svcNews: { optIn: false } })
      assert.deepEqual(await send('Issue K'), { sent: 0, had: 0, full: 0, notAllowed: 2 })
      assert.deepEqual([await subjectsTo(child), await subjectsTo(off)], [[], []])
      await project.developer.call('DELETE', `/v1/projects/${project.id}`)
      const ids = project.environments.map(({ id }) => id)
      const rows = () =>
        service.db.search((q) =>
          q.selectFrom('news_subscriptions').select('playerId').where('environmentId', 'in', ids),
        )
      await comesTrue('its box is removed', async () => (await rows()).length === 0)
    })

    test('a dry run counts and writes nothing; progress is reported; addresses are read in pages', async () => {
      nextMonth()
      // A development environment may not mail so many addresses.
      const { production } = await newEmailProject(service)
      const emails = Array.from({ length: 105 }, newEmail)
      for (let at = 0; at < emails.length; at += 21) {
        service.clock.advance(MINUTE_MS)
        await Promise.all(emails.slice(at, at + 21).map((email) => newSubscriber(service, production, email)))
      }
      const received: Progress[] = []
      assert.equal((await send('Issue L', { dryRun: true })).sent, 105)
      assert.deepEqual(await subjectsTo(emails[0] ?? ''), [])

      await send('Issue L', { onProgress: (progress: Progress) => received.push(progress) })
      assert.deepEqual(
        received.map(({ sent }) => sent),
        [100, 105],
      )
      for (const email of emails) assert.deepEqual(await subjectsTo(email), ['Issue L'])
    })

    test('[NWS-01] five concurrent senders of three issues send no duplicate and no third mail', async () => {
      nextMonth()
      const other = engine === 'postgres' ? await startService(engine, { clusterOf: service }) : service
      const results = await Promise.all([
        send('Issue M'),
        send('Issue M', {}, other),
        send('Issue N'),
        send('Issue N', {}, other),
        send('Issue O', {}, other),
      ])
      const rows = await service.db.search((q) =>
        q.selectFrom('mail_outbox').select(['recipient', 'subject']).where('subject', 'like', 'Issue%'),
      )
      const mine = rows.filter(({ subject }) => /Issue [MNO]/.test(subject))
      const byRecipient = Map.groupBy(mine, ({ recipient }) => recipient)
      assert.equal(byRecipient.size, 105)
      for (const [recipient, mails] of byRecipient) {
        assert.deepEqual([recipient, mails.length], [recipient, 2])
        assert.equal(new Set(mails.map(({ subject }) => subject)).size, 2)
      }
      assert.equal(
        results.reduce((sum, { sent }) => sum + sent, 0),
        210,
      )
      if (other !== service) await other.stop()
    })

    test('records of past months are deleted', async () => {
      const months = async () =>
        (await service.db.search((q) => q.selectFrom('news_mails').select('month').distinct())).length
      assert.ok((await months()) > 0)
      service.clock.advance(100 * DAY_MS)
      await service.newsSender.purgeExpired()
      assert.equal(await months(), 0)
    })
  })
}
