import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'

import { endpoint, errorsOf } from '@svc/contract/common/endpoint'
import { Type } from 'typebox'

import { engines, type Service, startService } from '../../testing/service.ts'

const BYTES_MAX = 1_000

const webhook = endpoint('POST /v1/test/webhook', {
  summary: 'an example of a webhook of a provider',
  caller: 'none',
  rawBody: true,
  bodyBytesMax: BYTES_MAX,
  response: Type.Object({ signature: Type.String(), bytes: Type.Integer() }),
})

const checkout = endpoint('POST /v1/test/checkout', {
  summary: 'an example of a call that must not run twice',
  caller: 'developer',
  idempotent: 'required',
  body: Type.Object({ amount: Type.Integer() }),
  response: Type.Object({ count: Type.Integer() }),
})

for (const engine of engines) {
  describe(`options of an endpoint of the contract on ${engine}`, () => {
    let service: Service
    let checkouts = 0
    before(async () => {
      service = await startService(engine, {
        mount({ route }) {
          route(webhook, async ({ rawBody }) => ({
            signature: createHmac('sha256', 'secret').update(rawBody).digest('hex'),
            bytes: rawBody.length,
          }))
          route(checkout, async () => ({ count: ++checkouts }))
        },
      })
    })
    after(() => service.stop())

    const post = async (url: string, payload: Buffer | string, headers: Record<string, string> = {}) => {
      const response = await service.http.inject({ method: 'POST', url, payload, headers })
      return { status: response.statusCode, body: response.json() }
    }

    test('rawBody: the handler gets the bytes as they were sent, with any content type', async () => {
      const bodies = [
        Buffer.from('{ "a": 1.0,\n  "a": 2 }'),
        Buffer.from([0, 0xff, 0xfe, 0x80]),
        Buffer.from('\ufeff{"not json"'),
      ]
      for (const bytes of bodies)
        for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', undefined]) {
          const { status, body } = await post(
            '/v1/test/webhook',
            bytes,
            type === undefined ? {} : { 'content-type': type },
          )
          assert.equal(status, 200, type ?? 'no type')
          assert.equal(body.signature, createHmac('sha256', 'secret').update(bytes).digest('hex'))
        }
      assert.deepEqual((await post('/v1/test/webhook', '')).body.bytes, 0)
    })

    test('rawBody: one byte more than its limit answers 413', async () => {
      assert.equal((await post('/v1/test/webhook', Buffer.alloc(BYTES_MAX))).status, 200)
      const { status, body } = await post('/v1/test/webhook', Buffer.alloc(BYTES_MAX + 1))
      assert.deepEqual([status, body.error.code], [413, 'payload_too_large'])
    })

    test('idempotent, required: without the header it answers 400; with it the call runs once', async () => {
      const { token } = await service.newDeveloper()
      const pay = (key?: string, amount = 500) =>
        post('/v1/test/checkout', JSON.stringify({ amount }), {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
        })
      const before = checkouts
      const { status, body } = await pay()
      assert.deepEqual([status, body.error.code], [400, 'invalid_idempotency_key'])
      assert.equal(body.error.details.reason, 'this call requires the header Idempotency-Key')
      for (const bad of ['', 'a b', 'x'.repeat(129)]) assert.equal((await pay(bad)).status, 400, bad)
      assert.equal(checkouts, before)

      assert.deepEqual((await pay('one')).body, { count: before + 1 })
      assert.deepEqual((await pay('one')).body, { count: before + 1 })
      assert.equal((await pay('one', 700)).body.error.code, 'idempotency_key_reused')
      assert.deepEqual((await pay('two')).body, { count: before + 2 })
    })
  })
}

test('the contract lists the errors of rawBody and of idempotent', () => {
  assert.ok(errorsOf(webhook).includes('payload_too_large'))
  assert.ok(!errorsOf(webhook).includes('invalid_json'))
  assert.ok(errorsOf(checkout).includes('invalid_idempotency_key'))
})
