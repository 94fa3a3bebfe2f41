import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { newAgent } from '../../../testing/agents.ts'
import { newGuest } from '../../../testing/guests.ts'
import type { Service } from '../../../testing/service.ts'
import { startTwoNodes } from '../../../testing/suite.ts'

const nodes = startTwoNodes()
/** Enough for a call to begin to wait; a decision before that ends it, too. */
const WAITS_AFTER_MS = 500

async function callTool({ http }: Service, token: string, values: Record<string, string>) {
  const answer = await http.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'delete_player', arguments: values },
    },
  })
  // One event of a stream.
  const { result } = JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body)
  return { isError: result.isError === true, body: JSON.parse(result.content.at(-1).text) }
}

test('[AGT-58] a decision on one node ends the wait of a call on another one', async () => {
  const project = await nodes[0].newProject()
  const agent = await newAgent(nodes[0], project, project.production, { tools: ['delete_player'] })
  for (const approve of [true, false]) {
    const { id: playerId } = await newGuest(project.production)
    const asked = await callTool(nodes[1], agent.token, { playerId })
    const { approvalId } = asked.body.details
    const repeated = callTool(nodes[1], agent.token, { playerId, approvalId })
    await pause(WAITS_AFTER_MS)

    await project.developer.call('POST', `/v1/x/approvals/${approvalId}/decision`, { approve })

    const { isError, body } = await repeated
    assert.equal(isError ? body.code : 'ok', approve ? 'ok' : 'approval_refused')
  }
})
