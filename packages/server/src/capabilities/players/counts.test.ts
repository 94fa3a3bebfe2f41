import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, DAY_MS, HOUR_MS, timestamp } from '../../platform/clock.ts'
import { firstIdAt } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import { startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { engines } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { createCountStore } from './counts-store.ts'
import { createPlayerCounts } from './counts.ts'
import { createPlayerStore } from './store.ts'

suite('numbers of players', { start: startServiceForPlayers }, ({ engine, service }) => {
  /** All players, guests, banned ones. */
  async function numbers() {
    const { development, developer } = service.app
    const { body } = await developer.call('GET', `${development.path}/overview`)
    return [body.players.total, body.players.guests, body.players.banned]
  }
  const keptDays = async () =>
    (await service.db.search((q) => q.selectFrom('players_counts').select(['day', 'players']))).filter(
      ({ players }) => players !== null,
    ).length
  const withEmail = (player: Guest, name: string) =>
    player.call('POST', '/v1/auth/link/email', {
      email: `${name}-${engine}@example.com`,
      password: 'correct horse',
    })
  /** With a new access token. */
  const again = async ({ refreshToken }: Guest) => {
    const { public: call } = service.app.development
    return asGuest(call, (await call('POST', '/v1/auth/refresh', { refreshToken })).body)
  }
  const remove = (player: Guest) =>
    service.app.development.server('POST', `/v1/admin/players/${player.id}/delete`)

  test('[DEV-14] players of earlier days are counted once; deleting or registering one changes the numbers', async () => {
    const { development } = service.app
    const guests = [
      await newGuest(development),
      await newGuest(development),
      await newGuest(development),
      await newGuest(development),
    ] as const
    assert.deepEqual(await numbers(), [4, 4, 0])
    // Within the first hour of the next day, the day before can still change.
    service.clock.advance(DAY_MS - (service.clock.now().getTime() % DAY_MS) + HOUR_MS - 1)
    await newGuest(development)
    assert.deepEqual([await numbers(), await keptDays()], [[5, 5, 0], 0])
    service.clock.advance(1)
    assert.deepEqual([await numbers(), await keptDays()], [[5, 5, 0], 1])

    const [first, second, third] = [await again(guests[0]), await again(guests[1]), await again(guests[2])]
    assert.equal((await withEmail(first, 'first')).status, 200)
    assert.equal((await service.signInWith('google', 'bob', { call: second.call })).status, 200)
    assert.deepEqual(await numbers(), [5, 3, 0])
    // A second sign-in method changes nothing, and neither does losing one of two.
    assert.equal((await withEmail(second, 'second')).status, 200)
    assert.equal((await service.signInWith('google', 'ada', { call: first.call })).status, 200)
    const { refreshToken } = first
    const unlinked = await first.call('DELETE', '/v1/players/me/identities/email', { refreshToken })
    assert.equal(unlinked.status, 200)
    assert.deepEqual(await numbers(), [5, 3, 0])

    await development.server('POST', `/v1/admin/players/${third.id}/ban`, {})
    assert.deepEqual(await numbers(), [5, 3, 1])
    for (const player of [first, third]) assert.equal((await remove(player)).status, 200)
    assert.equal((await remove(first)).status, 404)
    assert.deepEqual(await numbers(), [3, 2, 0])

    // Days without a player are kept, too. After a week all are counted again.
    service.clock.advance(9 * DAY_MS)
    assert.deepEqual([await numbers(), await keptDays()], [[3, 2, 0], 10])
    await service.everyHour()
    assert.equal(await keptDays(), 10, 'by the job, not by the next request')
    assert.deepEqual([await numbers(), await keptDays()], [[3, 2, 0], 10])
  })
})

for (const engine of engines) {
  test(`[DEV-14] changes that commit while days are counted are neither lost nor counted twice, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const clock = createStoppedClock()
    const players = createPlayerStore(db)
    // They exist before the first read, like those of an upgraded database.
    const ids = Array.from(
      { length: 120 },
      (_, i) => `${firstIdAt('ply', clock.now().getTime()).slice(0, -4)}${1000 + i}`,
    )
    for (const id of ids) await players.insert(player(id, timestamp(clock)))
    clock.advance(3 * DAY_MS)

    const store = createCountStore(db)
    const ofNode = () => createPlayerCounts(store, clock)
    const [one, other] = [ofNode(), ofNode()]
    let isDone = false
    async function countAgain(node: typeof one) {
      while (!isDone) {
        await store.forgetAfter('')
        await node.read('env_1')
      }
    }
    const change = (id: string, at: number) =>
      players.change('env_1', id, async (transaction) => {
        if (at % 3 === 0) return
        assert.ok(await players.in(transaction).remove('env_1', id))
        await players.in(transaction).noteChange('env_1', id, { players: -1, registered: 0 })
        if (at % 3 === 1) throw new Error('rolled back')
      })
    const changing = Promise.allSettled(ids.map(change)).then(() => (isDone = true))
    await Promise.all([countAgain(one), countAgain(other), changing])

    assert.deepEqual(await one.read('env_1'), { players: 80, registered: 0, counted: 0 })
    await store.forgetAfter('')
    assert.deepEqual(await other.read('env_1'), { players: 80, registered: 0, counted: 0 })
  })
}

const player = (id: string, at: string) => ({
  environmentId: 'env_1',
  id,
  displayName: 'Ada',
  searchName: 'ada',
  email: null,
  emailLinkedAt: null,
  emailVerifiedAt: null,
  passwordHash: null,
  createdAt: at,
  lastSeenAt: at,
  bannedUntil: null,
  leaderboardsHidden: 0,
})
