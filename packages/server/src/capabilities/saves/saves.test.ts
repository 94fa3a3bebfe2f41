import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import * as fc from 'fast-check'

import { jsonText, nestedJson, ODD_JSON } from '../../testing/json-text.ts'
import { runs } from '../../testing/runs.ts'
import { newSaver, type Saver } from '../../testing/saving-guest.ts'
import { suite } from '../../testing/suite.ts'
import { createSaves, createSaveStore } from './index.ts'

const MIB = 1024 * 1024

suite('saves', { features: { saves: true } }, ({ service, project }) => {
  let saver: Saver
  before(async () => {
    saver = await newSaver(service, project.development)
  })

  const someone = () => newSaver(service, project.development)

  test('[SAV-01] without features.saves every endpoint answers 403 feature_disabled before anything is read', async () => {
    const { call, raw } = await newSaver(service, project.production)
    const answers = [
      await call('GET', '/v1/saves'),
      await call('GET', '/v1/saves/slot1'),
      await call('DELETE', '/v1/saves/slot1'),
      await raw('slot1', 'not even JSON'),
    ]
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.error.code], [403, 'feature_disabled'])
      assert.deepEqual(body.error.details, { feature: 'saves', configPath: 'features.saves' })
    }
  })

  test('[SAV-02] [SAV-03] [SAV-05] a save is written, listed without its data, and read', async () => {
    const { call, write } = await someone()
    assert.deepEqual((await call('GET', '/v1/saves')).body, { saves: [] })

    const written = await write('slot2', { data: { hp: 10 } })
    await write('slot1', { data: [1, 2] })

    const updatedAt = service.clock.now().toISOString()
    const summary = { key: 'slot2', version: 1, size: 9, updatedAt }
    assert.deepEqual([written.status, written.body], [200, summary])
    assert.deepEqual((await call('GET', '/v1/saves/slot2')).body, { ...summary, data: { hp: 10 } })
    assert.deepEqual((await call('GET', '/v1/saves')).body, {
      saves: [{ key: 'slot1', version: 1, size: 5, updatedAt }, summary],
    })

    service.clock.advance(1_000)
    const again = await write('slot2', { data: { hp: 9 } })
    const later = { key: 'slot2', version: 2, size: 8, updatedAt: service.clock.now().toISOString() }
    assert.deepEqual(again.body, later)
    assert.deepEqual((await call('GET', '/v1/saves/slot2')).body, { ...later, data: { hp: 9 } })
    assert.deepEqual((await call('GET', '/v1/saves')).body.saves[1], later)
  })

  test('[SAV-03] a save that does not exist answers 404 save_not_found', async () => {
    const { status, body } = await saver.call('GET', '/v1/saves/nothing')
    assert.deepEqual([status, body.error.code], [404, 'save_not_found'])
  })

  test('[SAV-03] saves belong to one player of one environment', async () => {
    const [own, other] = [await someone(), await someone()]
    await own.write('slot1', { data: 'mine' })

    assert.equal((await other.call('GET', '/v1/saves/slot1')).status, 404)
    assert.equal((await other.call('DELETE', '/v1/saves/slot1')).status, 404)
    assert.deepEqual((await other.call('GET', '/v1/saves')).body.saves, [])
    assert.equal((await other.write('slot1', { data: 'theirs' })).body.version, 1)
    assert.equal((await own.call('GET', '/v1/saves/slot1')).body.data, 'mine')
  })

  test('[SAV-04] a stale ifVersion answers 409 version_conflict with the current version', async () => {
    const { write, call } = await someone()
    await write('slot1', { data: 1 })
    await write('slot1', { data: 2, ifVersion: 1 })

    for (const ifVersion of [0, 1, 3, 2 ** 53 - 1, 2 ** 63, 1e300]) {
      const { status, body } = await write('slot1', { data: 3, ifVersion })
      assert.deepEqual([status, body.error.code], [409, 'version_conflict'])
      assert.deepEqual(body.error.details, { currentVersion: 2 })
    }
    assert.deepEqual((await call('GET', '/v1/saves/slot1')).body.data, 2)
  })

  test('[SAV-05] the version starts at 1 and rises by 1 per write; data may be any JSON, null too', async () => {
    const { write, call } = await someone()
    for (const [i, data] of [null, 0, '', false, {}, [], 'text', { deep: [{ er: null }] }].entries()) {
      assert.equal((await write('slot1', { data })).body.version, i + 1)
      assert.deepEqual((await call('GET', '/v1/saves/slot1')).body.data, data)
    }
  })

  test('[SAV-05] a write without data or with an invalid ifVersion answers 400', async () => {
    const bodies = ['{}', '{"ifVersion":0}', '[]', 'null', '"data"', '{"data":1,"ifVersion":-1}']
    for (const ifVersion of ['1.5', '"1"', 'true', '[1]']) {
      bodies.push(`{"data":1,"ifVersion":${ifVersion}}`)
    }
    for (const body of bodies) assert.equal((await saver.raw('wrong', body)).status, 400, body)
    assert.equal((await saver.call('PUT', '/v1/saves/wrong')).status, 400)
    for (const query of ['x', '', '-1', '1.5', '1e0', '0x1', '+1', 'null', '1&ifVersion=1']) {
      assert.equal((await saver.call('DELETE', `/v1/saves/wrong?ifVersion=${query}`)).status, 400, query)
    }
    assert.equal((await saver.call('GET', '/v1/saves/wrong')).status, 404)
  })

  test('[SAV-06] ifVersion 0 writes only a new save; above 0 a missing save is a conflict with version 0', async () => {
    const { write } = await someone()
    for (const ifVersion of [7, 2 ** 63, 1e300]) {
      const missing = await write('slot1', { data: 1, ifVersion })
      assert.deepEqual([missing.status, missing.body.error.details], [409, { currentVersion: 0 }])
    }

    assert.equal((await write('slot1', { data: 1, ifVersion: 0 })).body.version, 1)
    const again = await write('slot1', { data: 2, ifVersion: 0 })
    assert.deepEqual([again.status, again.body.error.details], [409, { currentVersion: 1 }])
  })

  test('[SAV-06] without ifVersion the last write wins', async () => {
    const { write, call } = await someone()
    await write('slot1', { data: 'first' })
    await write('slot1', { data: 'last' })
    assert.equal((await call('GET', '/v1/saves/slot1')).body.data, 'last')
  })

  test('reads return the acknowledged bytes: numbers, key order, escapes and white space are unchanged', async () => {
    const texts = [
      '1.0',
      '-0',
      '1e2',
      '1E+2',
      '123456789012345678901234567890',
      '0.1000000000000000055511151231257827',
      '{"b":1,"a":2,"10":3,"9":4}',
      '{"a":1,"a":2}',
      '{ "a" :\t[ 1 ,\r\n2 ] }',
      String.raw`"\u0061\/\ud83d\ude00 é 😀 \\"`,
      '"\u2028\u2029\ufeff\u007f"',
      '{"":"","constructor":{"prototype":1},"__proto":{"toString":null}}',
      '[1.7976931348623157e308,4.9e-324,1e-400,-0.0]',
      String.raw`"\\u0000 \u0001 \uFFFF"`,
    ]
    for (const text of texts) {
      const written = await saver.raw('exact', `{ "ifVersionX":1, "data" : ${text} }`)
      assert.equal(written.body.size, Buffer.byteLength(text), text)
      assert.equal(await saver.readText('exact'), text)
    }
  })

  test('reads return the acknowledged bytes: without a byte order mark before the body, with one inside a text', async () => {
    assert.equal((await saver.raw('mark', Buffer.from('\ufeff{"data":"\ufeff"}'))).body.size, 5)
    assert.equal(await saver.readText('mark'), '"\ufeff"')
  })

  test('reads return the acknowledged bytes, in every spelling of JSON', async () => {
    const property = fc.asyncProperty(jsonText, fc.boolean(), async (text, twice) => {
      const written = await saver.raw('any', twice ? `{"data":0,"data":${text}}` : `{"data":${text}}`)
      assert.equal(written.status, 200)
      assert.equal(written.body.size, Buffer.byteLength(text))
      assert.equal(await saver.readText('any'), text)
    })
    await fc.assert(property, { numRuns: runs(40, 500) })
  })

  const errorsOf = ({ status, body }: Awaited<ReturnType<Saver['raw']>>) => [
    status,
    body.error.code,
    body.error.details.errors?.[0].path,
  ]

  test('[SAV-05] data may be any JSON text: it is stored and exported unchanged', async () => {
    const player = await someone()
    for (const [i, text] of ODD_JSON.entries()) {
      const written = await player.raw(`any-${i}`, `{"data":${text},"ifVersion":0}`)
      assert.deepEqual([written.status, written.body.size], [200, Buffer.byteLength(text)], text)
      assert.equal(await player.readText(`any-${i}`), text)
    }
    const own = await service.http.inject({ url: '/v1/players/me/export', headers: player.headers })
    const admin = await service.http.inject({
      url: `/v1/admin/players/${player.playerId}/export`,
      headers: { 'x-svc-key': project.development.secretKey },
    })
    for (const { body, statusCode } of [own, admin]) {
      assert.equal(statusCode, 200)
      for (const text of ODD_JSON) assert.ok(body.includes(`"data":${text}}`), text)
      assert.equal(JSON.parse(body).saves.length, ODD_JSON.length)
    }
  })

  test('[SAV-05] data that is nested deeper than 512 levels is rejected at $.data', async () => {
    for (const levels of [513, 100_000]) {
      const refused = await saver.raw('deep', `{"data":${nestedJson(levels)}}`)
      assert.deepEqual(errorsOf(refused), [400, 'invalid_request', '$.data'])
      assert.match(refused.body.error.details.errors[0].message, /512/)
    }
    const objects = `${'{"a":'.repeat(513)}1${'}'.repeat(513)}`
    assert.deepEqual(errorsOf(await saver.raw('deep', `{"data":${objects}}`)), [
      400,
      'invalid_request',
      '$.data',
    ])
    assert.equal((await saver.call('GET', '/v1/saves/deep')).status, 404)
  })

  test('[SAV-05] [GEN-06] only a body that is not JSON or not UTF-8 answers invalid_json', async () => {
    const broken = ['{"data":1', '{"data":01}', '{"data":"\u0000"}', '{"data":NaN}', '['.repeat(100_000)]
    for (const text of [...broken, Buffer.from('{"data":"\xff"}', 'latin1')]) {
      const { status, body } = await saver.raw('broken', text)
      assert.deepEqual([status, body.error.code], [400, 'invalid_json'], String(text).slice(0, 20))
    }
  })

  test('[SAV-05] fields next to data are validated, and rejected with the path and the reason', async () => {
    const cases: [member: string, path: string, reason: RegExp][] = [
      ['"ifVersion":1e400', '$.ifVersion', /finite/],
      ['"x":"a\\u0000"', '$.x', /U\+0000/],
      ['"x":["\\ud800"]', '$.x[0]', /surrogate/],
      ['"x":{"__proto__":1}', '$.x', /__proto__/],
      [`"x":${nestedJson(64)}`, '$.x', /64 levels/],
    ]
    for (const [member, path, reason] of cases) {
      const refused = await saver.raw('beside', `{"data":"\\u0000",${member}}`)
      assert.deepEqual(errorsOf(refused), [400, 'invalid_request', path], member)
      assert.match(refused.body.error.details.errors[0].message, reason)
    }
    assert.equal((await saver.raw('beside', `{"data":1,"x":${nestedJson(63)}}`)).status, 200)
  })

  test('[SAV-04] ifVersion: null is treated as absent', async () => {
    await saver.raw('nulls', '{"data":1}')
    assert.equal((await saver.raw('nulls', '{"data":null,"ifVersion":null}')).body.version, 2)
    assert.equal(await saver.readText('nulls'), 'null')
  })

  test('[SAV-10] a save is deleted, with ifVersion only in that version', async () => {
    const { write, call } = await someone()
    await write('slot1', { data: 1 })
    const stale = await call('DELETE', '/v1/saves/slot1?ifVersion=2')
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'version_conflict'])
    assert.deepEqual(stale.body.error.details, { currentVersion: 1 })

    const deleted = await call('DELETE', '/v1/saves/slot1?ifVersion=1')
    assert.deepEqual([deleted.status, deleted.body], [200, { deleted: true }])
    for (const method of ['GET', 'DELETE']) {
      const gone = await call(method, '/v1/saves/slot1')
      assert.deepEqual([gone.status, gone.body.error.code], [404, 'save_not_found'])
    }
    assert.equal((await call('DELETE', '/v1/saves/slot1?ifVersion=1')).body.error.code, 'save_not_found')
    assert.deepEqual((await call('GET', '/v1/saves')).body.saves, [])
  })

  test('[SAV-10] a version is never used twice: a recreated save continues the numbers of the deleted one', async () => {
    const { write, call } = await someone()
    await write('slot1', { data: 1 })
    await write('slot1', { data: 2 })
    await call('DELETE', '/v1/saves/slot1')

    const stale = await write('slot1', { data: 'stale', ifVersion: 2 })
    assert.deepEqual([stale.status, stale.body.error.details], [409, { currentVersion: 0 }])
    assert.equal((await write('slot1', { data: 3, ifVersion: 0 })).body.version, 3)
    assert.equal((await write('slot1', { data: 'stale', ifVersion: 1 })).status, 409)
    assert.equal((await call('DELETE', '/v1/saves/slot1?ifVersion=2')).status, 409)
    assert.equal((await write('slot2', { data: 1 })).body.version, 1)
  })

  test('deleting a project deletes its saves', async () => {
    const other = await service.newProject()
    await other.development.server('PUT', '/v1/config', { features: { saves: true } })
    await (await newSaver(service, other.development)).write('slot1', { data: 1 })
    const ids = other.environments.map(({ id }) => id)
    const rows = () =>
      service.db.search((q) => q.selectFrom('saves').select('key').where('environmentId', 'in', ids))
    assert.equal((await rows()).length, 1)

    await other.developer.call('DELETE', `/v1/projects/${other.id}`)
    await service.background.drained()
    assert.deepEqual(await rows(), [])
  })

  test('the saves of a player can be exported and removed, deleted saves too', async () => {
    const { write, call, playerId, environmentId } = await someone()
    await write('slot1', { data: { text: 'canary' } })
    await write('slot2', { data: 'gone' })
    await call('DELETE', '/v1/saves/slot2')
    const saves = createSaves(
      createSaveStore(service.db, (q) => q.selectFrom('players').select('id')),
      {
        clock: service.clock,
        limits: { bytesMax: MIB, perPlayerMax: 100 },
        findPlayerStatus: async () => ({ bannedUntil: null }),
        isBanned: () => false,
      },
    )

    const updatedAt = service.clock.now().toISOString()
    const { saves: exported } = await saves.exportForPlayer(environmentId, playerId)
    assert.deepEqual(JSON.parse(exported.text), [
      { key: 'slot1', version: 1, size: 17, updatedAt, data: { text: 'canary' } },
    ])
    await service.db.transaction((transaction) => saves.removeForPlayer(transaction, environmentId, playerId))
    const left = await service.db.search((q) =>
      q.selectFrom('saves').select('key').where('playerId', '=', playerId),
    )
    assert.deepEqual(left, [])
  })

  test('a banned player cannot write or delete, but can read', async () => {
    const { write, call, playerId } = await someone()
    await write('slot1', { data: 'before' })
    await project.development.server('POST', `/v1/admin/players/${playerId}/ban`, { reason: 'other' })

    const refused = [
      await write('slot1', { data: 'after' }),
      await write('slot2', { data: 'after' }),
      await write('slot1', { data: 'after', ifVersion: 7 }),
      await call('PUT', '/v1/saves/slot1', { ifVersion: 'wrong' }),
      await call('DELETE', '/v1/saves/slot1'),
    ]
    for (const { status, body } of refused)
      assert.deepEqual([status, body.error.code], [403, 'player_banned'])
    assert.equal((await call('GET', '/v1/saves/slot1')).body.data, 'before')
    assert.equal((await call('GET', '/v1/saves')).body.saves.length, 1)
  })

  test('a first write after the deletion of its player stores nothing', async () => {
    const { playerId, environmentId } = await someone()
    const saves = createSaves(
      createSaveStore(service.db, (q) => q.selectFrom('players').select('id')),
      {
        clock: service.clock,
        limits: { bytesMax: MIB, perPlayerMax: 100 },
        findPlayerStatus: async () => undefined,
        isBanned: () => false,
      },
    )
    const player = { id: playerId, environmentId, sessionId: '' }
    await assert.rejects(saves.write(player, 'slot1', '1', {}), { code: 'invalid_token' })
    assert.deepEqual(await saves.list(player), { saves: [] })
  })
})
