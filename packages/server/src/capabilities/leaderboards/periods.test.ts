import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { boundsOf, dayAt } from '../../platform/time/periods.ts'
import { BOARDS, newBoardGame, placesIn, type StatsPlayer } from '../../testing/leaderboards.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

for (const [zone, period, label, startsAt, endsAt] of [
  ['UTC', 'daily', '2026-11-15', '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['Europe/Berlin', 'daily', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['Africa/Cairo', 'daily', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
  ['UTC', 'weekly', '2026-W46', '2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['UTC', 'weekly', '2026-W53', '2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z'],
  ['UTC', 'weekly', '2025-W01', '2024-12-30T00:00:00.000Z', '2025-01-06T00:00:00.000Z'],
  ['Europe/Berlin', 'weekly', '2026-W13', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['America/Havana', 'monthly', '2026-03', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
] as const) {
  test(`[LDB-08] ${label} in ${zone} begins at ${startsAt} and ends at ${endsAt}`, () => {
    assert.deepEqual(boundsOf(zone, period, label), { startsAt, endsAt })
    const inside = dayAt(zone, Date.parse(startsAt))
    assert.equal({ daily: inside.day, weekly: inside.week, monthly: inside.month }[period], label)
  })
}

suite('periods of leaderboards', {}, ({ service }) => {
  const advanceTo = (iso: string) => service.clock.advance(Date.parse(iso) - service.clock.now().getTime())

  test('[LDB-07] [LDB-08] the first report of a new period closes the old one, and lists its winners', async () => {
    const game = await newBoardGame(service)
    const [a, b, c] = await game.players(3)
    assert.ok(a && b && c)
    const day = dayAt('UTC', service.clock.now().getTime())
    await a.submit({ best: 5 })
    await b.submit({ best: 9 })
    await c.submit({ best: 5 })
    service.clock.advance(day.endsAtMs - service.clock.now().getTime())
    for (const player of [a, b, c]) await player.renew()
    await a.submit({ best: 1 })

    assert.deepEqual(placesIn(await game.list('best')), [[1, a.id, 1]])
    const closed = await game.list('best', `?at=${day.day}`)
    assert.deepEqual(placesIn(closed), [
      [1, b.id, 9],
      [2, a.id, 5],
      [3, c.id, 5],
    ])
    assert.deepEqual([closed.count, closed.label], [3, day.day])
    const first = await game.list('best', `?at=${day.day}&limit=2`)
    assert.deepEqual(placesIn(await game.list('best', `?at=${day.day}&limit=2&cursor=${first.nextCursor}`)), [
      [3, c.id, 5],
    ])
    const { body } = await game.development.public('GET', '/v1/x/leaderboards/best/periods')
    assert.deepEqual(body.periods[0], {
      period: 'daily',
      label: day.day,
      ...boundsOf('UTC', 'daily', day.day),
      count: 3,
    })
    assert.deepEqual((await game.admin('GET', 'best/periods')).body, body)
    // Hidden later, so not shown here either.
    await game.admin('PUT', `best/entries/${b.id}`, { hidden: true })
    assert.deepEqual(placesIn(await game.list('best', `?at=${day.day}`))[0], [1, a.id, 5])
  })

  test('[LDB-07] without a report the job closes a period within a minute', async () => {
    const game = await newBoardGame(service)
    const [a] = await game.players(1)
    assert.ok(a)
    await a.submit({ best: 3 })
    const { day, endsAtMs } = dayAt('UTC', service.clock.now().getTime())
    service.clock.advance(endsAtMs - service.clock.now().getTime())
    await service.everyMinute()
    const winners = () =>
      service.db.search((q) =>
        q
          .selectFrom('leaderboards_winners')
          .select(['label', 'playerId', 'rank'])
          .where('environmentId', '=', game.environmentId)
          .where('label', '=', day),
      )
    assert.deepEqual(await winners(), [{ label: day, playerId: a.id, rank: 1 }])
    // A report that was in flight is counted 5 s later.
    const settled = async () =>
      (
        await service.db.search((q) =>
          q
            .selectFrom('leaderboards')
            .select('settledAt')
            .where('environmentId', '=', game.environmentId)
            .where('label', '=', day),
        )
      )[0]?.settledAt
    assert.equal(await settled(), null)
    service.clock.advance(5_000)
    await service.everyMinute()
    assert.notEqual(await settled(), null)
    assert.equal((await winners()).length, 1)
  })

  test('[LDB-07] closed days are kept for 31 days, weeks for 53 weeks and months for 24 months', async () => {
    const game = await newBoardGame(service, {
      ...BOARDS,
      stats: [{ key: 'best', aggregation: 'max', leaderboard: { periods: ['daily', 'weekly', 'monthly'] } }],
    })
    advanceTo('2028-06-15T12:00:00.000Z')
    const [a] = await game.players(1)
    assert.ok(a)
    await a.submit({ best: 3 })
    const closed = async () => {
      const { body } = await game.development.public('GET', '/v1/x/leaderboards/best/periods')
      return body.periods.map(({ label }: { label: string }) => label)
    }
    const after = async (iso: string) => {
      advanceTo(iso)
      await service.everyMinute()
      await service.everyHour()
      await service.everyMinute()
      service.clock.advance(MINUTE_MS)
      await service.everyMinute()
      return closed()
    }
    assert.ok((await after('2028-07-16T23:00:00.000Z')).includes('2028-06-15'))
    assert.ok(!(await after('2028-07-17T01:00:00.000Z')).includes('2028-06-15'))
    assert.ok((await after('2029-06-23T23:00:00.000Z')).includes('2028-W24'))
    assert.ok(!(await after('2029-06-25T01:00:00.000Z')).includes('2028-W24'))
    assert.ok((await after('2030-06-30T00:00:00.000Z')).includes('2028-06'))
    assert.ok(!(await after('2030-07-16T00:00:00.000Z')).includes('2028-06'))
    const rows = await service.db.search((q) =>
      q
        .selectFrom('stats')
        .select(['dailyBoard', 'weeklyBoard', 'monthlyBoard'])
        .where('environmentId', '=', game.environmentId),
    )
    assert.deepEqual(rows, [{ dailyBoard: null, weeklyBoard: null, monthlyBoard: null }])
  })

  test('[LDB-07] a day that daylight saving shortens or lengthens closes at its real end', async () => {
    const game = await newBoardGame(service, { ...BOARDS, resetTimeZone: 'Europe/Berlin' })
    for (const [before, later, label] of [
      // 30 March has 23 hours, 26 October 25.
      ['2031-03-30T21:59:59.999Z', '2031-03-30T22:00:00.000Z', '2031-03-30'],
      ['2031-10-26T22:59:59.999Z', '2031-10-26T23:00:00.000Z', '2031-10-26'],
    ] as const) {
      advanceTo(before)
      const [a, b] = await game.players(2)
      assert.ok(a && b)
      await a.submit({ fastest: 7 })
      advanceTo(later)
      await b.submit({ fastest: 8 })
      assert.deepEqual(placesIn(await game.list('fastest', `?at=${label}`)), [[1, a.id, 7]])
      assert.deepEqual(placesIn(await game.list('fastest')), [[1, b.id, 8]])
    }
  })
})

describe('leaderboards on two nodes with one PostgreSQL and Redis', () => {
  const [first, second] = startTwoNodes()

  test('[LDB-07] 50 reports before and 50 after midnight, on both nodes: each counts in the right period', async () => {
    const game = await newBoardGame(first)
    const players = await game.players(50)
    const { clock } = first
    const { day, endsAtMs } = dayAt('UTC', clock.now().getTime())
    clock.advance(endsAtMs - clock.now().getTime() - 1)
    for (const player of players) await player.renew()
    const submit = (player: StatsPlayer, at: number, value: number) =>
      player.on(at % 2 ? second : first)('POST', '/v1/stats', { stats: { best: value } })
    // Other reports are in flight at midnight: reports of the old day and of the new one run concurrently.
    const { promise: tenAnswered, resolve } = Promise.withResolvers<void>()
    let answered = 0
    const late = players.map(async (player, at) => {
      const answer = await submit(player, at, 100 + at)
      if (++answered === 10) resolve()
      return answer
    })
    await tenAnswered
    clock.advance(1)
    const others = await game.players(50)
    const early = others.map((player, at) => submit(player, at, 500 + at))
    for (const answer of await Promise.all([...late, ...early])) assert.equal(answer.status, 200)

    // A read counts the winners again if no job has done so for a minute.
    clock.advance(MINUTE_MS)
    const winners = placesIn(await game.list('best', `?at=${day}&limit=100`))
    const now = placesIn(await game.list('best', '?limit=100'))
    const oldIds = new Set(winners.map(([, id]) => id))
    const newIds = new Set(now.map(([, id]) => id))
    // A report counts only for the day on which it arrived.
    for (const player of [...players, ...others])
      assert.equal(Number(oldIds.has(player.id)) + Number(newIds.has(player.id)), 1)
    for (const other of others) assert.ok(newIds.has(other.id))
    assert.ok(oldIds.size >= 10)
    const labels = await first.db.search((q) =>
      q.selectFrom('stats').select(['playerId', 'day']).where('environmentId', '=', game.environmentId),
    )
    for (const { playerId, day: itsDay } of labels) assert.equal(oldIds.has(playerId), itsDay === day)
    const boards = await first.db.search((q) =>
      q
        .selectFrom('leaderboards')
        .select(['label'])
        .where('environmentId', '=', game.environmentId)
        .where('period', '=', 'daily')
        .where('key', '=', 'best'),
    )
    assert.deepEqual(boards.map(({ label }) => label).toSorted(), [
      day,
      dayAt('UTC', clock.now().getTime()).day,
    ])
  })

  test('[LDB-16] a ban, a hide, a leave, a deletion and a reset reach the lists of the other node', async () => {
    const game = await newBoardGame(first)
    const [a, b, c, d, e] = await game.players(5)
    assert.ok(a && b && c && d && e)
    for (const [at, player] of [a, b, c, d, e].entries()) await player.submit({ total: 10 - at })
    const there = second.withKey(game.development.publishableKey)
    const ids = async () => {
      const { body } = await there('GET', '/v1/x/leaderboards/total')
      return body.entries.map(({ playerId }: { playerId: string }) => playerId)
    }
    second.clock.advance(1_000)
    assert.deepEqual(await ids(), [a.id, b.id, c.id, d.id, e.id])
    const changes: [what: () => Promise<unknown>, left: string[]][] = [
      [() => game.development.server('POST', `/v1/admin/players/${a.id}/ban`), [b.id, c.id, d.id, e.id]],
      [() => game.admin('PUT', `total/entries/${b.id}`, { hidden: true }), [c.id, d.id, e.id]],
      [() => c.call('PUT', '/v1/x/players/me/leaderboards', { visible: false }), [d.id, e.id]],
      [() => game.development.server('POST', `/v1/admin/players/${d.id}/delete`), [e.id]],
      [() => game.admin('POST', 'total/reset'), []],
    ]
    for (const [change, left] of changes) {
      second.clock.advance(1)
      await change()
      // Lost bus messages are found within a second.
      await second.everySecond()
      assert.deepEqual(await ids(), left)
    }
  })

  test('[LDB-15] a report on a node that does not know of a reset yet does not restore old values', async () => {
    const game = await newBoardGame(first)
    const [a] = await game.players(1)
    assert.ok(a)
    const there = a.on(second)
    await there('POST', '/v1/stats', { stats: { total: 1_000 } })
    first.clock.advance(10)
    const reset = game.admin('POST', 'total/reset')
    const reports = Array.from({ length: 20 }, () => there('POST', '/v1/stats', { stats: { total: 1 } }))
    await Promise.all([reset, ...reports])
    for (let time = 0; time < 2; time++) {
      for (const node of [first, second]) await node.background.drained()
      first.clock.advance(DAY_MS / 24)
      await first.everyMinute()
    }
    await a.renew()
    await there('POST', '/v1/stats', { stats: { total: 1 } })
    const { total = 0 } = await a.read()
    assert.ok(total >= 1 && total <= 21, `total is ${total}`)
  })
})
