import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'

import type { Actor } from '@svc/contract/common/schemas'

import { createStoppedClock, SECOND_MS } from '../../platform/clock.ts'
import { createIds, systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { engines } from '../../testing/service.ts'
import { createAges, createAgeStore, createAppeals, createBans, createModerationStore } from './index.ts'
import { createPersonalData } from './personal-data.ts'

const environment = { id: 'env_1', projectId: 'prj_1', name: 'development', slug: 'game' } as const
const developer: Actor = { type: 'developer', id: 'dev_1', label: 'ada@example.com' }

/** Bans with a real database; their effects on the rest of the service are recorded in order. */
async function setUp(t: TestContext, engine: (typeof engines)[number]) {
  const database = await openTestDatabase(engine)
  t.after(() => database.close())
  const clock = createStoppedClock()
  const ids = createIds(clock, systemRandom)
  const store = createModerationStore(database.db)
  const done: string[] = []
  const broken = { audit: false }
  const deps = {
    clock,
    ids,
    audit: {
      async record(_: unknown, { action }: { action: string }) {
        if (broken.audit) throw new Error('the disk is full')
        done.push(action)
      },
    },
    playerExists: async () => true,
    async disconnect(environmentId: string, playerId: string) {
      // Read on another connection, which sees only committed changes.
      const ban = await store.latestBan(environmentId, playerId)
      done.push(`disconnect ${playerId} ${ban ? 'banned' : 'not banned'}`)
    },
  }
  const bans = createBans(store, {
    ...deps,
    setBan: async (_transaction, _environmentId, playerId, ban) =>
      done.push(`${playerId} until ${ban && ban.expiresAt}`),
    revokeSessions: async (_transaction, _environmentId, playerId) => {
      done.push(`revoke ${playerId}`)
      return 3
    },
    releaseSessions: async () => {},
  })
  const appeals = createAppeals(store, {
    ...deps,
    bans,
    identify: async () => ({ playerId: 'ply_1', sanctionId: null }),
    findPlayer: async () => ({ displayName: 'Ada' }),
  })
  const ageStore = createAgeStore(database.db)
  const ages = createAges(ageStore, { ...deps, audienceOf: async () => 'mixed' })
  const personalData = createPersonalData(store, ageStore, clock)
  const player = { environmentId: environment.id, id: 'ply_1', sessionId: 'ses_1' }
  return { database, clock, store, bans, appeals, ages, personalData, player, done, broken }
}

for (const engine of engines) {
  describe(`effects of moderation on other parts on ${engine}`, () => {
    test('[BAN-07] [DEV-17] live connections are closed by ban, unban and accepted appeal, after the change is committed', async (t) => {
      const { bans, appeals, player, done } = await setUp(t, engine)
      await bans.ban(environment, developer, 'ply_1', {})
      await bans.unban(environment, developer, 'ply_1')
      await bans.unban(environment, developer, 'ply_1')
      await bans.ban(environment, developer, 'ply_1', {})
      const [sanction] = (await appeals.sanctionsOf(player)).sanctions
      const { appeal } = await appeals.appeal(player, sanction?.id ?? '', { message: 'x' })
      await appeals.resolve(environment, developer, appeal.id, { accept: true })

      const banned = ['ply_1 until null', 'revoke ply_1', 'player.ban', 'disconnect ply_1 banned']
      assert.deepEqual(done, [
        ...banned,
        'ply_1 until null',
        'player.unban',
        'disconnect ply_1 not banned',
        ...banned,
        'ply_1 until null',
        'appeal.resolve',
        'disconnect ply_1 not banned',
      ])
    })

    test('[AUD-01] if the audit entry cannot be written, nothing is changed and no connection is closed', async (t) => {
      const { bans, appeals, ages, player, done, broken, store } = await setUp(t, engine)
      broken.audit = true
      await assert.rejects(bans.ban(environment, developer, 'ply_1', {}))
      await assert.rejects(ages.correct(environment, developer, 'ply_1', { band: 'adult' }))
      assert.deepEqual((await appeals.sanctionsOf(player)).sanctions, [])
      assert.equal(await ages.bandOf(environment, 'ply_1'), 'child')

      broken.audit = false
      await bans.ban(environment, developer, 'ply_1', {})
      const ban = await store.latestBan(environment.id, 'ply_1')
      const { appeal } = await appeals.appeal(player, ban?.id ?? '', { message: 'x' })
      broken.audit = true
      done.length = 0
      await assert.rejects(bans.unban(environment, developer, 'ply_1'))
      await assert.rejects(appeals.resolve(environment, developer, appeal.id, { accept: true }))
      const [sanction] = (await appeals.sanctionsOf(player)).sanctions
      assert.deepEqual([sanction?.active, sanction?.appeal?.status], [true, 'open'])
      assert.deepEqual(
        done.filter((line) => line.startsWith('disconnect')),
        [],
      )
    })

    test('[AGE-09] other capabilities can read the band and what it allows', async (t) => {
      const { ages } = await setUp(t, engine)
      assert.equal(await ages.bandOf(environment, 'ply_1'), 'child')
      assert.equal((await ages.capabilitiesOf(environment, 'ply_1')).directPeer, false)
      await ages.correct(environment, developer, 'ply_1', { band: 'teen' })
      assert.equal(await ages.bandOf(environment, 'ply_1'), 'teen')
      assert.equal((await ages.capabilitiesOf(environment, 'ply_1')).directPeer, true)
      assert.equal(await ages.bandOf({ id: 'env_2' }, 'ply_1'), 'child')
    })

    test('everything stored about a player is exported, and removed completely', async (t) => {
      const { bans, appeals, ages, personalData, player, database, clock } = await setUp(t, engine)
      for (const playerId of ['ply_1', 'ply_2']) {
        await bans.ban(environment, developer, playerId, { reason: 'canary-reason' })
        const [sanction] = (await appeals.sanctionsOf({ ...player, id: playerId })).sanctions
        await appeals.appeal({ ...player, id: playerId }, sanction?.id ?? '', { message: 'canary-message' })
        await ages.declare({ ...player, id: playerId }, { band: 'teen' })
      }
      clock.advance(SECOND_MS)
      const exported = await personalData.exportForPlayer(environment.id, 'ply_1')
      assert.equal(exported.sanctions[0]?.note, 'canary-reason')
      assert.deepEqual(
        [exported.appeals[0]?.message, exported.appeals[0]?.sanctionId],
        ['canary-message', exported.sanctions[0]?.id],
      )
      assert.deepEqual(exported.age, {
        declared: 'teen',
        signalled: null,
        updatedAt: '2026-01-01T00:00:00.000Z',
      })
      assert.ok(!JSON.stringify(exported).includes(developer.label))

      await database.db.transaction((transaction) =>
        personalData.removeForPlayer(transaction, environment.id, 'ply_1'),
      )
      assert.deepEqual(await personalData.exportForPlayer(environment.id, 'ply_1'), {
        sanctions: [],
        appeals: [],
        age: null,
      })
      for (const table of ['moderation_bans', 'moderation_appeals', 'moderation_ages'] as const) {
        const rows = await database.db.search((q) => q.selectFrom(table).select('playerId'))
        assert.deepEqual(rows, [{ playerId: 'ply_2' }], table)
      }
    })
  })
}
