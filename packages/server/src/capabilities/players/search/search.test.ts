import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import type { Statement, Values } from '../../../engines/database/statement.ts'
import { DAY_MS } from '../../../platform/clock.ts'
import { emailCalls, newEmailProject } from '../../../testing/email-players.ts'
import { newGuest } from '../../../testing/guests.ts'
import { startService } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'
import {
  listByName,
  listLastSeen,
  listNewest,
  listNewestBanned,
  listNewestLinked,
  listNewestWithEmail,
} from './store.ts'

type Summary = { id: string; displayName: string }

suite('players as developers see them', {}, ({ engine, service }) => {
  const named = async (project: Awaited<ReturnType<typeof newEmailProject>>, displayName: string) =>
    (await project.development.public('POST', '/v1/auth/guest', { displayName })).body.player.id as string
  const searchIn =
    (project: Awaited<ReturnType<typeof newEmailProject>>) =>
    async (query: Record<string, string | number>) => {
      const asked = new URLSearchParams(query as Record<string, string>)
      return (await project.development.server('GET', `/v1/admin/players?${asked.toString()}`)).body
    }
  const namesOf = (body: { players: Summary[] }) => body.players.map(({ displayName }) => displayName)

  test('[DEV-15] without q the players come newest first, page by page, in the shape of the specification', async () => {
    const project = await newEmailProject(service)
    const search = searchIn(project)
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await named(project, name)

    const first = await search({ limit: 2 })
    assert.deepEqual(namesOf(first), ['Five', 'Four'])
    assert.deepEqual(Object.keys(first.players[0]), [
      'id',
      'displayName',
      'isGuest',
      'email',
      'banned',
      'createdAt',
      'lastSeenAt',
    ])
    // Players who join or leave between pages cause neither duplicates nor gaps.
    await named(project, 'Six')
    const second = await search({ limit: 2, cursor: first.nextCursor })
    const third = await search({ limit: 2, cursor: second.nextCursor })
    assert.deepEqual([namesOf(second), namesOf(third)], [['Three', 'Two'], ['One']])
    assert.equal(third.nextCursor, null)
    assert.equal((await search({ limit: 6 })).nextCursor, null, 'a full last page is the last one')
  })

  test('[DEV-15] q is an exact id, an exact email in any case, or the beginning of a name in any case', async () => {
    const project = await newEmailProject(service)
    const search = searchIn(project)
    const ada = await emailCalls(project.development).player(`ada-${engine}@example.com`)
    const id = await named(project, 'Élodie_100%')
    await named(project, 'Élodie 2')
    await named(project, 'elodie')
    await named(project, 'Max')

    const ids = async (q: string) => (await search({ q })).players.map((player: Summary) => player.id)
    assert.deepEqual(await ids(ada.id), [ada.id])
    assert.deepEqual(await ids(`ADA-${engine}@Example.COM`), [ada.id])
    assert.deepEqual(await ids(`ada-${engine}@example`), [])
    assert.deepEqual(await ids(ada.id.slice(0, -1)), [])
    assert.deepEqual(namesOf(await search({ q: 'éLO' })), ['Élodie 2', 'Élodie_100%'])
    assert.deepEqual(await ids('Élodie_'), [id], 'an underscore is not a wildcard')
    assert.deepEqual(await ids('Élodie_100%'), [id])
    assert.deepEqual(await ids('%'), [])
    assert.deepEqual(namesOf(await search({ q: 'ｍａｘ' })), ['Max'], 'wide letters are letters')
    assert.deepEqual((await search({ q: 'nobody' })).nextCursor, null)
  })

  test('[DEV-15] a search by name continues where the last page ended, also among equal names', async () => {
    const project = await newEmailProject(service)
    const search = searchIn(project)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(await named(project, 'Same'))
    await named(project, 'Samuel')
    await named(project, 'Sane')

    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const body = await search({ q: 'sam', limit: 2, ...(cursor && { cursor }) })
      seen.push(...namesOf(body))
      cursor = body.nextCursor
    }
    assert.deepEqual(seen, ['Same', 'Same', 'Same', 'Same', 'Same', 'Samuel'])
  })

  test('[GEN-14] limit is 50 by default, at most 200; an invalid cursor answers 400', async () => {
    const project = await newEmailProject(service)
    await Promise.all(Array.from({ length: 51 }, () => newGuest(project.development)))
    const search = searchIn(project)
    assert.equal((await search({})).players.length, 50)
    assert.equal((await search({ limit: 200 })).players.length, 51)
    const refused = [
      { limit: 0 },
      { limit: 201 },
      { limit: 'x' },
      { q: 'x'.repeat(255) },
      { q: '\0' },
      { cursor: 'nonsense' },
      { cursor: Buffer.from('["a"]').toString('base64url') },
      { cursor: Buffer.from('["a\\u0000","b"]').toString('base64url') },
      { cursor: '' },
    ]
    for (const query of refused) {
      const { error } = await search(query)
      assert.deepEqual([query, error?.code], [query, 'invalid_request'])
    }
  })

  test('[DSH-05] a list of players can be limited to banned ones, to guests, or to the others', async () => {
    const project = await newEmailProject(service)
    const { development } = project
    const search = searchIn(project)
    const ids = new Map<string, string>()
    for (const name of ['Ann', 'Bea', 'Cid', 'Dan']) ids.set(name, await named(project, name))
    const mail = emailCalls(development)
    for (const name of ['Eva', 'Fay'])
      ids.set(
        name,
        (await mail.signUp(`${name}-${engine}-f@example.com`, { displayName: name })).body.player.id,
      )
    for (const name of ['Bea', 'Fay'])
      await development.server('POST', `/v1/admin/players/${ids.get(name)}/ban`, {})
    await development.server('POST', `/v1/admin/players/${ids.get('Cid')}/ban`, { durationHours: 1 })

    const names = async (query: Record<string, string | number>) => namesOf(await search(query))
    assert.deepEqual(await names({ banned: 'true' }), ['Fay', 'Cid', 'Bea'])
    assert.deepEqual(await names({ banned: 'false' }), ['Eva', 'Dan', 'Ann'])
    assert.deepEqual(await names({ guest: 'true' }), ['Dan', 'Cid', 'Bea', 'Ann'])
    assert.deepEqual(await names({ guest: 'false' }), ['Fay', 'Eva'])
    assert.deepEqual(await names({ guest: 'false', banned: 'true' }), ['Fay'])
    assert.deepEqual(await names({ q: 'b', banned: 'true' }), ['Bea'])
    assert.deepEqual(await names({ q: 'b', banned: 'false' }), [])
    assert.deepEqual(await names({ q: ids.get('Bea') ?? '', guest: 'false' }), [])
    assert.equal((await search({ banned: 'maybe' })).error.code, 'invalid_request')

    const first = await search({ guest: 'true', limit: 3 })
    const second = await search({ guest: 'true', limit: 3, cursor: first.nextCursor })
    assert.deepEqual([namesOf(first), namesOf(second)], [['Dan', 'Cid', 'Bea'], ['Ann']])
    assert.equal(second.nextCursor, null)
    service.clock.advance(3_600_000)
    assert.deepEqual(await names({ banned: 'true' }), ['Fay', 'Bea'], 'an expired ban does not count')
  })

  test('[DEV-15] the detail adds identities, age and sanctions; both URLs return the same', async () => {
    const project = await newEmailProject(service)
    const email = `detail-${engine}@example.com`
    const ada = await emailCalls(project.development).player(email)
    await ada.call('PUT', '/v1/social/age', { band: 'teen' })
    await project.development.server('POST', `/v1/admin/players/${ada.id}/ban`, { reason: 'Spam' })

    const { body } = await project.development.server('GET', `/v1/admin/players/${ada.id}`)
    const { player } = body
    assert.deepEqual([player.isGuest, player.email, player.banned], [false, email, true])
    assert.deepEqual([player.identities[0].provider, player.emailVerified], ['email', false])
    assert.equal(player.age.ageBand, 'teen')
    assert.deepEqual([player.sanctions[0].note, player.sanctions[0].active], ['Spam', true])
    assert.equal(player.lastSeenAt, player.createdAt)

    const inDashboard = await project.developer.call('GET', `${project.development.path}/players/${ada.id}`)
    assert.deepEqual(inDashboard.body, body)
    const listed = await project.developer.call('GET', `${project.development.path}/players?q=${ada.id}`)
    assert.equal(listed.body.players[0].banned, true)
  })

  test("[DEV-15] [GEN-24] another environment's players are neither listed nor found", async () => {
    const project = await newEmailProject(service)
    const guest = await newGuest(project.production)
    const search = searchIn(project)
    assert.deepEqual((await search({})).players, [])
    assert.deepEqual((await search({ q: guest.id })).players, [])
    for (const id of [guest.id, 'ply_unknown', 'x']) {
      const { status, body } = await project.development.server('GET', `/v1/admin/players/${id}`)
      assert.deepEqual([status, body.error.code], [404, 'player_not_found'])
    }
    const publishable = await project.development.public('GET', '/v1/admin/players')
    assert.equal(publishable.body.error.code, 'secret_key_required')
  })

  test('[DEV-14] the overview counts players, guests, banned ones, and active players of the last 14 days', async () => {
    const own = await startService(engine)
    const project = await newEmailProject(own)
    const overview = async () =>
      (await project.developer.call('GET', `${project.development.path}/overview`)).body
    assert.deepEqual((await overview()).players, { total: 0, guests: 0, banned: 0 })

    const early = await newGuest(project.development)
    await own.everyMinute()
    own.clock.advance(13 * DAY_MS)
    const guest = await newGuest(project.development)
    const account = await emailCalls(project.development).player('overview@example.com')
    for (const { id } of [guest, account]) {
      await project.development.server('POST', `/v1/admin/players/${id}/ban`, { durationHours: 1 })
    }
    await early.call('GET', '/v1/players/me')
    await own.everyMinute()

    const { players, dailyActives, configVersion } = await overview()
    assert.deepEqual(players, { total: 3, guests: 2, banned: 2 })
    assert.equal(configVersion, 1)
    assert.equal(dailyActives.length, 14)
    assert.deepEqual(dailyActives[0], { date: '2026-01-01', count: 1 })
    assert.deepEqual(dailyActives[13], { date: '2026-01-14', count: 2 })
    own.clock.advance(DAY_MS)
    assert.deepEqual((await overview()).players, { total: 3, guests: 2, banned: 0 })
    assert.deepEqual((await overview()).dailyActives[12], { date: '2026-01-14', count: 2 })
    await own.stop()
  })

  test('a list among very many players is read from an index, without sorting', async () => {
    const environmentId = 'env_many'
    await manyPlayers(environmentId)
    const newest = await plan(listNewest, { environmentId, before: 'ply_5', limit: 51 })
    const byName = await plan(listByName, {
      environmentId,
      afterName: 'name 12',
      afterId: '',
      end: 'name 12\u{10ffff}',
      limit: 51,
    })
    const lastSeen = await plan(listLastSeen, {
      environmentId,
      beforeAt: '2026-01-01',
      before: 'ply_5',
      limit: 51,
    })
    for (const [text, index] of [
      [newest, engine === 'sqlite' ? 'players USING PRIMARY KEY' : 'players_pkey'],
      [byName, 'players_name'],
      [lastSeen, 'players_last_seen'],
    ] as const) {
      assert.ok(text.includes(index), text)
      assert.doesNotMatch(text, /Seq Scan|SCAN players|Sort|TEMP B-TREE/)
    }
    const page = { environmentId, before: 'ply_5', limit: 51 }
    for (const text of [
      await plan(listNewestBanned, { ...page, now: '2026-01-01' }),
      await plan(listNewestWithEmail, page),
      await plan(listNewestLinked, page),
    ])
      assert.doesNotMatch(text, /Seq Scan|SCAN players/)
  })

  const raw = (sql: string) =>
    service.db.transaction((transaction) =>
      transaction.search(() => ({ compile: () => CompiledQuery.raw(sql) })),
    )

  async function manyPlayers(environmentId: string) {
    await raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt")
      select '${environmentId}', 'ply_' || i, 'Name ' || i, 'name ' || i, '2026-01-01', '2026-01-01' from n`)
    await raw(`insert into players_identities
      select "environmentId", 'x', id, id, "createdAt", '{}' from players where id like 'ply_%7'`)
    await raw(
      `update players set "bannedUntil" = '9999' where "environmentId" = '${environmentId}' and id like 'ply_%77'`,
    )
    await raw(
      `update players set email = id where "environmentId" = '${environmentId}' and id like 'ply_%99'`,
    )
    await raw('analyze')
  }

  async function plan<V extends Values, Row>({ build }: Statement<V, Row>, values: V): Promise<string> {
    const explain = engine === 'sqlite' ? 'explain query plan ' : 'explain '
    const rows = await service.db.search((q) => {
      const { sql, parameters } = build(q, values).compile()
      return { compile: () => CompiledQuery.raw(explain + sql, [...parameters]) }
    })
    return rows.map((row) => Object.values(row as object).join(' ')).join('\n')
  }
})
