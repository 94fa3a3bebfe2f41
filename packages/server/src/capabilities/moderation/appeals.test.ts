import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS, SECOND_MS } from '../../platform/clock.ts'
import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import type { Call } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

suite('appeals', { features: {} }, ({ service, project }) => {
  before(async () => {
    await project.development.server('PUT', '/v1/config', { share: { inAppBrowser: { enabled: true } } })
  })

  const now = () => service.clock.now().toISOString()
  const admin = (method: string, path: string, body?: object) =>
    project.development.server(method, `/v1/admin/${path}`, body)
  const ban = (guest: Guest, terms: object = {}) => admin('POST', `players/${guest.id}/ban`, terms)
  const unban = (guest: Guest) => admin('POST', `players/${guest.id}/unban`, {})
  const sanctionsOf = async (guest: Guest) =>
    (await guest.call('GET', '/v1/players/me/sanctions')).body.sanctions
  const appeal = (guest: Guest, sanctionId: string, message: unknown = 'it was not me') =>
    guest.call('POST', `/v1/players/me/sanctions/${sanctionId}/appeal`, { message })
  const appealWith = (body: object, call: Call = project.development.public) =>
    call('POST', '/v1/auth/appeal', { message: 'it was not me', ...body })
  const resolve = (appealId: string, body: object) => admin('POST', `appeals/${appealId}/resolve`, body)
  const write = (guest: Guest) => guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })

  /** A banned player and the ban. */
  async function banned(terms: object = {}) {
    const guest = await newGuest(project.development)
    await ban(guest, terms)
    const [{ id: sanctionId }] = await sanctionsOf(guest)
    return { guest, sanctionId }
  }
  async function appealed() {
    const { guest, sanctionId } = await banned({ reason: 'spam' })
    const { body } = await appeal(guest, sanctionId)
    return { guest, sanctionId, appealId: body.appeal.id as string }
  }

  test('[APL-01] [APL-02] a banned player can appeal once, and sees the appeal with the ban', async () => {
    const { guest, sanctionId } = await banned()
    const { status, body } = await appeal(guest, sanctionId)
    assert.equal(status, 201)
    assert.match(body.appeal.id, /^apl_/)
    assert.deepEqual(body.appeal, {
      id: body.appeal.id,
      status: 'open',
      message: 'it was not me',
      response: null,
      createdAt: now(),
      resolvedAt: null,
    })
    assert.deepEqual((await sanctionsOf(guest))[0].appeal, body.appeal)

    const again = await appeal(guest, sanctionId)
    assert.deepEqual([again.status, again.body.error.code], [409, 'appeal_exists'])
    assert.deepEqual((await sanctionsOf(guest))[0].appeal, body.appeal)
  })

  test('[APL-01] [APL-02] a message has 1 to 2000 characters and is stored unchanged', async () => {
    for (const message of ['', ' \n\t', 'x'.repeat(2_001), '🦊'.repeat(2_001), 5, null]) {
      const { guest, sanctionId } = await banned()
      const { status, body } = await appeal(guest, sanctionId, message)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], String(message).slice(0, 20))
      assert.equal(body.error.details.errors[0].path, '$.message')
    }
    const hostile = `<script>alert(1)</script>\n'; drop table players; -- {{7*7}}`
    for (const message of ['x', 'x'.repeat(2_000), '🦊'.repeat(2_000), hostile]) {
      const { guest, sanctionId } = await banned()
      assert.equal((await appeal(guest, sanctionId, message)).body.appeal.message, message)
    }
  })

  test('[APL-02] [GEN-23] an unknown ban, and that of another player or environment, answer the same 404', async () => {
    const { guest } = await banned()
    const other = await banned()
    const elsewhere = await newGuest(project.production)
    await project.production.server('POST', `/v1/admin/players/${elsewhere.id}/ban`, {})
    const [{ id: foreign }] = await sanctionsOf(elsewhere)
    const answers = []
    for (const id of ['san_unknown', 'x', other.sanctionId, foreign]) {
      answers.push(await appeal(guest, id))
      answers.push(await appealWith({ refreshToken: guest.refreshToken, sanctionId: id }))
    }
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
    assert.equal(answers[0]?.body.error.code, 'sanction_not_found')
    assert.equal((await sanctionsOf(other.guest))[0].appeal, undefined)
  })

  test('[APL-02] a ban that was lifted or has expired cannot be appealed', async () => {
    const lifted = await banned()
    await unban(lifted.guest)
    const ranOut = await banned({ durationHours: 0.001 })
    service.clock.advance(3_600)
    for (const { guest, sanctionId } of [lifted, ranOut]) {
      const answers = [
        await appeal(guest, sanctionId),
        await appealWith({ refreshToken: guest.refreshToken }),
      ]
      for (const { status, body } of answers)
        assert.deepEqual([status, body.error.code], [409, 'ban_not_active'])
    }
  })

  test('[APL-01] an appeal requires the player’s token; a player who was never banned cannot appeal', async () => {
    const { sanctionId } = await banned()
    const path = `/v1/players/me/sanctions/${sanctionId}/appeal`
    const { body } = await project.development.public('POST', path, { message: 'x' })
    assert.equal(body.error.code, 'unauthorized')
    const free = await newGuest(project.development)
    assert.equal((await appeal(free, sanctionId)).body.error.code, 'sanction_not_found')
  })

  test('[APL-03] a player can appeal with the refresh token that the ban revoked', async () => {
    const { guest, sanctionId } = await banned()
    const { status, body } = await appealWith({ refreshToken: guest.refreshToken })
    assert.equal(status, 201)
    assert.deepEqual((await sanctionsOf(guest))[0].appeal, body.appeal)
    const again = await appealWith({ refreshToken: guest.refreshToken, sanctionId })
    assert.deepEqual([again.status, again.body.error.code], [409, 'appeal_exists'])

    const second = await banned()
    const named = await appealWith({
      refreshToken: second.guest.refreshToken,
      sanctionId: second.sanctionId,
    })
    assert.equal(named.status, 201)
  })

  test('[APL-03] without sanctionId the appeal is about the ban that revoked the token, also if a newer ban is active', async () => {
    const guest = await newGuest(project.development)
    const { body: made } = await guest.call('POST', '/v1/auth/transfer')
    const { body: second } = await project.development.public('POST', '/v1/auth/transfer/redeem', {
      code: made.code,
    })
    await ban(guest, { reason: 'old' })
    await unban(guest)
    // One of the two sessions that the old ban revoked is active again.
    const { body } = await project.development.public('POST', '/v1/auth/refresh', {
      refreshToken: second.refreshToken,
    })
    const later = asGuest(project.development.public, body)
    await ban(guest, { reason: 'new' })

    assert.equal((await appealWith({ refreshToken: guest.refreshToken })).body.error.code, 'ban_not_active')
    assert.equal((await appealWith({ refreshToken: later.refreshToken })).status, 201)
    const [newer, older] = await sanctionsOf(later)
    assert.deepEqual([newer.note, newer.appeal.status, older.appeal], ['new', 'open', undefined])
    const named = await appealWith({ refreshToken: guest.refreshToken, sanctionId: newer.id })
    assert.equal(named.body.error.code, 'appeal_exists')
  })

  test('[APL-03] an unknown token answers 401; a token that no ban revoked 404; in another environment both are unknown', async () => {
    const { guest, sanctionId } = await banned()
    for (const refreshToken of ['x', 'rt_', `${guest.refreshToken}x`]) {
      const { status, body } = await appealWith({ refreshToken, sanctionId })
      assert.deepEqual([status, body.error.code], [401, 'invalid_refresh_token'])
    }
    const foreign = await appealWith({ refreshToken: guest.refreshToken }, project.production.public)
    assert.deepEqual([foreign.status, foreign.body.error.code], [401, 'invalid_refresh_token'])

    const living = await newGuest(project.development)
    const gone = await newGuest(project.development)
    await project.development.public('POST', '/v1/auth/logout', { refreshToken: gone.refreshToken })
    await ban(gone)
    const [{ id }] = await sanctionsOf(gone)
    for (const input of [
      { refreshToken: living.refreshToken },
      { refreshToken: living.refreshToken, sanctionId },
      { refreshToken: gone.refreshToken },
      { refreshToken: gone.refreshToken, sanctionId: id },
    ]) {
      const { status, body } = await appealWith(input)
      assert.deepEqual([status, body.error.code], [404, 'sanction_not_found'])
    }
    assert.equal((await appealWith({ refreshToken: '' })).status, 400)
    assert.equal((await appealWith({ refreshToken: guest.refreshToken, message: '' })).status, 400)
  })

  test('[APL-03] the revoked token proves identity for an appeal and for nothing else', async () => {
    const { guest } = await banned()
    const refreshed = await project.development.public('POST', '/v1/auth/refresh', {
      refreshToken: guest.refreshToken,
    })
    assert.equal(refreshed.body.error.code, 'session_revoked')
    assert.equal((await appealWith({ refreshToken: guest.refreshToken })).status, 201)
  })

  test('[APL-04] [GEN-14] appeals of the environment are listed newest first, by status, in pages', async () => {
    const own = await service.newProject()
    const { developer } = own
    const { path, server } = own.development
    const filed: string[] = []
    for (let i = 0; i < 5; i++) {
      const guest = await newGuest(own.development)
      await server('POST', `/v1/admin/players/${guest.id}/ban`, { reason: `ban ${i}`, durationHours: 1 })
      const { body } = await own.development.public('POST', '/v1/auth/appeal', {
        refreshToken: guest.refreshToken,
        message: `message ${i}`,
      })
      filed.unshift(body.appeal.id)
      if (i === 4) {
        const [entry] = (await developer.call('GET', `${path}/appeals`)).body.appeals
        const [sanction] = (await guest.call('GET', '/v1/players/me/sanctions')).body.sanctions
        assert.deepEqual(entry, {
          ...body.appeal,
          player: { id: guest.id, displayName: guest.displayName },
          sanction: {
            id: sanction.id,
            active: true,
            note: 'ban 4',
            createdAt: sanction.createdAt,
            expiresAt: sanction.expiresAt,
          },
        })
      }
    }
    await server('POST', `/v1/admin/appeals/${filed[1]}/resolve`, { accept: true })
    await server('POST', `/v1/admin/appeals/${filed[2]}/resolve`, { accept: false })

    const listed = async (query: string) => {
      const { body } = await server('GET', `/v1/admin/appeals${query}`)
      return [body.appeals.map(({ id }: { id: string }) => id), body.nextCursor]
    }
    assert.deepEqual(await listed(''), [filed, null])
    assert.deepEqual(await listed('?status=open'), [[filed[0], filed[3], filed[4]], null])
    assert.deepEqual(await listed('?status=accepted'), [[filed[1]], null])
    assert.deepEqual(await listed('?status=rejected'), [[filed[2]], null])
    assert.deepEqual(await listed('?limit=2'), [filed.slice(0, 2), filed[1]])
    assert.deepEqual(await listed(`?limit=2&cursor=${filed[1]}`), [filed.slice(2, 4), filed[3]])
    assert.deepEqual(await listed(`?limit=2&cursor=${filed[3]}`), [filed.slice(4), null])
    assert.deepEqual(await listed(`?limit=2&status=open&cursor=${filed[0]}`), [[filed[3], filed[4]], null])
    for (const query of ['status=closed', 'status=', 'limit=0', 'limit=201', 'limit=x', 'cursor=']) {
      assert.equal((await server('GET', `/v1/admin/appeals?${query}`)).status, 400, query)
    }
    // The other environment and other projects do not see it.
    assert.deepEqual((await own.production.server('GET', '/v1/admin/appeals')).body.appeals, [])
    const stranger = await service.newDeveloper()
    assert.equal((await stranger.call('GET', `${path}/appeals`)).body.error.code, 'project_not_found')
    assert.equal(
      (await own.development.public('GET', '/v1/admin/appeals')).body.error.code,
      'secret_key_required',
    )
  })

  test('[APL-05] [BAN-10] accepting an appeal lifts its ban, and the player reads the response', async () => {
    const { guest, sanctionId, appealId } = await appealed()
    service.clock.advance(SECOND_MS)
    const { status, body } = await resolve(appealId, { accept: true, response: 'sorry for that' })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.appeal.status, body.appeal.response, body.appeal.resolvedAt, body.appeal.sanction.active],
      ['accepted', 'sorry for that', now(), false],
    )
    assert.equal((await write(guest)).status, 200)
    const [sanction] = await sanctionsOf(guest)
    assert.deepEqual(
      [sanction.id, sanction.active, sanction.endedAt, sanction.appeal.status, sanction.appeal.response],
      [sanctionId, false, now(), 'accepted', 'sorry for that'],
    )
  })

  test('[APL-05] rejecting an appeal does not lift the ban; developers can do it, too', async () => {
    const { guest, appealId } = await appealed()
    const { body } = await project.developer.call(
      'POST',
      `${project.development.path}/appeals/${appealId}/resolve`,
      { accept: false },
    )
    assert.deepEqual(
      [body.appeal.status, body.appeal.response, body.appeal.sanction.active],
      ['rejected', null, true],
    )
    assert.equal((await write(guest)).body.error.code, 'player_banned')
  })

  test('[APL-05] [APL-06] a resolved appeal never changes, and its ban cannot be appealed again', async () => {
    for (const accept of [true, false]) {
      const { guest, sanctionId, appealId } = await appealed()
      const first = await resolve(appealId, { accept, response: 'final' })
      for (const other of [true, false]) {
        const { status, body } = await resolve(appealId, { accept: other, response: 'other' })
        assert.deepEqual([status, body.error.code], [409, 'appeal_already_resolved'])
      }
      const [sanction] = await sanctionsOf(guest)
      assert.deepEqual(
        [sanction.active, sanction.appeal.status, sanction.appeal.response],
        [!accept, first.body.appeal.status, 'final'],
      )
      const again = await appeal(guest, sanctionId)
      assert.deepEqual(
        [again.status, again.body.error.code],
        [409, accept ? 'ban_not_active' : 'appeal_exists'],
      )
    }
  })

  test('[APL-05] [APL-06] [BAN-10] an unban accepts the open appeal without a response, and this is final', async () => {
    const { guest, appealId } = await appealed()
    service.clock.advance(SECOND_MS)
    assert.equal((await unban(guest)).status, 200)
    const [{ appeal: seen }] = await sanctionsOf(guest)
    assert.deepEqual([seen.status, seen.response, seen.resolvedAt], ['accepted', null, now()])
    const open = await admin('GET', 'appeals?status=open')
    assert.ok(!open.body.appeals.some(({ id }: { id: string }) => id === appealId))
    assert.equal((await resolve(appealId, { accept: false })).body.error.code, 'appeal_already_resolved')
  })

  test('[APL-06] an unban does not change a rejected appeal, nor appeals of other players', async () => {
    const { guest, appealId } = await appealed()
    const other = await appealed()
    await resolve(appealId, { accept: false, response: 'no' })
    await unban(guest)
    const [{ appeal: mine }] = await sanctionsOf(guest)
    const [{ appeal: theirs }] = await sanctionsOf(other.guest)
    assert.deepEqual([mine.status, mine.response, theirs.status], ['rejected', 'no', 'open'])
  })

  test('[APL-02] [APL-05] control characters and characters that change the text direction are removed from message and response', async () => {
    const { guest, sanctionId } = await banned()
    assert.equal((await appeal(guest, sanctionId, '\u202e\u0007 ')).body.error.code, 'invalid_request')
    const { body } = await appeal(guest, sanctionId, 'not\u202e me\r\nat all\u001b')
    assert.equal(body.appeal.message, 'not me\nat all')
    const resolved = await resolve(body.appeal.id, { accept: false, response: '\u2066no\u001b' })
    assert.equal(resolved.body.appeal.response, 'no')
  })

  test('[APL-05] [GEN-23] an unknown appeal, and one of another environment, answer the same 404; an invalid body 400', async () => {
    const { guest, appealId } = await appealed()
    const answers = [
      await resolve('apl_unknown', { accept: true }),
      await resolve('x', { accept: true }),
      await project.production.server('POST', `/v1/admin/appeals/${appealId}/resolve`, { accept: true }),
      await (
        await service.newProject()
      ).development.server('POST', `/v1/admin/appeals/${appealId}/resolve`, { accept: true }),
    ]
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
    assert.equal(answers[0]?.body.error.code, 'appeal_not_found')
    for (const body of [{}, { accept: 'yes' }, { accept: true, response: 'x'.repeat(2_001) }]) {
      assert.equal((await resolve(appealId, body)).status, 400)
    }
    assert.equal(
      (await project.development.public('POST', `/v1/admin/appeals/${appealId}/resolve`, { accept: true }))
        .body.error.code,
      'secret_key_required',
    )
    assert.equal((await write(guest)).status, 403)
    assert.equal((await resolve(appealId, { accept: false, response: 'x'.repeat(2_000) })).status, 200)
  })

  test('[APL-05] accepting an old appeal never lifts a newer ban', async () => {
    const ranOut = await banned({ durationHours: 0.001 })
    const { body } = await appeal(ranOut.guest, ranOut.sanctionId)
    service.clock.advance(3_600)
    await ban(ranOut.guest, { reason: 'newer' })

    const resolved = await resolve(body.appeal.id, { accept: true })
    assert.deepEqual([resolved.body.appeal.status, resolved.body.appeal.sanction.active], ['accepted', false])
    const answer = await write(ranOut.guest)
    assert.deepEqual([answer.status, answer.body.error.details.note], [403, 'newer'])
  })

  test('[AUD-01] resolving an appeal is in the audit log with its actor, without texts of player or developer', async () => {
    const { guest, sanctionId } = await banned()
    const { body } = await appeal(guest, sanctionId, 'canary-message')
    await resolve(body.appeal.id, { accept: true, response: 'canary-response' })
    const { entries } = (await project.developer.call('GET', `/v1/projects/${project.id}/audit?limit=200`))
      .body
    const [entry, ...more] = entries.filter(({ target }: { target: string }) => target === body.appeal.id)
    assert.equal(more.length, 0)
    assert.deepEqual(
      [entry.action, entry.env, entry.actor.type, entry.details],
      [
        'appeal.resolve',
        'development',
        'key',
        { playerId: guest.id, sanctionId, status: 'accepted', lifted: true },
      ],
    )
    assert.ok(!JSON.stringify(entries).includes('canary'))
  })

  test('[APL-03] a revoked refresh token can file an appeal for 90 days after the ban', async () => {
    const onTime = await banned()
    const late = await banned()
    service.clock.advance(90 * DAY_MS - SECOND_MS)
    assert.equal((await appealWith({ refreshToken: onTime.guest.refreshToken })).status, 201)
    service.clock.advance(SECOND_MS)
    const { status, body } = await appealWith({ refreshToken: late.guest.refreshToken })
    assert.deepEqual([status, body.error.code], [401, 'invalid_refresh_token'])
  })
})
