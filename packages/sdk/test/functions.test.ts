import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployFunctions, ECHO } from '../../server/src/testing/deployed-functions.ts'
import { isSvcError } from '../src/http/errors.ts'
import { connect } from '../src/index.ts'
import { type Fixtures, startFixtures } from './fixtures.ts'

let fixtures: Fixtures
let functionsUrl: string
before(async () => {
  fixtures = await startFixtures(undefined, { SVC_BILLING: 'off' })
  functionsUrl = (await deployFunctions(fixtures.development, ECHO)).url
})
after(() => fixtures.stop())

test('[FUN-05] svc.functions.fetch calls the code as the player', async () => {
  const svc = await fixtures.client({ functionsUrl })
  for (const [path, init] of [
    ['/daily?day=1', {}],
    ['daily?day=1', { headers: { 'svc-player-id': 'forged' } }],
  ] as const) {
    const response = await svc.functions.fetch(path, { method: 'POST', body: 'score', ...init })
    assert.equal(response.status, 200)
    const seen = await response.json()
    const { method, url, body, headers } = seen
    assert.deepEqual([method, url, body], ['POST', `${functionsUrl}/daily?day=1`, 'score'])
    assert.deepEqual([headers['svc-player-id'], headers['svc-player-banned']], [svc.player.id, '0'])
  }
})

test('[FUN-05] svc.functions.fetch returns every status, and sends no token of a player who has signed out', async () => {
  const svc = await fixtures.client({ functionsUrl })
  await svc.auth.signOut()
  const { headers } = await (await svc.functions.fetch('/')).json()
  assert.deepEqual([headers['svc-player-id'], headers.authorization], [undefined, undefined])
  await fixtures.development.server('POST', '/v1/admin/functions/disable')
  assert.equal((await svc.functions.fetch('/')).status, 404)
})

test('[FUN-05] svc.functions.fetch needs the URL of the functions outside of a hosted page', async () => {
  const svc = await connect({ url: fixtures.url, key: fixtures.key })
  await assert.rejects(svc.functions.fetch('/'), (error) => isSvcError(error, 'invalid_options'))
  svc.close()
})
