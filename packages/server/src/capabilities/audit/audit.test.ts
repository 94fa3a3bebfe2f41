import assert from 'node:assert/strict'
import { test } from 'node:test'

import { statement } from '../../engines/database/database.ts'
import { newGuest } from '../../testing/guests.ts'
import { suite } from '../../testing/suite.ts'

const changeDetails = statement((q, { id, details }: { id: string; details: string }) =>
  q.updateTable('audit_entries').set({ details }).where('id', '=', id),
)
const removeEntry = statement((q, { id }: { id: string }) =>
  q.deleteFrom('audit_entries').where('id', '=', id),
)

suite('audit', {}, ({ service }) => {
  test('[AUD-01] [GEN-46] a change by a key and by a developer is written with its actor, action and target', async () => {
    const project = await service.newProject()
    await project.development.server('PUT', '/v1/config', { features: { saves: true } })
    await project.developer.call('PUT', `${project.production.path}/config`, { features: { stats: true } })

    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit`)

    const received = body.entries.map(
      ({ action, env, actor }: { action: string; env: string | null; actor: { type: string } }) => [
        action,
        env,
        actor.type,
      ],
    )
    assert.deepEqual(received, [
      ['config.push', 'production', 'developer'],
      ['config.push', 'development', 'key'],
      ['project.create', null, 'developer'],
    ])
    assert.match(body.entries[0].id, /^aud_/)
    assert.equal(body.entries[0].actor.label, project.developer.email)
  })

  test('[DSH-14] entries can be limited by action, actor, target and time', async () => {
    const project = await service.newProject()
    const { call, id, email } = project.developer
    const player = (await project.development.public('POST', '/v1/auth/guest', {})).body.player
    await project.development.server('PUT', '/v1/config', { features: { saves: true } })
    service.clock.advance(1_000)
    const from = service.clock.now().toISOString()
    await project.development.server('POST', `/v1/admin/players/${player.id}/ban`, {})
    service.clock.advance(1_000)
    const to = service.clock.now().toISOString()
    await call('POST', `${project.production.path}/players/${player.id}/unban`)
    await call('POST', `${project.development.path}/players/${player.id}/unban`)

    const list = async (query: Record<string, string>) =>
      (await call('GET', `/v1/projects/${project.id}/audit?${new URLSearchParams(query).toString()}`)).body
    const actions = async (query: Record<string, string>) =>
      (await list(query)).entries.map(({ action }: { action: string }) => action)
    const all = ['player.unban', 'player.ban', 'config.push', 'project.create']
    assert.deepEqual(await actions({}), all)
    assert.deepEqual(await actions({ action: 'player' }), ['player.unban', 'player.ban'])
    assert.deepEqual(await actions({ action: 'player.ban' }), ['player.ban'])
    assert.deepEqual(await actions({ action: 'play' }), [])
    assert.deepEqual(await actions({ action: 'player.%' }), [])
    assert.deepEqual(await actions({ actor: id }), ['player.unban', 'project.create'])
    assert.deepEqual(await actions({ actor: email }), ['player.unban', 'project.create'])
    assert.deepEqual(await actions({ actor: '%' }), [])
    assert.deepEqual(await actions({ actor: '"' }), [])
    assert.deepEqual(await actions({ target: player.id }), ['player.unban', 'player.ban'])
    assert.deepEqual(await actions({ from }), ['player.unban', 'player.ban'])
    assert.deepEqual(await actions({ to: from }), ['config.push', 'project.create'])
    assert.deepEqual(await actions({ from, to }), ['player.ban'])
    assert.deepEqual(await actions({ target: player.id, env: 'production' }), [])
    assert.equal((await list({ from: 'yesterday' })).error.code, 'invalid_request')

    const first = await list({ target: player.id, limit: '1' })
    assert.deepEqual(await actions({ target: player.id, limit: '1', before: first.nextBefore }), [
      'player.ban',
    ])
  })

  test('[DSH-14] a filtered page reads at most 5,000 entries and returns where the next page begins', async () => {
    const project = await service.newProject()
    const row = (
      await service.db.search((q) =>
        q.selectFrom('audit_entries').selectAll().where('projectId', '=', project.id),
      )
    )[0]
    assert.ok(row)
    // Entries of another kind, in batches, because the number of values in a statement is limited.
    for (let batch = 0; batch < 12; batch++)
      await service.db.transaction(async (transaction) => {
        await transaction.search((q) =>
          q
            .insertInto('audit_entries')
            .values(
              Array.from({ length: 500 }, (_, n) => {
                const sequence = batch * 500 + n + 2
                return { ...row, sequence, id: `${row.id}${sequence}`, action: 'other.change' }
              }),
            )
            .returning('id'),
        )
        await transaction.search((q) =>
          q
            .updateTable('audit_heads')
            .set({ sequence: (batch + 1) * 500 + 1 })
            .where('projectId', '=', project.id)
            .returning('projectId'),
        )
      })
    const { call } = project.developer
    const path = `/v1/projects/${project.id}/audit?action=project.create`

    const first = (await call('GET', path)).body
    assert.deepEqual(first.entries, [])
    assert.equal(first.nextBefore, `${row.id}1002`)
    const second = (await call('GET', `${path}&before=${first.nextBefore}`)).body
    assert.deepEqual([second.entries.length, second.nextBefore], [1, null])
  })

  test('[AUD-01] [AUD-02] [GEN-14] entries come newest first, in pages, and by environment', async () => {
    const project = await service.newProject()
    const { call } = project.developer
    for (let i = 0; i < 5; i++)
      await project.development.server('PUT', '/v1/config', { stats: [{ key: `s${i}` }] })
    await project.production.server('PUT', '/v1/config', { features: { saves: true } })

    const path = `/v1/projects/${project.id}/audit`
    const first = await call('GET', `${path}?limit=3`)
    const second = await call('GET', `${path}?limit=3&before=${first.body.nextBefore}`)
    const third = await call('GET', `${path}?limit=3&before=${second.body.nextBefore}`)
    assert.deepEqual(
      [first, second, third].map(({ body }) => body.entries.length),
      [3, 3, 1],
    )
    assert.equal(third.body.nextBefore, null)
    assert.equal((await call('GET', `${path}?env=prod`)).body.entries.length, 1)
    assert.equal((await call('GET', `${path}?env=staging`)).status, 404)
    for (const limit of ['0', '201', 'x', '1.5'])
      assert.equal((await call('GET', `${path}?limit=${limit}`)).status, 400)
    assert.equal((await call('GET', `${path}?limit=200`)).status, 200)
    assert.equal((await call('GET', `${path}?before=aud_unknown`)).status, 400)
  })

  test('[AUD-03] values that a key reported are left out, unless `reported` or an action asks for them', async () => {
    const project = await service.newProject()
    const { call } = project.developer
    const config = { features: { stats: true }, stats: [{ key: 'wins', source: 'server' }] }
    await project.development.server('PUT', '/v1/config', config)
    const guest = await newGuest(project.development)
    const report = { stats: { wins: 1 } }
    for (let i = 0; i < 4; i++) {
      const path = `/v1/admin/x/players/${guest.id}/stats`
      assert.equal((await project.development.server('POST', path, report)).status, 200)
    }
    const byHand = await call('POST', `${project.development.path}/x/players/${guest.id}/stats`, report)
    assert.equal(byHand.status, 200)

    const actions = async (query: string) =>
      (await call('GET', `/v1/projects/${project.id}/audit?${query}`)).body.entries.map(
        ({ action, actor }: { action: string; actor: { type: string } }) => `${action} ${actor.type}`,
      )
    const reports = Array(4).fill('stats.write key')
    const others = ['config.push key']
    assert.deepEqual(await actions('env=dev'), ['stats.write developer', ...others])
    assert.deepEqual(await actions('env=dev&reported=true'), ['stats.write developer', ...reports, ...others])
    assert.deepEqual(await actions('limit=2'), ['stats.write developer', ...others])
    assert.deepEqual(await actions('action=stats'), ['stats.write developer', ...reports])
    assert.deepEqual(await actions('action=stats.write&reported=false'), ['stats.write developer'])
    assert.deepEqual(await actions(`target=${guest.id}`), ['stats.write developer'])
    assert.deepEqual(await actions(`target=${guest.id}&reported=true`), ['stats.write developer', ...reports])
    const first = await call('GET', `/v1/projects/${project.id}/audit?limit=1`)
    const second = await call(
      'GET',
      `/v1/projects/${project.id}/audit?limit=1&before=${first.body.nextBefore}`,
    )
    assert.equal(second.body.entries[0].action, 'config.push')
  })

  test('[DSH-75] with `wholeProject` an environment’s list has the entries of the whole project, in pages without gaps', async () => {
    const project = await service.newProject()
    const { call } = project.developer
    const list = async (query: string) =>
      (await call('GET', `/v1/projects/${project.id}/audit?${query}`)).body as {
        entries: { action: string; env: string | null }[]
        nextBefore: string | null
      }
    const shown = async (query: string) =>
      (await list(query)).entries.map(({ action, env }) => `${action} ${env ?? 'project'}`)
    for (let i = 0; i < 2; i++) {
      await project.development.server('PUT', '/v1/config', { stats: [{ key: `d${i}` }] })
      await project.production.server('PUT', '/v1/config', { stats: [{ key: `p${i}` }] })
      await call('PATCH', `/v1/projects/${project.id}`, { name: `Name ${i}` })
    }
    const expected = [
      'project.rename project',
      'config.push production',
      'project.rename project',
      'config.push production',
      'project.create project',
    ]
    const both = 'env=production&wholeProject=true'
    assert.deepEqual(await shown(both), expected)
    assert.deepEqual(await shown(`${both}&reported=true`), expected)
    assert.deepEqual(await shown(`${both}&action=project`), [expected[0], expected[2], expected[4]])
    assert.deepEqual(await shown('env=production'), [expected[1], expected[3]])
    assert.deepEqual(await shown('env=production&wholeProject=false'), [expected[1], expected[3]])
    assert.equal((await shown('wholeProject=true')).length, 7)

    for (const query of [
      both,
      `${both}&reported=true`,
      `${both}&actor=${project.developer.email}&action=project`,
    ]) {
      const whole = await shown(query)
      const paged: string[] = []
      let before = ''
      for (let pages = 0; pages < whole.length; pages++) {
        const page = await list(`${query}&limit=1${before}`)
        paged.push(...page.entries.map(({ action, env }) => `${action} ${env ?? 'project'}`))
        before = `&before=${page.nextBefore}`
        assert.equal(page.nextBefore === null, pages === whole.length - 1)
      }
      assert.deepEqual(paged, whole)
    }
  })

  test('[AUD-02] a rejected change writes no entry', async () => {
    const project = await service.newProject()
    await project.development.server('PUT', '/v1/config', { features: { nonsense: true } })
    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit`)
    assert.equal(body.entries.length, 1)
  })

  test('[AUD-02] the chain of a project is valid after concurrent changes, and one changed or removed row breaks it', async () => {
    const project = await service.newProject()
    const push = (i: number) => project.development.server('PUT', '/v1/config', { stats: [{ key: `k${i}` }] })
    await Promise.all(Array.from({ length: 20 }, (_, i) => push(i)))
    const broken = async () =>
      (await service.audit.verify()).broken.filter((line) => line.startsWith(project.id))
    assert.deepEqual(await broken(), [])

    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit`)
    const [newest, , middle] = body.entries
    const details = JSON.stringify(middle.details)
    await service.db.run(changeDetails, { id: middle.id, details: '{}' })
    assert.match((await broken())[0] ?? '', /was changed/)
    await service.db.run(changeDetails, { id: middle.id, details })
    assert.deepEqual(await broken(), [])

    await service.db.run(removeEntry, { id: newest.id })
    assert.match((await broken())[0] ?? '', /newest entries are missing/)
    await service.db.run(removeEntry, { id: middle.id })
    assert.match((await broken())[0] ?? '', /is missing/)
  })

  test('[AUD-02] no endpoint edits or deletes an entry', async () => {
    const project = await service.newProject()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await project.developer.call(method, `/v1/projects/${project.id}/audit`, {})
      assert.equal(status, 405)
      assert.equal(headers['allow'], 'GET, HEAD')
    }
  })
})
