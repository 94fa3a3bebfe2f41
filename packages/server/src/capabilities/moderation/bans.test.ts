import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { type Guest, newGuest } from '../../testing/guests.ts'
import { suite } from '../../testing/suite.ts'

suite('bans', { features: {} }, ({ service, project }) => {
  before(async () => {
    const on = { share: { inAppBrowser: { enabled: true } } }
    for (const side of [project.development, project.production]) await side.server('PUT', '/v1/config', on)
  })

  const ban = (playerId: string, terms: object = {}) =>
    project.development.server('POST', `/v1/admin/players/${playerId}/ban`, terms)
  const unban = (playerId: string) =>
    project.development.server('POST', `/v1/admin/players/${playerId}/unban`, {})
  const write = (guest: Guest) => guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })
  const refresh = (refreshToken: string) =>
    project.development.public('POST', '/v1/auth/refresh', { refreshToken })
  const sanctionsOf = async (guest: Guest) =>
    (await guest.call('GET', '/v1/players/me/sanctions')).body.sanctions
  const now = (plusMs = 0) => new Date(service.clock.now().getTime() + plusMs).toISOString()
  /** Another session of the same player. */
  const transfer = async (guest: Guest) => {
    const { body } = await guest.call('POST', '/v1/auth/transfer')
    return project.development.public('POST', '/v1/auth/transfer/redeem', { code: body.code })
  }
  const auditEntries = async () =>
    (await project.developer.call('GET', `/v1/projects/${project.id}/audit?limit=200`)).body.entries

  test('[BAN-01] [BAN-06] the response of a ban contains the player and the number of revoked sessions', async () => {
    const guest = await newGuest(project.development)
    assert.equal((await transfer(guest)).status, 200)
    const third = await transfer(guest)
    await project.development.public('POST', '/v1/auth/logout', { refreshToken: third.body.refreshToken })

    const { status, body } = await ban(guest.id, { reason: 'spam', durationHours: 2 })

    assert.equal(status, 200)
    assert.deepEqual(body, {
      player: {
        id: guest.id,
        banned: true,
        bannedAt: now(),
        banReason: 'spam',
        revokedSessions: 2,
        banExpiresAt: now(2 * HOUR_MS),
      },
    })
  })

  test('[BAN-02] [BAN-15] control characters and characters that change the text direction are removed from a reason', async () => {
    const guest = await newGuest(project.development)
    const { body } = await ban(guest.id, { reason: 'spam\u202e\u0007 and\r\nworse\u2066' })
    assert.equal(body.player.banReason, 'spam and\nworse')
    assert.equal((await sanctionsOf(guest))[0].note, 'spam and\nworse')
    assert.equal((await ban(guest.id, { reason: '\u202e' })).body.player.banReason, '')
  })

  test('[BAN-01] [BAN-02] [BAN-13] a developer can ban without an end, also with every feature off', async () => {
    const other = await service.newProject()
    const guest = await newGuest(other.production)
    const at = `${other.production.path}/players/${guest.id}`
    const { body } = await other.developer.call('POST', `${at}/ban`, {})
    assert.deepEqual(body.player, {
      id: guest.id,
      banned: true,
      bannedAt: now(),
      banReason: null,
      revokedSessions: 1,
      banExpiresAt: null,
    })
    service.clock.advance(7 * 24 * HOUR_MS)
    const again = await other.developer.call('POST', `${at}/ban`, {})
    assert.equal(again.body.player.bannedAt, body.player.bannedAt)
    assert.equal((await other.developer.call('POST', `${at}/unban`, {})).body.player.banned, false)
  })

  test('[BAN-02] [BAN-03] reason has at most 500 characters, durationHours is more than 0 and at most 8784, with fractions', async () => {
    const { id } = await newGuest(project.development)
    const good = [
      { reason: 'x'.repeat(500) },
      { reason: '🦊'.repeat(500) },
      { reason: '' },
      { reason: '<b>&\n' },
      { durationHours: 8_784 },
      { durationHours: 0.5 },
      { durationHours: 1e-300 },
    ]
    for (const terms of good) {
      const { status, body } = await ban(id, terms)
      assert.deepEqual([status, body.player.banReason], [200, terms.reason ?? null])
    }
    const bad: [object, string][] = [
      [{ reason: 'x'.repeat(501) }, '$.reason'],
      [{ reason: 5 }, '$.reason'],
      [{ reason: null }, '$.reason'],
      ...[0, -0, -1, 8_784.1, 8_785, '1', null, true].map((durationHours): [object, string] => [
        { durationHours },
        '$.durationHours',
      ]),
    ]
    await unban(id)
    for (const [terms, path] of bad) {
      const { status, body } = await ban(id, terms)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], JSON.stringify(terms))
      assert.equal(body.error.details.errors[0].path, path)
    }
    assert.equal((await refresh((await newGuest(project.development)).refreshToken)).status, 200)
  })

  test('[BAN-03] durationHours from a developer session answers 400 at $.durationHours, and nothing changes', async () => {
    const guest = await newGuest(project.development)
    const { status, body } = await project.developer.call(
      'POST',
      `${project.development.path}/players/${guest.id}/ban`,
      { durationHours: 1 },
    )
    assert.deepEqual([status, body.error.code], [400, 'invalid_request'])
    assert.deepEqual(
      body.error.details.errors.map(({ path }: { path: string }) => path),
      ['$.durationHours'],
    )
    assert.equal((await write(guest)).status, 200)
  })

  test('[BAN-16] a developer bans for a time at the address of the extension, and the audit log has the end', async () => {
    const guest = await newGuest(project.development)
    const path = `${project.development.path}/x/players/${guest.id}/ban`
    const { call } = project.developer
    for (const durationHours of [undefined, 0, -1, 8_784.1, '1'])
      assert.deepEqual(
        (await call('POST', path, { durationHours })).body.error.details.errors[0].path,
        '$.durationHours',
      )
    assert.equal((await call('POST', path.replace(guest.id, 'ply_none'), { durationHours: 1 })).status, 404)
    assert.equal((await write(guest)).status, 200)

    const { status, body } = await call('POST', path, { reason: 'spam', durationHours: 2 })

    assert.equal(status, 200)
    const { bannedAt, banExpiresAt, banReason } = body.player
    assert.deepEqual([Date.parse(banExpiresAt) - Date.parse(bannedAt), banReason], [2 * HOUR_MS, 'spam'])
    assert.equal((await write(guest)).body.error.code, 'player_banned')
    const [entry] = await auditEntries()
    assert.deepEqual(
      [entry.action, entry.target, entry.actor.type, entry.details.expiresAt],
      ['player.ban', guest.id, 'developer', banExpiresAt],
    )
    service.clock.advance(2 * HOUR_MS)
    assert.equal((await sanctionsOf(await newGuest(project.development))).length, 0)
    assert.equal(
      (await project.development.server('GET', `/v1/admin/players/${guest.id}`)).body.player.banned,
      false,
    )
  })

  test('[BAN-04] [GEN-23] an unknown player, and one of another environment or project, answer the same 404', async () => {
    const there = await newGuest(project.production)
    const foreign = await newGuest((await service.newProject()).development)
    const answers = []
    for (const id of ['ply_unknown', 'x', '..%2f', there.id, foreign.id]) {
      for (const action of ['ban', 'unban']) {
        answers.push(await project.development.server('POST', `/v1/admin/players/${id}/${action}`, {}))
        answers.push(
          await project.developer.call('POST', `${project.development.path}/players/${id}/${action}`, {}),
        )
      }
    }
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
    assert.equal(answers[0]?.body.error.code, 'player_not_found')
    assert.equal((await write(there)).status, 200)

    const stranger = await service.newDeveloper()
    const { body } = await stranger.call('POST', `${project.development.path}/players/${there.id}/ban`, {})
    assert.equal(body.error.code, 'project_not_found')
  })

  test('[BAN-05] a publishable key and a player cannot ban', async () => {
    const guest = await newGuest(project.development)
    for (const action of ['ban', 'unban']) {
      const path = `/v1/admin/players/${guest.id}/${action}`
      for (const call of [project.development.public, guest.call]) {
        const { status, body } = await call('POST', path, {})
        assert.deepEqual([status, body.error.code], [403, 'secret_key_required'])
      }
      assert.equal((await service.call('POST', path, {})).body.error.code, 'key_required')
      const second = `${project.development.path}/players/${guest.id}/${action}`
      assert.equal(
        (await project.development.server('POST', second, {})).body.error.code,
        'developer_session_required',
      )
      assert.equal((await service.call('POST', second, {})).body.error.code, 'unauthorized')
    }
    assert.equal((await write(guest)).status, 200)
  })

  test('[BAN-08] refresh and transfer of a banned player return the ban, its reason and its end', async () => {
    const guest = await newGuest(project.development)
    const { body: made } = await guest.call('POST', '/v1/auth/transfer')
    const { body: banned } = await ban(guest.id, { reason: 'cheating', durationHours: 0.1 })
    const [{ id: sanctionId }] = await sanctionsOf(guest)

    const refreshed = await refresh(guest.refreshToken)
    assert.deepEqual(
      [refreshed.status, refreshed.body.error.code, refreshed.body.error.details],
      [
        401,
        'session_revoked',
        { reason: 'ban', sanctionId, note: 'cheating', expiresAt: banned.player.banExpiresAt },
      ],
    )
    const redeemed = await project.development.public('POST', '/v1/auth/transfer/redeem', {
      code: made.code,
    })
    assert.deepEqual([redeemed.status, redeemed.body.error.code], [403, 'player_banned'])
    assert.deepEqual(redeemed.body.error.details, {
      sanctionId,
      note: 'cheating',
      expiresAt: banned.player.banExpiresAt,
    })
  })

  test('[BAN-09] writes are rejected immediately; reads, appeal and logout work until the token expires', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id, { reason: 'rude' })
    const [{ id: sanctionId }] = await sanctionsOf(guest)

    const writes: [string, string, object?][] = [
      ['PATCH', '/v1/players/me', { displayName: 'Ada' }],
      ['POST', '/v1/auth/transfer'],
      ['PUT', '/v1/social/age', { band: 'teen' }],
      ['POST', '/v1/players/me/age-signal', { platform: 'ios', status: 'sharing' }],
    ]
    for (const [method, url, body] of writes) {
      const answer = await guest.call(method, url, body)
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'player_banned'], url)
      assert.deepEqual(answer.body.error.details, { sanctionId, note: 'rude', expiresAt: null })
    }
    for (const url of ['/v1/players/me', '/v1/players/me/sanctions', '/v1/social/profile']) {
      assert.equal((await guest.call('GET', url)).status, 200, url)
    }
    const check = await project.development.server('POST', '/v1/admin/players/verify-token', {
      token: guest.accessToken,
    })
    assert.equal(check.body.player.banned, true)
    const appealed = await guest.call('POST', `/v1/players/me/sanctions/${sanctionId}/appeal`, {
      message: 'sorry',
    })
    assert.equal(appealed.status, 201)
    const loggedOut = await project.development.public('POST', '/v1/auth/logout', {
      refreshToken: guest.refreshToken,
    })
    assert.equal(loggedOut.status, 200)

    service.clock.advance(15 * MINUTE_MS)
    assert.equal((await guest.call('GET', '/v1/players/me')).body.error.code, 'token_expired')
  })

  test('[BAN-10] unban has the same response shape, and the player may write and sign in again; an older transfer code stays invalid', async () => {
    const guest = await newGuest(project.development)
    const { body: made } = await guest.call('POST', '/v1/auth/transfer')
    await ban(guest.id)
    const { status, body } = await unban(guest.id)
    const player = {
      id: guest.id,
      banned: false,
      bannedAt: null,
      banReason: null,
      revokedSessions: 0,
      banExpiresAt: null,
    }
    assert.deepEqual([status, body], [200, { player }])
    assert.equal((await write(guest)).status, 200)
    const redeemed = await project.development.public('POST', '/v1/auth/transfer/redeem', {
      code: made.code,
    })
    assert.equal(redeemed.body.error.code, 'invalid_code')
    assert.equal((await refresh(guest.refreshToken)).body.player.id, guest.id)

    const again = await unban(guest.id)
    assert.deepEqual([again.status, again.body], [200, { player }])
  })

  test('[BAN-11] a timed ban ends exactly at banExpiresAt, and its sanction is no longer active', async () => {
    const guest = await newGuest(project.development)
    const code = async () => (await guest.call('POST', '/v1/auth/transfer')).body.code
    const redeem = (value: string) =>
      project.development.public('POST', '/v1/auth/transfer/redeem', { code: value })
    const early = await code()
    const { body } = await ban(guest.id, { durationHours: 0.1 })
    assert.equal(body.player.banExpiresAt, now(360_000))

    service.clock.advance(359_999)
    assert.equal((await write(guest)).body.error.code, 'player_banned')
    const [during] = await sanctionsOf(guest)
    assert.deepEqual([during.active, during.endedAt], [true, null])
    service.clock.advance(1)
    const [afterwards] = await sanctionsOf(guest)
    assert.deepEqual([afterwards.active, afterwards.endedAt], [false, body.player.banExpiresAt])
    assert.equal((await write(guest)).status, 200)
    assert.equal((await redeem(early)).body.error.code, 'invalid_code')
    assert.equal((await refresh(guest.refreshToken)).status, 200)
    // A ban of less than a millisecond lasts one millisecond.
    const { body: short } = await ban(guest.id, { durationHours: 1e-300 })
    assert.equal(short.player.banExpiresAt, now(1))
    assert.equal((await write(guest)).status, 403)
    service.clock.advance(1)
    assert.equal((await write(guest)).status, 200)
  })

  test('[BAN-03] [BAN-11] a ban of half an hour ends exactly to the millisecond', async () => {
    const guests = [await newGuest(project.development), await newGuest(project.development)] as const
    const bannedAt = now()
    for (const { id } of guests) await ban(id, { durationHours: 0.5 })
    service.clock.advance(1_799_999)
    assert.equal((await ban(guests[0].id)).body.player.bannedAt, bannedAt)
    service.clock.advance(1)
    assert.equal((await ban(guests[1].id)).body.player.bannedAt, now())
  })

  test('[BAN-12] banning a banned player changes reason and expiry of the same sanction, and counts sessions again', async () => {
    const guest = await newGuest(project.development)
    const first = await ban(guest.id, { reason: 'one', durationHours: 0.01 })
    const [{ id }] = await sanctionsOf(guest)
    service.clock.advance(1_000)

    const second = await ban(guest.id, { durationHours: 0.1 })
    assert.deepEqual(second.body.player, {
      id: guest.id,
      banned: true,
      bannedAt: first.body.player.bannedAt,
      banReason: null,
      revokedSessions: 0,
      banExpiresAt: now(360_000),
    })
    // The first expiry has passed; the second counts.
    service.clock.advance(36_000)
    assert.equal((await write(guest)).status, 403)
    const third = await ban(guest.id, { reason: 'three' })
    assert.equal(third.body.player.banExpiresAt, null)
    const sanctions = await sanctionsOf(guest)
    assert.deepEqual([sanctions.length, sanctions[0].id, sanctions[0].note], [1, id, 'three'])
  })

  test('[BAN-12] [BAN-14] [BAN-15] after a ban has ended the next one is a new sanction; own bans are listed newest first', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id, { reason: 'ran out', durationHours: 0.001 })
    const bannedAt = now()
    service.clock.advance(3_600)
    const secondAt = now()
    await ban(guest.id, { reason: 'lifted' })
    service.clock.advance(1_000)
    await unban(guest.id)
    const liftedAt = now()
    service.clock.advance(1_000)
    await project.developer.call('POST', `${project.development.path}/players/${guest.id}/ban`, {
      reason: 'holds',
    })

    const { status, body } = await guest.call('GET', '/v1/players/me/sanctions')

    assert.equal(status, 200)
    const ids = body.sanctions.map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, 3)
    assert.ok(ids.every((id: string) => id.startsWith('san_')))
    const common = { kind: 'ban', expiresAt: null }
    assert.deepEqual(body.sanctions, [
      { id: ids[0], ...common, active: true, note: 'holds', createdAt: now(), endedAt: null },
      { id: ids[1], ...common, active: false, note: 'lifted', createdAt: secondAt, endedAt: liftedAt },
      {
        id: ids[2],
        kind: 'ban',
        active: false,
        note: 'ran out',
        createdAt: bannedAt,
        expiresAt: secondAt,
        endedAt: secondAt,
      },
    ])
    for (const hidden of [project.developer.id, project.developer.email, 'key_']) {
      assert.ok(!JSON.stringify(body).includes(hidden), hidden)
    }
  })

  test('[BAN-14] only own bans are shown, up to 15 minutes after the ban', async () => {
    const guest = await newGuest(project.development)
    const other = await newGuest(project.development)
    await ban(guest.id)
    assert.deepEqual(await sanctionsOf(other), [])
    service.clock.advance(15 * MINUTE_MS - 1_000)
    assert.equal((await sanctionsOf(guest)).length, 1)
    service.clock.advance(1_000)
    const late = await guest.call('GET', '/v1/players/me/sanctions')
    assert.deepEqual([late.status, late.body.error.code], [401, 'token_expired'])
  })

  test('[AUD-01] ban and unban are in the audit log with their actor, without the reason; calls that change nothing are not', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id, { reason: 'canary-reason', durationHours: 1 })
    const at = `${project.development.path}/players/${guest.id}`
    await project.developer.call('POST', `${at}/unban`, {})
    await project.developer.call('POST', `${at}/unban`, {})
    await ban('ply_unknown')

    const entries = (await auditEntries()).filter(({ target }: { target: string }) => target === guest.id)

    assert.deepEqual(
      entries.map((entry: { action: string; env: string; actor: { type: string } }) => [
        entry.action,
        entry.env,
        entry.actor.type,
      ]),
      [
        ['player.unban', 'development', 'developer'],
        ['player.ban', 'development', 'key'],
      ],
    )
    assert.equal(entries[0].details.sanctionId, entries[1].details.sanctionId)
    assert.equal(entries[1].details.revokedSessions, 1)
    assert.ok(!JSON.stringify(entries).includes('canary-reason'))
  })
})
