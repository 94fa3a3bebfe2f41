import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newChannelApp } from '../../src/testing/channels.ts'
import {
  deployFunctions,
  ECHO,
  startFunctionsNodes,
  startFunctionsService,
} from '../../src/testing/deployed-functions.ts'
import { newGuest } from '../../src/testing/guests.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { engines, type Service, startService } from '../../src/testing/service.ts'
import { startCollector } from '../../src/testing/trace-collector.ts'
import { newWebhookGame } from '../../src/testing/webhook-game.ts'
import { startReceiver } from '../../src/testing/webhook-receiver.ts'

type Collector = Awaited<ReturnType<typeof startCollector>>

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const traceparent = (flags: string, traceId = TRACE) => `00-${traceId}-b7ad6b7169203331-${flags}`
const tracedTo = ({ url }: Collector, ratio: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector,x-team=games',
  OTEL_SERVICE_NAME: 'games',
  OTEL_TRACES_SAMPLER_ARG: ratio,
})
/** A page of the test that fails. */
const failing: NonNullable<Parameters<typeof startService>[1]>['mount'] = ({ page }) =>
  page('/fails', async () => {
    throw new Error('a secret reason')
  })

for (const engine of engines)
  describe(`traces of every request on ${engine}`, () => {
    let collector: Collector
    let service: Service
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let secrets: string[]
    before(async () => {
      collector = await startCollector()
      receiver = await startReceiver()
      service = await startService(engine, { settings: tracedTo(collector, '1'), mount: failing })
      const { development, player, environmentId, project } = await newWebhookGame(service, {
        url: receiver.url,
      })
      await player.submit({ games: 3 })
      const guest = await newGuest(development)
      await development.server('GET', '/v1/config?unknown=a-query')
      await service.call('GET', '/v1/players/me', undefined, {
        'x-svc-key': development.publishableKey,
        authorization: `Bearer ${guest.accessToken}`,
        traceparent: traceparent('01'),
      })
      for (const header of [traceparent('01'), traceparent('00', '1'.repeat(32)), 'not one']) {
        await service.call('GET', '/v1/platform/info', undefined, { traceparent: header })
        await development.server('GET', '/v1/gamedata/definitions', undefined, { traceparent: header })
      }
      await service.http.inject({ method: 'GET', url: '/fails' })
      secrets = [
        guest.accessToken,
        guest.id,
        environmentId,
        project.id,
        development.publishableKey,
        'a-query',
        'a secret reason',
      ]
      // Sends what is left.
      await service.stop()
    })
    after(async () => {
      await receiver.stop()
      await collector.stop()
    })

    test('[OPS-43] spans are sent as OTLP, with the headers of the settings', () => {
      collector.assertValid()
      assert.ok(collector.spans.length > 10)
      for (const headers of collector.headers)
        assert.deepEqual(
          [headers.authorization, headers['x-team'], headers['traceparent']],
          ['Bearer for-the-collector', 'games', undefined],
        )
      assert.match(collector.payloads[0] ?? '', /"service\.name","value":\{"stringValue":"games"\}/)
    })

    test('[OPS-43] a request contains its transactions and its calls, which continue the trace', () => {
      const [submit] = collector.named('POST /v1/stats')
      assert.ok(submit)
      assert.deepEqual(
        [submit.kind, submit.attributes['http.route'], submit.attributes['http.response.status_code']],
        [2, '/v1/stats', '200'],
      )
      const ofTrace = collector.spans.filter(({ traceId }) => traceId === submit.traceId)
      assert.ok(
        ofTrace.some(({ name, parentSpanId }) => name === 'transaction' && parentSpanId === submit.spanId),
      )
      const [outbound] = ofTrace.filter(({ name }) => name === 'outbound POST')
      assert.deepEqual(
        [outbound?.attributes['server.address'], outbound?.attributes['http.response.status_code']],
        ['localhost', '200'],
      )
      const [webhook] = receiver.take()
      assert.equal(webhook?.headers['traceparent'], `00-${submit.traceId}-${outbound?.spanId}-01`)
      for (const { startNs, endNs } of ofTrace) assert.ok(submit.startNs <= startNs && endNs <= submit.endNs)
    })

    test('[OPS-44] the trace of a server with a secret key continues; its flag decides; invalid ones are ignored', () => {
      const [continued, own, ...others] = collector.named('GET /v1/gamedata/definitions')
      assert.deepEqual([continued?.traceId, continued?.parentSpanId], [TRACE, 'b7ad6b7169203331'])
      assert.notEqual(own?.traceId, TRACE)
      assert.equal(own?.parentSpanId, undefined, 'the one whose header was not valid')
      assert.deepEqual(others, [], 'not the one whose flag is 0')
      const ofTrace = collector.spans.filter(({ traceId }) => traceId === TRACE)
      assert.ok(ofTrace.every(({ parentSpanId }) => parentSpanId !== undefined))
    })

    test('[OPS-44] the headers of everybody else are ignored', () => {
      const [me] = collector.named('GET /v1/players/me')
      const infos = collector.named('GET /v1/platform/info')
      assert.equal(infos.length, 3)
      for (const span of [me, ...infos]) {
        assert.ok(span && span.traceId !== TRACE)
        assert.equal(span.parentSpanId, undefined)
      }
    })

    test('[OPS-45] spans contain no ids of players, no keys, tokens, query strings or messages', () => {
      for (const payload of collector.payloads)
        for (const secret of secrets) assert.ok(!payload.includes(secret), secret)
    })

    test('[OPS-43] a request that fails is marked', () => {
      const [failed] = collector.named('GET /fails')
      assert.deepEqual([failed?.isError, failed?.attributes['http.response.status_code']], [true, '500'])
    })
  })

test('[OPS-43] without sampling only requests that fail are sent', async (t) => {
  const collector = await startCollector()
  t.after(() => collector.stop())
  const service = await startService('sqlite', { settings: tracedTo(collector, '0'), mount: failing })
  await service.newProject()
  await service.http.inject({ method: 'GET', url: '/fails' })
  await service.call('GET', '/v1/players/me', undefined, { traceparent: traceparent('01') })
  await service.stop()
  collector.assertValid()
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ['GET /fails'],
  )
})

test('[OPS-43] a request to functions has a span, and the code gets the trace', async (t) => {
  const collector = await startCollector()
  t.after(() => collector.stop())
  const service = await startFunctionsService('sqlite', tracedTo(collector, '1'))
  const { development } = await service.newProject()
  const { url } = await deployFunctions(development, ECHO)
  const { statusCode, body } = await service.http.inject({
    method: 'GET',
    url: '/path?token=a-secret',
    headers: { host: new URL(url).host },
  })
  assert.equal(statusCode, 200, body)
  await service.stop()
  collector.assertValid()
  const [span] = collector.named('function')
  assert.equal(JSON.parse(body).headers.traceparent, `00-${span?.traceId}-${span?.spanId}-01`)
  const request = collector.spans.find(({ spanId }) => spanId === span?.parentSpanId)
  assert.equal(request?.name, 'GET app')
  assert.ok(collector.spans.some(({ name }) => name === 'blob'))
  assert.ok(!collector.payloads.join().includes('a-secret'))
})

test('[OPS-44] a request to functions that another node runs is one trace on both', async (t) => {
  const collector = await startCollector()
  t.after(() => collector.stop())
  const nodes = await startFunctionsNodes(tracedTo(collector, '1'))
  const { development } = await nodes.newProject()
  const { url } = await deployFunctions(development, ECHO)
  for (const { http } of [nodes, nodes.other]) {
    const { statusCode, body } = await http.inject({
      method: 'GET',
      url: '/',
      headers: { host: new URL(url).host },
    })
    assert.equal(statusCode, 200, body)
  }
  await nodes.stop()
  collector.assertValid()
  const hop = collector.named('hop').find(({ kind }) => kind === 3)
  const answered = collector.named('GET app').find(({ parentSpanId }) => parentSpanId !== undefined)
  assert.ok(hop && answered)
  assert.deepEqual([answered.traceId, answered.parentSpanId], [hop.traceId, hop.spanId])
})

test('[OPS-43] a request that another node answers is one trace on both', async (t) => {
  const collector = await startCollector()
  t.after(() => collector.stop())
  const settings = tracedTo(collector, '1')
  const first = await startService('postgres', { settings })
  const second = await startService('postgres', { settings, clusterOf: first })
  const app = await newChannelApp(first)
  assert.equal((await app.server.put('@lobby')).status, 200)
  // Nodes notice each other at a heartbeat.
  await comesTrue('the second node asks the first', async () => {
    const { status } = await app.serverAt(second).read('@lobby')
    return status === 200
  })
  const member = await app.join(second)
  await member.request({ t: 'channelJoin', channel: '@lobby' })
  await app.closeAll()
  await second.stop()
  await first.stop()
  collector.assertValid()
  const hops = collector.named('hop')
  const joined = collector.named('frame channelJoin')[0]
  const sent = hops.find(({ parentSpanId }) => parentSpanId === joined?.spanId)
  assert.ok(sent, 'the frame was sent to the other node')
  const answered = hops.find(({ parentSpanId }) => parentSpanId === sent.spanId)
  assert.deepEqual([sent.kind, answered?.kind, answered?.traceId], [3, 2, joined?.traceId])
})
