import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { rankedStat } from '../../platform/ports/ranking.ts'
import { type BoardGame, newBoardGame, type StatsPlayer } from '../../testing/leaderboards.ts'
import { configOf, dayOf, goTo, passTenMinutes, winnersOf } from '../../testing/midnight.ts'
import { runs } from '../../testing/runs.ts'
import { suite } from '../../testing/suite.ts'
import { createStatStore } from '../stats/store.ts'
import { createBoardStore } from './boards-store.ts'

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
