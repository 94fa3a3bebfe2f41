import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS, HOUR_MS } from '../../platform/clock.ts'
import { emailCalls, newEmailProject } from '../../testing/email-players.ts'
import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import type { Service } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

suite('after a ban', {}, ({ engine, service }) => {
  let project: Awaited<ReturnType<Service['newProject']>>
  before(async () => {
    project = await newEmailProject(service)
  })

  const ban = (playerId: string, terms: object = {}) =>
    project.development.server('POST', `/v1/admin/players/${playerId}/ban`, terms)
  const unban = (playerId: string) =>
    project.development.server('POST', `/v1/admin/players/${playerId}/unban`, {})
  const write = (guest: Guest) => guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })
  const refresh = (refreshToken: string) =>
    project.development.public('POST', '/v1/auth/refresh', { refreshToken })

  test('[BAN-11] [SES-10] after a ban a guest can use the refresh token that the ban revoked', async () => {
    const ends: Record<string, (guest: Guest) => Promise<unknown>> = {
      async 'ran out'(guest) {
        await ban(guest.id, { durationHours: 8784 })
        assert.equal((await refresh(guest.refreshToken)).body.error.details.reason, 'ban')
        service.clock.advance(8784 * HOUR_MS)
      },
      async lifted(guest) {
        await ban(guest.id)
        service.clock.advance(200 * DAY_MS)
        await service.everyHour()
        assert.equal((await refresh(guest.refreshToken)).body.error.details.reason, 'ban')
        await unban(guest.id)
      },
    }
    for (const [how, end] of Object.entries(ends)) {
      const guest = await newGuest(project.development)
      await end(guest)
      service.clock.advance(90 * DAY_MS - 1)
      await service.everyHour()

      const { status, body } = await refresh(guest.refreshToken)

      assert.deepEqual([status, body.player?.id], [200, guest.id], how)
      const { body: next } = await refresh(body.refreshToken)
      assert.equal(next.player?.id, guest.id, how)
      assert.equal((await write(asGuest(project.development.public, next))).status, 200, how)
      assert.deepEqual((await refresh(body.refreshToken)).body.error.details, { reason: 'reuse' }, how)
    }
  })

  test('[BAN-11] [SES-10] after ninety days the token that a ban revoked has expired', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id, { durationHours: 1 })
    service.clock.advance(HOUR_MS + 90 * DAY_MS)
    assert.equal((await refresh(guest.refreshToken)).status, 401)
  })

  test('[BAN-08] [SES-10] a player with a sign-in method signs in again after a ban', async () => {
    const side = project.development
    const guest = await newGuest(side)
    const calls = emailCalls(side)
    await calls.link(guest, `linked-${engine}@example.com`)
    await side.server('POST', `/v1/admin/players/${guest.id}/ban`, {})
    await side.server('POST', `/v1/admin/players/${guest.id}/unban`, {})
    const { status, body } = await calls.refresh(guest.refreshToken)
    assert.deepEqual([status, body.error.details], [401, { reason: 'ban' }])
    assert.equal((await calls.logIn(`linked-${engine}@example.com`)).status, 200)
  })

  test('[SES-08] [BAN-11] an older token of the chain stays invalid, and its use also ends the newest one', async () => {
    const guest = await newGuest(project.development)
    const { body: newest } = await refresh(guest.refreshToken)
    await ban(guest.id)
    await unban(guest.id)
    assert.deepEqual((await refresh(guest.refreshToken)).body.error.details, { reason: 'reuse' })
    assert.deepEqual((await refresh(newest.refreshToken)).body.error.details, { reason: 'reuse' })
  })

  test('[BAN-11] [SES-11] several concurrent uses of that token: one succeeds, and the chain stays valid', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id)
    await unban(guest.id)
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(guest.refreshToken)))
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ body }) => body.error?.code === 'refresh_race')
    assert.deepEqual([won.length, lost.length], [1, 4])
    assert.equal((await refresh(won[0]?.body.refreshToken)).status, 200)
  })

  test('[BAN-11] a session that ended for another reason is not restored after a ban', async () => {
    const guest = await newGuest(project.development)
    await project.development.public('POST', '/v1/auth/logout', { refreshToken: guest.refreshToken })
    await ban(guest.id)
    await unban(guest.id)
    assert.deepEqual((await refresh(guest.refreshToken)).body.error.details, { reason: 'logout' })
  })
})
