import assert from 'node:assert/strict'
import { test } from 'node:test'

import { deploymentOf } from '../../testing/deployed-functions.ts'
import { type Engine, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const start = (engine: Engine) =>
  startService(engine, { settings: { SVC_BILLING: 'off', SVC_UNAVAILABLE_FEATURES: 'functions' } })

suite('functions that the operator does not offer', { features: {}, start }, ({ project }) => {
  test('are refused with feature_unavailable', async () => {
    const { server } = project.development
    for (const [path, body] of [
      [`${FUNCTIONS}/enable`, {}],
      [`${FUNCTIONS}/deployments`, deploymentOf('export default {}')],
    ] as const) {
      const refused = await server('POST', path, body)
      assert.deepEqual([path, refused.status, refused.body.error.code], [path, 403, 'feature_unavailable'])
    }
  })

  test('can be seen, disabled and removed', async () => {
    const { server } = project.development
    assert.equal((await server('GET', FUNCTIONS)).body.enabled, false)
    assert.equal((await server('POST', `${FUNCTIONS}/disable`)).status, 200)
    const removed = await server('DELETE', `${FUNCTIONS}?purge=true`)
    assert.deepEqual([removed.status, removed.body], [200, { deleted: true, purged: true }])
  })
})
