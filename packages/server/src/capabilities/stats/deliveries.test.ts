import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import { newGuest } from '../../testing/guests.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { assertSigned, newWebhookGame } from '../../testing/webhook-game.ts'
import { answerWith, startReceiver } from '../../testing/webhook-receiver.ts'

for (const engine of engines) {
  describe(`deliveries of the stats verification webhook on ${engine}`, () => {
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

    const newGame = () => newWebhookGame(service, { url: receiver.url })

    test('deliveries contain status, duration and the first 1,000 characters of the response, newest first', async () => {
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

    test('[OWN-01] [OWN-03] deliveries about a player are in the export, without those of others, and go with the player', async () => {
      const { player, deliveries, development } = await newGame()
      const other = await newGuest(development)
      await player.submit({ games: 1 })
      await other.call('POST', '/v1/stats', { stats: { games: 2 } })
      assert.equal((await deliveries()).length, 2)

      const { body } = await player.call('GET', '/v1/players/me/export')
      const [{ id, request, ...delivery }, ...none] = body.statDeliveries
      assert.deepEqual(none, [])
      assert.match(id, /^dlv_/)
      assert.deepEqual([request.playerId, request.stats], [player.id, { games: 1 }])
      const at = service.clock.now().toISOString()
      const answer = '{"approve":true}'
      assert.deepEqual(delivery, { at, kind: 'stats.verify', status: 200, outcome: 'answered', answer })

      await player.call('DELETE', '/v1/players/me')
      assert.equal((await deliveries()).length, 1)
    })

    test('deliveries store any bytes of a response', async () => {
      const { player, deliveries } = await newGame()
      receiver.answer((response) => void response.end(Buffer.from([0x7b, 0x00, 0xff, 0xf0, 0x9f])))
      await player.submit({ games: 1 })
      assert.equal((await deliveries())[0].answer, '{\uFFFD\uFFFD\uFFFD')
    })

    test('the last 100 deliveries of an environment are kept, separate from other environments', async () => {
      const { player, deliveries, environmentId } = await newGame()
      const other = await newGame()
      await other.player.submit({ games: 1 })
      for (let i = 0; i < 3; i++) {
        await Promise.all(Array.from({ length: 40 }, () => player.submit({ games: 1 })))
      }
      const listed = await deliveries('?limit=100')
      const stored = await service.db.search((q) =>
        q
          .selectFrom('stats_deliveries')
          .select('id')
          .where('environmentId', '=', environmentId)
          .orderBy('id', 'desc'),
      )
      assert.equal(listed.length, 100)
      assert.deepEqual(
        listed.map(({ id }: { id: string }) => ({ id })),
        stored,
      )
      assert.equal((await deliveries()).length, 50)
      assert.equal((await other.deliveries()).length, 1)
      const { body } = await other.development.server(
        'GET',
        '/v1/admin/integrity/webhook-deliveries?limit=101',
      )
      assert.equal(body.error.code, 'invalid_request')
    })

    test('deliveries never contain the secret, and those that mention a deleted player are removed', async () => {
      const { player, deliveries, development, environmentId } = await newGame()
      const { secret } = (await development.server('GET', '/v1/admin/integrity/webhook-secret')).body
      receiver.answer((response, { text }) => void response.end(text))
      await player.submit({ games: 1 })
      assert.ok((await deliveries())[0].answer.includes(player.id))
      assert.ok(!JSON.stringify(await deliveries()).includes(secret))

      await service.db.transaction((transaction) =>
        service.statsData.removeForPlayer(transaction, environmentId, player.id),
      )
      assert.deepEqual(await deliveries(), [])
    })

    test('[DSH-07] a delivery can be sent again: the same body, a new signature, and no change of stats', async () => {
      const { development, project, deliveries, player } = await newGame()
      const { secret } = (await development.server('GET', '/v1/admin/integrity/webhook-secret')).body
      await player.submit({ games: 2 })
      const [sent] = await deliveries()
      const [first] = receiver.take()
      service.clock.advance(60_000)
      receiver.answer(answerWith({ approve: false }))
      const replay = (id: string) =>
        project.developer.call('POST', `${development.path}/integrity/webhook-deliveries/${id}/replay`)

      const { body } = await replay(sent.id)

      const [second] = receiver.take()
      assert.equal(second?.text, first?.text)
      const nowMs = service.clock.now().getTime()
      assertSigned(String(second?.headers['svc-signature']), second?.text ?? '', secret, nowMs)
      assert.deepEqual([body.delivery.kind, body.delivery.outcome], ['replay', 'answered'])
      assert.notEqual(body.delivery.id, sent.id)
      assert.deepEqual(await deliveries(), [body.delivery, sent])
      assert.deepEqual(await player.read(), { games: 2 })

      assert.equal((await replay('dlv_nothing')).body.error.code, 'delivery_not_found')
      const other = await newGame()
      const foreign = `/v1/admin/integrity/webhook-deliveries/${sent.id}/replay`
      assert.equal((await other.development.server('POST', foreign)).body.error.code, 'delivery_not_found')
      await service.db.transaction((transaction) =>
        service.statsData.removeForPlayer(transaction, project.environments[0]?.id ?? '', player.id),
      )
      assert.equal(
        (await replay(sent.id)).body.error.code,
        'delivery_not_found',
        'it contains a deleted player',
      )
    })

    test('[DSH-07] rejected values of all players are listed newest first, by reason, page by page', async () => {
      const { development, project, player } = await newGame()
      const other = await newStatsPlayer(development)
      await player.submit({ games: 1_000 })
      await other.submit({ nonsense: 1, games: 'x' })
      const list = async (query = '') =>
        (await project.developer.call('GET', `${development.path}/integrity/signals${query}`)).body
      const keys = ({ signals }: { signals: { key: string; player: { id: string } }[] }) =>
        signals.map(({ key, player: { id } }) => `${key} ${id}`)

      const all = await list()
      assert.deepEqual(keys(all), [`games ${other.id}`, `nonsense ${other.id}`, `games ${player.id}`])
      assert.deepEqual(keys(await list('?reason=unknown_stat')), [`nonsense ${other.id}`])
      assert.equal((await list('?reason=other')).error.code, 'invalid_request')
      const first = await list('?limit=2')
      assert.deepEqual(keys(await list(`?limit=2&cursor=${first.nextCursor}`)), [`games ${player.id}`])
      assert.deepEqual(
        (await project.production.server('GET', '/v1/admin/integrity/signals')).body.signals,
        [],
      )
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
}
