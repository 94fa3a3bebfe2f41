import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SECOND_MS } from '../../platform/clock.ts'
import { asGuest, newGuest } from '../../testing/guests.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { NOT_ENROLLED } from '../../testing/oauth-server.ts'
import { startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const PROVIDERS = ['google', 'discord', 'apple', 'x'] as const
const providersOf = ({ identities }: { identities: { provider: string }[] }) =>
  identities.map(({ provider }) => provider)

suite('external sign-in of players: exchange', { start: startServiceForPlayers }, ({ engine, service }) => {
  const dev = () => service.app.development
  const refresh = (refreshToken: string) => dev().public('POST', '/v1/auth/refresh', { refreshToken })
  const ban = (playerId: string) =>
    dev().server('POST', `/v1/admin/players/${playerId}/ban`, { reason: 'cheating' })
  const countPlayers = async () =>
    (await service.db.search((q) => q.selectFrom('players').select('id'))).length

  test('[OAU-09] the first sign-in creates a player, the next one signs in to it, with each provider', async () => {
    for (const provider of PROVIDERS) {
      const first = await service.signInWith(provider, 'ada')
      assert.equal(first.status, 200)
      const { player, accessToken, refreshToken, expiresIn } = first.body
      assert.equal(expiresIn, 900)
      assert.equal(player.isGuest, false)
      assert.equal(player.displayName, provider === 'apple' ? 'Ada Lovelace' : 'Ada')
      assert.deepEqual(player.identities, [{ provider, linkedAt: service.clock.now().toISOString() }])
      assert.deepEqual([player.email, player.emailVerified], [null, false])
      const me = asGuest(dev().public, { player, accessToken, refreshToken })
      assert.equal((await me.call('GET', '/v1/players/me')).body.player.id, player.id)
      assert.equal((await refresh(refreshToken)).status, 200)

      const second = await service.signInWith(provider, 'ada')
      assert.equal(second.body.player.id, player.id)
      assert.notEqual(second.body.refreshToken, refreshToken)
    }
  })

  test('[OAU-09] every sign-in updates the profile, and keeps fields that the provider sends only once', async () => {
    const profileAt = async (provider: 'x' | 'apple') => {
      const me = asGuest(dev().public, (await service.signInWith(provider, 'eve')).body)
      const { identities, player } = (await me.call('GET', '/v1/players/me/export')).body
      return { ...identities[0].profile, displayName: player.displayName }
    }
    const before = await profileAt('x')
    service.x.state.name = 'Eve the Second'
    const after = await profileAt('x')
    delete service.x.state.name
    assert.deepEqual(after, { ...before, name: 'Eve the Second' })
    assert.equal(after.displayName, before.displayName, 'the display name of the player does not change')

    const toldOnce = await profileAt('apple')
    assert.ok(toldOnce.name)
    assert.deepEqual(await profileAt('apple'), toldOnce)
  })

  test('[OAU-19] Apple’s client secret is signed with the stored key for every exchange', async () => {
    const before = service.apple.secretsSeen()
    assert.equal((await service.signInWith('apple', 'hal')).status, 200)
    assert.equal(service.apple.secretsSeen(), before + 1)
  })

  test('[OAU-11] accounts are never merged by email: one email at four providers gives four players', async () => {
    const ids = new Set<string>()
    for (const provider of PROVIDERS) ids.add((await service.signInWith(provider, 'bob')).body.player.id)
    const byEmail = await dev().public('POST', '/v1/auth/email/signup', {
      email: 'bob@example.com',
      password: 'correct horse',
    })
    ids.add(byEmail.body.player.id)
    assert.equal(ids.size, 5)
  })

  test('[OAU-11] an identity of one environment is unknown in another', async () => {
    const { body } = await service.signInWith('google', 'bob')
    const call = service.app.production.public
    const input = await service.codeFor('google', { account: 'bob' }, { call })
    const other = await service.exchange(input, call)
    assert.equal(other.status, 200)
    assert.notEqual(other.body.player.id, body.player.id)
  })

  test('[OAU-06] a guest who links keeps the id, the name and every session', async () => {
    for (const provider of PROVIDERS) {
      const guest = await newGuest(dev())
      const { status, body } = await service.signInWith(provider, 'cleo', { call: guest.call })
      assert.equal(status, 200)
      assert.equal(body.player.id, guest.id)
      assert.equal(body.player.displayName, guest.displayName)
      assert.deepEqual([body.player.isGuest, providersOf(body.player)], [false, [provider]])
      assert.equal((await refresh(guest.refreshToken)).status, 200)
      assert.equal((await service.signInWith(provider, 'cleo')).body.player.id, guest.id)
    }
  })

  test('[OAU-06] a player may link one of each provider, and the same one again', async () => {
    const guest = await newGuest(dev())
    for (const provider of [...PROVIDERS, 'google']) {
      const { status, body } = await service.signInWith(provider, 'dan', { call: guest.call })
      assert.deepEqual([status, body.player.id], [200, guest.id])
    }
    const { body } = await guest.call('GET', '/v1/players/me')
    assert.deepEqual(providersOf(body.player).toSorted(), [...PROVIDERS].toSorted())
  })

  test('[OAU-12] an identity that another player linked in the meantime answers 409, and nothing changes', async () => {
    const guest = await newGuest(dev())
    const input = await service.codeFor('google', { account: 'eve' }, { call: guest.call })
    const owner = await service.signInWith('google', 'eve')

    const { status, body } = await service.exchange(input)
    assert.deepEqual([status, body.error.code], [409, 'identity_already_linked'])
    assert.equal((await service.exchange(input)).body.error.code, 'invalid_code')
    assert.equal((await guest.call('GET', '/v1/players/me')).body.player.isGuest, true)
    assert.equal((await refresh(guest.refreshToken)).status, 200)
    assert.equal((await service.signInWith('google', 'eve')).body.player.id, owner.body.player.id)
  })

  test('[OAU-12] a second identity of one provider answers 409', async () => {
    const guest = await newGuest(dev())
    const input = await service.codeFor('discord', { account: 'finn' }, { call: guest.call })
    await service.signInWith('discord', 'gina', { call: guest.call })
    const { status, body } = await service.exchange(input)
    assert.deepEqual([status, body.error.code], [409, 'identity_already_linked'])
  })

  test('[OAU-09] a code is valid for 60 seconds', async () => {
    const beforeExpiry = await service.codeFor('discord', { account: 'ada' })
    service.clock.advance(60 * SECOND_MS - 1)
    assert.equal((await service.exchange(beforeExpiry)).status, 200)

    const late = await service.codeFor('discord', { account: 'ada' })
    service.clock.advance(60 * SECOND_MS)
    assert.equal((await service.exchange(late)).body.error.code, 'invalid_code')
  })

  test('[OAU-10] wrong verifier, used, expired, unknown and foreign codes answer the same; the first attempt invalidates the code', async () => {
    const fresh = () => service.codeFor('discord', { account: 'ada' })
    const unknown = await service.exchange({ code: 'made-up', verifier: 'v'.repeat(43) })
    assert.equal(unknown.status, 400)
    assert.equal(unknown.body.error.code, 'invalid_code')

    const wrong = await fresh()
    assert.deepEqual((await service.exchange({ ...wrong, verifier: 'w'.repeat(43) })).body, unknown.body)
    assert.deepEqual((await service.exchange(wrong)).body, unknown.body)

    const elsewhere = await fresh()
    const production = await service.exchange(elsewhere, service.app.production.public)
    assert.deepEqual(production.body, unknown.body)
    assert.deepEqual((await service.exchange(elsewhere)).body, unknown.body)

    const late = await fresh()
    service.clock.advance(61 * SECOND_MS)
    assert.deepEqual((await service.exchange(late)).body, unknown.body)

    const used = await fresh()
    assert.equal((await service.exchange(used)).status, 200)
    assert.deepEqual((await service.exchange(used)).body, unknown.body)
  })

  test('[OAU-09] a replayed code revokes only the session that it created', async () => {
    const other = await service.signInWith('discord', 'ada')
    const input = await service.codeFor('discord', { account: 'ada' })
    const { body } = await service.exchange(input)
    await service.exchange({ ...input, verifier: 'w'.repeat(43) })
    const revoked = await refresh(body.refreshToken)
    assert.deepEqual([revoked.status, revoked.body.error.code], [401, 'session_revoked'])
    assert.equal((await refresh(other.body.refreshToken)).status, 200)
  })

  test('[OAU-09] 50 concurrent exchanges of one code: one succeeds', async () => {
    const input = await service.codeFor('discord', { account: 'ada' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.exchange(input)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.error?.code === 'invalid_code').length, 49)
  })

  test('[OAU-09] concurrent first sign-ins with one identity create one player', async () => {
    const codes = []
    for (let i = 0; i < 8; i++) codes.push(await service.codeFor('x', { account: 'ivy' }))
    const players = await countPlayers()
    const answers = await Promise.all(codes.map((input) => service.exchange(input)))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(new Set(answers.map(({ body }) => body.player.id)).size, 1)
    assert.equal(await countPlayers(), players + 1)
  })

  const onTwoNodes = engine === 'postgres' ? test : () => {}
  void onTwoNodes(
    '[OAU-09] on two nodes, too, a code works once, and one identity creates one player',
    async () => {
      const second = await startService(engine, { clusterOf: service })
      const nodes = [dev().public, second.withKey(dev().publishableKey)]
      const onEach = (input: { code: string; verifier: string }[]) =>
        Promise.all(input.map((one, at) => service.exchange(one, nodes[at % 2])))

      const one = await service.codeFor('x', { account: 'hal' })
      const once = await onEach(Array.from({ length: 20 }, () => one))
      assert.equal(once.filter(({ status }) => status === 200).length, 1)

      const codes = []
      for (let i = 0; i < 8; i++) codes.push(await service.codeFor('x', { account: 'gina' }))
      const openedSession = await onEach(codes)
      assert.ok(openedSession.every(({ status }) => status === 200))
      assert.equal(new Set(openedSession.map(({ body }) => body.player.id)).size, 1)
      await second.stop()
    },
  )

  test('[OAU-12] several players link one identity concurrently: one succeeds, the others are unchanged', async () => {
    const guests = await Promise.all(Array.from({ length: 6 }, () => newGuest(dev())))
    const codes = []
    for (const { call } of guests) codes.push(await service.codeFor('x', { account: 'jo' }, { call }))
    const answers = await Promise.all(codes.map((input) => service.exchange(input)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.error?.code === 'identity_already_linked').length, 5)
    const owner = (await service.signInWith('x', 'jo')).body.player.id
    for (const guest of guests) {
      const { body } = await guest.call('GET', '/v1/players/me')
      assert.equal(body.player.isGuest, guest.id !== owner)
    }
  })

  test('[OAU-06] a session that ended since the start cannot link an identity, which would restore its access', async () => {
    const guest = await newGuest(dev())
    const input = await service.codeFor('google', { account: 'finn' }, { call: guest.call })
    await dev().public('POST', '/v1/auth/logout', { refreshToken: guest.refreshToken })
    assert.equal((await service.exchange(input)).body.error.code, 'invalid_code')
    assert.equal((await guest.call('GET', '/v1/players/me')).body.player.isGuest, true)
  })

  test('[OAU-09] a player who was banned in the meantime gets 403 player_banned with the ban, and the code is used up', async () => {
    const { body } = await service.signInWith('google', 'gina')
    const input = await service.codeFor('google', { account: 'gina' })
    const banned = await ban(body.player.id)
    assert.equal(banned.status, 200)

    const refused = await service.exchange(input)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'player_banned'])
    assert.match(refused.body.error.details.sanctionId, /^san_/)
    assert.equal((await service.exchange(input)).body.error.code, 'invalid_code')

    const guest = await newGuest(dev())
    const linking = await service.codeFor('google', { account: 'hal' }, { call: guest.call })
    await ban(guest.id)
    // The ban has ended the session that started the link.
    assert.equal((await service.exchange(linking)).body.error.code, 'invalid_code')
  })

  test('[OAU-17] an error of X is reported as 403 client-not-enrolled at every step', async () => {
    for (const at of ['profile', 'token'] as const) {
      service.x.state.refusal = { ...NOT_ENROLLED, at }
      const input = await service.codeFor('x', { account: 'ada' })
      const { status, body } = await service.exchange(input)
      assert.deepEqual([status, body.error.code], [403, 'client-not-enrolled'])
      assert.deepEqual(body.error.details, { provider: 'x' })
      assert.equal((await service.exchange(input)).body.error.code, 'invalid_code')
    }
    service.x.state.refusal = { status: 403, body: { title: 'Forbidden' }, at: 'profile' }
    const other = await service.followCallback(await service.begin('x', { account: 'ada' }))
    assert.deepEqual(other.said, { svc_error: 'provider_error' })
    delete service.x.state.refusal
  })

  test('[OAU-09] a used code no longer contains the identity at the provider', async () => {
    await service.signInWith('discord', 'ada')
    const rows = await service.db.search((q) =>
      q.selectFrom('oauth_exchange_codes').selectAll().where('sessionId', 'is not', null),
    )
    assert.ok(rows.length > 0)
    assert.ok(rows.every(({ subject, profile }) => subject === '' && profile === ''))
  })

  test('[OAU-09] deleting a project deletes its open sign-ins and codes', async () => {
    const doomed = await service.newApp()
    const call = doomed.development.public
    const open = await service.begin('discord', { account: 'ada' }, { call })
    await service.codeFor('discord', { account: 'bob' }, { call })
    await doomed.developer.call('DELETE', `/v1/projects/${doomed.id}`)
    await comesTrue('its rows are removed', async () => {
      const rows = JSON.stringify([
        await service.db.search((q) => q.selectFrom('oauth_sign_ins').select('environmentId')),
        await service.db.search((q) => q.selectFrom('oauth_exchange_codes').select('environmentId')),
      ])
      return doomed.environments.every(({ id }) => !rows.includes(id))
    })
    assert.equal((await service.followCallback(open)).status, 400)
  })
})
