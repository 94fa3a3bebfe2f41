import assert from 'node:assert/strict'
import { test } from 'node:test'

import { agentUseOf } from '@svc/contract/common/agent-tools'
import { endpointList } from '@svc/contract/common/endpoints'

import { ALL_TOOLS, newAgent, type TestAgent } from '../../testing/agents.ts'
import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { newGuest } from '../../testing/guests.ts'
import { deploy } from '../../testing/hosted-apps.ts'
import { topUp } from '../../testing/money.ts'
import type { Answer, Call } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { SUBJECTS } from './subjects.ts'

test('[AGT-51] every destructive endpoint says what a call would change', () => {
  const destructive = endpointList.filter((endpoint) => agentUseOf(endpoint, 'production') === 'destructive')
  assert.ok(destructive.length > 15)
  assert.deepEqual(
    destructive.map(({ route }) => route).filter((route) => !SUBJECTS.has(route)),
    [],
  )
  assert.equal(SUBJECTS.size, destructive.length)
})

const features = { hosting: true, saves: true, stats: true }
const config = { features, stats: [{ key: 'wins', leaderboard: { periods: ['allTime'] } }] }

suite('what agents ask for', { features: {}, start: startFunctionsService }, ({ service, project }) => {
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
  const decide = (approvalId: string, approve = true) =>
    project.developer.call('POST', `/v1/x/approvals/${approvalId}/decision`, { approve })
  /** Asks; returns what the developer sees. */
  async function asks(call: ReturnType<Call>) {
    const asked = await call
    assert.deepEqual(codeOf(asked), [409, 'approval_required'], JSON.stringify(asked.body))
    const { approvalId, summary } = asked.body.error.details
    const { body } = await project.developer.call('GET', `/v1/x/approvals/${approvalId}`)
    assert.equal(body.approval.summary, summary)
    return body.approval
  }
  const production = () => project.production.path
  const newProductionAgent = () => newAgent(service, project, project.production, { tools: ALL_TOOLS })
  const push = (call: Call, change: object) => call('PUT', `${production()}/config`, { ...config, ...change })
  const activate = (agent: TestAgent, ref: string) =>
    agent.call('POST', `${production()}/deployments/${ref}/activate`)

  test('[AGT-51] what does not exist is refused before anybody is asked', async () => {
    assert.equal((await push(project.developer.call, {})).status, 200)
    const agent = await newProductionAgent()
    const path = production()
    const { id } = await newGuest(project.production)
    for (const [method, url, body, code] of [
      ['POST', '/deployments/2/activate', {}, 'deployment_not_found'],
      ['POST', '/deployments/dpl_none/finalize', { activate: true }, 'deployment_not_found'],
      ['PUT', '/config', { features: { nothing: true } }, 'invalid_config'],
      ['POST', '/config/versions/99/restore', {}, 'config_version_not_found'],
      ['POST', '/players/ply_none/ban', {}, 'player_not_found'],
      ['POST', '/players/ply_none/delete', {}, 'player_not_found'],
      ['GET', '/players/ply_none/export', undefined, 'player_not_found'],
      ['POST', '/players/ply_none/sign-out', {}, 'player_not_found'],
      ['PUT', '/players/ply_none/saves/slot', { data: 1 }, 'player_not_found'],
      ['DELETE', `/players/${id}/saves/slot`, undefined, 'save_not_found'],
      ['POST', '/x/leaderboards/none/reset', {}, 'leaderboard_not_found'],
      ['DELETE', '/x/leaderboards/wins/entries/ply_none', undefined, 'player_not_found'],
      ['POST', '/functions/deployments', { fromVersion: 9 }, 'deployment_not_found'],
      ['POST', '/functions/db/NONE/query', { sql: 'select 1' }, 'functions_disabled'],
    ] as const)
      assert.equal((await agent.call(method, `${path}${url}`, body)).body.error?.code, code, url)
    assert.deepEqual((await project.developer.call('GET', '/v1/x/approvals')).body.approvals, [])
  })

  test('[AGT-51] [AGT-52] an approval to activate is of one deployment, and of what is live', async () => {
    assert.equal((await push(project.developer.call, {})).status, 200)
    const agent = await newProductionAgent()
    const files = { 'index.html': 'one', 'gone.js': 'gone' }
    await deploy(service, project.production, files, { activate: true })
    const two = await deploy(
      service,
      project.production,
      { 'index.html': 'two', 'new.js': '' },
      { activate: false },
    )
    const other = await deploy(service, project.production, { 'index.html': 'other' }, { activate: false })

    const asked = await asks(activate(agent, '2'))
    assert.equal(asked.summary, `Make version 2 of the hosted app live (${two.deploymentId}) in production`)
    assert.equal(asked.target, two.deploymentId)
    const of = (path: string) => asked.changes.find((one: { path: string }) => one.path === path)
    assert.match(of('index.html').before, /^3 bytes, sha256 [0-9a-f]{12}…$/)
    assert.match(of('index.html').after, /^3 bytes, sha256 [0-9a-f]{12}…$/)
    assert.notEqual(of('index.html').before, of('index.html').after)
    assert.deepEqual([of('new.js').before, of('gone.js').after], [null, null])
    assert.equal(asked.changes.length, 3)
    await decide(asked.id)
    const byHand = await project.developer.call(
      'POST',
      `${production()}/deployments/${other.version}/activate`,
    )
    assert.equal(byHand.status, 200)
    const again = await asks(activate(agent, '2'))
    assert.notEqual(again.id, asked.id, 'another version went live since')
    await decide(again.id)
    assert.deepEqual((await activate(agent, '2')).body.live, true)

    const missing = [{ path: 'index.html', sha256: 'a'.repeat(64), size: 1 }]
    const uploaded = await project.production.server('POST', '/v1/deployments', { files: missing })
    assert.equal(uploaded.status, 200)
    assert.equal((await activate(agent, uploaded.body.deploymentId)).body.error?.code, 'not_finalized')
  })

  test('[AGT-52] [AGT-54] an approved push is asked again after another push; the difference is to what is live', async () => {
    const agent = await newProductionAgent()
    assert.equal((await push(project.developer.call, {})).status, 200)
    const turnOff = () => push(agent.call, { features: { ...features, saves: false } })
    const asked = await asks(turnOff())
    assert.deepEqual(asked.sentence, ['turn ', 'saves', ' off'])
    assert.equal(asked.summary, 'Turn saves off in production')
    assert.deepEqual(asked.changes, [{ path: '$.features.saves', before: true, after: false }])
    await decide(asked.id)
    assert.equal(
      (await push(project.developer.call, { web: { allowedOrigins: ['https://a.example'] } })).status,
      200,
    )
    const again = await asks(turnOff())
    assert.notEqual(again.id, asked.id)
    assert.deepEqual(again.sentence, ['make ', '2', ' changes to the config'])
    await decide(again.id)
    assert.equal((await turnOff()).status, 200, 'the same call, without the id of the approval')
    const nothing = await asks(turnOff())
    assert.deepEqual(
      [nothing.summary, nothing.changes],
      ['Push a config that changes nothing in production', []],
    )

    const { body } = await project.developer.call('GET', `${production()}/config/versions`)
    const { version } = body.versions.at(-1)
    const restore = await asks(agent.call('POST', `${production()}/config/versions/${version}/restore`))
    assert.deepEqual(restore.sentence, ['restore config version ', `${version}`, ''])
    assert.ok(restore.changes.length > 0)
    assert.match(restore.facts[0].value, new RegExp(` by ${project.developer.email}$`))
  })

  test('[AGT-52] [AGT-54] saves: the difference is shown, and another version asks again', async () => {
    assert.equal((await push(project.developer.call, {})).status, 200)
    const agent = await newProductionAgent()
    const guest = await newGuest(project.production)
    await guest.call('PATCH', '/v1/players/me', { displayName: 'Mira' })
    const path = `${production()}/players/${guest.id}/saves/slot`
    const write = () => agent.call('PUT', path, { data: { level: 2, coins: 5 } })
    const created = await asks(write())
    assert.equal(created.summary, `Create the save slot of player Mira (${guest.id}) in production`)
    await decide(created.id)
    assert.equal((await guest.call('PUT', '/v1/saves/slot', { data: { level: 9, coins: 5 } })).status, 200)
    const asked = await asks(write())
    assert.deepEqual(asked.sentence, ['overwrite the save ', 'slot', ' of player ', 'Mira', ''])
    assert.deepEqual(asked.changes, [{ path: '$.level', before: 9, after: 2 }])
    await decide(asked.id)
    assert.equal((await write()).status, 200)
    const removal = await asks(agent.call('DELETE', path))
    assert.deepEqual(removal.changes, [{ path: '$', before: { level: 2, coins: 5 }, after: null }])
  })

  test('[AGT-53] a refused call stays refused; another one is asked', async () => {
    const agent = await newProductionAgent()
    const { id } = await newGuest(project.production)
    const ban = (reason: string) => agent.call('POST', `${production()}/players/${id}/ban`, { reason })
    await decide((await asks(ban('a'))).id, false)
    assert.deepEqual(codeOf(await ban('a')), [403, 'approval_refused'])
    await asks(ban('b'))
    service.clock.advance(10 * 60_000)
    await asks(ban('a'))
  })

  test('[AGT-51] [AGT-52] [AGT-54] functions: the code is shown, and limits by what becomes of them', async () => {
    await topUp(service, project.developer, 500)
    await deployFunctions(project.production, 'export default {}', { bindings: [{ type: 'db', name: 'DB' }] })
    const agent = await newProductionAgent()
    const path = `${production()}/functions`
    const code = 'export default {\n  fetch: () => new Response()\n}'
    const modules = [{ name: 'index.js', type: 'esm', content: Buffer.from(code).toString('base64') }]
    const deployment = { mainModule: 'index.js', modules, message: 'Faster' }
    const asked = await asks(agent.call('POST', `${path}/deployments`, deployment))
    assert.deepEqual(asked.sentence, ['deploy server functions'])
    assert.deepEqual(asked.facts, [
      { name: 'Live now', value: 'version 1' },
      { name: 'Message', value: 'Faster' },
    ])
    assert.equal(asked.changes.find((one: { path: string }) => one.path === 'index.js').after, code)

    const limits = await asks(agent.call('PUT', `${path}/limits`, { cpuMs: 7 }))
    assert.deepEqual(limits.changes, [{ path: '$.limits.cpuMs', before: 1_000, after: 7 }])
    const off = await asks(agent.call('POST', `${path}/disable`))
    assert.deepEqual(off.changes, [{ path: '$.enabled', before: true, after: false }])
    assert.deepEqual((await asks(agent.call('DELETE', `${path}?purge=true`))).sentence, [
      'remove the server functions with all their data',
    ])
    const query = await asks(agent.call('POST', `${path}/db/DB/query`, { sql: 'delete from a' }))
    assert.deepEqual(query.sentence, ['run SQL in the database ', 'DB', ''])
    const missing = await agent.call('POST', `${path}/db/NONE/query`, { sql: 'delete from a' })
    assert.deepEqual(codeOf(missing), [404, 'binding_not_found'])

    await decide(limits.id)
    await project.developer.call('PUT', `${path}/limits`, { cpuMs: 500 })
    const again = await asks(agent.call('PUT', `${path}/limits`, { cpuMs: 7 }))
    assert.notEqual(again.id, limits.id)
  })
})
