import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { dayAt } from '../../platform/time/periods.ts'
import { type BoardGame, newBoardGame, placesIn } from '../../testing/leaderboards.ts'
import { boardsOf, configOf, DAILY, dayOf, goTo, passTenMinutes, winnersOf } from '../../testing/midnight.ts'
import type { Service } from '../../testing/service.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'

const today = async (game: BoardGame) => placesIn(await game.list('best', '?period=daily'))

suite('leaderboards before midnight', {}, ({ service }) => {
  test('[LDB-22] boards of the next period are opened in the ten minutes before, of stats with values, and are not shown before', async () => {
    const game = await newBoardGame(service, configOf())
    const player = await game.player()
    await player.submit({ best: 5 })
    await game.list('other')
    goTo(service, -11 * MINUTE_MS)
    await service.everyMinute()
    const before = await boardsOf(service, game)

    await passTenMinutes(service, () => game.list('best', '?period=daily'))

    const tomorrow = dayAt('UTC', service.clock.now().getTime() + DAY_MS).day
    const opened = (await boardsOf(service, game)).slice(before.length)
    assert.deepEqual(
      opened
        .filter(({ period }) => period === 'daily')
        .map(({ key, label, closedAt }) => [key, label, closedAt]),
      [['best', tomorrow, null]],
    )
    await player.renew()
    await player.submit({ best: 6 })
    const list = await game.list('best', '?period=daily')
    assert.deepEqual([list.label, placesIn(list)], [dayOf(service).day, [[1, player.id, 6]]])
    const { status } = await game.development.public('GET', `/v1/x/leaderboards/best?at=${tomorrow}`)
    assert.equal(status, 400)
    const { body } = await game.development.public('GET', '/v1/x/leaderboards/best/periods')
    assert.deepEqual(body.periods, [])

    const count = (await boardsOf(service, game)).length
    const yesterday = dayOf(service).day
    goTo(service, 0)
    await player.submit({ best: 2 })
    assert.deepEqual(await today(game), [[1, player.id, 2]])
    assert.deepEqual(await winnersOf(game, yesterday), { places: [[1, player.id, 6]], count: 1 })
    assert.equal((await boardsOf(service, game)).length, count, 'no board was opened by a report')
  })

  test('[LDB-20] [LDB-22] boards that were opened early are spread over the minutes, and none is taken for one of a clock that was ahead', async () => {
    const keys = Array.from({ length: 9 }, (_, at) => `stat${at}`)
    const stats = keys.map((key) => ({ key, leaderboard: { periods: ['daily'] } }))
    const game = await newBoardGame(service, { ...configOf(), stats })
    const player = await game.player()
    await player.submit(Object.fromEntries(keys.map((key) => [key, 1])))
    // New boards have work, which ends first.
    goTo(service, -11 * MINUTE_MS)
    await service.everyMinute()
    const early = new Set<number>()
    const perMinute: number[] = []
    await passTenMinutes(service, async () => {
      for (const { id, startsAt } of await boardsOf(service, game))
        if ((startsAt ?? '') > nowIn(service)) early.add(id)
      perMinute.push(early.size)
      for (const key of keys) await game.list(key)
    })
    assert.deepEqual(perMinute, [1, 2, 3, 4, 5, 6, 7, 8, 9, 9])
    assert.equal(early.size, keys.length, 'none was removed and opened again')
    goTo(service, 0)
  })

  for (const [what, change, zone] of [
    ['a reset', (game: BoardGame) => game.admin('POST', 'best/reset'), 'UTC'],
    ['verifiedOnly', (game: BoardGame) => game.push(verifiedConfig()), 'UTC'],
    ['another order', (game: BoardGame) => game.push(configOf({ ...DAILY, order: 'asc' })), 'UTC'],
    ['another zone', (game: BoardGame) => game.push(configOf(DAILY, 'Asia/Tokyo')), 'Asia/Tokyo'],
    ['a period that is turned off and on', turnOffAndOn, 'UTC'],
  ] as const)
    test(`[LDB-22] ${what} in the minutes before midnight applies to the board that was opened early`, async () => {
      const game = await newBoardGame(service, configOf())
      const [a, b] = await game.players(2)
      assert.ok(a && b)
      await a.submit({ best: 5 })
      await passTenMinutes(service)
      const early = (await boardsOf(service, game)).filter(
        ({ startsAt }) => (startsAt ?? '') > nowIn(service),
      )
      assert.ok(early.length > 0)

      await change(game)
      await service.everySecond()
      await b.renew()
      await b.submit({ best: 7 })
      await service.background.drained()
      goTo(service, 0, zone)
      for (const player of [a, b]) await player.renew()
      await b.submit({ best: 3 })
      await a.submit({ best: 4 })
      await service.everyMinute()
      const value = what === 'verifiedOnly' ? [] : [4, 3]
      const list = await game.list('best', '?period=daily')
      const places = placesIn(list).map(([, , stored]) => stored)
      assert.deepEqual(places, what === 'another order' ? value.toReversed() : value)
      assert.equal(list.label, dayOf(service, zone).day)
      service.clock.advance(2 * MINUTE_MS)
      await service.everyMinute()
      const open = (await boardsOf(service, game)).filter(
        ({ key, period, closedAt, replacedAt }) =>
          key === 'best' && period === 'daily' && closedAt === null && replacedAt === null,
      )
      assert.deepEqual(
        open.map(({ label }) => label),
        [dayOf(service, zone).day],
      )
    })

  test('[LDB-22] a board that a clock opened early which was days ahead is removed, and today goes on', async () => {
    const game = await newBoardGame(service, configOf())
    const player = await game.player()
    goTo(service, -12 * MINUTE_MS)
    await player.submit({ best: 5 })
    const { day } = dayOf(service)
    // The boards of the day after tomorrow are opened by a report of that day.
    service.clock.step(DAY_MS)
    await player.renew()
    await player.submit({ best: 9 })
    await passTenMinutes(service)
    service.clock.step(-DAY_MS)

    const other = await game.player()
    await other.submit({ best: 6 })
    const list = await game.list('best', '?period=daily')
    assert.deepEqual([list.label, placesIn(list)], [day, [[1, other.id, 6]]])
    const latest = new Date(service.clock.now().getTime() + 10 * MINUTE_MS).toISOString()
    const left = (await boardsOf(service, game)).filter(
      ({ key, period, startsAt, replacedAt }) =>
        key === 'best' && period === 'daily' && replacedAt === null && (startsAt ?? '') > latest,
    )
    assert.deepEqual(left, [])
  })

  test('[LDB-23] a value that was taken off its board by a report of the next day can be removed, and then wins nothing', async () => {
    const game = await newBoardGame(service, configOf())
    const [a, b] = await game.players(2)
    assert.ok(a && b)
    await a.submit({ best: 5 })
    await b.submit({ best: 6 })
    const { day } = dayOf(service)
    goTo(service, 0)
    for (const player of [a, b]) await player.renew()
    await b.submit({ best: 1 })
    await game.admin('DELETE', `best/entries/${b.id}`)
    assert.deepEqual((await winnersOf(game, day)).places, [[1, a.id, 5]])
  })
})

const nowIn = ({ clock }: Service) => clock.now().toISOString()
const verifiedConfig = () => ({
  ...configOf({ ...DAILY, verifiedOnly: true }),
  features: { stats: true, statsVerification: true },
  integrity: {
    stats: { maxSubmitsPerMinute: 600, webhook: { url: 'https://127.0.0.1:9/', onFailure: 'accept' } },
  },
})
async function turnOffAndOn(game: BoardGame) {
  await game.push(configOf({ periods: ['weekly', 'allTime'] }))
  await game.push(configOf())
}

describe('reports after midnight on two nodes with one PostgreSQL', () => {
  const [first, second] = startTwoNodes()
  async function locks(): Promise<number> {
    const metrics = [first, second].flatMap(({ db }) => db.metrics ?? [])
    let count = 0
    for (const { name, read } of metrics)
      if (name === 'svc_lock_wait_seconds')
        for (const [part, value] of await read()) if (part === '_count') count += value
    return count
  }

  for (const isOpenedEarly of [false, true])
    test(`[LDB-21] 1,000 reports open each board once${isOpenedEarly ? ', or not at all if it was opened before' : ''}`, async () => {
      const game = await newBoardGame(first, configOf({ periods: ['daily'] }))
      const players = await game.players(20)
      goTo(first, -11 * MINUTE_MS)
      for (const player of players) await player.renew()
      for (const player of players) await player.submit({ best: 5, other: 6 })
      if (isOpenedEarly) await passTenMinutes(first)
      goTo(first, 0)
      for (const player of players) await player.renew()
      for (const node of [first, second]) await node.background.drained()

      const before = await locks()
      const reports = Array.from({ length: 1_000 }, (_, at) =>
        (players[at % 20] ?? assert.fail()).on(at % 3 ? first : second)('POST', '/v1/stats', {
          stats: { best: at, other: at },
        }),
      )
      for (const { status, body } of await Promise.all(reports))
        assert.equal(status, 200, JSON.stringify(body))
      for (const node of [first, second]) await node.background.drained()
      const boards = 2
      const each = ((await locks()) - before) / boards
      // Both nodes and the job may close the board before; without a board, each node opens the new one, and its work begins.
      assert.ok(each <= 10, `${each} transactions with a lock for each board`)
    })

  for (const isOpenedEarly of [false, true])
    test(`[LDB-21] a report does not wait while the board before is closed${isOpenedEarly ? ', and for no lock if its board was opened before' : ''}`, async () => {
      const game = await newBoardGame(first, configOf({ periods: ['daily'] }))
      const player = await game.player()
      goTo(first, -11 * MINUTE_MS)
      await player.renew()
      await player.submit({ best: 5 })
      const { day } = dayOf(first)
      if (isOpenedEarly) await passTenMinutes(first)
      goTo(first, 0)
      await player.renew()
      const stat = `${game.environmentId}:best`
      await second.db.exclusively(`leaderboards:${stat}`, async (transaction) => {
        if (isOpenedEarly) await transaction.lock(`leaderboards-opening:${stat}`)
        const { status, body } = await player.submit({ best: 3 })
        assert.equal(status, 200, JSON.stringify(body))
      })
      assert.deepEqual(await today(game), [[1, player.id, 3]])
      assert.deepEqual(await winnersOf(game, day), { places: [[1, player.id, 5]], count: 1 })
    })
})
