import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { newSaver, type Saver } from '../../testing/saving-guest.ts'
import { type Answer, engines, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const path = (playerId: string, key = 'slot1') => `/v1/admin/players/${playerId}/saves/${key}`
const refusal = ({ status, body }: Answer) => [status, body.error?.code]

suite('saves of players, for developers', { features: { saves: true } }, ({ service, project }) => {
  let saver: Saver
  before(async () => {
    saver = await newSaver(service, project.development)
  })
  const server = (...request: Parameters<typeof project.development.server>) =>
    project.development.server(...request)
  const someone = () => newSaver(service, project.development)

  /** The entries about saves of a player, oldest first. */
  const audited = async (playerId: string): Promise<unknown[]> => {
    const url = `/v1/projects/${project.id}/audit?action=save&target=${playerId}&limit=200`
    const { body } = await project.developer.call('GET', url)
    return body.entries
      .map(({ action, env, details }: Record<string, unknown>) => [action, env, details])
      .toReversed()
  }

  test('[DSH-06] a developer edits and deletes a save of a player, who reads the result', async () => {
    const { playerId, write, call, readText } = await someone()
    await write('slot1', { data: { gold: 1 } })
    service.clock.advance(1_000)
    const edited = await server('PUT', path(playerId), { data: { gold: 2 }, ifVersion: 1 })
    const updatedAt = service.clock.now().toISOString()
    assert.deepEqual([edited.status, edited.body], [200, { key: 'slot1', version: 2, size: 10, updatedAt }])
    const read = { ...edited.body, data: { gold: 2 } }
    assert.deepEqual((await call('GET', '/v1/saves/slot1')).body, read)
    assert.deepEqual((await server('GET', path(playerId))).body, read)

    // Byte for byte, as for players.
    const inProject = `/v1/projects/${project.id}/environments/development/players/${playerId}/saves/slot1`
    const text = '{"id": 12345678901234567890, "x": 1.0}'
    const raw = await service.http.inject({
      method: 'PUT',
      url: inProject,
      headers: { authorization: `Bearer ${project.developer.token}`, 'content-type': 'application/json' },
      payload: `{"ifVersion":2,"data":${text}}`,
    })
    assert.equal(raw.statusCode, 200, raw.body)
    assert.equal(await readText('slot1'), text)

    const removed = await project.developer.call('DELETE', `${inProject}?ifVersion=3`)
    assert.deepEqual([removed.status, removed.body], [200, { deleted: true }])
    assert.deepEqual(refusal(await call('GET', '/v1/saves/slot1')), [404, 'save_not_found'])
    // A version is never used twice for a key (SAV-10).
    assert.equal((await server('PUT', path(playerId), { data: 1 })).body.version, 4)
    assert.deepEqual(await audited(playerId), [
      ['save.write', 'development', { version: 2, size: 10 }],
      ['save.write', 'development', { version: 3, size: text.length }],
      ['save.delete', 'development', { version: 3 }],
      ['save.write', 'development', { version: 4, size: 1 }],
    ])
  })

  test('[DSH-06] a stale ifVersion answers 409 version_conflict with the current version and changes nothing', async () => {
    const { playerId, write, call } = await someone()
    await write('slot1', { data: 1 })
    await write('slot1', { data: 2 })
    for (const ifVersion of [0, 1, 3]) {
      const edited = await server('PUT', path(playerId), { data: 3, ifVersion })
      const deleted = await server('DELETE', `${path(playerId)}?ifVersion=${ifVersion}`)
      for (const answer of [edited, deleted]) {
        assert.deepEqual(refusal(answer), [409, 'version_conflict'])
        assert.deepEqual(answer.body.error.details, { currentVersion: 2 })
      }
    }
    const absent = await server('PUT', path(playerId, 'new'), { data: 3, ifVersion: 1 })
    assert.deepEqual(absent.body.error.details, { currentVersion: 0 })
    assert.deepEqual((await call('GET', '/v1/saves/slot1')).body.data, 2)
    assert.deepEqual(await audited(playerId), [])
    assert.equal((await server('PUT', path(playerId, 'new'), { data: 3, ifVersion: 0 })).status, 200)
    assert.equal((await server('PUT', path(playerId, 'new'), { data: 4, ifVersion: null })).body.version, 2)
  })

  test('[DSH-06] of concurrent edits, by developers and by the player, exactly one succeeds, and only it is audited', async () => {
    const { playerId, write, call } = await someone()
    await write('slot1', { data: 'first' })
    const isByPlayer = (i: number) => i % 4 === 3
    let byDevelopers = 0
    for (const ifVersion of [1, 2, 3]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          isByPlayer(i)
            ? write('slot1', { data: i, ifVersion })
            : server('PUT', path(playerId), { data: i, ifVersion }),
        ),
      )
      const winner = answers.findIndex(({ status }) => status === 200)
      for (const [i, answer] of answers.entries())
        if (i !== winner) {
          assert.deepEqual(refusal(answer), [409, 'version_conflict'])
          assert.deepEqual(answer.body.error.details, { currentVersion: ifVersion + 1 })
        }
      const { body } = await call('GET', '/v1/saves/slot1')
      assert.deepEqual([body.version, body.data], [ifVersion + 1, winner])
      if (!isByPlayer(winner)) byDevelopers++
    }
    assert.equal((await audited(playerId)).length, byDevelopers)

    const both = await Promise.all([
      server('DELETE', `${path(playerId)}?ifVersion=4`),
      server('PUT', path(playerId), { data: 'late', ifVersion: 4 }),
    ])
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
  })

  test('[DSH-06] unknown players and saves, players of other projects and environments, and bad requests', async () => {
    const other = await service.newProject()
    await saver.write('slot1', { data: 1 })
    const { playerId } = saver
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? { data: 1 } : undefined
      for (const answer of [
        await server(method, path('ply_unknown'), body),
        await other.development.server(method, path(playerId), body),
        await project.production.server(method, path(playerId), body),
      ])
        assert.deepEqual(refusal(answer), [404, 'player_not_found'])
      const ofOther = `/v1/projects/${project.id}/environments/development/players/${playerId}/saves/slot1`
      assert.equal((await other.developer.call(method, ofOther, body)).status, 404)
      assert.equal((await saver.call(method, path(playerId), body)).status, 403)
      for (const key of ['x'.repeat(65), 'a%20b', '%C3%A9'])
        assert.equal((await server(method, path(playerId, key), body)).status, 400)
    }
    for (const method of ['GET', 'DELETE'] as const)
      assert.deepEqual(refusal(await server(method, path(playerId, 'nothing'))), [404, 'save_not_found'])
    for (const body of [{}, [], null, { data: 1, ifVersion: -1 }, { data: 1, ifVersion: 'x' }])
      assert.equal((await server('PUT', path(playerId), body)).status, 400, JSON.stringify(body))
    assert.equal((await server('DELETE', `${path(playerId)}?ifVersion=x`)).status, 400)
    assert.equal((await saver.call('GET', '/v1/saves/slot1')).body.version, 1)
    assert.deepEqual(await audited(playerId), [])
  })

  test('[DSH-06] saves of banned players are edited, also while the feature is off; those of deleted players are not', async () => {
    const { playerId, write, call } = await someone()
    await write('slot1', { data: 1 })
    await server('POST', `/v1/admin/players/${playerId}/ban`)
    assert.equal((await server('PUT', path(playerId), { data: 2 })).status, 200)
    await server('POST', `/v1/admin/players/${playerId}/unban`)

    const ofOff = await newSaver(service, project.production)
    const off = (method: 'GET' | 'PUT' | 'DELETE', body?: object) =>
      project.production.server(method, path(ofOff.playerId), body)
    assert.equal((await off('PUT', { data: 2 })).status, 200)
    assert.equal((await off('GET')).body.data, 2)
    assert.equal((await off('DELETE')).status, 200)

    await call('DELETE', '/v1/players/me')
    assert.deepEqual(refusal(await server('PUT', path(playerId), { data: 3 })), [404, 'player_not_found'])
    const rows = await service.db.search((q) =>
      q.selectFrom('saves').select('key').where('playerId', '=', playerId),
    )
    assert.deepEqual(rows, [])
  })
})

for (const engine of engines)
  test(`[SAV-07] [SAV-08] [DSH-06] the limits of players apply to developers, on ${engine}`, async (t) => {
    const settings = { SVC_SAVE_MAX_BYTES: '100', SVC_SAVE_MAX_COUNT: '2' }
    const service = await startService(engine, { settings })
    t.after(() => service.stop())
    const { development } = await service.newProject()
    await development.server('PUT', '/v1/config', { features: { saves: true } })
    const { playerId, call } = await newSaver(service, development)
    const put = (key: string, data: unknown) => development.server('PUT', path(playerId, key), { data })

    assert.equal((await put('a', 'x'.repeat(98))).body.size, 100)
    const large = await put('a', 'x'.repeat(99))
    assert.deepEqual(refusal(large), [413, 'save_too_large'])
    assert.deepEqual(large.body.error.details, { limit: 100, size: 101 })
    const huge = await put('a', 'x'.repeat(10_000))
    assert.deepEqual(refusal(huge), [413, 'save_too_large'])
    assert.equal((await put('b', 1)).status, 200)
    const third = await put('c', 1)
    assert.deepEqual(refusal(third), [409, 'too_many_saves'])
    assert.deepEqual(third.body.error.details, { limit: 2 })
    assert.equal((await put('b', 2)).body.version, 2)
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 2)
  })
