import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'

import { SECOND_MS } from '../../platform/clock.ts'
import { type Guest, newGuest } from '../../testing/guests.ts'
import { startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { suite } from '../../testing/suite.ts'

const NONCE = 'nonce-of-the-app'

suite('native sign-in of players', { start: startServiceForPlayers }, ({ engine, service }) => {
  let count = 0
  const newSubject = () => `00990${++count}.${engine}`
  const guest = () => newGuest(service.app.development)
  const native = (player: Guest, provider: string, idToken: string, more: object = {}) =>
    player.call('POST', `/v1/auth/oauth/${provider}/native`, {
      idToken,
      nonce: NONCE,
      platform: 'ios',
      ...more,
    })
  const appleToken = (claims: Parameters<typeof service.apple.idToken>[0] = {}) =>
    service.apple.idToken({ nonce: NONCE, subject: newSubject(), ...claims })

  test('[OAU-13] [OAU-14] an unknown identity is linked to a guest, who stays the same player', async () => {
    const tokens = { google: await service.googleIdToken('ada', NONCE), apple: await appleToken() }
    for (const [provider, token] of Object.entries(tokens)) {
      const player = await guest()
      const { status, body } = await native(player, provider, token)
      assert.equal(status, 200)
      assert.deepEqual([body.provider, body.linked, body.player.id], [provider, true, player.id])
      assert.deepEqual([body.player.isGuest, body.player.displayName], [false, player.displayName])
      assert.equal(body.expiresIn, 900)
      const refreshed = await service.app.development.public('POST', '/v1/auth/refresh', {
        refreshToken: player.refreshToken,
      })
      assert.equal(refreshed.status, 200)
    }
  })

  test('[OAU-14] a known identity gives the session of its owner, linked: false', async () => {
    const owner = await guest()
    const subject = newSubject()
    await native(owner, 'apple', await appleToken({ subject }))

    const other = await guest()
    const { body } = await native(other, 'apple', await appleToken({ subject }))
    assert.deepEqual([body.player.id, body.linked], [owner.id, false])
    const again = await native(owner, 'apple', await appleToken({ subject }), { link: true })
    assert.deepEqual([again.body.player.id, again.body.linked], [owner.id, false])
  })

  test('[OAU-14] link: true with an identity of another player answers 409, and nothing changes', async () => {
    const subject = newSubject()
    await native(await guest(), 'apple', await appleToken({ subject }))
    const other = await guest()
    const { status, body } = await native(other, 'apple', await appleToken({ subject }), { link: true })
    assert.deepEqual([status, body.error.code], [409, 'identity_already_linked'])
    assert.equal((await other.call('GET', '/v1/players/me')).body.player.isGuest, true)
  })

  test('[OAU-14] an account links with link: true, and otherwise signs in as a new player', async () => {
    const player = await guest()
    await native(player, 'google', await service.googleIdToken('bob', NONCE))
    const linked = await native(player, 'apple', await appleToken(), { link: true })
    assert.deepEqual([linked.body.player.id, linked.body.linked], [player.id, true])
    assert.equal(linked.body.player.identities.length, 2)

    const second = await native(player, 'apple', await appleToken(), { link: true })
    assert.equal(second.body.error.code, 'identity_already_linked')

    const fresh = await native(player, 'apple', await appleToken(), { name: '  Grace Hopper ' })
    assert.equal(fresh.body.linked, false)
    assert.notEqual(fresh.body.player.id, player.id)
    assert.equal(fresh.body.player.displayName, 'Grace Hopper')
  })

  test('[PLY-06] [OAU-14] a name from a provider is truncated to 32 characters; an invalid one is replaced by a guest name', async () => {
    const player = await guest()
    await native(player, 'google', await service.googleIdToken('dan', NONCE))
    const nameFrom = async (name: string) =>
      (await native(player, 'apple', await appleToken(), { name })).body.player.displayName
    assert.equal(await nameFrom('😀'.repeat(40)), '😀'.repeat(32))
    for (const name of ['', '   ', 'evil \u202e name']) assert.match(await nameFrom(name), /^Guest-/)
  })

  test('[OAU-14] the browser sign-in and the native sign-in of one person give the same identity', async () => {
    const byBrowser = await service.signInWith('google', 'cleo')
    const { body } = await native(await guest(), 'google', await service.googleIdToken('cleo', NONCE))
    assert.equal(body.player.id, byBrowser.body.player.id)
  })

  test('[OAU-14] the ID token is for the Services ID or for the bundle id of the app', async () => {
    for (const audience of ['com.example.game.web', 'com.example.game']) {
      assert.equal((await native(await guest(), 'apple', await appleToken({ audience }))).status, 200)
    }
  })

  test('[OAU-14] the ID token contains the nonce, or its SHA-256 in hex', async () => {
    const nonce = createHash('sha256').update(NONCE).digest('hex')
    assert.equal((await native(await guest(), 'apple', await appleToken({ nonce }))).status, 200)
  })

  test('[OAU-14] an invalid signature, audience, issuer, expiry or nonce answers 401 invalid_id_token', async () => {
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    const good = await appleToken()
    const [header = '', payload = '', signature = ''] = good.split('.')
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const withoutNonce = await service.apple.idToken({ subject: newSubject() })
    const bad = {
      'another key': await appleToken({ key: stranger }),
      'another audience': await appleToken({ audience: 'com.evil.app' }),
      'another issuer': await appleToken({ issuer: 'https://evil.example' }),
      'another nonce': await appleToken({ nonce: 'another' }),
      'no nonce': withoutNonce,
      'no algorithm': `${unsigned}.${payload}.`,
      'a changed payload': `${header}.${payload.slice(0, -4)}AAAA.${signature}`,
      'a token of google': await service.googleIdToken('ada', NONCE),
      nonsense: 'nonsense',
    }
    const player = await guest()
    for (const [why, token] of Object.entries(bad)) {
      const { status, body } = await native(player, 'apple', token)
      assert.deepEqual([status, body.error?.code], [401, 'invalid_id_token'], why)
    }
    const swapped = await native(player, 'google', good)
    assert.equal(swapped.body.error.code, 'invalid_id_token')
    assert.equal((await player.call('GET', '/v1/players/me')).body.player.isGuest, true)
  })

  test('[OAU-14] a signed ID token with an empty, over-long, numeric or unprintable subject answers 401 invalid_id_token', async () => {
    const player = await guest()
    for (const subject of [
      '',
      'x'.repeat(256),
      7,
      true,
      null,
      ['a'],
      { a: 1 },
      'a\u0000b',
      'a\u202eb',
      'a\nb',
    ]) {
      const token = await service.apple.signed({ sub: subject, nonce: NONCE })
      const { status, body } = await native(player, 'apple', token)
      assert.deepEqual([status, body.error?.code], [401, 'invalid_id_token'], JSON.stringify(subject))
    }
    assert.equal((await player.call('GET', '/v1/players/me')).body.player.isGuest, true)
    const longest = await service.apple.signed({ sub: `${newSubject()}.`.padEnd(255, 'x'), nonce: NONCE })
    assert.equal((await native(player, 'apple', longest)).status, 200)
  })

  test('[OAU-14] other claims of unexpected types are ignored', async () => {
    for (const odd of [7, null, [], { a: 1 }, 'x'.repeat(300), '\u0000', '<a@b.c>', 'a\u200bb@c.de']) {
      const claims = { email: odd, email_verified: odd, name: odd, preferred_username: odd }
      const picture = typeof odd === 'string' ? `https://example.com/${odd}`.padEnd(2_049, 'x') : odd
      const token = await service.apple.signed({ sub: newSubject(), nonce: NONCE, ...claims, picture })
      const player = await guest()
      const { status } = await native(player, 'apple', token)
      assert.equal(status, 200, JSON.stringify(odd))
      const { body } = await player.call('GET', '/v1/players/me/export')
      const { profile } = body.identities[0]
      assert.deepEqual([profile.email, profile.avatarUrl], [null, null])
      for (const text of [profile.name, profile.username]) {
        assert.ok(text === null || (typeof text === 'string' && text.length <= 80), JSON.stringify(text))
      }
    }
  })

  test('[OAU-14] an ID token is valid until the second it expires', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 10 * SECOND_MS)
    const subject = newSubject()
    const token = await appleToken({ expiresAt, subject })
    service.clock.advance(9 * SECOND_MS)
    assert.equal((await native(await guest(), 'apple', token)).status, 200)
    service.clock.advance(SECOND_MS)
    const late = await native(await guest(), 'apple', token)
    assert.equal(late.body.error.code, 'invalid_id_token')
  })

  test('[OAU-14] other providers answer 404 provider_disabled; platform is ios, android or web', async () => {
    const player = await guest()
    for (const provider of ['discord', 'x', 'github', 'nonsense']) {
      const { status, body } = await native(player, provider, 'token')
      assert.deepEqual([status, body.error.code], [404, 'provider_disabled'])
    }
    for (const platform of ['ios', 'android', 'web']) {
      assert.equal((await native(await guest(), 'apple', await appleToken(), { platform })).status, 200)
    }
    const other = await native(player, 'apple', await appleToken(), { platform: 'windows' })
    assert.equal(other.body.error.code, 'invalid_request')
  })

  test('[OAU-03] [OAU-13] a provider that is not enabled answers 404, one without credentials 409, a call without a player 401', async () => {
    const { development } = await service.newProject()
    const player = await newGuest(development)
    assert.equal((await native(player, 'apple', 'token')).body.error.code, 'provider_disabled')
    const auth = { providers: { apple: { enabled: true } } }
    await development.server('PUT', '/v1/config', { auth })
    assert.equal((await native(player, 'apple', 'token')).body.error.code, 'provider_not_configured')
    const body = { idToken: 'token', nonce: NONCE, platform: 'ios' }
    const nobody = await development.public('POST', '/v1/auth/oauth/apple/native', body)
    assert.equal(nobody.body.error.code, 'unauthorized')
  })

  test('[OAU-14] a banned owner gets no session', async () => {
    const owner = await guest()
    const subject = newSubject()
    await native(owner, 'apple', await appleToken({ subject }))
    await service.app.development.server('POST', `/v1/admin/players/${owner.id}/ban`, {})
    const { status, body } = await native(await guest(), 'apple', await appleToken({ subject }))
    assert.deepEqual([status, body.error.code], [403, 'player_banned'])
  })

  test('[OAU-14] a token whose session has ended cannot link an identity', async () => {
    const player = await guest()
    const { refreshToken } = player
    await service.app.development.public('POST', '/v1/auth/logout', { refreshToken })
    const { body } = await native(player, 'apple', await appleToken())
    assert.equal(body.error.code, 'invalid_token')
  })

  test('[OAU-14] concurrent first sign-ins with one identity link it to one guest', async () => {
    const subject = newSubject()
    const guests = await Promise.all(Array.from({ length: 6 }, guest))
    const token = await appleToken({ subject })
    const answers = await Promise.all(guests.map((player) => native(player, 'apple', token)))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(new Set(answers.map(({ body }) => body.player.id)).size, 1)
    assert.equal(answers.filter(({ body }) => body.linked).length, 1)
  })

  test('[OAU-14] the provider’s keys are read once, not for every token', async () => {
    const read = service.apple.keysRead()
    for (let i = 0; i < 3; i++) await native(await guest(), 'apple', await appleToken())
    assert.equal(service.apple.keysRead(), read)
  })
})

test('[OAU-14] a provider whose keys cannot be read answers 503, not invalid_id_token', async () => {
  const service = await startServiceForPlayers('sqlite')
  const token = await service.apple.idToken({ nonce: NONCE, subject: 'somebody' })
  await service.apple.close()
  const player = await newGuest(service.app.development)
  const { status, body } = await player.call('POST', '/v1/auth/oauth/apple/native', {
    idToken: token,
    nonce: NONCE,
    platform: 'ios',
  })
  assert.deepEqual([status, body.error.code], [503, 'service_unavailable'])
  await service.stop()
})
