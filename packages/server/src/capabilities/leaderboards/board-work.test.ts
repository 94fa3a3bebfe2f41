import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { rankedStat } from '../../platform/ports/ranking.ts'
import { dayAt } from '../../platform/time/periods.ts'
import { BOARDS, type BoardGame, newBoardGame, placesIn } from '../../testing/leaderboards.ts'
import { type Service, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { createStatStore } from '../stats/store.ts'
import { createBoardStore } from './boards-store.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const configOf = (leaderboard?: object) => ({
  ...BOARDS,
  stats: [{ key: 'best', aggregation: 'max', ...(leaderboard && { leaderboard }) }],
})
const DAILY = { periods: ['daily', 'allTime'] }

suite('work on leaderboards', {}, ({ service, engine }) => {
  const raw = <R>(sql: string, { db }: Pick<Service, 'db'> = service) =>
    db.transaction((transaction) =>
      transaction.search<R>(() => ({ compile: () => CompiledQuery.raw(sql, []) as CompiledQuery<R> })),
    )
  const boardsOf = ({ environmentId }: BoardGame) =>
    service.db.search((q) =>
      q.selectFrom('leaderboards').selectAll().where('environmentId', '=', environmentId).orderBy('id'),
    )
  const passMidnight = () => {
    const now = service.clock.now().getTime()
    service.clock.advance(dayAt('UTC', now).endsAtMs - now)
  }
  /** A value without a board, written with SQL. */
  async function addValues({ environmentId }: BoardGame, count: number, day: string, node?: Service) {
    const numbers = `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${count})`
    const id = engine === 'sqlite' ? `printf('ply_%026d', n)` : `'ply_' || to_char(n, 'FM${'0'.repeat(26)}')`
    const now = service.clock.now().toISOString()
    await raw(
      `insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt") ${numbers} select '${environmentId}', ${id}, 'Player', 'player', '${now}', '${now}' from numbers`,
      node,
    )
    await raw(
      `insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month, "allTime", daily, weekly, monthly, "updatedAt") ${numbers} select '${environmentId}', ${id}, 'best', 'max', 'UTC', '${day}', '', '', n % 7, n % 7, 0, 0, '${now}' from numbers`,
      node,
    )
  }

  test('[LDB-07] [LDB-12] the first read after a midnight without a report does not read all values', async () => {
    const game = await newBoardGame(service, configOf(DAILY))
    const player = await game.player()
    await player.submit({ best: 3 })
    passMidnight()
    await service.everyMinute()
    // No report can have stored this value, so only a search for values finds it.
    await addValues(game, 1, dayAt('UTC', service.clock.now().getTime()).day)
    assert.deepEqual((await game.list('best')).entries, [])
    await service.background.drained()
    assert.deepEqual((await game.list('best')).entries, [])
    await player.renew()
    await player.submit({ best: 1 })
    assert.deepEqual(placesIn(await game.list('best')), [[1, player.id, 1]])
  })

  test('[LDB-12] a leaderboard that was off after a midnight without a report has the values of that time', async () => {
    const game = await newBoardGame(service, configOf(DAILY))
    const player = await game.player()
    await player.submit({ best: 3 })
    passMidnight()
    await service.everyMinute()
    await game.push(configOf())
    await service.everySecond()
    await player.renew()
    await player.submit({ best: 2 })
    await game.push(configOf(DAILY))
    await service.everySecond()
    await game.list('best')
    await service.background.drained()
    assert.deepEqual(placesIn(await game.list('best')), [[1, player.id, 2]])
  })

  test('[LDB-07] an hour removes all periods that have expired', async () => {
    const game = await newBoardGame(service, configOf(DAILY))
    await game.list('best')
    const at = '2020-01-01T00:00:00.000Z'
    const values = Array.from(
      { length: 250 },
      (_, index) =>
        `('${game.environmentId}', 'best', 'daily', '${1_000 + index}', 'desc', 'desc max all UTC', '${at}', '${at}', '${at}', '${at}', '${at}', 0)`,
    )
    await raw(
      `insert into leaderboards ("environmentId", key, period, label, direction, signature, "startsAt", "endsAt", "createdAt", "closedAt", "settledAt", count) values ${values.join()}`,
    )
    await service.everyHour()
    const closed = (await boardsOf(game)).filter(({ label }) => label.length === 4)
    assert.deepEqual([closed.length, closed.filter(({ replacedAt }) => replacedAt === null).length], [250, 0])
    service.clock.advance(MINUTE_MS)
    await service.everyMinute()
    assert.equal((await boardsOf(game)).filter(({ label }) => label.length === 4).length, 0)
  })

  test('[LDB-12] the id of a removed board is never used again', async () => {
    const game = await newBoardGame(service, configOf({}))
    await game.list('best')
    const [removed = assert.fail()] = await boardsOf(game)
    await createBoardStore(service.db).remove(removed.id)
    await service.everySecond()
    service.clock.advance(MINUTE_MS)
    await game.list('best')
    const [next = assert.fail()] = await boardsOf(game)
    assert.ok(next.id > removed.id, `${removed.id}, then ${next.id}`)
  })

  test('[LDB-07] a minute closes all periods that have ended', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `stat${index}`)
    const leaderboard = { periods: ['daily', 'weekly', 'monthly', 'allTime'] }
    const stats = keys.map((key) => ({ key, leaderboard }))
    const games = [
      await newBoardGame(service, { ...BOARDS, stats }),
      await newBoardGame(service, { ...BOARDS, stats }),
    ]
    for (const game of games) {
      const player = await game.player()
      await player.submit(Object.fromEntries(keys.map((key) => [key, 1])))
    }
    service.clock.advance(32 * DAY_MS)
    await service.everyMinute()
    for (const game of games)
      assert.equal((await boardsOf(game)).filter(({ closedAt }) => closedAt !== null).length, 90)
  })

  test('[LDB-12] a report that is stored after its board was replaced is on the new board', async () => {
    const game = await newBoardGame(service, configOf({}))
    const [a, b, c] = await game.players(3)
    assert.ok(a && b && c)
    for (const [at, player] of [a, b].entries()) await player.submit({ best: 10 + at })
    const [old] = await createBoardStore(service.db).open(game.environmentId)
    assert.ok(old)
    await game.push(configOf({ order: 'asc' }))
    await game.list('best')
    await service.background.drained()

    const { environmentId } = game
    const now = service.clock.now()
    const periods = dayAt('UTC', now.getTime())
    const report = [{ key: 'best', value: 20, aggregation: 'max' as const }]
    const stats = createStatStore(service.db)
    const ranked = rankedStat({
      direction: 'desc',
      verifiedFrom: null,
      boards: { allTime: old.id },
      resetAt: null,
    })
    // One that still knows the old board, and one that knows no leaderboard.
    await stats.of(environmentId, a.id).combine(report, periods, now.toISOString(), {
      reachedAt: now.getTime() * 1_024,
      hidden: null,
      isVerified: false,
      of: new Map([['best', ranked]]),
    })
    await stats.of(environmentId, b.id).combine(report, periods, now.toISOString())
    await stats.of(environmentId, c.id).combine(report, periods, now.toISOString())
    for (let minute = 0; minute < 2; minute++) {
      service.clock.advance(MINUTE_MS)
      await service.everyMinute()
    }
    assert.deepEqual(
      placesIn(await game.list('best'))
        .map(([, id, value]) => `${id} ${value}`)
        .toSorted(),
      [a, b, c].map(({ id }) => `${id} 20`).toSorted(),
    )
    assert.deepEqual(
      (await boardsOf(game)).map(({ work }) => work),
      [null],
    )
  })

  test('[LDB-12] a service that stops while values are added continues after the next start', async (t) => {
    const first = await startService(engine)
    const game = await newBoardGame(first, configOf())
    await addValues(game, 6_000, '', first)
    await game.push(configOf({}))
    await game.list('best')
    await first.close()

    const second = await startService(engine, { clusterOf: first })
    t.after(async () => {
      await second.stop()
      await first.removeData()
    })
    const board = async () =>
      (await second.db.search((q) => q.selectFrom('leaderboards').selectAll()))[0] ?? assert.fail()
    assert.equal((await board()).work, 'fill')
    await second.everyMinute()
    assert.equal((await board()).work, 'refill')
    const { length } = await second.db.search((q) =>
      q.selectFrom('stats').select('playerId').where('allTimeBoard', 'is not', null),
    )
    assert.equal(length, 6_000)
  })

  // A bus between nodes may deliver the messages about the new boards later.
  if (engine === 'sqlite')
    test('[LDB-16] a change in one game keeps the lists of the others', async () => {
      const [game, other] = [
        await newBoardGame(service, configOf({})),
        await newBoardGame(service, configOf({})),
      ]
      const [player, stranger] = [await game.player(), await other.player()]
      await player.submit({ best: 1 })
      await stranger.submit({ best: 1 })
      await game.list('best')
      await player.submit({ best: 2 })
      await other.development.server('POST', `/v1/admin/players/${stranger.id}/ban`)
      const cached = await game.development.public('GET', '/v1/x/leaderboards/best')
      assert.equal(cached.body.entries[0].value, 1)
      service.clock.advance(1_000)
      const read = await game.development.public('GET', '/v1/x/leaderboards/best')
      assert.equal(read.body.entries[0].value, 2)
    })
})
