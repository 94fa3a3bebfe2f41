import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asGuest, type Guest, newGuest } from '../../../testing/guests.ts'
import { startServiceForPlayers } from '../../../testing/player-sign-in.ts'
import { suite } from '../../../testing/suite.ts'

const PASSWORD = 'correct horse'

suite('the sign-in methods of a player', { start: startServiceForPlayers }, ({ engine, service }) => {
  const dev = () => service.app.development
  const link = (player: Guest, provider: string, account: string) =>
    service.signInWith(provider, account, { call: player.call })
  const unlink = (player: Guest, provider: string, refreshToken = player.refreshToken) =>
    player.call('DELETE', `/v1/players/me/identities/${provider}`, { refreshToken })
  const refresh = (refreshToken: string) => dev().public('POST', '/v1/auth/refresh', { refreshToken })
  const namesOf = async (player: Guest): Promise<string[]> =>
    (await player.call('GET', '/v1/players/me/identities')).body.identities.map(
      ({ provider }: { provider: string }) => provider,
    )
  const withEmail = async (player: Guest, email: string) => {
    const { status } = await player.call('POST', '/v1/auth/link/email', { email, password: PASSWORD })
    assert.equal(status, 200)
  }
  const logIn = (email: string) => dev().public('POST', '/v1/auth/email/login', { email, password: PASSWORD })

  /** Restores the state for the next round. */
  const removeIdentities = (playerId: string) =>
    service.db.transaction((transaction) =>
      transaction.search((q) => q.deleteFrom('players_identities').where('playerId', '=', playerId)),
    )

  test('[OAU-20] the list leaves out the guest entry, and shows the email of email only', async () => {
    const player = await newGuest(dev())
    assert.deepEqual((await player.call('GET', '/v1/players/me/identities')).body, { identities: [] })
    await withEmail(player, `list-${engine}@example.com`)
    await link(player, 'google', 'ada')
    const linkedAt = service.clock.now().toISOString()
    const { body } = await player.call('GET', '/v1/players/me/identities')
    assert.deepEqual(body.identities, [
      { provider: 'email', linkedAt, email: `list-${engine}@example.com` },
      { provider: 'google', linkedAt },
    ])
  })

  test('[OAU-21] unlinking signs out every other device, and this device stays signed in', async () => {
    const player = await newGuest(dev())
    await link(player, 'google', 'bob')
    const other = await link(player, 'discord', 'bob')

    const { status, body } = await unlink(player, 'google')
    assert.equal(status, 200)
    assert.deepEqual(
      body.player.identities.map(({ provider }: { provider: string }) => provider),
      ['discord'],
    )
    const ended = await refresh(other.body.refreshToken)
    assert.deepEqual([ended.status, ended.body.error.code], [401, 'session_revoked'])
    assert.deepEqual(ended.body.error.details, { reason: 'unlink' })
    assert.equal((await refresh(player.refreshToken)).status, 200)
    // The identity belongs to no player now.
    assert.notEqual((await service.signInWith('google', 'bob')).body.player.id, player.id)
  })

  test('[OAU-22] the last sign-in method answers 409 last_login_method, and nothing changes', async () => {
    const player = await newGuest(dev())
    const other = await link(player, 'google', 'cleo')
    const { status, body } = await unlink(player, 'google')
    assert.deepEqual([status, body.error.code], [409, 'last_login_method'])
    assert.deepEqual(await namesOf(player), ['google'])
    assert.equal((await refresh(other.body.refreshToken)).status, 200)
  })

  test('[OAU-22] email with password counts as a sign-in method, also as the last one', async () => {
    const player = await newGuest(dev())
    const email = `last-${engine}@example.com`
    await withEmail(player, email)
    assert.equal((await unlink(player, 'email')).body.error.code, 'last_login_method')
    assert.equal((await logIn(email)).status, 200)

    await link(player, 'google', 'dan')
    assert.equal((await unlink(player, 'google')).status, 200)
    assert.deepEqual(await namesOf(player), ['email'])
    assert.equal((await unlink(player, 'email')).body.error.code, 'last_login_method')
  })

  test('[OAU-23] email is a valid provider: email and password are removed, and another player can use the email', async () => {
    const player = await newGuest(dev())
    const email = `gone-${engine}@example.com`
    await withEmail(player, email)
    await link(player, 'x', 'eve')
    await dev().public('POST', '/v1/auth/password/forgot', { email })

    const { body } = await unlink(player, 'email')
    assert.deepEqual([body.player.email, body.player.emailVerified], [null, false])
    assert.equal((await logIn(email)).body.error.code, 'invalid_credentials')
    const tokens = await service.db.search((q) =>
      q.selectFrom('players_tokens').select('kind').where('playerId', '=', player.id),
    )
    assert.deepEqual(tokens, [])
    const other = await dev().public('POST', '/v1/auth/email/signup', { email, password: PASSWORD })
    assert.equal(other.status, 200)
  })

  test('[OAU-23] a provider that is not linked answers 404 identity_not_found', async () => {
    const player = await newGuest(dev())
    await link(player, 'google', 'finn')
    for (const provider of ['discord', 'email', 'guest', 'nonsense']) {
      const { status, body } = await unlink(player, provider)
      assert.deepEqual([status, body.error.code], [404, 'identity_not_found'])
    }
  })

  test('[OAU-23] a refresh token that is not this player’s, or not a valid one, answers 401', async () => {
    const player = await newGuest(dev())
    await link(player, 'google', 'gina')
    const second = await link(player, 'discord', 'gina')
    const stranger = await newGuest(dev())
    const used = player.refreshToken
    const fresh = await refresh(used)
    await dev().public('POST', '/v1/auth/logout', { refreshToken: second.body.refreshToken })

    for (const token of ['nonsense', stranger.refreshToken, used, second.body.refreshToken]) {
      const { status, body } = await unlink(player, 'google', token)
      assert.deepEqual([status, body.error.code], [401, 'invalid_refresh_token'])
    }
    assert.deepEqual((await namesOf(player)).toSorted(), ['discord', 'google'])
    assert.equal((await unlink(player, 'google', fresh.body.refreshToken)).status, 200)
  })

  test('[OAU-22] after concurrent unlinks of all methods one method remains', async () => {
    for (let round = 0; round < 5; round++) {
      const player = await newGuest(dev())
      await link(player, 'google', 'hal')
      await link(player, 'discord', 'hal')
      const answers = await Promise.all([unlink(player, 'google'), unlink(player, 'discord')])
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409],
      )
      assert.equal((await namesOf(player)).length, 1)
      await removeIdentities(player.id)
    }
  })

  test('[OAU-21] two devices unlink concurrently: the first signs out the second, which changes nothing', async () => {
    const first = await newGuest(dev())
    await withEmail(first, `two-${engine}@example.com`)
    await link(first, 'google', 'ivy')
    const { body } = await link(first, 'discord', 'ivy')
    const second = asGuest(dev().public, body)
    const answers = await Promise.all([unlink(first, 'google'), unlink(second, 'discord')])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const refused = answers.find(({ status }) => status !== 200)
    assert.equal(refused?.body.error.code, 'invalid_refresh_token')
    assert.equal((await namesOf(first)).length, 2)
  })

  test('[OAU-21] a sign-in that races an unlink either has its session revoked or creates a new player', async () => {
    const player = await newGuest(dev())
    await link(player, 'discord', 'jo')
    for (let round = 0; round < 5; round++) {
      await link(player, 'google', 'jo')
      const input = await service.codeFor('google', { account: 'jo' })
      const [openedSession] = await Promise.all([service.exchange(input), unlink(player, 'google')])
      assert.equal(openedSession.status, 200)
      const isBefore = openedSession.body.player.id === player.id
      assert.equal((await refresh(openedSession.body.refreshToken)).status, isBefore ? 401 : 200)
      if (!isBefore) await removeIdentities(openedSession.body.player.id)
    }
  })
})
