import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'

import Stripe from 'stripe'

import { engines, type Service, startService } from '../../testing/service.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { type Answering, answerWith, startReceiver } from '../../testing/webhook-receiver.ts'

const ON = {
  features: { stats: true, statsVerification: true },
  stats: [{ key: 'games', maxPerSubmit: 100 }, { key: 'best', aggregation: 'max' }, { key: 'level' }],
}

type Webhook = { url: string; timeoutMs?: number; onFailure?: 'accept' | 'reject' }
const withWebhook = (webhook: Webhook, rules: object[] = []) => ({
  ...ON,
  integrity: { stats: { rules, webhook, maxSubmitsPerMinute: 600 } },
})

/** What may go wrong at the other end, and how the developer is told. */
const FAILURES: [name: string, answering: Answering, error: RegExp][] = [
  ['never answers', () => {}, /^no whole answer within 300 ms$/],
  ['answers 500', answerWith({ approve: true }, 500), /^the answer has status 500$/],
  ['answers 404 with approval', answerWith({ approve: true }, 404), /^the answer has status 404$/],
  ['answers 204', (response) => void response.writeHead(204).end(), /^the answer is not JSON$/],
  ['answers with a page', answerWith('<html>approve</html>'), /^the answer is not JSON$/],
  ['answers with half a document', answerWith('{"approve":true'), /^the answer is not JSON$/],
  ['answers null', answerWith('null'), /^the answer has neither approve nor results$/],
  ['answers with a list', answerWith([true]), /^the answer has neither approve nor results$/],
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
  ['never ends its answer', (response) => trickle(response), /^no whole answer within 300 ms$/],
  [
    'breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"approve":true', () => void response.destroy())
    },
    /^the connection was closed before the answer was whole$/,
  ],
]

/** A byte every 20 ms, for as long as anybody listens. */
function trickle(response: ServerResponse) {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

/** By a public library that checks the same kind of header, and so by code that is not ours. */
function assertSigned(header: string, rawBody: string, secret: string, nowMs: number) {
  const { signature } = new Stripe('sk_test_unused').webhooks
  assert.ok(signature)
  assert.ok(signature.verifyHeader(rawBody, header, secret, 300, undefined, nowMs))
  assert.throws(() => signature.verifyHeader(`${rawBody} `, header, secret, 300, undefined, nowMs))
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

    async function newGame(webhook: Partial<Webhook> = {}, rules: object[] = []) {
      const project = await service.newProject()
      const { development } = project
      const push = (document: object) => development.server('PUT', '/v1/config', document)
      const pushed = await push(withWebhook({ url: receiver.url, ...webhook }, rules))
      assert.equal(pushed.status, 200)
      const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
      const deliveries = async (query = '') =>
        (await development.server('GET', `/v1/admin/integrity/webhook-deliveries${query}`)).body.deliveries
      const player = await newStatsPlayer(development)
      return { project, development, push, environmentId, deliveries, player }
    }

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
      await push(ON)
      assert.deepEqual((await player.submit({ games: 1 })).body.rejected, [])
      assert.deepEqual(receiver.take(), [])
    })

    test('[STA-13] it is signed with the secret that key and developer read, the same every time and another per environment', async () => {
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

    test('[STA-13] the secret is sealed at rest', async () => {
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

    test('[STA-15] only values that passed the local rules are sent, and nothing when none did', async () => {
      const { player } = await newGame({}, [{ stat: 'best', max: 10 }])
      await player.submit({ games: 101, best: 11, level: 'x', other: 1 })
      assert.deepEqual(receiver.take(), [])
      const { body } = await player.submit({ games: 101, best: 10, level: 1 })
      assert.deepEqual(JSON.parse(receiver.take()[0]?.text ?? '').stats, { best: 10, level: 1 })
      assert.deepEqual(body.rejected, [{ key: 'games', value: 101, reason: 'above_max_per_submit' }])
    })

    for (const [name, answering, error] of FAILURES) {
      test(`[STA-15] onFailure decides when the server ${name}`, async () => {
        const accepting = await newGame({ timeoutMs: 300 })
        const rejecting = await newGame({ timeoutMs: 300, onFailure: 'reject' })
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

    test('[STA-15] onFailure decides when nobody listens', async () => {
      const gone = await startReceiver()
      await gone.stop()
      const { player, deliveries } = await newGame({ url: gone.url, onFailure: 'reject' })
      const { body } = await player.submit({ games: 1 })
      assert.equal(body.rejected[0].reason, 'verification_unavailable')
      const [delivery] = await deliveries()
      assert.match(delivery.error, /ECONNREFUSED/)
      assert.deepEqual([delivery.status, delivery.answer], [null, null])
    })

    test('[STA-15] a server that holds fifty reports of its game holds up nobody else', async () => {
      const { player } = await newGame({ timeoutMs: 5_000, onFailure: 'reject' })
      const held: ServerResponse[] = []
      receiver.answer((response) => void held.push(response))
      const waiting = Array.from({ length: 50 }, () => player.submit({ games: 1 }))
      await receiver.arrived(50)

      const oneMore = await player.submit({ games: 1 })
      assert.equal(oneMore.body.rejected[0].reason, 'verification_unavailable')
      receiver.answer(answerWith({ approve: true }))
      const other = await newGame()
      assert.deepEqual((await other.player.submit({ games: 1 })).body.rejected, [])

      for (const response of held)
        answerWith({ approve: true })(response, { headers: {}, text: '', path: '' })
      const answers = await Promise.all(waiting)
      assert.ok(answers.every(({ body }) => body.rejected.length === 0))
      assert.deepEqual(await player.read(), { games: 50 })
    })

    test('a player who is banned while the server thinks stores nothing', async () => {
      const { player, environmentId } = await newGame({ timeoutMs: 5_000 })
      let held: ServerResponse | undefined
      receiver.answer((response) => void (held = response))
      const waiting = player.submit({ games: 1 })
      await receiver.arrived(1)
      await service.db.transaction((transaction) =>
        transaction.search((q) =>
          q
            .updateTable('players')
            .set({ bannedUntil: '9999-12-31T23:59:59.999Z' })
            .where('environmentId', '=', environmentId)
            .where('id', '=', player.id),
        ),
      )
      held?.end('{"approve":true}')
      assert.equal((await waiting).body.error.code, 'player_banned')
      assert.deepEqual(await player.read(), {})
    })

    test('the receipt decides the period, however long the server thinks', async () => {
      const { player } = await newGame({ timeoutMs: 5_000 })
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

    describe('deliveries', () => {
      test('tell status, duration and the first 1,000 characters of the answer, newest first', async () => {
        const { player, deliveries, project, development } = await newGame()
        const at = service.clock.now().toISOString()
        receiver.answer(answerWith({ approve: true, note: `\0${'é'.repeat(2_000)}` }))
        await player.submit({ games: 1 })
        receiver.answer(answerWith('no', 503))
        await player.submit({ games: 1 })

        const [second, first, ...none] = await deliveries()
        assert.deepEqual(none, [])
        assert.match(first.id, /^dlv_/)
        assert.ok(Number.isInteger(first.durationMs) && first.durationMs >= 0)
        assert.deepEqual(
          { ...first, id: '', durationMs: 0 },
          {
            id: '',
            at,
            kind: 'stats.verify',
            url: receiver.url,
            status: 200,
            durationMs: 0,
            outcome: 'answered',
            error: null,
            answer: JSON.stringify({ approve: true, note: `\0${'é'.repeat(2_000)}` }).slice(0, 1_000),
          },
        )
        assert.deepEqual(
          [second.status, second.outcome, second.answer, second.error],
          [503, 'failed', 'no', 'the answer has status 503'],
        )
        const path = `${development.path}/integrity/webhook-deliveries?limit=1`
        assert.deepEqual((await project.developer.call('GET', path)).body.deliveries, [second])
      })

      test('hold any bytes that a server answers with', async () => {
        const { player, deliveries } = await newGame()
        receiver.answer((response) => void response.end(Buffer.from([0x7b, 0x00, 0xff, 0xf0, 0x9f])))
        await player.submit({ games: 1 })
        assert.equal((await deliveries())[0].answer, '{\uFFFD\uFFFD\uFFFD')
      })

      test('are kept for the last 100 of an environment, and are its own', async () => {
        const { player, deliveries } = await newGame()
        const other = await newGame()
        await other.player.submit({ games: 1 })
        for (let i = 0; i < 3; i++) {
          await Promise.all(Array.from({ length: 40 }, () => player.submit({ games: 1 })))
        }
        assert.equal((await deliveries('?limit=100')).length, 100)
        assert.equal((await deliveries()).length, 50)
        assert.equal((await other.deliveries()).length, 1)
        const { body } = await other.development.server(
          'GET',
          '/v1/admin/integrity/webhook-deliveries?limit=101',
        )
        assert.equal(body.error.code, 'invalid_request')
      })

      test('never hold the secret, and forget a player whom an answer names', async () => {
        const { player, deliveries, development, environmentId } = await newGame()
        const { secret } = (await development.server('GET', '/v1/admin/integrity/webhook-secret')).body
        receiver.answer((response, { text }) => void response.end(text))
        await player.submit({ games: 1 })
        assert.ok((await deliveries())[0].answer.includes(player.id))
        assert.ok(!JSON.stringify(await deliveries()).includes(secret))

        await service.db.transaction((transaction) =>
          service.statsData.removeOf(transaction, environmentId, player.id),
        )
        assert.deepEqual(await deliveries(), [])
      })

      test('can be tried out on demand', async () => {
        const { development, project, environmentId, deliveries } = await newGame()
        const path = '/v1/admin/integrity/webhook-test'
        const { secret } = (await development.server('GET', '/v1/admin/integrity/webhook-secret')).body
        const { status, body } = await development.server('POST', path)
        assert.equal(status, 200)
        assert.deepEqual(
          [body.delivery.kind, body.delivery.status, body.delivery.outcome],
          ['test', 200, 'answered'],
        )
        const [request] = receiver.take()
        assert.deepEqual(JSON.parse(request?.text ?? ''), {
          type: 'test',
          environmentId,
          playerId: null,
          stats: {},
          submittedAt: service.clock.now().toISOString(),
        })
        const nowMs = service.clock.now().getTime()
        assertSigned(String(request?.headers['svc-signature']), request?.text ?? '', secret, nowMs)
        assert.deepEqual(await deliveries(), [body.delivery])

        const byDeveloper = await project.developer.call('POST', `${development.path}/integrity/webhook-test`)
        assert.equal(byDeveloper.status, 200)
        const without = await project.production.server('POST', path)
        assert.deepEqual([without.status, without.body.error.code], [409, 'webhook_not_configured'])
      })
    })

    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://app.localhost/',
      'https://[::1]/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::ffff:127.0.0.1]/',
      'https://①②⑦.0.0.1/',
      'https://0/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
    ]) {
      test(`production never asks ${url}`, async () => {
        const { production } = await service.newProject()
        const pushed = await production.server('PUT', '/v1/config', withWebhook({ url }))
        assert.equal(pushed.status, 200)
        const { body } = await production.server('POST', '/v1/admin/integrity/webhook-test')
        assert.match(body.delivery.error, /is not on the public internet$/)
        assert.equal(body.delivery.outcome, 'failed')
      })
    }

    test('development asks this machine, and no other of the network', async () => {
      const { development } = await newGame({ url: 'https://192.168.0.1/' })
      const { body } = await development.server('POST', '/v1/admin/integrity/webhook-test')
      assert.equal(body.delivery.error, '192.168.0.1 is not on the public internet')
    })
  })
}

test('a service that is reached from elsewhere asks nobody on its own machine, not even in development', async (t) => {
  const receiver = await startReceiver()
  t.after(receiver.stop)
  const service = await startService('sqlite', {
    settings: { SVC_BASE_URL: 'https://svc.example.com', SVC_TRUSTED_PROXIES: '1' },
  })
  t.after(() => service.stop())
  const { development } = await service.newProject()
  await development.server('PUT', '/v1/config', withWebhook({ url: receiver.url }))
  const { body } = await development.server('POST', '/v1/admin/integrity/webhook-test')
  assert.equal(body.delivery.error, 'localhost is not on the public internet')
  assert.deepEqual(receiver.take(), [])
})
