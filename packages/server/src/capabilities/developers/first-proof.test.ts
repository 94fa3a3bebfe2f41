import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import { suite } from '../../testing/suite.ts'

const PASSWORD = 'correct horse'
const NEW_PASSWORD = 'battery staple'

suite(
  'a password reset of a developer that confirms an address for the first time',
  { start: startServiceWithProviders },
  ({ engine, service }) => {
    const link = (call: typeof service.call, provider: string, account: string) =>
      service.signInWith(provider, account, { intent: 'link', call })
    const logIn = (email: string, password: string) =>
      service.call('POST', '/v1/developers/login', { email, password })
    const tokenMailedTo = async (email: string) => {
      await service.background.drained()
      return /#token=([\w-]+)/.exec((await service.mailsTo(email))[0]?.text ?? '')?.[1] ?? ''
    }
    const forgot = async (email: string) => {
      await service.call('POST', '/v1/developers/password/forgot', { email })
      return tokenMailedTo(email)
    }
    const reset = (token: string) =>
      service.call('POST', '/v1/developers/password/reset', { token, password: NEW_PASSWORD })

    test('[AUT-17] removes identities and sessions of the time before, and reports it by mail', async () => {
      const email = 'victim@example.com'
      const attacker = await service.newDeveloper(email)
      await link(attacker.call, 'google', 'ada')
      await link(attacker.call, 'github', 'ada')
      const token = await forgot(email)
      assert.match((await service.mailsTo(email))[0]?.text ?? '', /never confirmed[^]*removed/)
      assert.equal((await reset(token)).status, 200)

      assert.equal((await attacker.call('GET', '/v1/developers/me')).status, 401)
      for (const provider of ['google', 'github']) {
        assert.notEqual((await service.signInWith(provider, 'ada')).body.developer?.id, attacker.id)
      }
      const { body } = await logIn(email, NEW_PASSWORD)
      assert.deepEqual([body.developer.id, body.developer.emailVerified], [attacker.id, true])
      const notice = (await service.mailsTo(email))[0]?.text ?? ''
      assert.match(notice, /GitHub, Google/)
      assert.match(notice, /keys/)
    })

    test('[AUT-17] an address that was confirmed before keeps its identities', async () => {
      const email = 'confirmed@example.com'
      const developer = await service.newDeveloper(email)
      await service.call('POST', '/v1/developers/email/verify', { token: await tokenMailedTo(email) })
      await link(developer.call, 'google', 'bob')
      await reset(await forgot(email))
      assert.equal((await service.signInWith('google', 'bob')).body.developer.id, developer.id)
      const mails = await service.mailsTo(email)
      assert.equal(mails.length, 2)
      assert.ok(mails.every(({ text }) => !text.includes('never confirmed')))
    })

    test('[AUT-17] a sign-in, link, log-in or password change that races the reset gives no access afterwards', async () => {
      for (let round = 0; round < 6; round++) {
        const email = `raced${round}-${engine}@example.com`
        const attacker = await service.newDeveloper(email)
        await link(attacker.call, 'google', 'cleo')
        const token = await forgot(email)
        const [signInCode, linkCode] = [
          await service.codeFor('google', { account: 'cleo' }),
          await service.codeFor('github', { account: 'cleo' }, { intent: 'link', call: attacker.call }),
        ]
        const change = { password: 'the attacker’s own', currentPassword: PASSWORD }
        const [first, entered, , loggedIn] = await Promise.all([
          reset(token),
          service.exchange(signInCode),
          service.exchange(linkCode, attacker.call),
          logIn(email, PASSWORD),
          attacker.call('POST', '/v1/developers/me/password', change),
        ])
        // If the password change came first, it has invalidated the link.
        if (first.status === 400) assert.equal((await reset(await forgot(email))).status, 200)
        for (const { body } of [entered, loggedIn]) {
          if (body.developer?.id !== attacker.id) continue
          assert.equal((await service.withToken(body.token)('GET', '/v1/developers/me')).status, 401)
        }
        assert.equal((await logIn(email, NEW_PASSWORD)).status, 200)
        for (const provider of ['google', 'github']) {
          const { body } = await service.signInWith(provider, 'cleo')
          assert.notEqual(body.developer?.id, attacker.id)
          // Restores the state for the next round.
          await service.db.transaction((transaction) =>
            transaction.search((q) => q.deleteFrom('developers_identities')),
          )
          await service.db.transaction((transaction) =>
            transaction.search((q) => q.deleteFrom('developers').where('email', 'like', 'cleo@%')),
          )
        }
      }
    })
  },
)
