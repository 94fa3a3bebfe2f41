import assert from 'node:assert/strict'
import { test } from 'node:test'

import { endpoint } from '@svc/contract/common/endpoint'
import type { FeatureName } from '@svc/contract/common/features'
import { fillDefaults } from '@svc/contract/config/defaults'
import { pino } from 'pino'
import { Type } from 'typebox'

import { createRouteBinder } from '../routes.ts'
import { createHttpServer } from '../server.ts'
import { createAuthorizer } from './authorize.ts'
import type { Key } from './callers.ts'

const readSave = endpoint('POST /v1/test/saves', {
  summary: 'an example of an endpoint that belongs to a feature',
  caller: 'public',
  feature: 'saves',
  body: Type.Object({ data: Type.String() }),
  response: Type.Object({}),
})

const key: Key = {
  id: 'key_1',
  type: 'publishable',
  label: 'test',
  environment: { id: 'env_1', projectId: 'prj_1', name: 'development', slug: 'test' },
}

async function edgeWith(features: Partial<Record<FeatureName, boolean>>, unavailable: FeatureName[] = []) {
  const http = createHttpServer({
    log: pino({ level: 'silent' }),
    requestIds: () => 'req_1',
  })
  const none = async () => undefined
  const never = async () => {
    throw new Error('not in this test')
  }
  const authorizer = createAuthorizer({
    lookups: {
      verifyPlayer: never,
      findKey: async () => key,
      findDeveloper: none,
      findProject: none,
      findEnvironment: never,
      agents: { find: none, count: never, countWrite: never, admitDestructive: never },
    },
    config: { current: async () => ({ config: fillDefaults({ features }) }) },
    unavailableFeatures: new Set(unavailable),
    addresses: { baseUrl: 'http://localhost:8787', appsDomain: 'localhost' },
    ownMachine: undefined,
    enforceRateLimit: async () => {},
    warnOfSecretKeyInBrowser: never,
    requireMayWrite: never,
  })
  let handled = 0
  createRouteBinder(http, authorizer, { begin: never, finish: never, abandon: never })(readSave, async () => {
    handled++
    return {}
  })
  const send = (payload: string) =>
    http.inject({
      method: 'POST',
      url: '/v1/test/saves',
      headers: { 'x-svc-key': 'pk_dev_x', 'content-type': 'application/json' },
      payload,
    })
  return { send, handled: () => handled }
}

test('[GEN-40] [GEN-41] a feature that is off answers 403 feature_disabled before the body is even read', async () => {
  const { send, handled } = await edgeWith({ saves: false })
  for (const payload of ['{"data":"x"}', 'not json', '{}']) {
    const answer = await send(payload)
    assert.equal(answer.statusCode, 403)
    assert.deepEqual(answer.json().error.details, { feature: 'saves', configPath: 'features.saves' })
    assert.equal(answer.json().error.code, 'feature_disabled')
  }
  assert.equal(handled(), 0)
})

test('[GEN-40] a feature that is on accepts the request', async () => {
  const { send, handled } = await edgeWith({ saves: true })
  assert.equal((await send('{"data":"x"}')).statusCode, 200)
  assert.equal(handled(), 1)
})

test('[GEN-42] a feature that the operator does not offer answers 403 feature_unavailable, on or off', async () => {
  for (const saves of [true, false]) {
    const { send } = await edgeWith({ saves }, ['saves'])
    assert.equal((await send('{"data":"x"}')).json().error.code, 'feature_unavailable')
  }
})
