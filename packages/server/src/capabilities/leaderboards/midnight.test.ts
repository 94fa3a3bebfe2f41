import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { rankedStat } from '../../platform/ports/ranking.ts'
import { dayAt } from '../../platform/time/periods.ts'
import { type BoardGame, newBoardGame, placesIn, type StatsPlayer } from '../../testing/leaderboards.ts'
import { runs } from '../../testing/runs.ts'
import type { Service } from '../../testing/service.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'
import { createStatStore } from '../stats/store.ts'
import { createBoardStore } from './boards-store.ts'

const DAILY = { periods: ['daily', 'weekly', 'allTime'] }
const configOf = (leaderboard: object | undefined = DAILY, zone = 'UTC') => ({
  features: { stats: true },
  resetTimeZone: zone,
  stats: ['best', 'other'].map((key) => ({ key, aggregation: 'max', ...(leaderboard && { leaderboard }) })),
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
})

const boardsOf = ({ db }: Service, { environmentId }: BoardGame) =>
  db.search((q) =>
    q.selectFrom('leaderboards').selectAll().where('environmentId', '=', environmentId).orderBy('id'),
  )
const dayOf = ({ clock }: Service, zone = 'UTC') => dayAt(zone, clock.now().getTime())
/** A negative time: so long before the next midnight. */
function goTo({ clock }: Pick<Service, 'clock'>, ms: number, zone = 'UTC') {
  const now = clock.now().getTime()
  clock.advance(dayAt(zone, now).endsAtMs + ms - now)
}
/** As the jobs do in the ten minutes before midnight. */
async function passTenMinutes(service: Service, zone = 'UTC') {
  for (let minute = 10; minute > 0; minute--) {
    goTo(service, -minute * MINUTE_MS, zone)
    await service.everyMinute()
  }
}
async function winnersOf(game: BoardGame, label: string) {
  const list = await game.list('best', `?period=daily&at=${label}&limit=100`)
  return { places: placesIn(list), count: list.count }
}
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

    await passTenMinutes(service)

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

type Late = { who: number; value: number }
type Midnight = {
  before: Late[]
  /** Reports of the old day that are stored after this many of the new one. */
  late: (Late & { after: number })[]
  next: Late[]
  /** The winners are read, or a job counts them, after this many reports of the new day. */
  readAfter: number
  jobAfter: number
  isOpenedEarly: boolean
}

suite('winners of a day whose last reports are late', {}, ({ service }) => {
  const FULL = 100
  const PLAYERS = 4
  const report = fc.record({ who: fc.nat(PLAYERS - 1), value: fc.integer({ min: 1, max: 2 * FULL }) })
  const at = fc.nat(6)
  const midnights: fc.Arbitrary<Midnight> = fc.record({
    before: fc.array(report, { maxLength: 4 }),
    late: fc.array(
      fc.tuple(report, at).map(([one, after]) => ({ ...one, after })),
      { maxLength: 4 },
    ),
    next: fc.array(report, { minLength: 1, maxLength: 6 }),
    readAfter: at,
    jobAfter: at,
    isOpenedEarly: fc.boolean(),
  })

  /** Stores a report as one that has found its boards, but is not stored yet. */
  async function inFlight(game: BoardGame) {
    const open = await createBoardStore(service.db).open(game.environmentId)
    const periods = dayOf(service)
    const now = service.clock.now()
    const boards = Object.fromEntries(
      open
        .filter(({ key, startsAt }) => key === 'best' && (startsAt ?? '') <= now.toISOString())
        .map(({ period, id }) => [period, id]),
    )
    const ranked = rankedStat({ direction: 'desc', verifiedFrom: null, boards, resetAt: null })
    let tie = now.getTime() * 1_024
    return (playerId: string, value: number) =>
      createStatStore(service.db)
        .of(game.environmentId, playerId)
        .combine([{ key: 'best', value, aggregation: 'max' }], periods, now.toISOString(), {
          reachedAt: ++tie,
          hidden: null,
          isVerified: false,
          of: new Map([['best', ranked]]),
        })
  }

  test('[LDB-23] the winners are those of the values that were reached in it, however they were counted', async () => {
    const game = await newBoardGame(service, configOf({ periods: ['daily'] }))
    const players = await game.players(PLAYERS)
    const extras = await game.players(runs(3, FULL))
    await fc.assert(
      fc.asyncProperty(midnights, async (midnight) => {
        const best = new Map<string, number>()
        const isLeaving = new Set<string>()
        const reached = ({ id }: StatsPlayer, value: number) =>
          best.set(id, Math.max(value, best.get(id) ?? 0))
        const of = (who: number) => players[who] ?? assert.fail()
        // The reports of the last midnight are of a day that is not looked at.
        service.clock.advance(DAY_MS)
        goTo(service, -11 * MINUTE_MS)
        for (const player of [...players, ...extras]) await player.renew()
        for (const [at, extra] of extras.entries()) {
          await extra.submit({ best: at + 50 })
          reached(extra, at + 50)
        }
        for (const { who, value } of midnight.before) {
          await of(who).submit({ best: value })
          reached(of(who), value)
        }
        const { day } = dayOf(service)
        if (midnight.isOpenedEarly) await passTenMinutes(service)
        goTo(service, -1)
        const storeLate = await inFlight(game)
        for (const player of players) await player.renew()
        service.clock.advance(1)

        for (let step = 0; step <= 6; step++) {
          for (const { who, value, after } of midnight.late) {
            // Who has reported in the new day counts there: periods never go back.
            if (after !== step || isLeaving.has(of(who).id)) continue
            await storeLate(of(who).id, value)
            reached(of(who), value)
          }
          if (midnight.readAfter === step) await winnersOf(game, day)
          if (midnight.jobAfter === step) {
            await service.everyMinute()
            service.clock.advance(SECOND_MS)
          }
          const next = midnight.next[step]
          if (!next) continue
          await of(next.who).submit({ best: next.value })
          isLeaving.add(of(next.who).id)
        }
        service.clock.advance(MINUTE_MS)
        for (let minute = 0; minute < 2; minute++) await service.everyMinute()

        const { places, count } = await winnersOf(game, day)
        const sorted = [...best].toSorted(([, a], [, b]) => b - a)
        assert.deepEqual(
          places.map(([, , value]) => value),
          sorted.map(([, value]) => value).slice(0, FULL),
        )
        const ofBest = new Map(places.map(([, id, value]) => [id, value]))
        for (const [id, value] of sorted) assert.equal(ofBest.get(id) ?? value, value)
        assert.equal(count, best.size)
        const kept = await service.db.search((q) => q.selectFrom('leaderboards_left').select('playerId'))
        assert.deepEqual(kept, [], 'what was kept is removed')
      }),
      { numRuns: runs(12, 150), endOnFailure: true },
    )
  })

  test('[LDB-23] once 100 winners were counted, only a value that is better than the last of them is kept', async () => {
    const game = await newBoardGame(service, configOf({ periods: ['daily'] }))
    const [a, b] = await game.players(2)
    assert.ok(a && b)
    await a.submit({ best: 1 })
    const { day } = dayOf(service)
    goTo(service, -1)
    const store = await inFlight(game)
    for (let at = 0; at < 100; at++) await store(`ply_winner${at}`, 1_000 + at)
    await store(b.id, 5)
    service.clock.advance(1)
    await winnersOf(game, day)
    for (const player of [a, b]) await player.renew()
    // Stored after the count, by a report that began before midnight.
    await store(b.id, 5_000)
    await a.submit({ best: 1 })
    await b.submit({ best: 1 })
    const kept = await service.db.search((q) =>
      q.selectFrom('leaderboards_left').select(['playerId', 'value']),
    )
    assert.deepEqual(kept, [{ playerId: b.id, value: 5_000 }])
    service.clock.advance(MINUTE_MS)
    await service.everyMinute()
    const { count } = await winnersOf(game, day)
    assert.equal(count, 102)
    const [first] = await service.db.search((q) =>
      q
        .selectFrom('leaderboards_winners')
        .select(['playerId', 'value'])
        .where((e) => e.and({ environmentId: game.environmentId, label: day, rank: 1 })),
    )
    assert.deepEqual(first, { playerId: b.id, value: 5_000 })
  })
})

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
