import assert from 'node:assert/strict'
import { test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointsOf } from '@svc/contract/common/endpoints'
import * as money from '@svc/contract/money'
import * as fc from 'fast-check'

import { suite } from '../src/testing/suite.ts'
import { valid } from './fuzz/values.ts'

/** Every endpoint of money that has a caller; a new endpoint is covered as soon as it exists. */
const rows = endpointsOf(money).filter(({ caller }) => caller !== 'none')

suite('callers of money', { features: {} }, ({ service, project }) => {
  test('every endpoint of money except the webhook of the provider requires a developer session', () => {
    const others = endpointsOf(money).filter(({ caller }) => caller !== 'developer')
    assert.deepEqual(
      others.map(({ name }) => name),
      ['receiveStripeEvent'],
    )
    assert.ok(rows.length >= 6)
  })

  for (const endpoint of rows) {
    test(`[MON-01] ${endpoint.route} rejects keys and players, and changes nothing`, async () => {
      const { development, production } = project
      const guest = await development.public('POST', '/v1/auth/guest', {})
      const token = { authorization: `Bearer ${guest.body.accessToken}` }
      const key = (value: string) => ({ 'x-svc-key': value })
      const callers: [Record<string, string>, number, string][] = [
        [key(development.secretKey), 403, 'developer_session_required'],
        [key(production.secretKey), 403, 'developer_session_required'],
        [key(development.publishableKey), 403, 'developer_session_required'],
        [{ ...key(development.publishableKey), ...token }, 401, 'unauthorized'],
        [token, 401, 'unauthorized'],
        [{ authorization: 'Bearer kds_nobody' }, 401, 'unauthorized'],
        [{}, 401, 'unauthorized'],
      ]
      const [address] = addressesOf(endpoint)
      const body = endpoint.body && fc.sample(valid(endpoint.body), { numRuns: 1, seed: 1 })[0]
      const rowsOf = async () =>
        Promise.all([
          service.db.search((q) => q.selectFrom('money_checkouts').selectAll()),
          service.db.search((q) => q.selectFrom('money_redemptions').selectAll()),
          service.db.search((q) => q.selectFrom('money_accounts').selectAll()),
        ])
      const before = await rowsOf()
      for (const [headers, status, code] of callers) {
        const url = address?.path.replace(':id', 'chk_1') ?? ''
        const answer = await service.call(address?.method ?? '', url, body, {
          ...headers,
          'idempotency-key': 'k',
        })
        assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(headers))
      }
      assert.deepEqual(await rowsOf(), before)
    })
  }
})
