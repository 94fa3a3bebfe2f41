import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newStatsPlayer } from '../../testing/stats-player.ts'
import { suite } from '../../testing/suite.ts'

const STATS = [
  { key: 'games' },
  { key: 'best', aggregation: 'max', maxPerSubmit: 1_000 },
  { key: 'fastest', aggregation: 'min' },
  { key: 'level', aggregation: 'latest' },
]
const ON = { features: { stats: true }, stats: STATS }
const everywhere = (value: number) => ({ allTime: value, daily: value, weekly: value, monthly: value })

suite('stats', {}, ({ service }) => {
  async function newGame(config: object = ON) {
    const project = await service.newProject()
    const { development } = project
    const push = (document: object) => development.server('PUT', '/v1/config', document)
    assert.equal((await push(config)).status, 200)
    const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
    return { project, development, push, environmentId, player: await newStatsPlayer(development) }
  }

  /** Tests begin at days of different years. */
  const moveTo = (at: string) => service.clock.step(Date.parse(at) - service.clock.now().getTime())

  test('[STA-01] submit and read require features.stats', async () => {
    const { push, player } = await newGame({})
    for (const answer of [await player.submit({ games: 1 }), await player.call('GET', '/v1/stats')]) {
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body.error.details, { feature: 'stats', configPath: 'features.stats' })
    }
    await push(ON)
    assert.equal((await player.submit({ games: 1 })).status, 200)
  })

  test('[STA-03] a player reads the all-time values of the stats it has reported, and of no others', async () => {
    const { player, development } = await newGame()
    assert.deepEqual(await player.read(), {})
    await player.submit({ games: 1, best: 5 })
    await player.submit({ games: 1 })
    assert.deepEqual(await player.read(), { games: 2, best: 5 })
    assert.deepEqual(await (await newStatsPlayer(development)).read(), {})
  })

  test('[STA-04] an accepted value is returned with the result of every period', async () => {
    const { player } = await newGame()
    const { status, body } = await player.submit({ games: 3, best: 7 })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      stats: { games: everywhere(3), best: everywhere(7) },
      rejected: [],
      unlocked: [],
    })
  })

  test('[STA-04] a report may have 64 stats; 65 answer 400 too_many_stats and store nothing, 0 answer 200', async () => {
    const stats = Array.from({ length: 65 }, (_, i) => ({ key: `stat_${i}` }))
    const { player } = await newGame({ features: { stats: true }, stats })
    const report = (count: number) => Object.fromEntries(stats.slice(0, count).map(({ key }) => [key, 1]))

    const tooMany = await player.submit(report(65))
    assert.deepEqual([tooMany.status, tooMany.body.error.code], [400, 'too_many_stats'])
    assert.deepEqual(await player.read(), {})

    assert.equal(Object.keys((await player.submit(report(64))).body.stats).length, 64)
    assert.deepEqual(await player.read(), report(64))
    assert.deepEqual((await player.submit({})).body, { stats: {}, rejected: [], unlocked: [] })
  })

  test('[STA-06] sum adds, max and min keep the extreme, latest the last', async () => {
    const { player } = await newGame()
    for (const value of [5, -2, 4.5]) {
      await player.submit({ games: value, best: value, fastest: value, level: value })
    }
    assert.deepEqual(await player.read(), { games: 7.5, best: 5, fastest: -2, level: 4.5 })
  })

  test('[STA-06] the first value is stored unchanged, also if 0 would be larger or smaller', async () => {
    const { player } = await newGame()
    const { body } = await player.submit({ games: -3, best: -5, fastest: 12, level: -1 })
    assert.deepEqual(body.stats, {
      games: everywhere(-3),
      best: everywhere(-5),
      fastest: everywhere(12),
      level: everywhere(-1),
    })
  })

  test('[STA-06] a changed aggregation applies from then on', async () => {
    const { player, push } = await newGame()
    await player.submit({ games: 5 })
    await player.submit({ games: 5 })
    await push({ ...ON, stats: [{ key: 'games', aggregation: 'max' }] })
    assert.deepEqual((await player.submit({ games: 7 })).body.stats.games, everywhere(10))
    assert.deepEqual((await player.submit({ games: 12 })).body.stats.games, everywhere(12))
  })

  test('[STA-07] [STA-02] a value above maxPerSubmit is rejected, also while verification is off; the maximum itself is accepted', async () => {
    const { player } = await newGame()
    const { body } = await player.submit({ best: 1_000.5 })
    assert.deepEqual(body.rejected, [{ key: 'best', value: 1_000.5, reason: 'above_max_per_submit' }])
    assert.deepEqual((await player.submit({ best: 1_000 })).body.stats, { best: everywhere(1_000) })
  })

  test('[STA-07] [STA-01] [CFG-17] [CFG-18] values outside the rules are rejected while statsVerification is on, and only then', async () => {
    const integrity = { stats: { rules: [{ stat: 'games', min: 1, max: 10 }] } }
    const { player, push } = await newGame({ ...ON, integrity })
    assert.deepEqual((await player.submit({ games: -100 })).body.rejected, [])

    await push({ ...ON, features: { stats: true, statsVerification: true }, integrity })
    const rejected = async (games: number) => (await player.submit({ games })).body.rejected
    assert.deepEqual(await rejected(0.999), [{ key: 'games', value: 0.999, reason: 'below_min' }])
    assert.deepEqual(await rejected(10.001), [{ key: 'games', value: 10.001, reason: 'above_max' }])
    assert.deepEqual(await rejected(1), [])
    assert.deepEqual(await rejected(10), [])
    assert.deepEqual(await player.read(), { games: -89 })
  })

  test('[STA-08] [STA-09] [STA-10] a rejected value does not affect the others, and is returned with its reason', async () => {
    const { player } = await newGame()
    await player.submit({ level: 1 })
    const { body } = await player.submit({
      games: 2,
      best: 5_000,
      level: '7',
      fastest: null,
      golds: 1,
      constructor: 1,
    })
    assert.deepEqual(body.stats, { games: everywhere(2) })
    assert.deepEqual(body.rejected, [
      { key: 'best', value: 5_000, reason: 'above_max_per_submit' },
      { key: 'level', value: '7', reason: 'invalid_value' },
      { key: 'fastest', value: null, reason: 'invalid_value' },
      { key: 'golds', value: 1, reason: 'unknown_stat' },
      { key: 'constructor', value: 1, reason: 'unknown_stat' },
    ])
    assert.deepEqual(body.unlocked, [])
    assert.deepEqual(await player.read(), { games: 2, level: 1 })
  })

  for (const value of [true, 'x', [1], { value: 1 }, null]) {
    test(`[STA-10] ${JSON.stringify(value)} is not a valid value`, async () => {
      const { player } = await newGame()
      const { body } = await player.submit({ games: value })
      assert.deepEqual(body.rejected, [{ key: 'games', value, reason: 'invalid_value' }])
      assert.deepEqual(await player.read(), {})
    })
  }

  for (const value of [0, -1, 0.1, -2.5e-300, 9_007_199_254_740_991, 1.5e300, -1.7e308, 5e-324]) {
    test(`[STA-10] ${value} is stored unchanged`, async () => {
      const { player } = await newGame()
      await player.submit({ games: value, level: value })
      assert.deepEqual(await player.read(), { games: value, level: value })
    })
  }

  test('[STA-10] a sum stays a finite number', async () => {
    const { player } = await newGame()
    for (const games of [1.7e308, 1.7e308]) await player.submit({ games })
    assert.deepEqual(await player.read(), { games: 1.79769e308 })
    for (const games of [-1.7e308, -1.7e308, -1.7e308]) await player.submit({ games })
    assert.deepEqual(await player.read(), { games: -1.79769e308 })
  })

  /** All-time, daily, weekly and monthly value after a report of 1 at each of these times. */
  async function reportedAt(resetTimeZone: string, moments: readonly string[]) {
    moveTo(moments[0] ?? '')
    const { player } = await newGame({ ...ON, resetTimeZone })
    const made: number[][] = []
    for (const moment of moments) {
      moveTo(moment)
      await player.renew()
      const { allTime, daily, weekly, monthly } = (await player.submit({ games: 1 })).body.stats.games
      made.push([allTime, daily, weekly, monthly])
    }
    return made
  }

  test('[STA-05] days, weeks and months begin in resetTimeZone, not in the zone of the server', async () => {
    const made = await reportedAt('Asia/Tokyo', [
      '2026-06-28T14:59:59.999Z', // Sunday, the end of a day and of a week
      '2026-06-28T15:00:00.000Z',
      '2026-06-30T14:59:59.999Z', // the end of a month
      '2026-06-30T15:00:00.000Z',
      '2026-07-01T14:59:59.999Z',
    ])
    assert.deepEqual(made, [
      [1, 1, 1, 1],
      [2, 1, 1, 2],
      [3, 1, 2, 3],
      [4, 1, 3, 1],
      [5, 2, 4, 2],
    ])
  })

  test('[STA-05] a week continues across the end of a year', async () => {
    const made = await reportedAt('Asia/Tokyo', [
      '2026-12-31T14:59:59.999Z',
      '2026-12-31T15:00:00.000Z',
      '2027-01-03T15:00:00.000Z', // Monday
    ])
    assert.deepEqual(made, [
      [1, 1, 1, 1],
      [2, 1, 2, 1],
      [3, 1, 1, 2],
    ])
  })

  for (const [zone, begins, ends] of [
    ['America/Havana', '2027-03-14T05:00:00.000Z', '2027-03-15T04:00:00.000Z'],
    ['Asia/Beirut', '2027-03-27T22:00:00.000Z', '2027-03-28T21:00:00.000Z'],
    ['Atlantic/Azores', '2027-03-28T01:00:00.000Z', '2027-03-29T00:00:00.000Z'],
    ['Africa/Cairo', '2027-04-29T22:00:00.000Z', '2027-04-30T21:00:00.000Z'],
    ['America/Santiago', '2027-09-05T04:00:00.000Z', '2027-09-06T03:00:00.000Z'],
  ] as const) {
    test(`[STA-05] a day without midnight in ${zone} is a day of 23 hours`, async () => {
      const justBefore = (moment: string) => new Date(Date.parse(moment) - 1).toISOString()
      const made = await reportedAt(zone, [justBefore(begins), begins, justBefore(ends), ends])
      assert.deepEqual(
        made.map(([, daily]) => daily),
        [1, 1, 2, 1],
      )
    })
  }

  test('[STA-05] another resetTimeZone starts new periods and does not change all-time values', async () => {
    moveTo('2027-10-15T20:00:00.000Z')
    const { player, push } = await newGame({ ...ON, resetTimeZone: 'Asia/Tokyo' })
    await player.submit({ games: 5, best: 9 })
    // It is the 16th in Tokyo, and still the 15th in Los Angeles.
    await push({ ...ON, resetTimeZone: 'America/Los_Angeles' })
    const { body } = await player.submit({ games: 1, best: 3 })
    assert.deepEqual(body.stats.games, { allTime: 6, daily: 1, weekly: 1, monthly: 1 })
    assert.deepEqual(body.stats.best, { allTime: 9, daily: 3, weekly: 3, monthly: 3 })
    assert.deepEqual((await player.submit({ games: 1 })).body.stats.games.daily, 2)
  })

  test('[STA-05] a report of a node whose clock is behind counts in the current period', async () => {
    moveTo('2027-11-01T00:00:01.000Z')
    const { player } = await newGame()
    await player.submit({ games: 5 })
    service.clock.step(-2_000)
    assert.deepEqual((await player.submit({ games: 1 })).body.stats.games, everywhere(6))
    service.clock.step(2_000)
    assert.deepEqual((await player.submit({ games: 1 })).body.stats.games, everywhere(7))
  })

  test('[STA-11] [STA-02] the report after the last one of a minute answers 429 with Retry-After, and stores nothing', async () => {
    moveTo('2027-11-02T10:00:50.000Z')
    const { player } = await newGame({ ...ON, integrity: { stats: { maxSubmitsPerMinute: 3 } } })
    // Each request counts once, whether its values are accepted or not.
    await player.submit({ games: 1, best: 1 })
    service.clock.advance(10_000)
    await player.submit({ unknown: 1 })
    service.clock.advance(8_000)
    await player.submit({})
    const refused = await player.submit({ games: 1, unknown: 2 })
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
    assert.equal(refused.headers['retry-after'], '42')
    assert.deepEqual(await player.read(), { games: 1, best: 1 })

    service.clock.advance(42_000)
    assert.equal((await player.submit({ games: 1 })).status, 200)
  })

  test('[STA-11] no period of 60 seconds has more reports than the cap', async () => {
    moveTo('2027-11-02T11:00:59.999Z')
    const { player } = await newGame({ ...ON, integrity: { stats: { maxSubmitsPerMinute: 3 } } })
    const statuses = async (count: number) => {
      const all: number[] = []
      for (let i = 0; i < count; i++) all.push((await player.submit({ games: 1 })).status)
      return all
    }
    assert.deepEqual(await statuses(2), [200, 200])
    service.clock.advance(1)
    assert.deepEqual(await statuses(2), [200, 429])
    service.clock.advance(59_998)
    assert.deepEqual(await statuses(1), [429])
    service.clock.advance(1)
    assert.deepEqual(await statuses(3), [200, 200, 429])
    service.clock.advance(1)
    assert.deepEqual(await statuses(2), [200, 429])
    assert.deepEqual(await player.read(), { games: 6 })
  })

  test('[STA-11] the cap is 60 by default, and counts per player', async () => {
    const { player, development } = await newGame()
    for (let i = 0; i < 60; i++) assert.equal((await player.submit({ games: 1 })).status, 200)
    assert.equal((await player.submit({ games: 1 })).status, 429)
    assert.deepEqual(await player.read(), { games: 60 })
    assert.equal((await (await newStatsPlayer(development)).submit({ games: 1 })).status, 200)
  })

  test('[STA-16] rejected values are kept as signals, newest first, the last 100 per player', async () => {
    const { player, development, environmentId } = await newGame()
    const other = await newStatsPlayer(development)
    await other.submit({ nothing: 1 })
    const at = service.clock.now().toISOString()
    const long = { text: `${'x'.repeat(500)}\u{1f600}` }
    await player.submit({ games: 1, best: 5_000, [`n${'o'.repeat(99)}`]: long })

    const [second, first, ...none] = await service.signals.of(environmentId, player.id)
    assert.deepEqual(none, [])
    assert.deepEqual(
      { ...first, id: '' },
      { id: '', at, key: 'best', value: 5_000, reason: 'above_max_per_submit' },
    )
    assert.equal(second?.key, `n${'o'.repeat(63)}…`)
    assert.equal(second?.value, `{"text":"${'x'.repeat(191)}…`)

    const wrong = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`wrong_${i}`, i]))
    await Promise.all([player.submit(wrong), player.submit(wrong)])
    assert.equal((await service.signals.of(environmentId, player.id)).length, 100)
    await player.submit({ last: 1 })
    assert.equal((await service.signals.of(environmentId, player.id))[0]?.key, 'last')
    const stored = await service.db.search((q) =>
      q.selectFrom('stats_signals').select('id').where('playerId', '=', player.id),
    )
    assert.equal(stored.length, 100)
    assert.equal((await service.signals.of(environmentId, other.id)).length, 1)
    assert.deepEqual(await service.signals.of('env_other', player.id), [])
  })

  test('a stat that was removed from the config keeps its values and accepts no more', async () => {
    const { player, push } = await newGame()
    await player.submit({ games: 4 })
    await push({ ...ON, stats: [{ key: 'best' }] })
    assert.equal((await player.submit({ games: 1 })).body.rejected[0].reason, 'unknown_stat')
    assert.deepEqual(await player.read(), { games: 4 })
  })

  test('the export contains values and signals; removing a player removes all its data and no other', async () => {
    const { player, development, push, environmentId } = await newGame()
    const other = await newStatsPlayer(development)
    for (const one of [player, other]) await one.submit({ games: 2, best: 9_000 })
    service.clock.advance(1_000)
    await push({ ...ON, stats: [{ key: 'games', aggregation: 'latest' }] })
    await player.submit({ games: 7 })

    const exported = await service.statsData.exportForPlayer(environmentId, player.id)
    assert.deepEqual(
      exported.stats.map(({ key, allTime, aggregation, updatedAt }) => [
        key,
        allTime,
        aggregation,
        updatedAt,
      ]),
      [['games', 7, 'latest', service.clock.now().toISOString()]],
    )
    assert.deepEqual(
      exported.statSignals.map(({ value }) => value),
      [9_000],
    )

    await service.db.transaction((transaction) =>
      service.statsData.removeForPlayer(transaction, environmentId, player.id),
    )
    assert.deepEqual(await service.statsData.exportForPlayer(environmentId, player.id), {
      stats: [],
      leaderboardResults: [],
      statSignals: [],
      statDeliveries: [],
    })
    assert.equal((await service.statsData.exportForPlayer(environmentId, other.id)).stats.length, 1)
  })

  test('deleting a project deletes its stats, signals, deliveries and secret', async () => {
    const webhook = { url: 'https://10.0.0.1/' }
    const { player, project, development, environmentId } = await newGame({
      ...ON,
      integrity: { stats: { webhook } },
    })
    await player.submit({ games: 2, nothing: 1 })
    await development.server('POST', '/v1/admin/integrity/webhook-test')
    const deliveries = () =>
      service.db.search((q) =>
        q.selectFrom('stats_deliveries').select('id').where('environmentId', '=', environmentId),
      )
    await service.background.drained()
    assert.equal((await deliveries()).length, 1)
    await project.developer.call('DELETE', `/v1/projects/${project.id}`)
    await service.background.drained()

    assert.deepEqual(await service.statsData.exportForPlayer(environmentId, player.id), {
      stats: [],
      leaderboardResults: [],
      statSignals: [],
      statDeliveries: [],
    })
    assert.deepEqual(await deliveries(), [])
    const secrets = await service.db.search((q) => q.selectFrom('secrets').select('id'))
    assert.deepEqual(
      secrets.filter(({ id }) => id.includes(environmentId)),
      [],
    )
  })
})
