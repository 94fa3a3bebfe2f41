import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { agentClients } from '../../testing/agent-clients.ts'
import { agentsPath, ALL_TOOLS, newAgent, type TestAgent } from '../../testing/agents.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { invite, newMember } from '../../testing/members.ts'
import { suite } from '../../testing/suite.ts'
import { answerWith, startReceiver } from '../../testing/webhook-receiver.ts'

const BACK = 'http://127.0.0.1/callback'

suite('agents of members', { features: {} }, ({ service, project }) => {
  let documents: Awaited<ReturnType<typeof startReceiver>>
  before(async () => void (documents = await startReceiver()))
  after(() => documents.stop())

  type Member = Awaited<ReturnType<typeof newMember>>
  const agentOf = (developer: Member, side = project.development) =>
    newAgent(service, { developer }, side, { tools: side === project.development ? ALL_TOOLS : [] })
  const statusOf = async ({ call }: Pick<TestAgent, 'call'>, side = project.development) =>
    (await call('GET', `${side.path}/config`)).status
  const ends = (agent: Pick<TestAgent, 'call'>) =>
    comesTrue('the token is refused', async () => (await statusOf(agent)) === 401)
  const listed = async (): Promise<string[]> =>
    (await project.developer.call('GET', agentsPath(project.development))).body.agents.map(
      ({ id }: { id: string }) => id,
    )
  const membersPath = () => `/v1/x/projects/${project.id}/members`
  async function joinAgain(developer: Member) {
    const { token } = await invite(project, developer.email, 'admin')
    const { status, body } = await developer.call('POST', '/v1/x/invitations/accept', { token })
    assert.equal(status, 200, JSON.stringify(body))
  }

  test('[AGT-55] the agents of a member who is removed or leaves end, and do not come back with a new invitation', async () => {
    for (const leaves of [false, true]) {
      const member = await newMember(service, project, 'developer')
      const [agent, reader] = [await agentOf(member), await agentOf(member, project.production)]
      const other = await service.newProject(member)
      const elsewhere = await newAgent(service, other, other.development)
      assert.deepEqual([await statusOf(agent), await statusOf(reader, project.production)], [200, 200])
      const left = leaves
        ? await member.call('POST', `/v1/x/projects/${project.id}/leave`, {})
        : await project.developer.call('DELETE', `${membersPath()}/${member.id}`)
      assert.equal(left.status, 200, JSON.stringify(left.body))
      assert.ok(!(await listed()).includes(agent.id), 'it is not counted among the live ones')
      await ends(agent)
      await joinAgain(member)
      assert.deepEqual([await statusOf(agent), await statusOf(reader, project.production)], [401, 401])
      assert.equal(await statusOf(elsewhere, other.development), 200, 'of another project')
    }
  })

  test('[AGT-55] the grant of an OAuth client ends with the membership: no token, no refresh, no code', async () => {
    const { body } = await service.call('GET', '/.well-known/oauth-authorization-server')
    const client = agentClients(service, () => body.issuer)
    const id = `http://127.0.0.1:${documents.port}/client.json`
    documents.answer(answerWith({ client_id: id, client_name: 'My client', redirect_uris: [BACK] }))
    const developer = await newMember(service, project, 'developer')
    const consent = () => client.consent({ developer }, project.development, client.query(id, BACK))
    const { body: tokens } = await client.exchange(id, BACK, (await consent()).code)
    const unused = await consent()
    const call = service.withToken(tokens.access_token)
    assert.equal(await statusOf({ call }), 200)
    await project.developer.call('DELETE', `${membersPath()}/${developer.id}`)
    await joinAgain(developer)
    await ends({ call })
    assert.equal((await client.refresh(id, tokens.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await client.exchange(id, BACK, unused.code)).body.error, 'invalid_grant')
  })

  test('[AGT-55] a role that may have no agents ends them; any other role does not', async () => {
    const member = await newMember(service, project, 'developer')
    const agent = await agentOf(member)
    const change = (role: string) =>
      project.developer.call('PATCH', `${membersPath()}/${member.id}`, { role })
    for (const role of ['moderator', 'admin', 'developer']) {
      assert.equal((await change(role)).status, 200)
      assert.equal(await statusOf(agent), 200, role)
    }
    assert.equal((await change('viewer')).status, 200)
    await ends(agent)
    await change('developer')
    assert.equal(await statusOf(agent), 401)
  })

  test('[AGT-59] an unknown tool is named in the error, with the list; an endpoint that is none says so', async () => {
    const { body } = await project.developer.call('POST', agentsPath(project.development), {
      label: 'a',
      tools: ['ban_player', 'ban_playr'],
    })
    assert.match(
      body.error.message,
      /^tools\[1\] is "ban_playr", which is not a tool\. The tools are .*ban_player/,
    )
    assert.match(body.error.message, /, whoami|, push_config|, write_player_save/)
    const agent = await agentOf(project.developer)
    const { status, body: refused } = await agent.call('GET', '/v1/developers/me')
    assert.deepEqual([status, refused.error.code], [403, 'developer_session_required'])
    assert.match(refused.error.message, /^Agents can never use this endpoint\./)
    const json = await service.call('POST', '/oauth/token', { grant_type: 'authorization_code' })
    assert.equal(json.status, 415)
    assert.equal(json.body.error.message, 'Send the body as application/x-www-form-urlencoded.')
  })

  test('[AGT-56] everybody ends the own agents; admins and the owner end those of all members', async () => {
    const roles = ['admin', 'developer', 'moderator'] as const
    const members = await Promise.all(roles.map((role) => newMember(service, project, role)))
    const all = [
      { role: 'owner', developer: project.developer },
      ...members.map((developer, at) => ({ role: roles[at], developer })),
    ]
    for (const { role, developer } of all)
      for (const { role: ofRole, developer: owner } of all) {
        const agent = await agentOf(owner)
        const path = `${agentsPath(project.development)}/${agent.id}`
        const { status, body } = await developer.call('DELETE', path)
        const mayEnd = developer === owner || role === 'owner' || role === 'admin'
        assert.equal(status, mayEnd ? 200 : 403, `${role} ends one of ${ofRole}`)
        if (mayEnd) continue
        assert.deepEqual([body.error.code, body.error.details.requiredRole], ['role_required', 'admin'])
        assert.equal(await statusOf(agent), 200)
        assert.equal((await owner.call('DELETE', path)).status, 200)
      }
  })
})
