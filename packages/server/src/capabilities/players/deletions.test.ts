import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`deleted players on ${engine}`, () => {
    let service: Service
    let project: Awaited<ReturnType<Service['newProject']>>
    before(async () => {
      service = await startService(engine)
      project = await service.newProject()
    })
    after(() => service.stop())

    const codeAt = async (call: ReturnType<Awaited<ReturnType<typeof newGuest>>['at']>) =>
      (await call('GET', '/v1/social/profile')).body.error?.code

    test('[OWN-03] a deletion whose message was lost is found in the database within a second', async () => {
      const guest = await newGuest(project.development)
      assert.equal(await codeAt(guest.call), undefined)
      const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
      await service.db.transaction((transaction) =>
        transaction.search((q) =>
          q
            .insertInto('revocations')
            .values({
              id: 'rev_1',
              atMs: Math.floor(service.db.databaseNowMs()),
              kind: 'player_deleted',
              environmentId,
              subject: guest.id,
            })
            .returning('id'),
        ),
      )
      await service.everySecond()
      assert.equal(await codeAt(guest.call), 'invalid_token')
    })

    test('[SES-10] [OWN-03] the refresh token of a deleted player answers session_revoked with the reason deleted', async () => {
      const guest = await newGuest(project.development)
      const refresh = (refreshToken: string) =>
        project.development.public('POST', '/v1/auth/refresh', { refreshToken })
      const { body: session } = await refresh(guest.refreshToken)
      await guest.call('DELETE', '/v1/players/me')

      for (const token of [session.refreshToken, guest.refreshToken]) {
        const { status, body } = await refresh(token)
        assert.deepEqual([status, body.error.code], [401, 'session_revoked'])
        assert.deepEqual(body.error.details, { reason: 'deleted' })
      }
      const appeal = { refreshToken: session.refreshToken, message: 'x' }
      const { body } = await project.development.public('POST', '/v1/auth/appeal', appeal)
      assert.equal(body.error.code, 'invalid_refresh_token')
      service.clock.advance(90 * DAY_MS - 1)
      await service.everyHour()
      assert.deepEqual((await refresh(session.refreshToken)).body.error.details, { reason: 'deleted' })
      service.clock.advance(1)
      await service.everyHour()
      assert.equal((await refresh(session.refreshToken)).body.error.code, 'invalid_refresh_token')
    })

    test('[OWN-03] a token is rejected until it would have expired', async () => {
      const guest = await newGuest(project.development)
      await guest.call('DELETE', '/v1/players/me')
      service.clock.advance(15 * MINUTE_MS - 1_000)
      await service.everySecond()
      assert.equal(await codeAt(guest.call), 'invalid_token')
      service.clock.advance(1_000)
      assert.equal(await codeAt(guest.call), 'token_expired')
    })
  })
}

describe('deleted players on two nodes', () => {
  let service: Service
  let other: Service
  let project: Awaited<ReturnType<Service['newProject']>>
  before(async () => {
    service = await startService('postgres')
    other = await startService('postgres', { clusterOf: service })
    project = await service.newProject()
  })
  after(async () => {
    await other.stop()
    await service.stop()
  })

  test('[OWN-03] the other node and one that starts later reject the token, too', async () => {
    const guest = await newGuest(project.development)
    const there = guest.at(other.withKey(project.development.publishableKey))
    assert.equal((await there('GET', '/v1/social/profile')).status, 200)

    await guest.call('DELETE', '/v1/players/me')
    await other.everySecond()
    assert.equal((await there('GET', '/v1/social/profile')).body.error.code, 'invalid_token')

    const late = await startService('postgres', { clusterOf: service })
    const later = guest.at(late.withKey(project.development.publishableKey))
    assert.equal((await later('GET', '/v1/social/profile')).body.error.code, 'invalid_token')
    await late.stop()
  })

  test('[OWN-03] concurrent deletions on both nodes delete once', async () => {
    const guest = await newGuest(project.development)
    const path = `/v1/admin/players/${guest.id}/delete`
    const there = other.withKey(project.development.secretKey)
    const answers = await Promise.all([
      project.development.server('POST', path),
      there('POST', path),
      project.development.server('POST', path),
      there('POST', path),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 404).length, 3)
  })
})
