import assert from 'node:assert/strict'
import { test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import { startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { suite } from '../../testing/suite.ts'

suite('linking a provider with orSignIn', { start: startServiceForPlayers }, ({ service }) => {
  const dev = () => service.app.development
  const isAlive = async ({ refreshToken }: Guest) =>
    (await dev().public('POST', '/v1/auth/refresh', { refreshToken })).status === 200
  const ban = (playerId: string) =>
    dev().server('POST', `/v1/admin/players/${playerId}/ban`, { reason: 'cheating' })
  /** The code of the response that asks for confirmation, with the verifier of the sign-in. */
  const askedFor = async (guest: Guest, account: string) => {
    const input = await service.codeFor('google', { account }, { call: guest.call, orSignIn: true })
    const { status, body } = await service.exchange(input)
    assert.deepEqual([status, body.error.code], [409, 'identity_already_linked'])
    return {
      ...body.error.details,
      input,
      again: { code: body.error.details.code, verifier: input.verifier },
    }
  }

  test('[OAU-06] an identity that no player has is linked, with orSignIn as without', async () => {
    const guest = await newGuest(dev())
    const { status, body } = await service.signInWith('google', 'ada', { call: guest.call, orSignIn: true })
    assert.deepEqual([status, body.player.id, body.player.isGuest], [200, guest.id, false])
    const again = await service.signInWith('google', 'ada', { call: guest.call, orSignIn: true })
    assert.equal(again.body.player.id, guest.id)
  })

  test('[OAU-12] a guest without saves and stats becomes the owner of the identity in one round trip', async () => {
    const owner = (await service.signInWith('google', 'bob')).body.player
    const guest = await newGuest(dev())
    const { status, body } = await service.signInWith('google', 'bob', { call: guest.call, orSignIn: true })

    assert.deepEqual([status, body.player.id], [200, owner.id])
    const me = asGuest(dev().public, body)
    assert.equal((await me.call('GET', '/v1/players/me')).body.player.id, owner.id)
    assert.equal(await isAlive(guest), true, 'the session of the guest is still valid')
  })

  for (const [what, path, body] of [
    ['a save', 'PUT /v1/saves/best', { data: { score: 3 } }],
    ['a stat', 'POST /v1/stats', { stats: { points: 3 } }],
  ] as const) {
    test(`[OAU-12] a guest with ${what} first gets 409 with the name of the owner and a code to sign in with`, async () => {
      const owner = (await service.signInWith('google', 'cleo')).body.player
      const guest = await newGuest(dev())
      const [method, url] = path.split(' ') as ['PUT' | 'POST', string]
      assert.equal((await guest.call(method, url, body)).status, 200)

      const { displayName, again, input } = await askedFor(guest, 'cleo')
      assert.equal(displayName, owner.displayName)
      assert.equal((await guest.call('GET', '/v1/players/me')).body.player.isGuest, true)
      assert.equal(
        (await service.exchange(input)).body.error.code,
        'invalid_code',
        'the first code is invalid',
      )

      const switched = await service.exchange(again)
      assert.deepEqual([switched.status, switched.body.player.id], [200, owner.id])
      assert.equal(await isAlive(guest), true, 'the guest keeps its data')
    })
  }

  test('[OAU-09] [OAU-10] the code for the confirmation works once, for 10 minutes, with the verifier of the sign-in', async () => {
    const owner = (await service.signInWith('google', 'dan')).body.player
    const guest = await newGuest(dev())
    await guest.call('PUT', '/v1/saves/best', { data: 1 })

    const wrong = (await askedFor(guest, 'dan')).again
    const refused = await service.exchange({ ...wrong, verifier: 'w'.repeat(43) })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_code'])
    assert.equal((await service.exchange(wrong)).body.error.code, 'invalid_code')

    const beforeExpiry = (await askedFor(guest, 'dan')).again
    service.clock.advance(10 * MINUTE_MS - 1)
    assert.equal((await service.exchange(beforeExpiry)).body.player.id, owner.id)
    assert.equal((await service.exchange(beforeExpiry)).body.error.code, 'invalid_code')

    const fresh = await newGuest(dev())
    await fresh.call('PUT', '/v1/saves/best', { data: 1 })
    const late = (await askedFor(fresh, 'dan')).again
    service.clock.advance(10 * MINUTE_MS)
    assert.equal((await service.exchange(late)).body.error.code, 'invalid_code')
  })

  test('[OAU-12] an account switches without confirmation: it has another way to sign in', async () => {
    const owner = (await service.signInWith('google', 'eve')).body.player
    const account = asGuest(dev().public, (await service.signInWith('discord', 'eve')).body)
    await account.call('PUT', '/v1/saves/best', { data: 1 })
    const { body } = await service.signInWith('google', 'eve', { call: account.call, orSignIn: true })
    assert.equal(body.player.id, owner.id)
  })

  test('[OAU-12] without orSignIn it fails immediately; a second identity of one provider also fails with orSignIn', async () => {
    await service.signInWith('google', 'finn')
    const guest = await newGuest(dev())
    const plain = await service.begin('google', { account: 'finn' }, { call: guest.call })
    assert.deepEqual((await service.followCallback(plain)).said, { svc_error: 'identity_already_linked' })

    await service.signInWith('google', 'gina', { call: guest.call })
    const second = await service.begin('google', { account: 'hal' }, { call: guest.call, orSignIn: true })
    assert.deepEqual((await service.followCallback(second)).said, { svc_error: 'identity_already_linked' })
  })

  test('[OAU-08] a banned owner gets the error immediately, one banned in between at the exchange', async () => {
    const owner = (await service.signInWith('google', 'ivy')).body.player
    const guest = await newGuest(dev())
    const input = await service.codeFor('google', { account: 'ivy' }, { call: guest.call, orSignIn: true })
    await ban(owner.id)
    assert.equal((await service.exchange(input)).body.error.code, 'player_banned')
    const journey = await service.begin('google', { account: 'ivy' }, { call: guest.call, orSignIn: true })
    assert.deepEqual((await service.followCallback(journey)).said, { svc_error: 'player_banned' })
  })

  test('[OAU-12] of 20 concurrent exchanges one returns a code, and of 20 uses of that code one signs in', async () => {
    await service.signInWith('google', 'jo')
    const guest = await newGuest(dev())
    await guest.call('PUT', '/v1/saves/best', { data: 1 })
    const input = await service.codeFor('google', { account: 'jo' }, { call: guest.call, orSignIn: true })
    const asked = await Promise.all(Array.from({ length: 20 }, () => service.exchange(input)))
    const questions = asked.filter(({ status }) => status === 409)
    assert.equal(questions.length, 1)

    const again = { code: questions[0]?.body.error.details.code, verifier: input.verifier }
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.exchange(again)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })
})
