import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { createClient } from '@redis/client'
import { CompiledQuery } from 'kysely'

import type { Queries } from '../src/engines/database/database.ts'
import { emailCalls, PASSWORD } from '../src/testing/email-players.ts'
import { asGuest, newGuest } from '../src/testing/guests.ts'
import { newsLinksTo } from '../src/testing/news.ts'
import { CONFIG, startServiceForPlayers } from '../src/testing/player-sign-in.ts'
import { testRedisUrl } from '../src/testing/redis.ts'
import { type Engine, engines, type Service, startService } from '../src/testing/service.ts'

type Column = { tableName: string; columnName: string; type: string }
type Project = Awaited<ReturnType<Service['newProject']>>

/**
 * Records that a player was deleted, with the id only. The row is removed when no access token of the player can be valid any
 * more.
 */
const THE_DELETION_ITSELF = 'players_deletions'

const COLUMNS: Record<Engine, string> = {
  sqlite: `select t.name as "tableName", c.name as "columnName", c.type as type
    from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite%'`,
  postgres: `select table_name as "tableName", column_name as "columnName", data_type as type
    from information_schema.columns where table_schema = current_schema()`,
}

const rows = <Row>(queries: Queries, sql: string, values: unknown[] = []): Promise<Row[]> =>
  queries.search(() => ({ compile: () => CompiledQuery.raw(sql, values) as CompiledQuery<Row> }))
const write = (service: Service, sql: string, values: unknown[] = []) =>
  service.db.transaction((transaction) => rows(transaction, sql, values))

/** Every table of the real database with its columns. */
async function readSchema(service: Service): Promise<Map<string, Column[]>> {
  const columns = await rows<Column>(service.db, COLUMNS[service.db.engine])
  return Map.groupBy(columns, ({ tableName }) => tableName)
}

/** A value that can be found again by its name, of the type that its column requires. */
function valueFor({ tableName, columnName, type }: Column, environmentId: string, playerId: string) {
  if (columnName === 'environmentId') return environmentId
  if (columnName === 'playerId') return playerId
  if (/int|double/i.test(type)) return 1
  if (/(At|On|Until)$/.test(columnName)) return '2026-01-02T03:04:05.678Z'
  if (['data', 'value'].includes(columnName)) return JSON.stringify(`${tableName}.${columnName}`)
  // The key of a picture to remove: it is copied into the list of removals, and contains nothing about the player.
  if (columnName === 'cardKey') return null
  if (columnName === 'profile') return JSON.stringify({ name: `${tableName}.profile` })
  return `${tableName}.${columnName}`
}

/** Creates a player with a row in every table that has a player id; returns what the export lacks and what a deletion leaves. */
async function problemsOf(service: Service, project: Project): Promise<string[]> {
  const problems: string[] = []
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  const player = await newGuest(project.development)
  async function exported() {
    const { status, body } = await project.development.server('GET', `/v1/admin/players/${player.id}/export`)
    assert.equal(status, 200)
    return JSON.stringify({ ...body, exportedAt: null })
  }
  const schema = await readSchema(service)
  const about = [...schema].filter(
    ([table, columns]) =>
      columns.some(({ columnName }) => columnName === 'playerId') && table !== THE_DELETION_ITSELF,
  )

  for (const [table, columns] of about) {
    const before = await exported()
    const names = columns.map(({ columnName }) => `"${columnName}"`)
    const values = columns.map((column) => valueFor(column, environmentId, player.id))
    const places = values.map((_, at) => (service.db.engine === 'sqlite' ? '?' : `$${at + 1}`))
    await write(service, `insert into ${table} (${names.join()}) values (${places.join()})`, values)
    const after = await exported()
    if (after === before) problems.push(`${table} is missing from the export`)
    for (const { columnName } of columns.filter((column) => /Hash$|verifier|nonce/.test(column.columnName))) {
      if (after.includes(`${table}.${columnName}`)) problems.push(`${table}.${columnName} is in the export`)
    }
  }

  await project.development.server('POST', `/v1/admin/players/${player.id}/delete`)
  for (const [table, columns] of schema) {
    const all = JSON.stringify(await rows(service.db, `select * from ${table}`))
    const left = about.filter(([name]) => all.includes(`${name}.`)).map(([name]) => name)
    if (left.length > 0) problems.push(`${table} keeps something of ${left.join()} after a deletion`)
    const hasId = columns.some(({ columnName }) => columnName === 'playerId') || table === 'players'
    if (hasId && table !== THE_DELETION_ITSELF && all.includes(player.id))
      problems.push(`${table} keeps a deleted player`)
  }
  return problems
}

for (const engine of engines) {
  describe(`personal data on ${engine}`, () => {
    test('[OWN-01] [OWN-03] the export contains every table with a player id, and a deletion empties them', async (t) => {
      const service = await startService(engine)
      t.after(() => service.stop())
      const project = await service.newProject()
      assert.deepEqual(await problemsOf(service, project), [])

      await write(
        service,
        'create table forgotten ("environmentId" text, "playerId" text, "pinHash" text, words text)',
      )
      assert.deepEqual(await problemsOf(service, project), [
        'forgotten is missing from the export',
        'forgotten keeps something of forgotten after a deletion',
        'forgotten keeps a deleted player',
      ])
    })

    test('[OWN-03] an unlinked email is deleted from the news and the outbox too', async (t) => {
      const service = await startServiceForPlayers(engine)
      t.after(() => service.stop())
      const { development } = service.app
      const email = 'former@example.com'
      const guest = await newGuest(development)
      await emailCalls(development).link(guest, email, { newsOptIn: true })
      const { body } = await service.signInWith('google', 'ada', { call: guest.call })
      const { refreshToken } = body
      const unlinked = await guest.call('DELETE', '/v1/players/me/identities/email', { refreshToken })
      assert.equal(unlinked.status, 200, JSON.stringify(unlinked.body))

      const exported = await guest.call('GET', '/v1/players/me/export')
      assert.equal(exported.body.news, null)
      assert.deepEqual(await service.mailsTo(email), [])
      assert.ok(!JSON.stringify(exported.body).includes(email))
    })

    test('[OWN-03] after deletion, no data of a player who used every feature remains in database, WAL, blobs or Redis', async (t) => {
      const service = await startServiceForPlayers(engine, { SVC_RATE_LIMITS: 'on' })
      t.after(() => service.stop())
      const { app } = service
      const side = app.development
      const call = emailCalls(side)
      await side.server('PUT', '/v1/config', {
        ...CONFIG,
        features: { ...CONFIG.features, saves: true, stats: true, statsVerification: true },
        stats: [{ key: 'points', maxPerSubmit: 5 }],
        share: { inAppBrowser: { enabled: true }, links: { enabled: true }, tracking: { enabled: true } },
      })

      const email = 'canary-address@example.com'
      const guest = asGuest(
        side.public,
        (await side.public('POST', '/v1/auth/guest', { displayName: 'Canary Oldname' })).body,
      )
      await guest.call('PATCH', '/v1/players/me', { displayName: 'Canary Newname' })
      const shared = await guest.call('POST', '/v1/share/links', { kind: 'plain', showName: true })
      assert.equal(shared.body.link.displayName, 'Canary Newname')
      await guest.call('POST', '/v1/share/visits', { shareId: shared.body.link.id, landed: true })
      await guest.call('PUT', '/v1/saves/canary-slot', { data: { secret: 'canary-save' } })
      await guest.call('PUT', '/v1/saves/canary-gone', { data: 'canary-deleted-save' })
      await guest.call('DELETE', '/v1/saves/canary-gone')
      await guest.call('POST', '/v1/stats', { stats: { points: 3, canary_stat: 'canary-value' } })
      await call.link(guest, email, { newsOptIn: true })
      await call.logIn(email, 'canary wrong password')
      await call.forgot(email)
      await service.background.drained()
      await guest.call('POST', '/v1/auth/email/resend', {})
      const { confirm } = await newsLinksTo(service, email)
      await service.call('POST', '/v1/news/confirm', { token: confirm })
      await service.newsSender.sendNews({ subject: 'News', paragraphs: ['Hello'] })
      for (const provider of ['google', 'discord', 'apple', 'x']) {
        const linked = await service.signInWith(provider, 'finn', { call: guest.call })
        assert.equal(linked.status, 200, JSON.stringify(linked.body))
      }
      await guest.call('PUT', '/v1/social/age', { band: 'adult' })
      await guest.call('POST', '/v1/players/me/age-signal', {
        platform: 'ios',
        status: 'canary-status',
        upperBound: 17,
      })
      const { body: transfer } = await guest.call('POST', '/v1/auth/transfer', {})
      await side.public('POST', '/v1/auth/transfer/redeem', { code: transfer.code })
      const { body: second } = await guest.call('POST', '/v1/auth/transfer', {})
      await side.public('POST', '/v1/auth/refresh', {
        refreshToken: guest.refreshToken,
        nonce: 'canary-nonce-1',
      })
      await side.server('POST', `/v1/admin/players/${guest.id}/ban`, { reason: 'canary-reason' })
      const { body: own } = await guest.call('GET', '/v1/players/me/sanctions')
      const appealPath = `/v1/players/me/sanctions/${own.sanctions[0].id}/appeal`
      const { body: appealed } = await guest.call('POST', appealPath, { message: 'canary-appeal' })
      await side.server('POST', `/v1/admin/appeals/${appealed.appeal.id}/resolve`, {
        accept: true,
        response: 'canary-response',
      })
      const { body: back } = await call.logIn(email)
      const player = asGuest(side.public, back)
      await player.call('GET', '/v1/players/me/export')
      await side.server('GET', `/v1/admin/players?q=${email}`)
      await side.server('GET', `/v1/admin/players/${guest.id}/export`)
      await service.everyMinute()

      const canaries = [
        email,
        'Canary Oldname',
        'Canary Newname',
        'canary newname',
        'canary-reason',
        'canary-save',
        'canary-slot',
        'canary-deleted-save',
        'canary-value',
        'canary-appeal',
        'canary-response',
        'canary-status',
        'canary-nonce',
        'canary wrong password',
        PASSWORD,
        'finn@example.com',
        'Lovelace',
        '80351110229',
        '001105.abc',
        second.code,
        confirm,
      ]
      const stored = await everythingStored(service, engine)
      for (const canary of [email, 'Canary Newname', 'canary-appeal', '80351110229', '001105.abc']) {
        assert.ok(stored.includes(canary), `the scan does not see ${canary}`)
      }
      if (engine === 'postgres') assert.ok(stored.includes('failures:'), 'the scan does not see Redis')

      const deleted = await player.call('DELETE', '/v1/players/me', { password: PASSWORD })
      assert.deepEqual(deleted.body, { deleted: true })
      await service.background.drained()
      const rowsLeft = await everythingIn(service, engine)
      await service.close()
      const left = rowsLeft + (await everythingOnDisk(service.dataDir))
      assert.deepEqual(
        canaries.filter((canary) => left.includes(canary)),
        [],
      )
    })
  })
}

test('[OWN-03] a deleted player is removed from the files of a running service within a minute, also under load', async (t) => {
  // 30 s with a running service; the rest of the minute is for further attempts.
  const service = await startService('sqlite', { logKeepMs: 300 })
  t.after(() => service.stop())
  const { development } = await service.newProject()
  await development.server('PUT', '/v1/config', { features: { saves: true } })
  const [leaving, staying] = [await newGuest(development), await newGuest(development)]
  const canary = 'canary-in-a-save'
  await leaving.call('PUT', '/v1/saves/slot', { data: canary.repeat(500) })
  const isOnDisk = async () => (await everythingOnDisk(service.dataDir)).includes(canary)
  assert.ok(await isOnDisk())
  let isLoaded = true
  const load = Array.from({ length: 8 }, async (_, n) => {
    while (isLoaded) {
      await staying.call('PUT', `/v1/saves/${n}`, { data: 'x'.repeat(1_000) })
      await staying.call('GET', '/v1/saves')
    }
  })

  assert.deepEqual((await leaving.call('DELETE', '/v1/players/me', {})).body, { deleted: true })
  for (const until = performance.now() + 60_000; await isOnDisk();)
    assert.ok(performance.now() < until, 'it is still there')

  isLoaded = false
  await Promise.all(load)
})

const everythingStored = async (service: Service, engine: Engine) =>
  (await everythingIn(service, engine)) + (await everythingOnDisk(service.dataDir))

/** The contents of the external engines as text: each row of PostgreSQL, each key and value of Redis. */
async function everythingIn(service: Service, engine: Engine): Promise<string> {
  if (engine === 'sqlite') return ''
  const texts: string[] = []
  for (const table of (await readSchema(service)).keys()) {
    for (const row of await rows(service.db, `select * from ${table}`)) texts.push(JSON.stringify(row))
  }
  const redis = createClient({ url: testRedisUrl() })
  await redis.connect()
  try {
    for await (const keys of redis.scanIterator({ MATCH: '*', COUNT: 1_000 })) {
      for (const key of keys.filter((name) => name.startsWith(service.redisPrefix))) {
        const type = await redis.type(key)
        const value =
          type === 'hash'
            ? await redis.hGetAll(key)
            : type === 'list'
              ? await redis.lRange(key, 0, -1)
              : await redis.get(key)
        texts.push(key, JSON.stringify(value))
      }
    }
  } finally {
    redis.destroy()
  }
  return texts.join('\n')
}

/** All bytes of the data folder: database, WAL, blobs. */
async function everythingOnDisk(dataDir: string): Promise<string> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const bytes = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))))
  return bytes.map((part) => part.toString('latin1')).join('\n')
}
