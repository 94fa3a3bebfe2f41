import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'

import { engines, type Service, startService } from '../../testing/service.ts'
import { assertSigned, GAME, newWebhookGame, type Webhook, withWebhook } from '../../testing/webhook-game.ts'
import { type Answering, answerWith, startReceiver } from '../../testing/webhook-receiver.ts'

/** Failures of the developer's server, and the error that the developer sees. Tests without a timeout use the longest one. */
const FAILURES: [name: string, answering: Answering, error: RegExp, timeoutMs?: number][] = [
  ['never answers', () => {}, /^no complete answer within 300 ms$/, 300],
  ['answers 500', answerWith({ approve: true }, 500), /^the answer has status 500$/],
  ['answers 404 with approval', answerWith({ approve: true }, 404), /^the answer has status 404$/],
  ['answers 204', (response) => void response.writeHead(204).end(), /^the answer is not JSON$/],
  ['answers with a page', answerWith('<html>approve</html>'), /^the answer is not JSON$/],
  ['answers with half a document', answerWith('{"approve":true'), /^the answer is not JSON$/],
  ['answers null', answerWith('null'), /^the answer has neither approve nor results$/],
  ['answers with a list', answerWith([true]), /^the answer has neither approve nor results$/],
  ['answers with a number', answerWith('1'), /^the answer has neither approve nor results$/],
  ['has null results', answerWith({ results: null }), /^the answer has neither approve nor results$/],
  ['answers {}', answerWith({}), /^the answer has neither approve nor results$/],
  ['approves in words', answerWith({ approve: 'true' }), /^the answer has neither approve nor results$/],
  ['lists results', answerWith({ results: ['games'] }), /^the answer has neither approve nor results$/],
  [
    'redirects to one that would approve',
    (response, { path }) =>
      void (path === '/verify'
        ? response.writeHead(307, { location: '/approves' }).end()
        : response.end('{"approve":true}')),
    /^the answer has status 307$/,
  ],
  [
    'answers with more than 64 KiB',
    answerWith({ approve: true, padding: 'x'.repeat(65_536) }),
    /^the answer has more than 65536 bytes$/,
  ],
  ['never ends its answer', (response) => trickle(response), /^no complete answer within 300 ms$/, 300],
  [
    'breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"approve":true', () => void response.destroy())
    },
    /^the connection was closed before the answer was complete$/,
  ],
]

/** A byte every 20 ms, until the connection is closed. */
function trickle(response: ServerResponse) {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

for (const engine of engines) {
  describe(`the stats verification webhook on ${engine}`, () => {
    let service: Service
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    before(async () => {
      service = await startService(engine)
      receiver = await startReceiver()
    })
    beforeEach(() => {
      receiver.answer(answerWith({ approve: true }))
      receiver.take()
    })
    after(async () => {
      await service.stop()
      await receiver.stop()
    })

    const newGame = (webhook: Partial<Webhook> = {}, rules: object[] = []) =>
      newWebhookGame(service, { url: receiver.url, ...webhook }, rules)

    test('[STA-12] a report is sent to the url, as type, environmentId, playerId, stats and submittedAt', async () => {
      const { player, environmentId } = await newGame()
      await player.submit({ games: 3, best: 1.5 })
      const [request, ...others] = receiver.take()
      assert.deepEqual(others, [])
      assert.equal(request?.path, '/verify')
      assert.equal(request.headers['content-type'], 'application/json')
      assert.deepEqual(JSON.parse(request.text), {
        type: 'stats.verify',
        environmentId,
        playerId: player.id,
        stats: { games: 3, best: 1.5 },
        submittedAt: service.clock.now().toISOString(),
      })
    })

    test('[STA-12] [STA-01] nothing is sent while statsVerification is off, or without a url', async () => {
      const { player, push } = await newGame()
      await push({ ...withWebhook({ url: receiver.url }), features: { stats: true } })
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
      await push(GAME)
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
      assert.deepEqual(receiver.take(), [])
    })

    test('[STA-13] it is signed with the secret that key and developer can read, one per environment', async () => {
      const { player, project, development } = await newGame()
      const path = '/v1/admin/integrity/webhook-secret'
      const { secret } = (await development.server('GET', path)).body
      assert.match(secret, /^whsec_[A-Za-z0-9]{40}$/)
      assert.equal((await development.server('GET', path)).body.secret, secret)
      const byDeveloper = await project.developer.call('GET', `${development.path}/integrity/webhook-secret`)
      assert.equal(byDeveloper.body.secret, secret)
      assert.notEqual((await project.production.server('GET', path)).body.secret, secret)
      assert.equal((await development.public('GET', path)).body.error.code, 'secret_key_required')

      await player.submit({ games: 3 })
      const [request] = receiver.take()
      const nowMs = service.clock.now().getTime()
      assertSigned(String(request?.headers['svc-signature']), request?.text ?? '', secret, nowMs)
    })

    test('[STA-13] the secret is stored encrypted', async () => {
      const { development } = await newGame()
      const { secret } = (await development.server('GET', '/v1/admin/integrity/webhook-secret')).body
      const stored = await service.db.search((q) => q.selectFrom('secrets').selectAll())
      assert.ok(!JSON.stringify(stored).includes(secret.slice(6)))
    })

    test('[STA-14] approve: true accepts all, false rejects all', async () => {
      const { player } = await newGame()
      assert.deepEqual((await player.submit({ games: 1, best: 2 })).body.rejected, [])

      receiver.answer(answerWith({ approve: false }))
      const { body } = await player.submit({ games: 1, best: 3 })
      assert.deepEqual(body.stats, {})
      assert.deepEqual(body.rejected, [
        { key: 'games', value: 1, reason: 'verification_rejected' },
        { key: 'best', value: 3, reason: 'verification_rejected' },
      ])
      assert.deepEqual(await player.read(), { games: 1, best: 2 })
    })

    test('[STA-14] results accept the stats that are true in them, and no others', async () => {
      const { player, environmentId } = await newGame()
      receiver.answer(answerWith({ results: { games: true, best: 'true', strange: true } }))
      const { body } = await player.submit({ games: 1, best: 2, level: 3 })
      assert.deepEqual(Object.keys(body.stats), ['games'])
      assert.deepEqual(body.rejected, [
        { key: 'best', value: 2, reason: 'verification_rejected' },
        { key: 'level', value: 3, reason: 'verification_rejected' },
      ])
      assert.deepEqual(await player.read(), { games: 1 })

      const signals = await service.signals.of(environmentId, player.id)
      assert.deepEqual(
        signals.map(({ key, value, reason }) => [key, value, reason]),
        [
          ['level', 3, 'verification_rejected'],
          ['best', 2, 'verification_rejected'],
        ],
      )
    })

    test('[STA-14] if an answer has both, approve decides', async () => {
      const { player } = await newGame()
      receiver.answer(answerWith({ approve: true, results: { games: false } }))
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
      receiver.answer(answerWith({ approve: false, results: { games: true } }))
      assert.equal((await player.submit({ games: 1 })).body.rejected[0].reason, 'verification_rejected')
      assert.deepEqual(await player.read(), { games: 1 })
    })

    test('[STA-14] an answer of 64 KiB is accepted', async () => {
      const { player } = await newGame({ onFailure: 'reject' })
      receiver.answer(answerWith(JSON.stringify({ approve: true }).padEnd(65_536)))
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
    })

    test('[STA-15] only values that passed the local rules are sent, and nothing is sent if none did', async () => {
      const { player } = await newGame({}, [{ stat: 'best', max: 10 }])
      await player.submit({ games: 101, best: 11, level: 'x', other: 1 })
      assert.deepEqual(receiver.take(), [])
      const { body } = await player.submit({ games: 101, best: 10, level: 1 })
      assert.deepEqual(JSON.parse(receiver.take()[0]?.text ?? '').stats, { best: 10, level: 1 })
      assert.deepEqual(body.rejected, [{ key: 'games', value: 101, reason: 'above_max_per_submit' }])
    })

    for (const [name, answering, error, timeoutMs = 5_000] of FAILURES) {
      test(`[STA-15] onFailure decides when the server ${name}`, async () => {
        const accepting = await newGame({ timeoutMs })
        const rejecting = await newGame({ timeoutMs, onFailure: 'reject' })
        receiver.answer(answering)

        const accepted = await accepting.player.submit({ games: 1 })
        assert.deepEqual([accepted.status, accepted.body.rejected], [200, []])
        assert.deepEqual(await accepting.player.read(), { games: 1 })

        const rejected = await rejecting.player.submit({ games: 1, level: 'x' })
        assert.equal(rejected.status, 200)
        assert.deepEqual(rejected.body, {
          stats: {},
          rejected: [
            { key: 'level', value: 'x', reason: 'invalid_value' },
            { key: 'games', value: 1, reason: 'verification_unavailable' },
          ],
          unlocked: [],
        })
        assert.deepEqual(await rejecting.player.read(), {})

        const [delivery] = await rejecting.deliveries()
        assert.equal(delivery.outcome, 'failed')
        assert.match(delivery.error, error)
        assert.ok(receiver.take().every(({ path }) => path === '/verify'))
      })
    }

    test('[STA-15] onFailure decides if no server listens', async () => {
      const gone = await startReceiver()
      await gone.stop()
      const { player, deliveries } = await newGame({ url: gone.url, onFailure: 'reject' })
      const { body } = await player.submit({ games: 1 })
      assert.equal(body.rejected[0].reason, 'verification_unavailable')
      const [delivery] = await deliveries()
      assert.match(delivery.error, /ECONNREFUSED/)
      assert.deepEqual([delivery.status, delivery.answer], [null, null])
    })

    test('[STA-15] a server that delays fifty reports of its game does not delay other games', async () => {
      const { player } = await newGame({ onFailure: 'reject' })
      const other = await newGame({ onFailure: 'reject' })
      const held: ServerResponse[] = []
      receiver.answer((response) => void held.push(response))
      const waiting = Array.from({ length: 50 }, () => player.submit({ games: 1 }))
      await receiver.arrived(50)

      const oneMore = await player.submit({ games: 1 })
      assert.equal(oneMore.body.rejected[0].reason, 'verification_unavailable')
      receiver.answer(answerWith({ approve: true }))
      assert.deepEqual((await other.player.submit({ games: 1 })).body.rejected, [])

      for (const response of held) response.end('{"approve":true}')
      const answers = await Promise.all(waiting)
      assert.ok(answers.every(({ body }) => body.rejected.length === 0))
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
      assert.deepEqual(await player.read(), { games: 51 })
    })

    for (const [fate, code] of [
      ['banned', 'player_banned'],
      ['deleted', 'invalid_token'],
    ] as const) {
      test(`a player who is ${fate} during the verification stores nothing`, async () => {
        const { player, development, environmentId } = await newGame()
        let held: ServerResponse | undefined
        receiver.answer((response) => void (held = response))
        const waiting = player.submit({ games: 1, level: 'x' })
        await receiver.arrived(1)
        if (fate === 'banned') await development.server('POST', `/v1/admin/players/${player.id}/ban`, {})
        else await player.call('DELETE', '/v1/players/me')
        held?.end('{"approve":true}')

        assert.equal((await waiting).body.error.code, code)
        const { statDeliveries: _, ...stored } = await service.statsData.exportForPlayer(
          environmentId,
          player.id,
        )
        assert.deepEqual(stored, { stats: [], leaderboardResults: [], statSignals: [] })
      })
    }

    test('the time of receipt decides the period, even if the server takes long', async () => {
      const { player } = await newGame()
      service.clock.advance(86_400_000 - (service.clock.now().getTime() % 86_400_000) - 1)
      await player.renew()
      await player.submit({ games: 1 })
      let held: ServerResponse | undefined
      receiver.answer((response) => void (held = response))
      receiver.take()
      const waiting = player.submit({ games: 1 })
      await receiver.arrived(1)
      service.clock.advance(1)
      held?.end('{"approve":true}')
      assert.equal((await waiting).body.stats.games.daily, 2)
      receiver.answer(answerWith({ approve: true }))
      assert.equal((await player.submit({ games: 1 })).body.stats.games.daily, 1)
    })
  })
}
