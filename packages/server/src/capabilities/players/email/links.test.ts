import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { emailCalls, linkMailedTo, newEmailProject, PASSWORD } from '../../../testing/email-players.ts'
import { newGuest } from '../../../testing/guests.ts'
import { engines, type Service, startService } from '../../../testing/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BASE_URL = 'https://svc.example.com'
const APP_URL = 'https://app.example.com/signed-in'

for (const engine of engines) {
  describe(`links in mails to players on ${engine}`, () => {
    let service: Service
    /** A second node on PostgreSQL; otherwise the same node. */
    let other: Service
    let project: Awaited<ReturnType<typeof newEmailProject>>
    let calls: ReturnType<typeof emailCalls>
    before(async () => {
      const settings = { SVC_BASE_URL: BASE_URL, SVC_APPS_DOMAIN: 'apps.example' }
      service = await startService(engine, { settings })
      other = engine === 'postgres' ? await startService(engine, { settings, clusterOf: service }) : service
      project = await newEmailProject(service, { auth: { redirectUrls: [APP_URL] } }, 'Star Duel')
      calls = emailCalls(project.development)
    })
    after(async () => {
      if (other !== service) await other.stop()
      await service.stop()
    })

    const mailed = (email: string) => linkMailedTo(service, email)
    const isVerified = async (email: string) => (await calls.logIn(email)).body.player.emailVerified
    /** The same calls, alternating between both nodes. */
    const atBothNodes = (count: number) => {
      const there = emailCalls({ public: other.withKey(project.development.publishableKey) })
      return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? calls : there))
    }

    test('[AUT-11] [AUT-12] [AUT-22] sign-up mails a link to the built-in page, and its token confirms the email once', async () => {
      const { body } = await calls.signUp('ada@example.com')
      assert.equal(body.player.emailVerified, false)
      const { base, token, type } = await mailed('ada@example.com')
      const { id } = project.environments.find(({ name }) => name === 'development') ?? {}
      assert.deepEqual([base, type], [`${BASE_URL}/.auth/verify?env=${id}`, 'verify'])

      assert.deepEqual((await calls.verify(token)).body, { verified: true })
      assert.equal(await isVerified('ada@example.com'), true)
      const again = await calls.verify(token)
      assert.deepEqual([again.status, again.body.error.code], [400, 'invalid_or_expired_token'])
    })

    test('[AUT-11] linking an email mails a link too', async () => {
      await calls.link(await newGuest(project.development), 'linked@example.com')
      const { token } = await mailed('linked@example.com')
      assert.equal((await calls.verify(token)).status, 200)
      assert.equal(await isVerified('linked@example.com'), true)
    })

    test('[AUT-11] a rejected sign-up or link sends no mail', async () => {
      await calls.signUp('refused@example.com')
      await calls.signUp('refused@example.com')
      await calls.link(await newGuest(project.development), 'refused@example.com')
      assert.equal((await mailed('refused@example.com')).mails, 1)
    })

    test('[AUT-12] a link is valid for 24 hours; unknown, malformed and other environments’ tokens confirm nothing', async () => {
      await calls.signUp('patient@example.com')
      const { token } = await mailed('patient@example.com')
      for (const wrong of ['x', `${token}x`, token.slice(1), token.toUpperCase(), '%00', "' or 1=1 --"]) {
        assert.equal((await calls.verify(wrong)).body.error.code, 'invalid_or_expired_token', wrong)
      }
      const elsewhere = await emailCalls(project.production).verify(token)
      assert.equal(elsewhere.body.error.code, 'invalid_or_expired_token')
      const asReset = await calls.reset(token, 'another password')
      assert.equal(asReset.body.error.code, 'invalid_or_expired_token')

      service.clock.advance(24 * HOUR_MS - 1)
      assert.equal((await calls.verify(token)).status, 200)
      await calls.signUp('late@example.com')
      const late = await mailed('late@example.com')
      service.clock.advance(24 * HOUR_MS)
      assert.equal((await calls.verify(late.token)).status, 400)
      assert.equal(await isVerified('late@example.com'), false)
    })

    test('[AUT-12] 50 concurrent uses of a link: one confirms', async () => {
      await calls.signUp('crowd@example.com')
      const { token } = await mailed('crowd@example.com')
      const answers = await Promise.all(atBothNodes(50).map((node) => node.verify(token)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter(({ status }) => status === 400).length, 49)
    })

    test('[AUT-13] [AUT-14] resend mails a new link and invalidates the old one; at most once a minute', async () => {
      const player = await calls.player('again@example.com')
      const first = await mailed('again@example.com')
      const resend = (body: object = {}) => player.call('POST', '/v1/auth/email/resend', body)

      assert.deepEqual((await resend()).body, { sent: true })
      const second = await mailed('again@example.com')
      assert.equal(second.mails, 2)
      assert.equal((await calls.verify(first.token)).status, 400)

      // One minute after the last one, not once per calendar minute.
      service.clock.advance(MINUTE_MS - 1)
      const tooSoon = await resend()
      assert.deepEqual([tooSoon.status, tooSoon.body.error.code], [429, 'rate_limited'])
      assert.equal(tooSoon.headers['retry-after'], '1')
      service.clock.advance(1)
      assert.deepEqual((await resend({ redirectUrl: APP_URL })).body, { sent: true })
      const third = await mailed('again@example.com')
      assert.deepEqual([third.mails, third.base], [3, APP_URL])
      assert.equal((await calls.verify(second.token)).status, 400)
      assert.equal((await calls.verify(third.token)).status, 200)

      service.clock.advance(MINUTE_MS)
      assert.deepEqual((await resend()).body, { sent: false })
      assert.equal((await mailed('again@example.com')).mails, 3)
    })

    test('[AUT-13] many concurrent resends send one mail; a player without an email gets no_email', async () => {
      const player = await calls.player('impatient@example.com')
      const resends = Array.from({ length: 10 }, () => player.call('POST', '/v1/auth/email/resend', {}))
      const answers = await Promise.all(resends)
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal((await mailed('impatient@example.com')).mails, 2)

      const guest = await newGuest(project.development)
      const { status, body } = await guest.call('POST', '/v1/auth/email/resend', {})
      assert.deepEqual([status, body.error.code], [409, 'no_email'])
    })

    test('[AUT-15] forgot answers 200 and {} for a known, unknown or malformed email and for guests; only the known one gets a mail', async () => {
      await calls.signUp('forgetful@example.com')
      const emails = ['forgetful@example.com', ' FORGETFUL@example.com', 'nobody@example.com', 'x', '', '@']
      for (const email of emails) {
        const { status, body } = await calls.forgot(email)
        assert.deepEqual([status, body], [200, {}], email)
      }
      assert.equal((await mailed('forgetful@example.com')).mails, 3)
      assert.equal((await mailed('nobody@example.com')).mails, 0)
      assert.equal((await calls.forgot('x'.repeat(1_000))).status, 200)
    })

    test('[AUT-17] a reset sets the password, confirms the email and ends every session', async () => {
      const player = await calls.player('lost@example.com')
      const second = (await calls.logIn('lost@example.com')).body
      await calls.forgot('lost@example.com')
      const { base, token, type } = await mailed('lost@example.com')
      assert.match(base, /^https:\/\/svc\.example\.com\/\.auth\/reset\?env=env_/)
      assert.equal(type, 'reset')

      const { status, body } = await calls.reset(token, 'battery staple')
      assert.deepEqual([status, body], [200, {}])
      for (const refreshToken of [player.refreshToken, second.refreshToken]) {
        const refused = await calls.refresh(refreshToken)
        assert.deepEqual(
          [refused.status, refused.body.error.code, refused.body.error.details.reason],
          [401, 'session_revoked', 'password_reset'],
        )
      }
      assert.equal((await calls.logIn('lost@example.com', PASSWORD)).status, 401)
      const { body: session } = await calls.logIn('lost@example.com', 'battery staple')
      assert.deepEqual([session.player.id, session.player.emailVerified], [player.id, true])
      assert.equal((await calls.reset(token, 'yet another one')).body.error.code, 'invalid_or_expired_token')
    })

    test('[AUT-17] a reset link is valid for 30 minutes, and a newer one invalidates it', async () => {
      await calls.signUp('slow@example.com')
      await calls.forgot('slow@example.com')
      const first = await mailed('slow@example.com')
      await calls.forgot('slow@example.com')
      const second = await mailed('slow@example.com')
      assert.equal((await calls.reset(first.token, 'battery staple')).status, 400)
      service.clock.advance(30 * MINUTE_MS)
      assert.equal((await calls.reset(second.token, 'battery staple')).status, 400)

      await calls.forgot('slow@example.com')
      const third = await mailed('slow@example.com')
      assert.equal((await calls.reset(third.token, '1234567')).status, 400)
      const elsewhere = await emailCalls(project.production).reset(third.token, 'battery staple')
      assert.equal(elsewhere.status, 400)
      service.clock.advance(30 * MINUTE_MS - 1)
      assert.equal((await calls.reset(third.token, 'battery staple')).status, 200)
    })

    test('[AUT-17] a reset confirms the email, so the link of the sign-up becomes invalid, too', async () => {
      await calls.signUp('both@example.com')
      const { token } = await mailed('both@example.com')
      await calls.forgot('both@example.com')
      await calls.reset((await mailed('both@example.com')).token, 'battery staple')
      assert.equal((await calls.verify(token)).status, 400)
    })

    test('[AUT-17] 20 concurrent resets with one link: one succeeds', async () => {
      await calls.signUp('contested@example.com')
      await calls.forgot('contested@example.com')
      const { token } = await mailed('contested@example.com')
      const answers = await Promise.all(
        atBothNodes(20).map((node, i) => node.reset(token, `new password ${i}`)),
      )
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
      assert.equal(winners.length, 1)
      assert.equal((await calls.logIn('contested@example.com', `new password ${winners[0]}`)).status, 200)
    })

    test('[AUT-17] a log-in that races a reset is revoked by it or rejected', async () => {
      await calls.signUp('racing@example.com')
      for (let round = 0; round < 5; round++) {
        // At most three mails are sent in ten minutes.
        service.clock.advance(4 * MINUTE_MS)
        const before = round === 0 ? PASSWORD : `password ${round - 1}`
        await calls.forgot('racing@example.com')
        const { token } = await mailed('racing@example.com')
        const logIns = atBothNodes(8).map((node) => node.logIn('racing@example.com', before))
        const reset = calls.reset(token, `password ${round}`)
        const answers = await Promise.all(logIns)
        assert.equal((await reset).status, 200)
        for (const { status, body } of answers) {
          assert.ok(status === 200 || status === 401)
          if (status === 200) assert.equal((await calls.refresh(body.refreshToken)).status, 401)
        }
      }
    })

    test('[AUT-17] [GEN-13] a reset clears the count of failures', async () => {
      const production = emailCalls(project.production)
      await production.signUp('locked@example.com')
      for (let i = 0; i < 10; i++) await production.logIn('locked@example.com', `guess ${i}`)
      assert.equal((await production.logIn('locked@example.com')).status, 429)
      await production.forgot('locked@example.com')
      await production.reset((await mailed('locked@example.com')).token, 'battery staple')
      assert.equal((await production.logIn('locked@example.com', 'battery staple')).status, 200)
    })

    test('[AUT-19] [AUT-20] [AUT-21] a link points to an allowed redirectUrl, with the token in its fragment', async () => {
      const { development, production } = project
      const links = [
        [production, APP_URL],
        [production, `${APP_URL}?next=%2Fhome`],
        [production, `https://${project.slug}.apps.example/welcome`],
        [development, `https://${project.slug}--dev.apps.example/welcome`],
        [development, 'http://localhost:5173/'],
        [development, 'http://game.localhost/x'],
      ] as const
      for (const [i, [side, redirectUrl]] of links.entries()) {
        const emails = emailCalls(side)
        const email = `redirect${i}@example.com`
        assert.equal((await emails.signUp(email, { redirectUrl })).status, 200, redirectUrl)
        const verify = await mailed(email)
        assert.equal(verify.url, `${redirectUrl}#svc_token=${verify.token}&svc_type=verify`)
        assert.equal((await emails.verify(verify.token)).status, 200)

        assert.equal((await emails.forgot(email, { redirectUrl })).status, 200)
        const reset = await mailed(email)
        assert.equal(reset.url, `${redirectUrl}#svc_token=${reset.token}&svc_type=reset`)
      }
    })

    test('[AUT-16] [AUT-19] [AUT-20] any other redirectUrl answers redirect_url_not_allowed before anything is done', async () => {
      const player = await calls.player('here@example.com')
      const guest = await newGuest(project.development)
      const refused = [
        'https://evil.example/',
        `${APP_URL}/x`,
        'https://app.example.com',
        `${APP_URL}#x`,
        '',
        '/',
      ]
      for (const redirectUrl of refused) {
        const answers = [
          await calls.signUp('unborn@example.com', { redirectUrl }),
          await calls.link(guest, 'unborn@example.com', { redirectUrl }),
          await player.call('POST', '/v1/auth/email/resend', { redirectUrl }),
          await guest.call('POST', '/v1/auth/email/resend', { redirectUrl }),
          await calls.forgot('here@example.com', { redirectUrl }),
          await calls.forgot('nobody@example.com', { redirectUrl }),
        ]
        for (const { status, body } of answers)
          assert.deepEqual([status, body.error.code], [400, 'redirect_url_not_allowed'], redirectUrl)
      }
      const production = emailCalls(project.production)
      const local = await production.signUp('unborn@example.com', { redirectUrl: 'http://localhost:5173/' })
      assert.equal(local.status, 400)
      assert.equal((await mailed('here@example.com')).mails, 1)
      assert.equal((await calls.logIn('unborn@example.com')).status, 401)
    })

    test('[AUT-22] the host of a link comes from the settings, not from the request', async () => {
      const forged = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
        origin: 'https://evil.example',
        referer: 'https://evil.example/',
      }
      const body = { email: 'forged@example.com', password: PASSWORD }
      await project.development.public('POST', '/v1/auth/email/signup', body, forged)
      assert.ok((await mailed('forged@example.com')).url.startsWith(`${BASE_URL}/.auth/verify?`))
      await project.development.public('POST', '/v1/auth/password/forgot', body, forged)
      const { url, mails } = await mailed('forged@example.com')
      assert.ok(url.startsWith(`${BASE_URL}/.auth/reset?`))
      assert.equal(mails, 2)
    })

    test('[AUT-23] without a mail server the mails of development are in GET /v1/dev/outbox; production has none there', async () => {
      await calls.signUp('outbox@example.com')
      await calls.forgot('outbox@example.com')
      await service.background.drained()
      const { body } = await project.development.server('GET', '/v1/dev/outbox')
      const mine = body.mails.filter(({ to }: { to: string }) => to === 'outbox@example.com')
      assert.deepEqual(
        mine.map(({ subject }: { subject: string }) => subject),
        ['Set a new password for Star Duel', 'Confirm your email address for Star Duel'],
      )
      for (const { text, html } of mine) {
        const [link = ''] = /https:\S+#svc_token=\S+/.exec(text) ?? []
        assert.ok(html.includes(`href="${link.replace('&', '&amp;')}"`))
      }
      assert.equal((await project.production.server('GET', '/v1/dev/outbox')).status, 404)
      assert.equal((await project.development.public('GET', '/v1/dev/outbox')).status, 403)
    })

    test('[AUT-11] [CFG-07] a mail is in the requested language, its base language, or English, and says so', async () => {
      const subjects: Record<string, [code: string, subject: string]> = {
        ja: ['ja', '【Star Duel】メールアドレスの確認'],
        'de-AT': ['de', 'E-Mail-Adresse für Star Duel bestätigen'],
        'es-419': ['es', 'Confirma tu correo electrónico para Star Duel'],
        'pt-BR': ['pt-BR', 'Confirme seu e-mail para Star Duel'],
        'zh-Hans-CN': ['zh', 'Star Duel：请确认您的邮箱地址'],
        sw: ['en', 'Confirm your email address for Star Duel'],
      }
      for (const [language, [code, subject]] of Object.entries(subjects)) {
        const email = `${language.toLowerCase()}@example.com`
        await calls.signUp(email, { language })
        assert.equal((await service.mailsTo(email))[0]?.subject, subject)
        const { status, body } = await project.development.server('GET', '/v1/dev/outbox')
        assert.equal(status, 200)
        const mail = body.mails.find(({ to }: { to: string }) => to === email)
        assert.ok(mail.html.includes(`<html lang="${code}">`), language)
      }
      assert.equal((await calls.signUp('x@example.com', { language: '<b>' })).status, 400)
    })
  })
}
