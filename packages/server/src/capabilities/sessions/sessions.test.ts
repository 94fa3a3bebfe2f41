import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { before, test } from 'node:test'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { type Call, startService } from '../../testing/service.ts'
import { openSocket } from '../../testing/sockets.ts'
import { suite } from '../../testing/suite.ts'

suite('sessions', { features: {} }, ({ engine, service, project }) => {
  let app: Call
  before(async () => {
    app = project.development.public
  })

  const guest = async () => (await app('POST', '/v1/auth/guest', {})).body
  const refresh = (refreshToken: string, nonce?: string) =>
    app('POST', '/v1/auth/refresh', { refreshToken, ...(nonce && { nonce }) })
  const me = (accessToken: string, call = app) =>
    call('GET', '/v1/players/me', undefined, { authorization: `Bearer ${accessToken}` })
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

  test('[SES-01] [SES-02] [GEN-03] [GEN-44] a guest gets a session; its access token is a JWT of 15 minutes', async () => {
    const session = await guest()
    assert.deepEqual(Object.keys(session), ['player', 'accessToken', 'expiresIn', 'refreshToken'])
    assert.equal(session.expiresIn, 900)
    const claims = claimsOf(session.accessToken)
    assert.equal(claims.exp - claims.iat, 900)
    assert.equal(claims.sub, session.player.id)
  })

  test('[SES-03] [SES-04] the token contains its environment and chain, and can be verified with the published keys', async () => {
    const { accessToken } = await guest()
    const [header = '', payload = '', signature = ''] = accessToken.split('.')
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const { body } = await service.call('GET', '/.well-known/jwks.json')
    const jwk = body.keys.find((key: { kid: string }) => key.kid === kid)
    assert.equal(alg, 'ES256')
    assert.equal(jwk.d, undefined)
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
    assert.ok(verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))

    const { aud, iss, sid } = claimsOf(accessToken)
    const environment = project.environments.find(({ name }) => name === 'development')
    assert.deepEqual([aud, iss, sid.slice(0, 4)], [environment?.id, 'http://localhost:8787', 'ses_'])
    const one = await service.call('GET', `/.well-known/jwks.json?env=${aud}`)
    assert.deepEqual(one.body.keys, [jwk])
    assert.deepEqual((await service.call('GET', '/.well-known/jwks.json?env=env_unknown')).body.keys, [])
  })

  test('[SES-04] signing keys rotate after thirty days; the old one stays published 15 minutes longer', async () => {
    const kidOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
    const other = await startService(engine)
    const { development } = await other.newProject()
    const sign = async () => (await development.public('POST', '/v1/auth/guest', {})).body.accessToken
    const published = async () =>
      (await other.call('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid)
    const first = kidOf(await sign())
    other.clock.advance(30 * DAY_MS)
    const second = kidOf(await sign())
    assert.notEqual(first, second)
    assert.deepEqual(new Set(await published()), new Set([first, second]))
    other.clock.advance(15 * MINUTE_MS)
    assert.deepEqual(await published(), [second])
    await other.stop()
  })

  test('[SES-17] [GEN-36] an expired token answers token_expired, a forged one invalid_token, none unauthorized', async () => {
    const { accessToken, player } = await guest()
    assert.equal((await me(accessToken)).body.player.id, player.id)
    assert.equal((await app('GET', '/v1/players/me')).body.error.code, 'unauthorized')
    assert.equal((await me(accessToken, project.production.public)).body.error.code, 'invalid_token')
    assert.equal(
      (await me(accessToken, project.development.server)).body.error.code,
      'publishable_key_required',
    )

    const [header = '', payload = '', signature = ''] = accessToken.split('.')
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signed = (head: string) =>
      `${head}.${payload}.${sign('sha256', Buffer.from(`${head}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    const hmac = (head: string, key: string) =>
      `${head}.${payload}.${createHmac('sha256', key).update(`${head}.${payload}`).digest('base64url')}`
    const { body } = await service.call('GET', '/.well-known/jwks.json')
    const forged = [
      '',
      'x',
      'a.b.c',
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}x`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature}.x`,
      `${text({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
      `${text({ alg: 'none', typ: 'JWT', kid })}.${payload}.${signature}`,
      signed(header),
      signed(text({ alg: 'ES256', typ: 'JWT', kid: '../../etc/passwd' })),
      signed(text({ alg: 'ES256', typ: 'JWT', kid: { a: 1 } })),
      signed(text({ alg: 'ES256', typ: 'JWT', kid: `${kid}\0` })),
      signed(text({ alg: 'ES256', typ: 'JWT', jwk: privateKey.export({ format: 'jwk' }), kid: 'x' })),
      signed(text({ alg: 'ES256', typ: 'JWT', kid, jku: 'http://127.0.0.1/keys' })),
      hmac(text({ alg: 'HS256', typ: 'JWT', kid }), JSON.stringify(body.keys[0])),
      hmac(header, kid),
      `${header}.${text({ ...claimsOf(accessToken), sub: 'ply_other' })}.${signature}`,
      `${header}.${text({ ...claimsOf(accessToken), exp: 9_999_999_999 })}.${signature}`,
      project.developer.token,
      project.development.secretKey,
      (await guest()).refreshToken,
      'x'.repeat(5_000),
    ]
    for (const token of forged) {
      const { status, body: answer } = await me(token)
      assert.equal(status, 401, token.slice(0, 80))
      assert.ok(['invalid_token', 'unauthorized'].includes(answer.error.code), token.slice(0, 80))
    }
    service.clock.advance(15 * MINUTE_MS)
    assert.equal((await me(accessToken)).body.error.code, 'token_expired')
  })

  test('[SES-05] [SES-07] a refresh returns new tokens of the same player', async () => {
    const session = await guest()
    const { status, body } = await refresh(session.refreshToken)
    assert.equal(status, 200)
    assert.equal(body.player.id, session.player.id)
    assert.notEqual(body.refreshToken, session.refreshToken)
    assert.equal((await me(body.accessToken)).status, 200)
  })

  test('[SES-05] [SES-06] a refresh token expires after 90 days without use; each use restarts them', async () => {
    const { refreshToken } = await guest()
    service.clock.advance(90 * DAY_MS - SECOND_MS)
    const { body } = await refresh(refreshToken)
    service.clock.advance(90 * DAY_MS - SECOND_MS)
    const later = await refresh(body.refreshToken)
    assert.equal(later.status, 200)
    service.clock.advance(90 * DAY_MS)
    assert.equal((await refresh(later.body.refreshToken)).body.error.code, 'invalid_refresh_token')
  })

  test('[SES-08] [SES-09] [SES-10] [SES-12] an immediate replay revokes the whole chain, the newest token too', async () => {
    const first = await guest()
    const { body: second } = await refresh(first.refreshToken)
    const { body: third } = await refresh(second.refreshToken)

    const replay = await refresh(first.refreshToken)

    assert.deepEqual([replay.status, replay.body.error.code], [401, 'session_revoked'])
    assert.deepEqual(replay.body.error.details, { reason: 'reuse' })
    const newest = await refresh(third.refreshToken)
    assert.deepEqual([newest.status, newest.body.error.details], [401, { reason: 'reuse' }])
  })

  test('[SES-10] [SES-12] a token that the service never issued, or of another environment, answers invalid_refresh_token and revokes nothing', async () => {
    const { refreshToken } = await guest()
    const foreign = await project.production.public('POST', '/v1/auth/refresh', { refreshToken })
    assert.deepEqual([foreign.status, foreign.body.error.code], [401, 'invalid_refresh_token'])
    const [id = '', , mac = ''] = refreshToken.split('.')
    for (const token of ['x', 'rt_', `${id}.1.${mac}`, `${id}.0.${'A'.repeat(43)}`, `${refreshToken}x`]) {
      assert.equal((await refresh(token)).body.error.code, 'invalid_refresh_token')
    }
    assert.equal((await refresh(refreshToken)).status, 200)
  })

  test('[SES-10] a refresh token has one spelling: any other answers invalid_refresh_token and revokes nothing', async () => {
    const { body } = await refresh((await guest()).refreshToken)
    const [id = '', generation = '', mac = ''] = body.refreshToken.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // 43 characters have 258 bits, of which the last two are unused.
    const place = alphabet.indexOf(mac.at(-1) ?? '')
    const sameBits = [1, 2, 3].map((bits) => mac.slice(0, -1) + alphabet.charAt(place + bits))
    const spellings = [
      `${id}.0${generation}.${mac}`,
      `${id}.00000${generation}.${mac}`,
      `${id}.${generation}.${mac}=`,
      `${id}.${generation}.${mac.replaceAll('-', '+').replaceAll('_', '/')}=`,
      `${id}.${generation}.${mac}\n`,
      `${id.toUpperCase()}.${generation}.${mac}`,
      ...sameBits.map((other) => `${id}.${generation}.${other}`),
    ]
    for (const spelling of spellings)
      assert.equal((await refresh(spelling)).body.error.code, 'invalid_refresh_token', spelling)
    const { status } = await app('POST', '/v1/auth/logout', { refreshToken: spellings[0] })
    assert.equal(status, 200)
    assert.equal((await refresh(body.refreshToken)).status, 200)
  })

  for (const callers of [2, 5, 20]) {
    test(`[SES-11] [SES-12] ${callers} concurrent refreshes: one succeeds, the others get refresh_race, and the chain stays valid`, async () => {
      for (let round = 0; round < 5; round++) {
        const { refreshToken } = await guest()
        const answers = await Promise.all(Array.from({ length: callers }, () => refresh(refreshToken)))
        const won = answers.filter(({ status }) => status === 200)
        const lost = answers.filter(({ body }) => body.error?.code === 'refresh_race')
        assert.deepEqual([won.length, lost.length], [1, callers - 1])
        assert.equal((await refresh(won[0]?.body.refreshToken)).status, 200)
      }
    })
  }

  test('[SES-12] a token that was used while the clock was ahead is no race, but a replay', async () => {
    const session = await guest()
    const { refreshToken } = session
    await refresh(refreshToken)
    const inTwoDays = Math.floor(service.db.databaseNowMs() + 172_800_000) * 1_000
    await service.db.transaction((transaction) =>
      transaction.search((q) =>
        q
          .updateTable('sessions')
          .set({ rotatedAtUs: inTwoDays })
          .where('playerId', '=', session.player.id)
          .returning('id'),
      ),
    )
    assert.deepEqual((await refresh(refreshToken)).body.error.details, { reason: 'reuse' })
  })

  test('[SES-19] concurrent refreshes with the same token and nonce return the same successor', async () => {
    const { refreshToken } = await guest()
    const together = await Promise.all([1, 2, 3].map(() => refresh(refreshToken, 'nonce-of-mine')))
    assert.equal(new Set(together.map(({ body }) => body.refreshToken)).size, 1)
  })

  test('[SES-15] [SES-16] logging out ends the chain, not the access token, and may be repeated', async () => {
    const { refreshToken, accessToken } = await guest()
    const logOut = (token: string) => app('POST', '/v1/auth/logout', { refreshToken: token })
    assert.deepEqual((await logOut(refreshToken)).body, {})
    assert.deepEqual((await logOut(refreshToken)).body, {})
    assert.deepEqual((await logOut('nonsense')).body, {})
    assert.deepEqual((await refresh(refreshToken)).body.error.details, { reason: 'logout' })
    assert.equal((await me(accessToken)).status, 200)
  })

  test('[TRF-01] [TRF-02] [TRF-03] a transfer code continues as the same player, once, for ten minutes', async () => {
    const { accessToken, player } = await guest()
    const create = () =>
      app('POST', '/v1/auth/transfer', undefined, { authorization: `Bearer ${accessToken}` })
    const redeem = (code: string, call = app) => call('POST', '/v1/auth/transfer/redeem', { code })
    assert.deepEqual(
      [(await create()).status, (await create()).body.error.code],
      [404, 'share_inAppBrowser_disabled'],
    )
    assert.equal((await redeem('x')).body.error.code, 'share_inAppBrowser_disabled')
    const on = { share: { inAppBrowser: { enabled: true } } }
    for (const side of [project.development, project.production]) await side.server('PUT', '/v1/config', on)

    const { status, body } = await create()
    assert.deepEqual([status, body.expiresIn], [201, 600])
    assert.match(body.code, /^[\w-]{22}$/)
    assert.equal((await redeem(body.code, project.production.public)).body.error.code, 'invalid_code')
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(body.code)))
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.equal(answers.find((answer) => answer.status === 200)?.body.player.id, player.id)
    assert.equal((await me(accessToken)).status, 200)

    const { body: older } = await create()
    const { body: newer } = await create()
    assert.equal((await redeem(older.code)).body.error.code, 'invalid_code')
    service.clock.advance(600 * SECOND_MS)
    assert.equal((await redeem(newer.code)).body.error.code, 'invalid_code')
  })

  test('[TRF-01] an access token whose session has ended cannot create a transfer code', async () => {
    const { accessToken, refreshToken } = await guest()
    await app('POST', '/v1/auth/logout', { refreshToken })
    const { status, body } = await app('POST', '/v1/auth/transfer', undefined, {
      authorization: `Bearer ${accessToken}`,
    })
    assert.deepEqual([status, body.error.code], [401, 'invalid_token'])
  })

  const inAppBrowser = async () => {
    for (const side of [project.development, project.production])
      await side.server('PUT', '/v1/config', { share: { inAppBrowser: { enabled: true } } })
  }
  const transferFrom = async (accessToken: string): Promise<string> =>
    (await app('POST', '/v1/auth/transfer', undefined, { authorization: `Bearer ${accessToken}` })).body.code
  const redeem = (code: string) => app('POST', '/v1/auth/transfer/redeem', { code })

  test('[TRF-03] a transfer code ends with the session that created it, and not with another one', async () => {
    await inAppBrowser()
    const ends: Record<string, (session: { refreshToken: string }) => Promise<unknown>> = {
      async logout({ refreshToken }) {
        await app('POST', '/v1/auth/logout', { refreshToken })
      },
      async replay({ refreshToken }) {
        await refresh(refreshToken)
        assert.equal((await refresh(refreshToken)).body.error.code, 'session_revoked')
      },
      async 'ban and unban'({ refreshToken }) {
        const { player } = (await refresh(refreshToken)).body
        const path = `/v1/admin/players/${player.id}`
        assert.equal((await project.development.server('POST', `${path}/ban`, {})).status, 200)
        assert.equal((await project.development.server('POST', `${path}/unban`, {})).status, 200)
      },
    }
    for (const [name, end] of Object.entries(ends)) {
      const session = await guest()
      const code = await transferFrom(session.accessToken)
      await end(session)
      const { status, body } = await redeem(code)
      assert.deepEqual([status, body.error?.code], [400, 'invalid_code'], name)
    }

    const first = await guest()
    const { body: second } = await redeem(await transferFrom(first.accessToken))
    const code = await transferFrom(second.accessToken)
    await app('POST', '/v1/auth/logout', { refreshToken: first.refreshToken })
    assert.equal((await redeem(code)).body.player?.id, first.player.id)
  })

  test('[TRF-03] [BAN-08] the transfer code of a banned player answers player_banned', async () => {
    await inAppBrowser()
    const { accessToken, player } = await guest()
    const code = await transferFrom(accessToken)
    await project.development.server('POST', `/v1/admin/players/${player.id}/ban`, {})
    assert.equal((await redeem(code)).body.error.code, 'player_banned')
  })

  test('[SES-17] a token of a retired signing key answers token_expired as long as its refresh token may be valid', async () => {
    const other = await startService(engine)
    const { development, environments } = await other.newProject()
    const environmentId = environments.find(({ name }) => name === 'development')?.id ?? ''
    await development.server('PUT', '/v1/config', { features: { realtimeChannels: true } })
    const session = async () => (await development.public('POST', '/v1/auth/guest', {})).body
    const { accessToken, refreshToken } = await session()
    const codeOf = async (token: string) => (await me(token, development.public)).body.error?.code
    const closeOf = async (token: string) => {
      const socket = await openSocket(other)
      socket.send({ t: 'auth', key: development.publishableKey, token })
      return socket.closed
    }

    const { kid } = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString())
    const secretId = `sessions:signing:${environmentId}:${kid}`
    const privateKey = createPrivateKey((await other.secrets.read(secretId)) ?? '')
    other.clock.advance(30 * DAY_MS)
    const { accessToken: newer } = await session()
    other.clock.advance(15 * MINUTE_MS)
    assert.equal(await other.secrets.read(secretId), undefined, 'the private key is not needed any more')
    assert.equal(await codeOf(accessToken), 'token_expired')
    assert.deepEqual(await closeOf(accessToken), { code: 4002, reason: 'token_expired' })

    const [header = '', payload = '', signature = ''] = accessToken.split('.')
    const [, otherPayload = ''] = newer.split('.')
    const signed = (claims: object) => {
      const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    }
    const { iat, exp } = claimsOf(newer)
    const forged = {
      'of other claims': `${header}.${otherPayload}.${signature}`,
      'with another signature': `${header}.${payload}.${newer.split('.')[2]}`,
      'by the old private key': signed({ ...claimsOf(accessToken), iat, exp: exp + 60 }),
    }
    for (const [what, token] of Object.entries(forged)) {
      assert.equal(await codeOf(token), 'invalid_token', what)
      assert.deepEqual(await closeOf(token), { code: 4001, reason: 'invalid_token' }, what)
    }

    // A token of the key's last minute has a refresh token of ninety days.
    other.clock.advance(60 * DAY_MS - 15 * MINUTE_MS - SECOND_MS)
    await other.everyHour()
    assert.equal(await codeOf(accessToken), 'token_expired')
    const { status } = await development.public('POST', '/v1/auth/refresh', { refreshToken })
    assert.equal(status, 200)
    other.clock.advance(31 * DAY_MS - 2 * MINUTE_MS)
    await other.everyHour()
    assert.equal(await codeOf(accessToken), 'token_expired')

    const count = async () =>
      (await other.db.search((q) => q.selectFrom('sessions_signing_keys').select('kid'))).length
    other.clock.advance(30 * DAY_MS)
    await session()
    await other.everyHour()
    assert.ok((await count()) <= 5)
    await other.stop()
  })

  test("[TOK-01] [TOK-02] a game's server can check a token with its secret key", async () => {
    const { accessToken, player } = await guest()
    const check = (token: string, call = project.development.server) =>
      call('POST', '/v1/admin/players/verify-token', { token })
    assert.deepEqual((await check(accessToken)).body, {
      player: { id: player.id, displayName: player.displayName, banned: false },
    })
    assert.equal((await check(accessToken, project.production.server)).body.error.code, 'token_expired')
    assert.equal((await check('garbage')).body.error.code, 'invalid_token')
    assert.equal((await check(accessToken, app)).body.error.code, 'secret_key_required')
    service.clock.advance(15 * MINUTE_MS)
    assert.equal((await check(accessToken)).body.error.code, 'token_expired')
  })

  test('[SES-18] sessions stay valid after a restart', async () => {
    const other = await startService(engine)
    const { development } = await other.newProject()
    const { body } = await development.public('POST', '/v1/auth/guest', {})
    await other.close()
    const again = await startService(engine, { clusterOf: other })
    const answer = await again.withKey(development.publishableKey)('POST', '/v1/auth/refresh', {
      refreshToken: body.refreshToken,
    })
    assert.equal(answer.status, 200)
    await again.stop()
    await other.removeData()
  })
})
