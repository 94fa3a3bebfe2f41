import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { MINUTE_MS } from '../../../platform/clock.ts'
import { emailCalls, linkMailedTo } from '../../../testing/email-players.ts'
import { newGuest } from '../../../testing/guests.ts'
import { CONFIG, startServiceForPlayers } from '../../../testing/player-sign-in.ts'
import { engines } from '../../../testing/service.ts'
import { messagesFor } from './messages.ts'

const NEW_PASSWORD = 'battery staple'

for (const engine of engines) {
  describe(`a password reset that confirms an address for the first time (${engine})`, () => {
    let service: Awaited<ReturnType<typeof startServiceForPlayers>>
    let calls: ReturnType<typeof emailCalls>
    before(async () => {
      service = await startServiceForPlayers(engine)
      calls = emailCalls(service.app.development)
      const share = { inAppBrowser: { enabled: true } }
      await service.app.development.server('PUT', '/v1/config', { ...CONFIG, share })
    })
    after(() => service.stop())

    const idOf = async (answer: ReturnType<typeof service.signInWith>) => (await answer).body.player?.id
    const mailTexts = async (email: string) => (await service.mailsTo(email)).map(({ text }) => text)
    const reset = async (email: string) => {
      await calls.forgot(email)
      const { token } = await linkMailedTo(service, email)
      return calls.reset(token, NEW_PASSWORD)
    }

    test('[AUT-17] removes identities, transfer codes and sessions of the time before, and reports it by mail', async () => {
      const email = 'victim@example.com'
      const attacker = await calls.player(email)
      for (const provider of ['google', 'discord']) {
        assert.equal(
          (await service.signInWith(provider, 'ada', { call: attacker.call })).body.player.id,
          attacker.id,
        )
      }
      const { body: session } = await service.signInWith('google', 'ada')
      const { body: transfer } = await attacker.call('POST', '/v1/auth/transfer', {})

      await calls.forgot(email)
      const { token } = await linkMailedTo(service, email)
      assert.match((await mailTexts(email))[0] ?? '', /never confirmed[^]*is removed/)
      assert.equal((await calls.reset(token, NEW_PASSWORD)).status, 200)

      assert.equal((await calls.refresh(attacker.refreshToken)).status, 401)
      assert.equal((await calls.refresh(session.refreshToken)).status, 401)
      const redeemed = await service.app.development.public('POST', '/v1/auth/transfer/redeem', {
        code: transfer.code,
      })
      assert.equal(redeemed.body.error.code, 'invalid_code')
      for (const provider of ['google', 'discord']) {
        assert.notEqual(await idOf(service.signInWith(provider, 'ada')), attacker.id)
      }
      const { body } = await calls.logIn(email, NEW_PASSWORD)
      assert.deepEqual(
        [body.player.id, body.player.emailVerified, body.player.identities.length],
        [attacker.id, true, 1],
      )
      const [notice = ''] = await mailTexts(email)
      assert.match(notice, /Discord, Google/)
      assert.doesNotMatch(notice, /svc_token/)
    })

    test('[AUT-17] an address that was confirmed before keeps its identities, and no mail reports a removal', async () => {
      const email = 'confirmed@example.com'
      const player = await calls.player(email)
      await calls.verify((await linkMailedTo(service, email)).token)
      await service.signInWith('google', 'bob', { call: player.call })
      assert.equal((await reset(email)).status, 200)

      assert.equal(await idOf(service.signInWith('google', 'bob')), player.id)
      const texts = await mailTexts(email)
      assert.equal(texts.length, 2)
      assert.ok(texts.every((text) => !text.includes('never confirmed')))
    })

    test('[AUT-17] without identities no mail reports a removal; the second reset removes nothing', async () => {
      const email = 'plain@example.com'
      const player = await calls.player(email)
      await reset(email)
      assert.equal((await service.mailsTo(email)).length, 2)
      const { body } = await calls.logIn(email, NEW_PASSWORD)
      assert.equal(body.player.id, player.id)

      const call = service.withKey(service.app.development.publishableKey)
      const linked = await service.signInWith('google', 'cleo', {
        call: (method, url, rest) => call(method, url, rest, { authorization: `Bearer ${body.accessToken}` }),
      })
      assert.equal(linked.body.player.id, player.id)
      service.clock.advance(10 * MINUTE_MS)
      await reset(email)
      assert.equal(await idOf(service.signInWith('google', 'cleo')), player.id)
    })

    test('[AUT-17] identities that a guest linked before the address are removed, too', async () => {
      const guest = await newGuest(service.app.development)
      await service.signInWith('google', 'dan', { call: guest.call })
      await calls.link(guest, 'later@example.com')
      await reset('later@example.com')
      assert.notEqual(await idOf(service.signInWith('google', 'dan')), guest.id)
      assert.equal((await calls.logIn('later@example.com', NEW_PASSWORD)).body.player.id, guest.id)
    })

    test('[AUT-17] a concurrent sign-in or link with a provider gives no access after the reset', async () => {
      for (let round = 0; round < 6; round++) {
        const email = `raced${round}-${engine}@example.com`
        const attacker = await calls.player(email)
        const account = 'eve'
        await service.signInWith('google', account, { call: attacker.call })
        await calls.forgot(email)
        const { token } = await linkMailedTo(service, email)
        const [signIn, link] = [
          await service.codeFor('google', { account }),
          await service.codeFor('discord', { account }, { call: attacker.call }),
        ]
        const [, openedSession, linked] = await Promise.all([
          calls.reset(token, NEW_PASSWORD),
          service.exchange(signIn),
          service.exchange(link),
        ])
        for (const { status, body } of [openedSession, linked]) {
          if (status === 200 && body.player.id === attacker.id)
            assert.equal((await calls.refresh(body.refreshToken)).status, 401)
        }
        for (const provider of ['google', 'discord']) {
          const { body } = await service.signInWith(provider, account)
          assert.notEqual(body.player.id, attacker.id)
          // Restores the state for the next round.
          await service.app.development.server('POST', `/v1/admin/players/${body.player.id}/delete`)
        }
      }
    })

    test('the confirmation mail explains what to do about an account that another person created', async () => {
      await calls.signUp('asked@example.com')
      const [text = ''] = await mailTexts('asked@example.com')
      assert.match(text, /If you did not create this account, do not confirm it/)
      assert.match(text, /Forgot password/)
      for (const language of ['de', 'es', 'ja', 'pt-BR', 'zh']) {
        const email = `${language.toLowerCase()}@example.com`
        const { notYours, firstProof } = messagesFor(language).ownership
        await calls.signUp(email, { language })
        assert.ok((await mailTexts(email))[0]?.includes(notYours(service.app.name)), language)
        await calls.forgot(email, { language })
        await service.background.drained()
        assert.ok((await mailTexts(email))[0]?.includes(firstProof), language)
      }
    })
  })
}
