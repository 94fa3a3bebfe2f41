import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import { startRedis } from '../../testing/redis.ts'
import { type Answer, type Call, engines, type Service, startService } from '../../testing/service.ts'

type Project = Awaited<ReturnType<Service['newProject']>>

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const received = ({ status, body }: Answer): string => body.error?.code ?? String(status)
const tally = (answers: Answer[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, received)).map(([code, list]) => [code, list?.length]),
  )

/** Runs all concurrently; another one starts first in each round. */
async function together<Name extends string>(
  calls: Record<Name, () => Promise<Answer>>,
  round: number,
): Promise<Record<Name, Answer>> {
  const entries = Object.entries(calls) as [Name, () => Promise<Answer>][]
  const first = round % entries.length
  const answers = await Promise.all(
    [...entries.slice(first), ...entries.slice(0, first)].map(async ([name, call]) => [name, await call()]),
  )
  return Object.fromEntries(answers)
}

const rename = (call: Call) => call('PATCH', '/v1/players/me', { displayName: 'Ada' })
const refresh = (app: Call, refreshToken: string) => app('POST', '/v1/auth/refresh', { refreshToken })

async function newProject(service: Service): Promise<Project> {
  const project = await service.newProject()
  await project.development.server('PUT', '/v1/config', { share: { inAppBrowser: { enabled: true } } })
  return project
}

/** The number of sessions that this ban has revoked, according to their rows. */
async function revokedBy(service: Service, sanctionId: string): Promise<number> {
  const rows = await service.db.search((q) =>
    q.selectFrom('sessions').select('id').where('sanctionId', '=', sanctionId),
  )
  return rows.length
}

for (const engine of engines) {
  describe(`bans concurrent with other requests, on ${engine}`, () => {
    let service: Service
    let project: Project
    before(async () => {
      service = await startService(engine)
      project = await newProject(service)
    })
    after(() => service.stop())

    const ban = ({ id }: Guest) =>
      project.development.server('POST', `/v1/admin/players/${id}/ban`, { reason: 'race' })
    const sanctionsOf = async (guest: Guest) =>
      (await guest.call('GET', '/v1/players/me/sanctions')).body.sanctions

    test('[BAN-06] [BAN-08] [BAN-09] ban × sign-in × refresh × write: no session stays valid, and revokedSessions is exact', async () => {
      const app = project.development.public
      for (let round = 0; round < 12; round++) {
        const guest = await newGuest(project.development)
        const newCode = async () => (await guest.call('POST', '/v1/auth/transfer')).body.code
        const redeem = async (code: string) => app('POST', '/v1/auth/transfer/redeem', { code })
        const second = asGuest(app, (await redeem(await newCode())).body)
        const code = await newCode()
        const sessions: Guest[] = [guest, second]

        const calls = {
          banned: () => ban(guest),
          redeemed: () => redeem(code),
          first: () => refresh(app, guest.refreshToken),
          other: () => refresh(app, second.refreshToken),
          written: () => rename(guest.call),
        }
        const { banned, redeemed, first, other } = await together(calls, round)
        assert.equal(banned.status, 200)
        assert.ok(['200', 'player_banned'].includes(received(redeemed)), received(redeemed))
        for (const answer of [first, other]) assert.ok(['200', 'session_revoked'].includes(received(answer)))
        for (const { status, body } of [first, other, redeemed])
          if (status === 200) sessions.push(asGuest(app, body))

        const [sanction] = await sanctionsOf(guest)
        assert.equal(await revokedBy(service, sanction.id), banned.body.player.revokedSessions)
        assert.equal(banned.body.player.revokedSessions, redeemed.status === 200 ? 3 : 2)
        for (const session of sessions) {
          const { status, body } = await refresh(app, session.refreshToken)
          assert.deepEqual([status, body.error.details.reason], [401, 'ban'])
          assert.equal((await rename(session.call)).body.error.code, 'player_banned')
        }
      }
    })

    test('[BAN-09] no write that starts after the response of the ban is accepted', async () => {
      for (let round = 0; round < 5; round++) {
        const guest = await newGuest(project.development)
        let answered = false
        const writer = async () => {
          for (;;) {
            const begunAfter = answered
            const { status } = await rename(guest.call)
            if (begunAfter) return status
          }
        }
        const writers = times(4, writer)
        await ban(guest).finally(() => void (answered = true))
        assert.deepEqual(await writers, [403, 403, 403, 403])
      }
    })

    test('[BAN-09] a write that started before the ban is rejected if its body arrives after it', async () => {
      const guest = await newGuest(project.development)
      if (!service.http.server.listening) await service.http.listen({ host: '127.0.0.1', port: 0 })
      const { port } = service.http.server.address() as AddressInfo
      const sent = request({
        host: '127.0.0.1',
        port,
        method: 'PATCH',
        path: '/v1/players/me',
        headers: {
          'x-svc-key': project.development.publishableKey,
          authorization: `Bearer ${guest.accessToken}`,
          'content-type': 'application/json',
          expect: '100-continue',
        },
      })
      const answered = once(sent, 'response')
      sent.flushHeaders()
      await once(sent, 'continue')
      await rename(guest.call)

      await ban(guest)
      sent.end('{"displayName":"Late"}')
      const [response] = (await answered) as [IncomingMessage]
      const { error } = (await json(response)) as { error: { code: string } }
      assert.deepEqual([response.statusCode, error.code], [403, 'player_banned'])
      assert.equal((await guest.call('GET', '/v1/players/me')).body.player.displayName, 'Ada')
    })

    test('[BAN-12] 20 concurrent bans create one sanction, and each session is counted once', async () => {
      const guest = await newGuest(project.development)
      const answers = await times(20, () => ban(guest))
      assert.deepEqual(tally(answers), { 200: 20 })
      assert.equal((await sanctionsOf(guest)).length, 1)
      const counted = answers.map(({ body }) => body.player.revokedSessions)
      assert.equal(
        counted.reduce((sum, count) => sum + count, 0),
        1,
      )
    })

    test('[BAN-12] concurrent bans and unbans leave at most one active sanction, and the player has the matching state', async () => {
      for (let round = 0; round < 5; round++) {
        const guest = await newGuest(project.development)
        const unban = () => project.development.server('POST', `/v1/admin/players/${guest.id}/unban`, {})
        await times(20, (i) => (i % 2 ? ban(guest) : unban()))
        const sanctions: { active: boolean }[] = await sanctionsOf(guest)
        const active = sanctions.filter((sanction) => sanction.active).length
        assert.ok(active <= 1)
        assert.equal((await rename(guest.call)).status, active === 1 ? 403 : 200)
      }
    })

    test('[APL-02] 20 concurrent appeals, by session and by token: one is filed', async () => {
      const guest = await newGuest(project.development)
      await ban(guest)
      const [{ id }] = await sanctionsOf(guest)
      const answers = await times(20, (i) =>
        i % 2
          ? guest.call('POST', `/v1/players/me/sanctions/${id}/appeal`, { message: `${i}` })
          : project.development.public('POST', '/v1/auth/appeal', {
              refreshToken: guest.refreshToken,
              message: `${i}`,
            }),
      )
      assert.deepEqual(tally(answers), { 201: 1, appeal_exists: 19 })
      const filed = answers.find(({ status }) => status === 201)?.body.appeal
      assert.deepEqual((await sanctionsOf(guest))[0].appeal, filed)
    })

    test('[APL-05] [APL-06] 20 concurrent resolutions: one succeeds', async () => {
      const guest = await newGuest(project.development)
      await ban(guest)
      const { body } = await project.development.public('POST', '/v1/auth/appeal', {
        refreshToken: guest.refreshToken,
        message: 'x',
      })
      const answers = await times(20, (i) =>
        project.development.server('POST', `/v1/admin/appeals/${body.appeal.id}/resolve`, {
          accept: i % 2 === 0,
          response: `${i}`,
        }),
      )
      assert.deepEqual(tally(answers), { 200: 1, appeal_already_resolved: 19 })
      const won = answers.find(({ status }) => status === 200)?.body.appeal
      const [sanction] = await sanctionsOf(guest)
      assert.deepEqual([sanction.appeal.status, sanction.appeal.response], [won.status, won.response])
      assert.equal(sanction.active, won.status === 'rejected')
      assert.equal((await rename(guest.call)).status, sanction.active ? 403 : 200)
    })
  })
}

describe('bans on two nodes', () => {
  test('[BAN-09] [BAN-12] a ban on one node applies on the other immediately; bans on both create one sanction', async () => {
    const one = await startService('postgres')
    const two = await startService('postgres', { clusterOf: one })
    try {
      const { development } = await newProject(one)
      const app = two.withKey(development.publishableKey)
      const server = two.withKey(development.secretKey)
      for (let round = 0; round < 5; round++) {
        const guest = await newGuest(development)
        assert.equal((await rename(guest.at(app))).status, 200)
        const path = `/v1/admin/players/${guest.id}/ban`
        const answers = await times(10, (i) => (i % 2 ? server : development.server)('POST', path, {}))
        assert.deepEqual(tally(answers), { 200: 10 })

        const refused = await Promise.all([rename(guest.at(app)), rename(guest.call)])
        assert.deepEqual(tally(refused), { player_banned: 2 })
        assert.equal((await refresh(app, guest.refreshToken)).body.error.code, 'session_revoked')
        const { body } = await guest.at(app)('GET', '/v1/players/me/sanctions')
        assert.equal(body.sanctions.length, 1)
        await server('POST', `/v1/admin/players/${guest.id}/unban`, {})
        assert.equal((await rename(guest.call)).status, 200)
      }
    } finally {
      await two.stop()
      await one.stop()
    }
  })

  test('[BAN-08] [BAN-09] the same without messages on the bus', async (t) => {
    const redis = await startRedis()
    t.after(() => redis.stop())
    const settings = { REDIS_URL: redis.url }
    const one = await startService('postgres', { settings })
    const two = await startService('postgres', { settings, clusterOf: one })
    try {
      const { development } = await newProject(one)
      const app = two.withKey(development.publishableKey)
      const guest = await newGuest(development)
      const { body: made } = await guest.at(app)('POST', '/v1/auth/transfer')

      process.kill(redis.pid, 'SIGSTOP')
      const { status } = await development.server('POST', `/v1/admin/players/${guest.id}/ban`, {})
      assert.equal(status, 200)
      assert.equal((await rename(guest.at(app))).body.error.code, 'player_banned')
      assert.equal((await refresh(app, guest.refreshToken)).body.error.code, 'session_revoked')
      const redeemed = await app('POST', '/v1/auth/transfer/redeem', { code: made.code })
      assert.equal(redeemed.body.error.code, 'player_banned')
      process.kill(redis.pid, 'SIGCONT')
    } finally {
      await two.stop()
      await one.stop()
    }
  })
})
