import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { emailCalls, newEmailProject, PASSWORD } from '../../testing/email-players.ts'
import { type Guest, newGuest } from '../../testing/guests.ts'
import { suite } from '../../testing/suite.ts'

suite("a player's own data", {}, ({ engine, service }) => {
  let project: Awaited<ReturnType<typeof newEmailProject>>
  before(async () => {
    project = await newEmailProject(service)
  })

  let count = 0
  const app = () => emailCalls(project.development)
  const account = () => app().player(`own${++count}-${engine}@example.com`)
  const remove = (player: Guest, proof?: object) => player.call('DELETE', '/v1/players/me', proof)
  const exportForPlayer = async (player: Guest) => (await player.call('GET', '/v1/players/me/export')).body
  const auditOf = async (action: string) =>
    (await project.developer.call('GET', `/v1/projects/${project.id}/audit`)).body.entries.filter(
      (entry: { action: string }) => entry.action === action,
    )

  test('[OWN-01] [OWN-02] the export contains all data under the names of the specification, and no hash', async () => {
    const email = `export-${engine}@example.com`
    const { body } = await app().signUp(email, { displayName: 'Ada', newsOptIn: true })
    const ada = { authorization: `Bearer ${body.accessToken}` }
    await project.development.public('PUT', '/v1/social/age', { band: 'teen' }, ada)
    await service.everyMinute()
    const { body: data } = await project.development.public('GET', '/v1/players/me/export', undefined, ada)

    const now = service.clock.now().toISOString()
    assert.equal(data.exportedAt, now)
    assert.equal(data.player.id, body.player.id)
    assert.deepEqual(
      [data.player.displayName, data.player.email, data.player.hasPassword],
      ['Ada', email, true],
    )
    assert.deepEqual(data.identities, [{ provider: 'email', linkedAt: now, email }])
    assert.deepEqual([data.sanctions, data.appeals], [[], []])
    assert.equal(data.age.declared, 'teen')
    assert.deepEqual([data.xProfile, data.shareLinks, data.saves, data.stats], [null, [], [], []])
    assert.deepEqual([data.news.status, data.news.email], ['pending', email])
    assert.equal(data.sessions.length, 1)
    assert.deepEqual(data.activeDays, [now.slice(0, 10)])
    assert.deepEqual(
      data.mailLinks.map(({ kind }: { kind: string }) => kind),
      ['verify'],
    )
    assert.equal(data.mails.length, 2)
    const text = JSON.stringify(data)
    for (const secret of ['argon2', 'Hash"', 'token=', body.refreshToken]) {
      assert.ok(!text.includes(secret), secret)
    }
  })

  test('[OWN-01] an appealed ban is in the export, and a banned player may read it', async () => {
    const bob = await newGuest(project.development)
    await project.development.server('POST', `/v1/admin/players/${bob.id}/ban`, { reason: 'Cheating' })
    const [sanction] = (await exportForPlayer(bob)).sanctions
    await bob.call('POST', `/v1/players/me/sanctions/${sanction.id}/appeal`, { message: 'It was my cat' })

    const data = await exportForPlayer(bob)

    assert.equal(data.sanctions[0].note, 'Cheating')
    assert.deepEqual([data.appeals[0].message, data.appeals[0].sanctionId], ['It was my cat', sanction.id])
  })

  test('[OWN-03] a guest confirms with the session; afterwards its tokens are rejected', async () => {
    const guest = await newGuest(project.development)

    assert.deepEqual((await remove(guest)).body, { deleted: true })

    for (const [method, url] of [
      ['GET', '/v1/players/me'],
      ['GET', '/v1/players/me/export'],
      ['GET', '/v1/players/me/sanctions'],
      ['GET', '/v1/social/profile'],
      ['PATCH', '/v1/players/me'],
      ['DELETE', '/v1/players/me'],
    ] as const) {
      const body = method === 'PATCH' ? { displayName: 'Ghost' } : undefined
      const answer = await guest.call(method, url, body)
      assert.deepEqual([url, answer.status, answer.body.error?.code], [url, 401, 'invalid_token'])
    }
    const refreshed = await project.development.public('POST', '/v1/auth/refresh', {
      refreshToken: guest.refreshToken,
    })
    assert.deepEqual(refreshed.body.error.details, { reason: 'deleted' })
    const { body } = await project.development.server('POST', '/v1/admin/players/verify-token', {
      token: guest.accessToken,
    })
    assert.equal(body.error.code, 'invalid_token')
  })

  test('[OWN-03] an account requires its password or a refresh token; anything else answers 401', async () => {
    const ada = await account()
    const other = await account()
    const refused = [
      [undefined, 'invalid_credentials'],
      [{}, 'invalid_credentials'],
      [{ password: 'wrong horse' }, 'invalid_credentials'],
      [{ refreshToken: 'rt_nonsense' }, 'invalid_refresh_token'],
      [{ refreshToken: other.refreshToken }, 'invalid_refresh_token'],
      [{ password: 'wrong horse', refreshToken: ada.refreshToken }, 'invalid_credentials'],
      [{ password: PASSWORD, refreshToken: other.refreshToken }, 'invalid_refresh_token'],
    ] as const
    for (const [proof, code] of refused) {
      const { status, body } = await remove(ada, proof)
      assert.deepEqual([proof, status, body.error.code], [proof, 401, code])
    }
    assert.deepEqual((await remove(ada)).body.error.details, { accepted: ['password', 'refreshToken'] })

    assert.deepEqual((await remove(ada, { password: PASSWORD })).body, { deleted: true })
    assert.deepEqual((await remove(other, { refreshToken: other.refreshToken })).body, { deleted: true })
  })

  test('[OWN-03] a used, a signed-out and another player’s refresh token are rejected; a guest has no password', async () => {
    const ada = await account()
    const { body } = await app().refresh(ada.refreshToken)
    assert.equal(
      (await remove(ada, { refreshToken: ada.refreshToken })).body.error.code,
      'invalid_refresh_token',
    )
    await project.development.public('POST', '/v1/auth/logout', { refreshToken: body.refreshToken })
    assert.equal(
      (await remove(ada, { refreshToken: body.refreshToken })).body.error.code,
      'invalid_refresh_token',
    )
    const guest = await newGuest(project.development)
    assert.equal((await remove(guest, { password: PASSWORD })).body.error.code, 'invalid_credentials')
  })

  test('[OWN-03] failures of the password here count together with those of log-in', async () => {
    const { production } = project
    const email = `guessed-${engine}@example.com`
    const ada = await emailCalls(production).player(email)
    for (let i = 0; i < 5; i++) await remove(ada, { password: `guess ${i}` })
    for (let i = 0; i < 5; i++) await emailCalls(production).logIn(email, `guess ${i}`)
    assert.equal((await remove(ada, { password: PASSWORD })).body.error.code, 'rate_limited')
  })

  test('[OWN-03] all data is removed: the email is free again, mails and daily activity are deleted', async () => {
    const email = `gone-${engine}@example.com`
    const ada = await app().player(email)
    assert.equal((await service.mailsTo(email)).length, 1)
    await remove(ada, { password: PASSWORD })
    await service.everyMinute()

    assert.deepEqual(await service.mailsTo(email), [])
    assert.equal((await app().logIn(email)).body.error.code, 'invalid_credentials')
    const detail = await project.development.server('GET', `/v1/admin/players/${ada.id}`)
    assert.equal(detail.body.error.code, 'player_not_found')
    const days = await service.db.search((q) =>
      q.selectFrom('players_days').selectAll().where('playerId', '=', ada.id),
    )
    assert.deepEqual(days, [])

    const again = await app().player(email)
    assert.notEqual(again.id, ada.id)
  })

  test('[OWN-03] a banned player cannot avoid the ban by deleting the account', async () => {
    const guest = await newGuest(project.development)
    await project.development.server('POST', `/v1/admin/players/${guest.id}/ban`, {})
    assert.equal((await remove(guest)).body.error.code, 'player_banned')
  })

  test('[OWN-04] developers export and delete with both methods and URLs, and the audit log records it', async () => {
    const inDashboard = project.development.path
    const exports = [
      ['GET', '/v1/admin', project.development.server],
      ['POST', '/v1/admin', project.development.server],
      ['GET', inDashboard, project.developer.call],
      ['POST', inDashboard, project.developer.call],
    ] as const
    const guest = await newGuest(project.development)
    for (const [method, root, call] of exports) {
      const { body } = await call(method, `${root}/players/${guest.id}/export`)
      assert.equal(body.player.id, guest.id)
    }
    const exported = (await auditOf('player.export')).filter(
      ({ target }: { target: string }) => target === guest.id,
    )
    assert.equal(exported.length, 4)
    assert.deepEqual(exported.map(({ actor }: { actor: { type: string } }) => actor.type).toSorted(), [
      'developer',
      'developer',
      'key',
      'key',
    ])

    const deletions = [
      ['POST', '/v1/admin', project.development.server],
      ['DELETE', '/v1/admin', project.development.server],
      ['POST', inDashboard, project.developer.call],
      ['DELETE', inDashboard, project.developer.call],
    ] as const
    for (const [method, root, call] of deletions) {
      const player = await app().player(`admin${++count}-${engine}@example.com`)
      assert.deepEqual((await call(method, `${root}/players/${player.id}/delete`)).body, { deleted: true })
      assert.equal((await player.call('GET', '/v1/players/me')).body.error.code, 'invalid_token')
      const received = (await auditOf('player.delete')).find(
        ({ target }: { target: string }) => target === player.id,
      )
      assert.deepEqual(received.details, {})
      const again = await call(method, `${root}/players/${player.id}/delete`)
      assert.deepEqual([again.status, again.body.error.code], [404, 'player_not_found'])
    }
  })

  test('[OWN-04] unknown players and those of another environment answer 404 player_not_found, and nothing happens', async () => {
    const guest = await newGuest(project.production)
    for (const id of [guest.id, 'ply_unknown', 'x']) {
      for (const [method, what] of [
        ['GET', 'export'],
        ['POST', 'delete'],
      ] as const) {
        const { status, body } = await project.development.server(method, `/v1/admin/players/${id}/${what}`)
        assert.deepEqual([status, body.error.code], [404, 'player_not_found'])
      }
    }
    assert.equal((await guest.call('GET', '/v1/players/me')).status, 200)
    const publishable = await project.development.public('POST', `/v1/admin/players/${guest.id}/delete`)
    assert.equal(publishable.body.error.code, 'secret_key_required')
  })

  test('[OWN-03] a deletion concurrent with sign-ins, a ban and another deletion runs once and leaves no session', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `race${round}-${engine}@example.com`
      const ada = await app().player(email)
      const [own, byAdmin] = await Promise.all([
        remove(ada, { password: PASSWORD }),
        project.development.server('POST', `/v1/admin/players/${ada.id}/delete`),
        app().logIn(email),
        app().logIn(email),
        app().refresh(ada.refreshToken),
        project.development.server('POST', `/v1/admin/players/${ada.id}/ban`, {}),
      ])
      assert.equal(byAdmin?.status === 200 || own?.status === 200, true)
      for (const table of ['sessions', 'moderation_bans', 'players_tokens'] as const) {
        const rows = await service.db.search((q) =>
          q.selectFrom(table).selectAll().where('playerId', '=', ada.id),
        )
        assert.deepEqual([table, rows], [table, []])
      }
    }
  })

  test('[OWN-03] data that a request in flight wrote after the deletion is removed with the record of the deletion', async () => {
    const guest = await newGuest(project.development)
    const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
    // Otherwise its activity, which is written within some seconds, may be written before the row below, with the same key.
    await service.everyMinute()
    await remove(guest)
    const traces = async () => {
      const days = await service.db.search((q) =>
        q.selectFrom('players_days').select('playerId').where('playerId', '=', guest.id),
      )
      const deletions = await service.db.search((q) =>
        q.selectFrom('players_deletions').select('playerId').where('playerId', '=', guest.id),
      )
      return [days.length, deletions.length]
    }
    await service.db.transaction((transaction) =>
      transaction.search((q) =>
        q
          .insertInto('players_days')
          .values({ environmentId, playerId: guest.id, day: '2026-01-01' })
          .returning('day'),
      ),
    )
    assert.deepEqual(await traces(), [1, 1])
    await service.everyMinute()
    assert.deepEqual(await traces(), [1, 1], 'its tokens may still be valid')
    service.clock.advance(17 * MINUTE_MS)
    await service.everyMinute()
    assert.deepEqual(await traces(), [0, 0])
  })
})
