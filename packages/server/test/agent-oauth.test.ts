import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { HOUR_MS, SECOND_MS } from '../src/platform/clock.ts'
import { agentClients } from '../src/testing/agent-clients.ts'
import { startService } from '../src/testing/service.ts'
import { suite } from '../src/testing/suite.ts'
import { freePort } from './server-process.ts'

type Reply = {
  result?: { content: { text: string }[]; isError?: boolean } | null
  error?: string
  opened: string
  tokens?: { access_token: string; refresh_token: string }
}

const REDIRECT_URI = 'http://127.0.0.1:4711/callback'

let baseUrl = ''
async function start(engine: 'sqlite' | 'postgres') {
  const port = await freePort()
  baseUrl = `http://localhost:${port}`
  const service = await startService(engine, { settings: { SVC_BASE_URL: baseUrl } })
  await service.http.listen({ port, host: 'localhost' })
  return service
}

suite('OAuth with a real client', { features: {}, start }, ({ service, project }) => {
  let child: ChildProcess
  before(async () => {
    const path = join(import.meta.dirname, '../src/testing/oauth-client-process.ts')
    child = fork(path, { execArgv: [] })
    await once(child, 'message')
  })
  after(async () => {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  })
  async function order(fields: object): Promise<Reply> {
    child.send(fields)
    const [reply] = (await once(child, 'message')) as [Reply]
    return reply
  }
  const whoami = () => order({ op: 'callTool', call: { name: 'whoami', arguments: {} } })

  test('[AGT-43] a real client discovers the service, is let in, calls a tool, refreshes; reuse ends its grant', async () => {
    const client = agentClients(service, () => baseUrl)
    const added = await service.agentClients.add('A real client', ['http://127.0.0.1/callback'])
    assert.ok('id' in added)

    const first = await order({
      op: 'connect',
      url: `${baseUrl}/mcp`,
      clientId: added.id,
      redirectUri: REDIRECT_URI,
    })
    assert.ok(first.error !== undefined)
    const page = new URL(first.opened)
    assert.equal(page.origin + page.pathname, `${baseUrl}/oauth/authorize`)
    const { url } = await client.consent(project, project.development, page.search.slice(1), {
      tools: ['ban_player'],
    })
    const finished = await order({ op: 'finish', callback: url.href })
    assert.equal(finished.error, undefined)
    assert.match(finished.tokens?.access_token ?? '', /^agt_/)

    const called = await whoami()
    const answer = JSON.parse(called.result?.content.at(-1)?.text ?? '{}')
    assert.deepEqual([answer.agent.label, answer.tools], ['A real client', ['ban_player']])

    service.clock.advance(HOUR_MS)
    const refreshed = await whoami()
    assert.equal(refreshed.error, undefined)
    assert.notEqual(refreshed.tokens?.access_token, called.tokens?.access_token)
    assert.equal(JSON.parse(refreshed.result?.content.at(-1)?.text ?? '{}').agent.id, answer.agent.id)

    // Until then the client itself may repeat it.
    service.clock.advance(10 * SECOND_MS)
    const stolen = await client.refresh(added.id, called.tokens?.refresh_token ?? '')
    assert.equal(stolen.body.error, 'invalid_grant')
    const ended = await whoami()
    assert.ok(ended.error !== undefined)
    assert.equal(new URL(ended.opened).pathname, '/oauth/authorize', 'the client asks its user again')
  })
})
