import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { type Service, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { newWebhookGame, withWebhook } from '../../testing/webhook-game.ts'
import { startReceiver } from '../../testing/webhook-receiver.ts'

/** This machine, the operator's network and metadata services of cloud providers, in every spelling. */
const NOT_PUBLIC = [
  'https://127.0.0.1/',
  'https://127.0.0.1./',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://app.localhost/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::]/',
  'https://[::1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
]

suite('addresses of the stats verification webhook', {}, ({ service }) => {
  let production: Awaited<ReturnType<Service['newProject']>>['production']
  before(async () => {
    production = (await service.newProject()).production
  })

  for (const url of NOT_PUBLIC) {
    test(`production never calls ${url}`, async () => {
      const pushed = await production.server('PUT', '/v1/config', withWebhook({ url }))
      assert.equal(pushed.status, 200)
      const { body } = await production.server('POST', '/v1/admin/integrity/webhook-test')
      assert.equal(body.delivery.url, url)
      assert.match(body.delivery.error, /is not on the public internet$/)
      assert.deepEqual([body.delivery.outcome, body.delivery.status], ['failed', null])
    })
  }

  test('a URL with an IPv6 zone id is rejected', async () => {
    const pushed = await production.server(
      'PUT',
      '/v1/config',
      withWebhook({ url: 'https://[fe80::1%25eth0]/' }),
    )
    assert.deepEqual([pushed.status, pushed.body.error.code], [400, 'invalid_config'])
  })

  test('development may call this machine, and no other in the local network', async () => {
    const { development } = await newWebhookGame(service, { url: 'https://192.168.0.1/' })
    const { body } = await development.server('POST', '/v1/admin/integrity/webhook-test')
    assert.equal(body.delivery.error, '192.168.0.1 is not on the public internet')
  })
})

test('a service that is reachable from outside never calls its own machine, not even in development', async (t) => {
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
