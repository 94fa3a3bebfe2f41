import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/platform/clock.ts'
import { emailCalls, linkMailedTo, newEmailProject, PASSWORD } from '../src/testing/email-players.ts'
import { newGuest } from '../src/testing/guests.ts'
import { newUnconfirmedSubscriber } from '../src/testing/news.ts'
import { engines, type Service, startService } from '../src/testing/service.ts'
import { startSmtpServer } from '../src/testing/smtp-server.ts'

type Project = Awaited<ReturnType<typeof newEmailProject>>

for (const engine of engines) {
  describe(`email limits on ${engine}`, () => {
    let service: Service
    /** The same service through another node, if the engine supports several nodes. */
    let other: Service
    let project: Project
    before(async () => {
      service = await startService(engine)
      other = engine === 'postgres' ? await startService(engine, { clusterOf: service }) : service
      project = await newEmailProject(service, { svcNews: { optIn: true } })
    })
    after(async () => {
      if (other !== service) await other.stop()
      await service.stop()
    })

    let count = 0
    const newAddress = () => `stranger${++count}@example.com`
    async function mailsTo(email: string, subject = /./): Promise<number> {
      await service.background.drained()
      await other.background.drained()
      return (await service.mailsTo(email)).filter((mail) => subject.test(mail.subject)).length
    }
    const RESET = /password/

    for (const side of ['development', 'production'] as const) {
      test(`[GEN-13] [AUT-15] in ${side} an address gets 3 reset emails per 10 minutes and 10 per day; forgot always answers 200`, async () => {
        const calls = emailCalls(project[side])
        const email = newAddress()
        await calls.signUp(email)
        const forgot = async (times: number) => {
          for (let i = 0; i < times; i++) assert.equal((await calls.forgot(email)).status, 200)
          return mailsTo(email, RESET)
        }
        assert.equal(await forgot(3), 3)
        assert.equal(await forgot(1), 3)
        service.clock.advance(10 * MINUTE_MS - 1)
        assert.equal(await forgot(1), 3)
        service.clock.advance(1)
        assert.equal(await forgot(4), 6)
        service.clock.advance(10 * MINUTE_MS)
        assert.equal(await forgot(4), 9)
        service.clock.advance(10 * MINUTE_MS)
        assert.equal(await forgot(2), 10)
        service.clock.advance(HOUR_MS)
        assert.equal(await forgot(2), 10)
        service.clock.advance(DAY_MS)
        assert.equal(await forgot(4), 13)
      })
    }

    test('[GEN-13] of many concurrent requests on all nodes, three emails are sent', async () => {
      const calls = emailCalls(project.development)
      const there = emailCalls({ public: other.withKey(project.development.publishableKey) })
      const email = newAddress()
      await calls.signUp(email)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? calls : there).forgot(email)),
      )
      assert.ok(answers.every(({ status }) => status === 200))
      assert.equal(await mailsTo(email, RESET), 3)
    })

    test('[AUT-15] a forgot call for an unknown address, or for one over its limit, stores nothing', async () => {
      const calls = emailCalls(project.production)
      const rowsOf = async () => {
        await service.background.drained()
        return Promise.all(
          (['mail_outbox', 'mail_sends', 'players_tokens', 'developers_tokens'] as const).map(
            async (table) =>
              (
                await service.db.search((q) =>
                  q.selectFrom(table).select((row) => row.fn.countAll().as('rows')),
                )
              )[0],
          ),
        )
      }
      const [player, developer] = [newAddress(), newAddress()]
      await calls.signUp(player)
      await service.newDeveloper(developer)
      const forgot = async (email: string) => {
        await calls.forgot(email)
        await service.call('POST', '/v1/developers/password/forgot', { email })
      }
      for (let i = 0; i < 3; i++) for (const email of [player, developer]) await forgot(email)
      const before = await rowsOf()
      for (const email of [player, developer, newAddress(), 'no address', '']) await forgot(email)
      assert.deepEqual(await rowsOf(), before)
    })

    test('[GEN-13] [AUT-17] a forgot call that sends nothing keeps the last link valid', async () => {
      const calls = emailCalls(project.production)
      const email = newAddress()
      await calls.signUp(email)
      for (let i = 0; i < 3; i++) await calls.forgot(email)
      const { token } = await linkMailedTo(service, email)
      for (let i = 0; i < 3; i++) await calls.forgot(email)
      await service.background.drained()
      assert.equal((await calls.reset(token, 'battery staple')).status, 200)
    })

    test('[GEN-13] [AUT-13] resend above the limit answers 429 with Retry-After, and the last link still works', async () => {
      const calls = emailCalls(project.production)
      const email = newAddress()
      const player = await calls.player(email)
      const resend = () => player.call('POST', '/v1/auth/email/resend', {})
      for (let sent = 2; sent <= 3; sent++) {
        service.clock.advance(MINUTE_MS)
        assert.deepEqual((await resend()).body, { sent: true })
      }
      service.clock.advance(MINUTE_MS)
      const { status, body, headers } = await resend()
      assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
      // The first of the three is now three minutes old, seven minutes before the limit ends.
      assert.equal(headers['retry-after'], String(7 * 60))
      assert.equal(await mailsTo(email), 3)

      const { token } = await linkMailedTo(service, email)
      service.clock.advance(7 * MINUTE_MS)
      assert.deepEqual((await resend()).body, { sent: true })
      assert.equal((await calls.verify(token)).status, 400)
      assert.equal((await calls.verify((await linkMailedTo(service, email)).token)).status, 200)
    })

    test('[GEN-13] deleting and recreating an account does not reset its limit: the account is created, but no email is sent', async () => {
      const calls = emailCalls(project.production)
      const email = newAddress()
      for (let sent = 1; sent <= 3; sent++) {
        const player = await calls.player(email)
        assert.equal(await mailsTo(email), 1)
        await player.call('DELETE', '/v1/players/me', { password: PASSWORD })
      }
      assert.equal((await calls.signUp(email)).status, 200)
      assert.equal(await mailsTo(email), 0)
      const guest = await newGuest(project.production)
      const second = newAddress()
      assert.equal((await calls.link(guest, second)).status, 200)
      assert.equal(await mailsTo(second), 1)
    })

    test('[GEN-13] [NWS-01] the confirmation email for news is limited like every email, and is sent again later', async () => {
      const email = newAddress()
      const news = async () =>
        (await service.mailsTo(email)).filter(({ text }) => text.includes('/.news/')).length
      for (let sent = 1; sent <= 3; sent++) {
        const player = await newUnconfirmedSubscriber(project.production, email)
        assert.equal(await news(), 1)
        await player.call('DELETE', '/v1/players/me', { password: PASSWORD })
      }
      const player = await newUnconfirmedSubscriber(project.production, email)
      assert.equal(await news(), 0)
      assert.equal((await player.call('GET', '/v1/players/me/export')).body.news, null)
    })

    test('[GEN-13] a development environment can email 100 addresses per day, and its own developer in addition', async () => {
      const { development, production, developer } = await newEmailProject(service)
      const calls = emailCalls(development)
      const signUp = async (email: string) => {
        assert.equal((await calls.signUp(email)).status, 200)
        return mailsTo(email)
      }
      const tagged = developer.email.replace('@', '+test@')
      const own = await mailsTo(developer.email)
      assert.equal(await signUp(developer.email), own + 1)
      for (let i = 0; i < 100; i++) assert.equal(await signUp(`crowd${i}-${engine}@example.com`), 1)
      assert.equal(await signUp(newAddress()), 0)
      assert.equal(await signUp(tagged), 1)
      // Addresses among the hundred still get emails, and so does the developer.
      await calls.forgot(`crowd0-${engine}@example.com`)
      assert.equal(await mailsTo(`crowd0-${engine}@example.com`), 2)
      await calls.forgot(developer.email)
      assert.equal(await mailsTo(developer.email), own + 2)
      const inProduction = newAddress()
      await emailCalls(production).signUp(inProduction)
      assert.equal(await mailsTo(inProduction), 1)

      service.clock.advance(DAY_MS)
      assert.equal(await signUp(newAddress()), 1)
    })

    test('[GEN-13] a mailbox gets 10 emails per 10 minutes and 30 per day, over all projects and plus-addresses', async () => {
      const mailbox = `victim${engine}`
      let sent = 0
      const attack = async (times: number) => {
        const { production } = await newEmailProject(service)
        const before = sent
        for (let i = 0; i < times; i++) {
          const email = `${mailbox}+${++count}@example.com`
          assert.equal((await emailCalls(production).signUp(email)).status, 200)
          sent += await mailsTo(email)
        }
        return sent - before
      }
      assert.equal(await attack(6), 6)
      assert.equal(await attack(6), 4)
      service.clock.advance(10 * MINUTE_MS)
      assert.equal(await attack(12), 10)
      service.clock.advance(10 * MINUTE_MS)
      assert.equal(await attack(12), 10)
      service.clock.advance(10 * MINUTE_MS)
      assert.equal(await attack(2), 0)
      service.clock.advance(DAY_MS)
      assert.equal(await attack(1), 1)
    })

    test('[GEN-13] emails to developers are limited too', async () => {
      const { email, token } = await service.newDeveloper()
      const forgot = () => service.call('POST', '/v1/developers/password/forgot', { email })
      for (let i = 0; i < 5; i++) assert.deepEqual((await forgot()).body, {})
      assert.equal(await mailsTo(email, RESET), 3)

      const resend = () => service.withToken(token)('POST', '/v1/developers/email/resend')
      for (let sent = 2; sent <= 3; sent++) {
        service.clock.advance(MINUTE_MS)
        assert.deepEqual((await resend()).body, { sent: true })
      }
      service.clock.advance(MINUTE_MS)
      const { status, headers } = await resend()
      assert.deepEqual([status, headers['retry-after']], [429, String(7 * 60)])
    })

    test('a project name cannot insert links, line breaks or invisible characters into an email', async () => {
      const names: [string, string][] = [
        ['Star Duel', 'Star Duel'],
        ['Win at evil.example now', 'Win at evil example now'],
        ['https://evil.example/x?y=1', 'https evil example x?y=1'],
        ['Buy\u202e\u200b cheap \u2066pills', 'Buy cheap pills'],
        ['evil。example and evil．example', 'evil example and evil example'],
        ['me@evil.example: hello', 'me evil example: hello'],
        [`${'x'.repeat(60)}`, `${'x'.repeat(39)}…`],
        ['Dr. Star v1.2', 'Dr. Star v1.2'],
      ]
      for (const [name, shown] of names) {
        const { production } = await newEmailProject(service, {}, name)
        const email = newAddress()
        await emailCalls(production).signUp(email)
        const [mail] = await service.mailsTo(email)
        assert.equal(mail?.subject, `Confirm your email address for ${shown}`)
        assert.ok(mail.text.includes(` in ${shown}.`), mail.text)
      }
    })
  })
}

test('[GEN-13] sixty forgot calls with a development key send three emails to one address', async (t) => {
  const smtp = await startSmtpServer()
  t.after(() => smtp.stop())
  const service = await startService('sqlite', {
    settings: { SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc <no-reply@example.com>' },
  })
  const { development, developer } = await newEmailProject(service)
  const calls = emailCalls(development)
  await calls.signUp('stranger@example.com')
  for (let i = 0; i < 60; i++) assert.equal((await calls.forgot('stranger@example.com')).status, 200)
  await service.background.drained()
  service.clock.advance(10 * SECOND_MS)
  // The developer's own verification, that of the other address, and three resets.
  await smtp.arrived(5)
  await calls.signUp('last@example.com')
  await smtp.arrived(6)
  const recipients = smtp.received.flatMap(({ recipients: all }) => all)
  assert.equal(recipients.filter((to) => to === 'stranger@example.com').length, 4)
  assert.ok(recipients.includes(developer.email))
  await service.stop()
})
