import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { agentsPath, newAgent, type TestAgent } from '../../testing/agents.ts'
import { newGuest } from '../../testing/guests.ts'
import type { Answer, TestEnvironment } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { hashOfArguments, shown, summaryOf } from './arguments.ts'

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

test('[AGT-10] the hash of arguments depends on every value, not on the order of members', () => {
  const hash = (values: unknown) => hashOfArguments('tool', values)
  assert.equal(hash({ a: 1, b: { c: [1, 2], d: null } }), hash({ b: { d: null, c: [1, 2] }, a: 1 }))
  const all = [
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: { 0: 1 } },
    { b: 1 },
    { a: 1, b: undefined, c: 1 },
    {},
    [],
    '',
  ]
  assert.equal(new Set(all.map(hash)).size, all.length)
  assert.notEqual(hash({}), hashOfArguments('other', {}))
})

test('[AGT-50] everything that an agent sends is shown, up to 512 KiB; of more the beginning, with length and hash', () => {
  const whole = { lines: Array.from({ length: 2_000 }, (_, at) => `line ${at}`), line: 'x'.repeat(10_000) }
  assert.equal(shown(whole), JSON.stringify(whole))
  const large = { code: 'x'.repeat(2_000_000), name: 'a' }
  assert.match(
    shown(large),
    /^\{"code":"x{16384}… \(2000000 characters, sha256 [0-9a-f]{64}\)","name":"a"\}$/,
  )
  for (const list of [
    Array.from({ length: 300_000 }, (_, at) => `text ${at}`),
    Array.from({ length: 300_000 }, () => ({ a: [{ b: 'x'.repeat(50) }] })),
    Array.from({ length: 600 }, () => Array.from({ length: 600 }, () => 'text')),
  ]) {
    const cut = shown({ list })
    assert.ok(cut.length <= 524_288)
    assert.match(cut, new RegExp(`\\(${list.length} entries\\)`))
  }
})

test('[AGT-11] a text is never cut in the middle of a character', () => {
  for (const before of ['', 'x']) {
    const values = {
      text: before + '😀'.repeat(40_000),
      list: Array.from({ length: 9_000 }, () => `${before}😀`),
    }
    assert.ok(shown({ text: values.text.repeat(20), list: values.list }).isWellFormed())
    assert.ok(summaryOf({ sentence: ['delete ', values.text] }, 'development').isWellFormed())
  }
})

suite('approvals', { features: { saves: true } }, ({ service, project }) => {
  const tools = [
    'delete_player',
    'export_player',
    'push_config',
    'ban_player',
    'activate_deployment',
    'deploy_files',
  ]
  const sides = () => [project.development, project.production]
  const remove = (agent: TestAgent, side: TestEnvironment, id: string, approvalId?: string) =>
    agent.call(
      'POST',
      `${side.path}/players/${id}/delete`,
      undefined,
      approvalId ? { 'svc-approval': approvalId } : {},
    )
  const exists = async ({ path }: TestEnvironment, id: string) =>
    (await project.developer.call('GET', `${path}/players/${id}`)).status === 200
  const decide = (id: string, approve: boolean, call = project.developer.call) =>
    call('POST', `/v1/x/approvals/${id}/decision`, { approve })

  test('[AGT-10] [AGT-11] a destructive call works once after the developer has approved it', async () => {
    for (const side of sides()) {
      const agent = await newAgent(service, project, side, { tools })
      const { id } = await newGuest(side)
      const asked = await remove(agent, side, id)
      assert.deepEqual(codeOf(asked), [409, 'approval_required'])
      const { approvalId, approvalUrl, summary } = asked.body.error.details
      assert.ok(approvalUrl.endsWith(`/dashboard/approvals/${approvalId}`))
      assert.match(summary, new RegExp(`^Delete player .+ \\(${id}\\) in (development|production)$`))
      assert.equal((await remove(agent, side, id)).body.error.details.approvalId, approvalId, 'asked once')
      assert.equal((await remove(agent, side, id, approvalId)).status, 409, 'not decided yet')
      assert.ok(await exists(side, id))

      const { body } = await project.developer.call('GET', `/v1/x/approvals/${approvalId}`)
      const { tool, arguments: values, environment, status, projectId } = body.approval
      assert.deepEqual(
        [tool, values.params.playerId, environment, status, projectId],
        ['delete_player', id, side.path.split('/').at(-1), 'open', project.id],
      )
      const waiting = (await project.developer.call('GET', '/v1/x/approvals')).body.approvals
      assert.ok(waiting.some((one: { id: string }) => one.id === approvalId))

      assert.equal((await decide(approvalId, true)).body.approval.status, 'approved')
      assert.deepEqual(codeOf(await decide(approvalId, false)), [409, 'approval_decided'])
      assert.ok(await exists(side, id), 'the decision itself changes nothing')
      assert.equal((await remove(agent, side, id, approvalId)).status, 200)
      assert.ok(!(await exists(side, id)))
      assert.deepEqual(codeOf(await remove(agent, side, id, approvalId)), [404, 'player_not_found'])

      const audit = await project.developer.call('GET', `/v1/projects/${project.id}/audit?target=${id}`)
      const [entry] = audit.body.entries
      assert.deepEqual(
        [entry.action, entry.actor.id, entry.details.approvedBy],
        ['player.delete', agent.id, project.developer.id],
      )
    }
  })

  test('[AGT-10] an approval is of one agent and one set of arguments, and ends after 10 minutes', async () => {
    const side = project.production
    const [agent, another] = [
      await newAgent(service, project, side, { tools }),
      await newAgent(service, project, side, { tools }),
    ]
    const [first, second] = [await newGuest(side), await newGuest(side)]
    const { approvalId } = (await remove(agent, side, first.id)).body.error.details
    await decide(approvalId, true)
    const refused = [409, 'approval_required']
    assert.deepEqual(codeOf(await remove(agent, side, second.id, approvalId)), refused, 'other arguments')
    assert.deepEqual(codeOf(await remove(another, side, first.id, approvalId)), refused, 'another token')
    const elsewhere = await agent.call('GET', `${side.path}/players/${first.id}/export`, undefined, {
      'svc-approval': approvalId,
    })
    assert.deepEqual(codeOf(elsewhere), refused, 'another tool')
    for (const odd of ['apv_nothing', '', 'x'.repeat(5_000), approvalId.toUpperCase()])
      assert.deepEqual(codeOf(await remove(agent, side, second.id, odd)), refused)
    service.clock.advance(10 * MINUTE_MS)
    assert.deepEqual(codeOf(await remove(agent, side, first.id, approvalId)), refused, 'expired')
    assert.deepEqual(codeOf(await decide(approvalId, true)), [404, 'approval_not_found'])
    for (const { id } of [first, second]) assert.ok(await exists(side, id))
  })

  test('[AGT-10] of two calls with one approval only one works', async () => {
    const side = project.development
    const agent = await newAgent(service, project, side, { tools })
    const { id } = await newGuest(side)
    const { approvalId } = (await remove(agent, side, id)).body.error.details
    await decide(approvalId, true)
    const answers = await Promise.all([1, 2, 3].map(() => remove(agent, side, id, approvalId)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.equal(statuses[0], 200)
    for (const status of statuses.slice(1)) assert.ok(status === 409 || status === 404, `${status}`)
  })

  test('[AGT-11] only the developer of the agent sees and decides; a refused call stays refused', async () => {
    const side = project.development
    const agent = await newAgent(service, project, side, { tools })
    const { id } = await newGuest(side)
    const { approvalId } = (await remove(agent, side, id)).body.error.details
    const stranger = await service.newDeveloper()
    assert.deepEqual((await stranger.call('GET', '/v1/x/approvals')).body.approvals, [])
    for (const answer of [
      await stranger.call('GET', `/v1/x/approvals/${approvalId}`),
      await decide(approvalId, true, stranger.call),
      await decide('apv_nothing', true),
    ])
      assert.deepEqual(codeOf(answer), [404, 'approval_not_found'])
    for (const call of [agent.call, service.withKey(side.secretKey)])
      assert.deepEqual(codeOf(await decide(approvalId, true, call)), [403, 'developer_session_required'])

    await decide(approvalId, false)
    assert.deepEqual(codeOf(await remove(agent, side, id, approvalId)), [403, 'approval_refused'])
    assert.ok(await exists(side, id))
    await project.developer.call('DELETE', `${agentsPath(side)}/${agent.id}`)
    assert.deepEqual(
      codeOf(await project.developer.call('GET', `/v1/x/approvals/${approvalId}`)),
      [404, 'approval_not_found'],
      'of a revoked agent',
    )
  })

  test('[AGT-10] in production a push needs an approval, a dry run does not; in development neither does', async () => {
    const push = (agent: TestAgent, side: TestEnvironment, query: string, key: string) =>
      agent.call('PUT', `${side.path}/config${query}`, { features: { saves: true }, stats: [{ key }] })
    const versionOf = async (side: TestEnvironment) =>
      (await project.developer.call('GET', `${side.path}/config`)).body.version
    const [development, production] = [
      await newAgent(service, project, project.development, { tools }),
      await newAgent(service, project, project.production, { tools }),
    ]
    const before = await versionOf(project.production)
    assert.equal((await push(production, project.production, '?dryRun=true', 'a')).body.valid, true)
    for (const query of ['', '?dryRun=false'])
      assert.deepEqual(codeOf(await push(production, project.production, query, 'a')), [
        409,
        'approval_required',
      ])
    assert.equal(await versionOf(project.production), before)
    assert.equal((await push(development, project.development, '', 'a')).status, 200)
  })

  test('[AGT-12] unattended agents need no approval in development, and have the same limits', async () => {
    const side = project.development
    const agent = await newAgent(service, project, side, { tools, unattended: true })
    const { id } = await newGuest(side)
    assert.equal((await remove(agent, side, id)).status, 200)
    for (let call = 1; call < 10; call++) assert.equal((await remove(agent, side, id)).status, 404)
    assert.deepEqual(codeOf(await remove(agent, side, id)), [429, 'rate_limited'])
    service.clock.advance(HOUR_MS)
    assert.equal((await remove(agent, side, id)).status, 404)
  })

  test('[AGT-07] an agent asks for at most 20 approvals an hour', async () => {
    const side = project.development
    const agent = await newAgent(service, project, side, { tools: ['write_player_save'] })
    const { id } = await newGuest(side)
    const write = (data: unknown) => agent.call('PUT', `${side.path}/players/${id}/saves/slot`, { data })
    for (let call = 0; call < 20; call++) assert.equal((await write(call)).status, 409)
    assert.equal((await write(0)).status, 409, 'asked before')
    assert.deepEqual(codeOf(await write('more')), [429, 'rate_limited'])
  })
})
