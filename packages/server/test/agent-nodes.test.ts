import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { agentsPath, newAgent } from '../src/testing/agents.ts'
import { comesTrue } from '../src/testing/in-time.ts'
import { startTwoNodes } from '../src/testing/suite.ts'

describe('agents on two nodes', () => {
  const [first, second] = startTwoNodes()

  test('[AGT-08] a revoked agent is refused on both nodes', async () => {
    const project = await first.newProject()
    const { path } = project.development
    const agent = await newAgent(first, project, project.development)
    const statusAt = async (node: typeof first) =>
      (await node.call('GET', `${path}/keys`, undefined, { authorization: `Bearer ${agent.token}` })).status
    for (const node of [first, second]) assert.equal(await statusAt(node), 200)
    await project.developer.call('DELETE', `${agentsPath(project.development)}/${agent.id}`)
    assert.equal(await statusAt(first), 401)
    await comesTrue('the other node refuses the token', async () => (await statusAt(second)) === 401)
  })

  test('[AGT-08] [AGT-10] an approval of one node is used on the other, once', async () => {
    const project = await first.newProject()
    const { path } = project.development
    const agent = await newAgent(first, project, project.development, { tools: ['delete_player'] })
    const { body } = await project.development.public('POST', '/v1/auth/guest', {})
    const remove = (node: typeof first, approvalId = '') =>
      node.call('POST', `${path}/players/${body.player.id}/delete`, undefined, {
        authorization: `Bearer ${agent.token}`,
        'svc-approval': approvalId,
      })
    const { approvalId } = (await remove(first)).body.error.details
    assert.equal((await remove(second)).body.error.details.approvalId, approvalId)
    await project.developer.call('POST', `/v1/x/approvals/${approvalId}/decision`, { approve: true })
    const answers = await Promise.all([remove(first, approvalId), remove(second, approvalId)])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
  })
})
