import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ENDPOINT_TOOLS } from '@svc/contract/common/agent-tool-list'

import { MINUTE_MS } from '../src/platform/clock.ts'
import { ALL_TOOLS, newAgent } from '../src/testing/agents.ts'
import { startFunctionsService } from '../src/testing/deployed-functions.ts'
import { topUp } from '../src/testing/money.ts'
import type { Engine } from '../src/testing/service.ts'
import { suite } from '../src/testing/suite.ts'

const CANARY = 'canary-5f0c2b'
const VALUES: Record<string, unknown> = { version: 1, ref: '1', key: 'slot', requestId: 'req_none' }

const start = (engine: Engine) => startFunctionsService(engine, { SVC_BILLING: 'on' })

suite('secrets and agents', { features: { emailLogin: true }, start }, ({ service, project }) => {
  test('[AGT-01] no answer of a tool contains a secret of the environment or of its developer', async () => {
    const side = project.development
    const { call, token } = project.developer
    await topUp(service, project.developer, 500)
    await call('POST', `${side.path}/functions/enable`, {})
    const secret = await call('PUT', `${side.path}/functions/secrets/TOKEN`, { value: `${CANARY}-function` })
    assert.equal(secret.status, 200, JSON.stringify(secret.body))
    const provider = { clientId: 'client', clientSecret: `${CANARY}-provider` }
    assert.equal((await call('PUT', `${side.path}/auth/providers/discord`, provider)).status, 200)
    const { secret: webhook } = (await call('GET', `${side.path}/integrity/webhook-secret`)).body
    const signUp = { email: 'canary@example.com', password: `${CANARY}-password` }
    const { body: session } = await side.public('POST', '/v1/auth/email/signup', signUp)
    const playerId = session.player.id
    const secrets = [CANARY, webhook, token, side.secretKey, session.accessToken, session.refreshToken]
    const agent = await newAgent(service, project, side, { tools: ALL_TOOLS, unattended: true })
    secrets.push(agent.token)

    const elsewhere = { fromVersion: 1, fromEnvironment: 'production' }
    const refused = await agent.call('POST', `${side.path}/functions/deployments`, elsewhere)
    assert.equal(
      refused.body.error.details.errors[0].path,
      '$.fromEnvironment',
      'not from another environment',
    )

    const post = async (name: string, values: object) => {
      service.clock.advance(MINUTE_MS)
      const { body } = await service.http.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          authorization: `Bearer ${agent.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        payload: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: values },
        }),
      })
      return body
    }
    let answered = 0
    const exported = await post('export_player', { playerId })
    assert.match(exported, /canary@example\.com/)
    for (const [name, { agent: use, params }] of ENDPOINT_TOOLS) {
      if (use !== 'read') continue
      const names = Object.keys((params as { properties?: object } | undefined)?.properties ?? {})
      const known = names.flatMap((one) => {
        const value = one === 'playerId' ? playerId : VALUES[one]
        return value === undefined ? [] : [[one, value]]
      })
      const answer = await post(name, Object.fromEntries(known))
      if (!answer.includes('"isError":true')) answered++
      for (const text of [answer, exported])
        for (const one of secrets) assert.ok(!text.includes(one), `${name} contains ${one}`)
    }
    assert.ok(answered > 20, `${answered}`)
  })
})
