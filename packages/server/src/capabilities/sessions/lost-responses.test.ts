import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'

const NONCE = 'nonce of the browser'

suite('a refresh whose response was lost', { features: {} }, ({ service, project }) => {
  const app = (path: string, body: object) => project.development.public('POST', path, body)
  const refresh = (refreshToken: string, nonce?: string) =>
    app('/v1/auth/refresh', { refreshToken, ...(nonce && { nonce }) })
  const outcome = ({ status, body }: Awaited<ReturnType<typeof refresh>>) =>
    status === 200 ? 'ok' : `${body.error.code} ${body.error.details?.reason ?? ''}`.trim()

  /** A guest whose browser never got the response of its refresh. */
  async function withLostResponse() {
    const { player, refreshToken } = (await app('/v1/auth/guest', {})).body
    const lost = (await refresh(refreshToken, NONCE)).body
    return { player, refreshToken, lost, repeat: () => refresh(refreshToken, NONCE) }
  }

  for (const [after, ms] of [
    ['two minutes', 2 * MINUTE_MS],
    ['an hour', HOUR_MS],
    ['a day', DAY_MS],
    ['89 days', 89 * DAY_MS],
  ] as const)
    test(`[SES-19] is repeated after ${after}: the same player and the same successor, more than once`, async () => {
      const { player, lost, repeat } = await withLostResponse()
      service.clock.advance(ms)
      for (let times = 0; times < 2; times++) {
        const { status, body } = await repeat()
        assert.deepEqual([status, body.player?.id, body.refreshToken], [200, player.id, lost.refreshToken])
      }
      const next = await refresh(lost.refreshToken, 'the next nonce')
      assert.equal(outcome(next), 'ok')
      assert.equal(outcome(await refresh(next.body.refreshToken)), 'ok')
    })

  test('[SES-19] is repeated anywhere in a long chain', async () => {
    let { refreshToken } = (await withLostResponse()).lost
    for (let uses = 1; uses <= 40; uses++) {
      const nonce = `nonce number ${uses}`
      const lost = (await refresh(refreshToken, nonce)).body
      service.clock.advance(HOUR_MS)
      const again = (await refresh(refreshToken, nonce)).body
      assert.equal(again.refreshToken, lost.refreshToken)
      refreshToken = again.refreshToken
    }
  })

  test('[SES-05] [SES-19] cannot be repeated once the successor has expired', async () => {
    const { repeat } = await withLostResponse()
    service.clock.advance(90 * DAY_MS)
    assert.equal(outcome(await repeat()), 'invalid_refresh_token')
  })

  for (const [copy, nonce] of [
    ['with another nonce', 'a nonce of a thief'],
    ['without a nonce', undefined],
  ] as const)
    test(`[SES-08] [SES-19] a copied token ${copy} is reuse, and ends the whole chain`, async () => {
      const { refreshToken, lost, repeat } = await withLostResponse()
      service.clock.advance(HOUR_MS)
      assert.equal(outcome(await refresh(refreshToken, nonce)), 'session_revoked reuse')
      assert.equal(outcome(await repeat()), 'session_revoked reuse')
      assert.equal(outcome(await refresh(lost.refreshToken)), 'session_revoked reuse')
    })

  test('[SES-08] [SES-19] once the successor was used, the same token and nonce are reuse', async () => {
    const { lost, repeat } = await withLostResponse()
    const { body } = await refresh(lost.refreshToken, 'the next nonce')
    assert.equal(outcome(await repeat()), 'session_revoked reuse')
    assert.equal(outcome(await refresh(body.refreshToken)), 'session_revoked reuse')
  })

  test('[SES-19] an access token of the successor is not a use of it: a browser that ended too early to store the successor has used it', async () => {
    const { player, lost, repeat } = await withLostResponse()
    const headers = { authorization: `Bearer ${lost.accessToken}` }
    const { status } = await project.development.public('GET', '/v1/players/me', undefined, headers)
    assert.equal(status, 200)
    service.clock.advance(HOUR_MS)
    assert.equal((await repeat()).body.player.id, player.id)
  })

  test('[SES-11] [SES-19] 20 concurrent repetitions return one successor, and the chain stays valid', async () => {
    const { lost, repeat } = await withLostResponse()
    service.clock.advance(HOUR_MS)
    const answers = await Promise.all(Array.from({ length: 20 }, repeat))
    assert.deepEqual([...new Set(answers.map(({ body }) => body.refreshToken))], [lost.refreshToken])
    assert.equal(outcome(await refresh(lost.refreshToken)), 'ok')
  })

  test('[SES-15] [SES-19] repetitions concurrent with a sign-out give no session that outlives it', async () => {
    for (let round = 0; round < 5; round++) {
      const { refreshToken, lost, repeat } = await withLostResponse()
      service.clock.advance(HOUR_MS)
      const [, ...answers] = await Promise.all([
        app('/v1/auth/logout', { refreshToken }),
        ...Array.from({ length: 5 }, repeat),
      ])
      for (const each of answers) assert.match(outcome(each), /^(ok|session_revoked logout)$/)
      assert.equal(outcome(await repeat()), 'session_revoked logout')
      assert.equal(outcome(await refresh(lost.refreshToken)), 'session_revoked logout')
    }
  })

  test('[SES-10] [SES-19] a ban in between is reported; after its end the repetition continues the chain', async () => {
    const { player, lost, repeat } = await withLostResponse()
    const admin = (what: string) =>
      project.development.server('POST', `/v1/admin/players/${player.id}/${what}`, {})
    await admin('ban')
    assert.equal(outcome(await repeat()), 'session_revoked ban')
    await admin('unban')
    const answers = await Promise.all(Array.from({ length: 5 }, repeat))
    for (const { body } of answers) assert.equal(body.refreshToken, lost.refreshToken)
    const detail = await project.development.server('GET', `/v1/admin/players/${player.id}`)
    assert.equal(
      detail.body.player.sessions.length,
      1,
      'the session is active again before its token is used',
    )
    assert.equal(outcome(await refresh(lost.refreshToken)), 'ok')
  })

  test('[SES-10] [SES-19] the repetition of a deleted player answers deleted', async () => {
    const { player, repeat } = await withLostResponse()
    await project.development.server('POST', `/v1/admin/players/${player.id}/delete`, {})
    assert.equal(outcome(await repeat()), 'session_revoked deleted')
  })
})

describe('a refresh whose response was lost, on two nodes', () => {
  const [first, second] = startTwoNodes()

  test('[SES-18] [SES-19] is repeated on the other node, also by many at the same time', async () => {
    const { development } = await first.newProject()
    const one = first.withKey(development.publishableKey)
    const two = second.withKey(development.publishableKey)
    const { player, refreshToken } = (await one('POST', '/v1/auth/guest', {})).body
    const request = ['POST', '/v1/auth/refresh', { refreshToken, nonce: NONCE }] as const
    const lost = (await one(...request)).body
    first.clock.advance(HOUR_MS)
    const answers = await Promise.all([two, one, two, one, two].map((node) => node(...request)))
    for (const { body } of answers)
      assert.deepEqual([body.player?.id, body.refreshToken], [player.id, lost.refreshToken])
    const { status } = await two('POST', '/v1/auth/refresh', { refreshToken: lost.refreshToken })
    assert.equal(status, 200)
  })
})
