import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { agentsPath, newAgent, type TestAgent } from '../../testing/agents.ts'
import { newGuest } from '../../testing/guests.ts'
import { newMember } from '../../testing/members.ts'
import type { Answer } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { isTokenText, newTokenText } from './token-text.ts'

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

test('[AGT-03] a token ends in a checksum, so typing errors are detected without the database', () => {
  const token = newTokenText(systemRandom)
  assert.match(token, /^agt_[A-Za-z0-9]{32}$/)
  assert.ok(isTokenText(token))
  assert.ok(!isTokenText(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`))
})

suite('agents', { features: {} }, ({ service, project }) => {
  const developer = () => project.developer
  const agentsOf = (side = project.development) => agentsPath(side)

  test('[AGT-03] an agent reads by default, for 8 hours, and its token is stored hashed', async () => {
    const { status, body } = await developer().call('POST', agentsOf(), { label: ' My \u202eagent ' })
    assert.equal(status, 201)
    const { agent, token } = body
    assert.match(token, /^agt_/)
    assert.match(agent.id, /^agn_/)
    assert.deepEqual(
      [agent.label, agent.tools, agent.unattended, agent.client, agent.lastUsedAt],
      ['My agent', [], false, null, null],
    )
    assert.equal(Date.parse(agent.expiresAt) - Date.parse(agent.createdAt), 8 * HOUR_MS)
    const rows = await service.db.search((q) => q.selectFrom('agents_tokens').selectAll())
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('[AGT-03] unknown tools, and hours that are not from 1 to 720, are rejected', async () => {
    const create = (fields: object) => developer().call('POST', agentsOf(), { label: 'x', ...fields })
    for (const tools of [['nothing'], ['banPlayer'], ['create_key'], ['read_channel'], ['whoami'], ['']]) {
      const { status, body } = await create({ tools })
      assert.deepEqual([status, body.error.details.errors[0].path], [400, '$.tools[0]'], String(tools))
    }
    for (const expiresInHours of [0, 721, 1.5]) assert.equal((await create({ expiresInHours })).status, 400)
    const longest = await create({
      expiresInHours: 720,
      tools: ['ban_player', 'ban_player', 'search_players'],
    })
    assert.deepEqual(longest.body.agent.tools, ['ban_player', 'search_players'])
    await developer().call('DELETE', `${agentsOf()}/${longest.body.agent.id}`)
  })

  test('[AGT-03] in production tools beyond reading need a proof of identity, and nothing is unattended', async () => {
    const create = (fields: object) =>
      developer().call('POST', agentsOf(project.production), { label: 'x', ...fields })
    const tools = ['ban_player']
    assert.equal((await create({ tools: ['search_players'] })).status, 201)
    assert.deepEqual(codeOf(await create({ tools })), [401, 'reauth_required'])
    assert.deepEqual(codeOf(await create({ tools, reauthToken: 'wrong' })), [401, 'reauth_required'])
    assert.deepEqual(codeOf(await create({ tools, password: 'wrong' })), [401, 'invalid_credentials'])
    assert.equal((await create({ tools, password: 'correct horse' })).status, 201)
    assert.deepEqual(codeOf(await create({ unattended: true })), [400, 'invalid_request'])
  })

  test('[AGT-03] an environment has at most 20 live agents, also when they are created together', async () => {
    const { production, ...other } = await service.newProject()
    const create = () => other.developer.call('POST', agentsOf(production), { label: 'x' })
    const answers = await Promise.all(Array.from({ length: 22 }, create))
    assert.equal(answers.filter(({ status }) => status === 201).length, 20)
    assert.deepEqual(codeOf(await create()), [409, 'too_many_agents'])
    const [first] = (await other.developer.call('GET', agentsOf(production))).body.agents
    await other.developer.call('DELETE', `${agentsOf(production)}/${first.id}`)
    assert.equal((await create()).status, 201)
    service.clock.advance(8 * HOUR_MS)
    assert.equal((await create()).status, 201, 'expired ones do not count')
  })

  test('[AGT-04] agents are listed and read with their last 200 calls, until they are revoked', async () => {
    const other = await service.newProject()
    const agent = await newAgent(service, other, other.development, { tools: ['ban_player'] })
    const path = `${agentsOf(other.development)}/${agent.id}`
    await agent.call('GET', `${other.development.path}/players`)
    await agent.call('POST', `${other.development.path}/players/ply_none/ban`, {})
    const guest = await newGuest(other.development)
    await agent.call('POST', `${other.development.path}/players/${guest.id}/delete`)
    await service.everySecond()
    const { body } = await other.developer.call('GET', path)
    assert.deepEqual(
      body.calls.map(({ tool, outcome }: { tool: string; outcome: string }) => [tool, outcome]),
      [
        ['delete_player', 'tool_not_granted'],
        ['ban_player', 'player_not_found'],
        ['search_players', 'ok'],
      ],
    )
    assert.equal(body.agent.lastUsedAt, service.clock.now().toISOString())
    for (let round = 0; round < 3; round++) {
      service.clock.advance(MINUTE_MS)
      for (let call = 0; call < 90; call++) await agent.call('GET', `${other.development.path}/keys`)
      await service.everySecond()
    }
    assert.equal((await other.developer.call('GET', path)).body.calls.length, 200)
    const rows = await service.db.search((q) =>
      q.selectFrom('agents_calls').select('sequence').where('tokenId', '=', agent.id),
    )
    assert.equal(rows.length, 200)

    const listed = (await other.developer.call('GET', agentsOf(other.development))).body.agents
    assert.deepEqual(
      listed.map(({ id, developer: of }: { id: string; developer: object }) => [id, of]),
      [[agent.id, { id: other.developer.id, email: other.developer.email, isYou: true }]],
    )
    for (const id of [agent.id, 'agn_nothing']) {
      const foreign = `${agentsOf()}/${id}`
      assert.deepEqual(codeOf(await developer().call('GET', foreign)), [404, 'agent_not_found'])
      assert.deepEqual(codeOf(await developer().call('DELETE', foreign)), [404, 'agent_not_found'])
    }
    assert.equal((await other.developer.call('DELETE', path)).status, 200)
    assert.deepEqual(codeOf(await other.developer.call('DELETE', path)), [404, 'agent_not_found'])
    assert.deepEqual(codeOf(await other.developer.call('GET', path)), [404, 'agent_not_found'])
  })

  test('[AGT-08] a token ends when it is revoked, when it expires, and with its developer or project', async () => {
    const other = await service.newProject()
    const look = (agent: TestAgent) => agent.call('GET', `${other.development.path}/keys`)
    const [revoked, expired, last] = [
      await newAgent(service, other, other.development),
      await newAgent(service, other, other.development, { expiresInHours: 1 }),
      await newAgent(service, other, other.development, { expiresInHours: 720 }),
    ]
    for (const agent of [revoked, expired, last]) assert.equal((await look(agent)).status, 200)
    await other.developer.call('DELETE', `${agentsOf(other.development)}/${revoked.id}`)
    assert.deepEqual(codeOf(await look(revoked)), [401, 'unauthorized'])
    service.clock.advance(HOUR_MS - 1)
    assert.equal((await look(expired)).status, 200)
    service.clock.advance(1)
    assert.deepEqual(codeOf(await look(expired)), [401, 'unauthorized'])
    for (const token of ['agt_', 'agt_nothing', `${last.token}x`, last.token.toUpperCase()])
      assert.deepEqual(codeOf(await service.withToken(token)('GET', `${other.development.path}/keys`)), [
        401,
        'unauthorized',
      ])

    await other.developer.call('DELETE', `/v1/projects/${other.id}`)
    assert.ok([401, 404].includes((await look(last)).status))
  })

  test('[AGT-08] a new password ends the agents of the developer, and nobody else’s', async () => {
    const other = await service.newProject()
    const member = await newMember(service, other, 'developer')
    const [mine, theirs] = [
      await newAgent(service, other, other.development),
      await newAgent(service, { developer: member }, other.development),
    ]
    const look = async ({ call }: TestAgent) => (await call('GET', `${other.development.path}/keys`)).status
    assert.deepEqual([await look(mine), await look(theirs)], [200, 200])
    const change = { password: 'another horse', currentPassword: 'correct horse' }
    assert.equal((await other.developer.call('POST', '/v1/developers/me/password', change)).status, 200)
    await service.everySecond()
    assert.deepEqual([await look(mine), await look(theirs)], [401, 200])
  })

  test('[AGT-07] 120 calls a minute and 60 writes an hour are accepted, the next ones are not', async () => {
    const other = await service.newProject()
    const agent = await newAgent(service, other, other.development, { tools: ['ban_player'] })
    const ban = () => agent.call('POST', `${other.development.path}/players/ply_none/ban`, {})
    for (let call = 0; call < 60; call++) assert.equal((await ban()).status, 404)
    const limited = await ban()
    assert.deepEqual(codeOf(limited), [429, 'rate_limited'])
    assert.equal(limited.headers['retry-after'], '3600')
    const read = () => agent.call('GET', `${other.development.path}/keys`)
    for (let call = 61; call < 120; call++) assert.equal((await read()).status, 200)
    assert.deepEqual(codeOf(await read()), [429, 'rate_limited'])
    service.clock.advance(MINUTE_MS)
    assert.equal((await read()).status, 200)
    assert.equal((await ban()).status, 429)
    service.clock.advance(HOUR_MS)
    assert.equal((await ban()).status, 404)
  })

  test('[AGT-09] [AUD-02] the audit log names the agent and the human', async () => {
    const other = await service.newProject()
    const { id } = await newGuest(other.development)
    const agent = await newAgent(service, other, other.development, { label: 'Fixer', tools: ['ban_player'] })
    await agent.call('POST', `${other.development.path}/players/${id}/ban`, { reason: 'spam' })
    const { entries } = (
      await other.developer.call('GET', `/v1/projects/${other.id}/audit?action=player.ban`)
    ).body
    assert.deepEqual(entries[0].actor, {
      type: 'agent',
      id: agent.id,
      label: `Fixer for ${other.developer.email}`,
    })
    assert.equal(entries[0].details.onBehalfOf, other.developer.id)
    assert.equal(entries[0].details.client, null)
    assert.ok(!('approvedBy' in entries[0].details))

    await other.developer.call('DELETE', `${agentsOf(other.development)}/${agent.id}`)
    const own = (await other.developer.call('GET', `/v1/projects/${other.id}/audit?action=agent`)).body
      .entries
    assert.deepEqual(
      own.map(({ action, target }: { action: string; target: string }) => [action, target]),
      [
        ['agent.revoke', agent.id],
        ['agent.create', agent.id],
      ],
    )
    assert.ok(!JSON.stringify(own).includes(agent.token))
  })

  test('[AGT-06] an agent has the role of its developer at the moment of the call', async () => {
    const other = await service.newProject()
    const member = await newMember(service, other, 'developer')
    const { path } = other.development
    const agent = await newAgent(service, { developer: member }, other.development)
    const readRequests = async () => codeOf(await agent.call('GET', `${path}/requests`))
    assert.deepEqual(await readRequests(), [200, undefined])
    const membership = `/v1/x/projects/${other.id}/members/${member.id}`
    await other.developer.call('PATCH', membership, { role: 'moderator' })
    assert.deepEqual(await readRequests(), [403, 'role_required'])
    assert.equal((await agent.call('GET', `${path}/overview`)).status, 200)
    const listed = (await other.developer.call('GET', agentsOf(other.development))).body.agents
    assert.deepEqual(listed[0].developer, { id: member.id, email: member.email, isYou: false })
    const viewer = await newMember(service, other, 'viewer')
    assert.deepEqual(codeOf(await viewer.call('GET', agentsOf(other.development))), [403, 'role_required'])
  })

  test('[AGT-06] an agent sees the audit entries of its environment only', async () => {
    const other = await service.newProject()
    await other.developer.call('PUT', `${other.production.path}/config`, { stats: [{ key: 'hidden' }] })
    await other.developer.call('PUT', `${other.development.path}/config`, { stats: [{ key: 'shown' }] })
    const agent = await newAgent(service, other, other.development)
    const audit = (query: string) => agent.call('GET', `/v1/projects/${other.id}/audit${query}`)
    for (const query of [
      '',
      '?env=dev',
      '?env=development',
      '?wholeProject=true',
      '?env=dev&wholeProject=true',
    ]) {
      const { status, body } = await audit(query)
      assert.equal(status, 200)
      assert.ok(body.entries.length > 0)
      assert.deepEqual([...new Set(body.entries.map(({ env }: { env: string }) => env))], ['development'])
    }
    for (const query of ['?env=production', '?env=prod', '?env=x'])
      assert.deepEqual(codeOf(await audit(query)), [404, 'environment_not_found'])
  })

  test('old agents, approvals and calls are removed after 30 days', async () => {
    const other = await service.newProject()
    const agent = await newAgent(service, other, other.development, { tools: ['delete_player'] })
    const guest = await newGuest(other.development)
    await agent.call('POST', `${other.development.path}/players/${guest.id}/delete`)
    await service.everySecond()
    const counts = () =>
      Promise.all(
        (['agents_calls', 'agents_approvals'] as const).map(
          async (table) =>
            (
              await service.db.search((q) =>
                q.selectFrom(table).select('tokenId').where('tokenId', '=', agent.id),
              )
            ).length,
        ),
      )
    assert.deepEqual(await counts(), [1, 1])
    service.clock.advance(30 * DAY_MS + 8 * HOUR_MS)
    await service.everyHour()
    assert.deepEqual(await counts(), [0, 0])
  })
})
