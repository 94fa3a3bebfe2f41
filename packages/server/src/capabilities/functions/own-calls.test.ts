import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { deployFunctions, ECHO, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import type { Call } from '../../testing/service.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { suite } from '../../testing/suite.ts'
import { withWebhook } from '../../testing/webhook-game.ts'

/** Checks the signature like any other server, and approves values below 100. */
const VERIFIER = `
const bytes = (text) => new TextEncoder().encode(text)
async function isSigned(header, body, secret) {
  const [, t, v1] = /^t=(\\d+),v1=([0-9a-f]+)$/.exec(header ?? '') ?? []
  if (!v1) return false
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, Uint8Array.fromHex(v1), bytes(t + '.' + body))
}
export default {
  async fetch(request, env) {
    const body = await request.text()
    const { pathname, searchParams } = new URL(request.url)
    if (searchParams.has('endless')) return new Promise(() => setTimeout(() => {}, 60_000))
    if (searchParams.has('large')) return new Response('x'.repeat(100_000))
    if (pathname !== '/verify') return new Response('', { status: 404 })
    if (!(await isSigned(request.headers.get('svc-signature'), body, env.WEBHOOK_SECRET))) return new Response('', { status: 401 })
    const { type, stats } = JSON.parse(body)
    return Response.json({ approve: type === 'test' || stats.games < 50, from: request.headers.get('svc-request-id') })
  },
}`

suite('functions as the verification webhook', { start: startFunctionsService }, ({ service }) => {
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => void (visit = await browserFor(service)))

  const webhookTest = async (server: Call) =>
    (await server('POST', '/v1/admin/integrity/webhook-test')).body.delivery

  test('[STA-12] [STA-13] [CFG-17] /.fn/ is the functions of the same environment, with a valid signature', async () => {
    const { development, production } = await service.newProject()
    const document = withWebhook({ url: '/.fn/verify', onFailure: 'reject', timeoutMs: 5_000 })
    for (const environment of [development, production]) {
      assert.equal((await environment.server('PUT', '/v1/config', document)).status, 200)
      const { body } = await environment.server('GET', '/v1/admin/integrity/webhook-secret')
      await environment.server('POST', '/v1/admin/functions/enable', {})
      await environment.server('PUT', '/v1/admin/functions/secrets/WEBHOOK_SECRET', { value: body.secret })
      assert.equal((await webhookTest(environment.server)).error, 'this environment has no live functions')
      await deployFunctions(environment, VERIFIER)
      const delivery = await webhookTest(environment.server)
      assert.deepEqual([delivery.url, delivery.status, delivery.outcome], ['/.fn/verify', 200, 'answered'])
      assert.match(delivery.answer, /"approve":true,"from":"dlv_/)
    }
    const player = await newStatsPlayer(development)
    const report = async (games: number) => (await player.submit({ games })).body
    assert.deepEqual((await report(7)).rejected, [])
    const [refused] = (await report(70)).rejected
    assert.equal(refused.reason, 'verification_rejected')
  })

  test('[STA-15] functions that do not answer are a failure of the webhook', async () => {
    const { development, slug } = await service.newProject()
    await deployFunctions(development, VERIFIER)
    // A first request also starts the process.
    const tried = async (url: string, timeoutMs = 5_000) => {
      const document = withWebhook({ url, timeoutMs })
      assert.equal((await development.server('PUT', '/v1/config', document)).status, 200)
      return (await webhookTest(development.server)).error
    }
    assert.equal(await tried('/.fn/other'), 'the answer has status 404')
    assert.equal(await tried('/.fn/?endless', 500), 'no complete answer within 500 ms')
    assert.match(await tried('/.fn/?large'), /^the answer has more than \d+ bytes$/)
    await service.functions.suspendProject(slug, true)
    assert.equal(await tried('/.fn/verify'), 'the functions answer functions_suspended')
  })

  test('[CFG-17] other paths are refused', async () => {
    const { development } = await service.newProject()
    for (const url of [
      '/verify',
      '/.fn',
      '/.fn/../v1/stats',
      '/.fn/%2e%2e/a',
      '/.fn/a#b',
      '/.fn/a b',
      '//x/.fn/a',
    ]) {
      const { status, body } = await development.server('PUT', '/v1/config', withWebhook({ url }))
      assert.deepEqual([url, status, body.error?.code], [url, 400, 'invalid_config'])
    }
  })

  test('[FUN-05] a caller may send svc-signature, which proves itself, and no other header of the service', async () => {
    const { development, slug } = await service.newProject()
    await deployFunctions(development, ECHO)
    const headers = { 'svc-signature': 't=1,v1=00', 'svc-player-id': 'p', 'svc-signature-2': 'x' }
    const { headers: got } = JSON.parse((await visit(`${slug}--dev--fn`, '/', { headers })).text)
    assert.deepEqual(
      [got['svc-signature'], got['svc-player-id'], got['svc-signature-2']],
      ['t=1,v1=00', undefined, undefined],
    )
  })
})
