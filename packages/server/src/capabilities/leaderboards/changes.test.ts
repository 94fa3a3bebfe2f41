import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { statement } from '../../engines/database/database.ts'
import {
  BOARDS,
  type BoardGame,
  newBoardGame,
  placesIn,
  type StatsPlayer,
} from '../../testing/leaderboards.ts'
import type { Answer } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { answerWith as answering, startReceiver } from '../../testing/webhook-receiver.ts'

const DAY_MS = 86_400_000
const VISIBILITY = '/v1/x/players/me/leaderboards'

suite('changes of leaderboards', {}, ({ service }) => {
  let game: BoardGame
  before(async () => void (game = await newBoardGame(service)))

  /** Three players with 30, 20 and 10 on the boards of a separate game. */
  async function three(config: object = BOARDS) {
    const own = await newBoardGame(service, config)
    const [a, b, c] = await own.players(3)
    assert.ok(a && b && c)
    for (const [at, player] of [a, b, c].entries()) await player.submit({ best: 30 - at * 10 })
    return { own, a, b, c }
  }
  const ids = async (own: BoardGame, query = '') =>
    (await own.list('best', query)).entries.map(({ playerId }) => playerId)
  const place = async (player: StatsPlayer) => {
    service.clock.advance(1_000)
    return (await player.call('GET', '/v1/x/leaderboards/best/me')).body.entry?.rank ?? null
  }
  const actions = async (own: BoardGame) => {
    const { body } = await own.project.developer.call('GET', `/v1/projects/${own.project.id}/audit?limit=200`)
    return body.entries
      .filter(({ action }: { action: string }) => action.startsWith('leaderboard.'))
      .map(({ action, target, details }: Record<string, unknown>) => [action, target, details])
  }

  test('[LDB-10] a player leaves all boards immediately, and returns with the next report after rejoining', async () => {
    const { own, a, b, c } = await three()
    assert.deepEqual((await a.call('GET', VISIBILITY)).body, { visible: true })
    await ids(own)
    assert.deepEqual((await a.call('PUT', VISIBILITY, { visible: false })).body, { visible: false })
    assert.deepEqual((await a.call('GET', VISIBILITY)).body, { visible: false })
    // Without waiting until the cached list expires after a second.
    const { body } = await own.development.public('GET', '/v1/x/leaderboards/best')
    assert.deepEqual(placesIn(body), [
      [1, b.id, 20],
      [2, c.id, 10],
    ])
    await a.submit({ best: 40, total: 5 })
    for (const query of ['', '?period=weekly', '?period=monthly', '?period=allTime'])
      assert.deepEqual(await ids(own, query), [b.id, c.id])
    assert.deepEqual((await own.list('total')).entries, [])
    assert.equal(await place(a), null)

    await a.call('PUT', VISIBILITY, { visible: true })
    assert.deepEqual(await ids(own), [b.id, c.id])
    await a.submit({ best: 1 })
    assert.deepEqual(await ids(own), [a.id, b.id, c.id])
    for (const bad of [{}, { visible: 1 }, { visible: null }])
      assert.equal((await a.call('PUT', VISIBILITY, bad)).status, 400)
    assert.equal((await own.development.public('GET', VISIBILITY)).status, 401)
  })

  test('[LDB-11] a banned player is removed by the ban, and returns with the next accepted report after it', async () => {
    const { own, a, b, c } = await three()
    await ids(own)
    const banned = await own.development.server('POST', `/v1/admin/players/${a.id}/ban`, { durationHours: 1 })
    assert.equal(banned.status, 200)
    const { body } = await own.development.public('GET', '/v1/x/leaderboards/best')
    assert.deepEqual(placesIn(body), [
      [1, b.id, 20],
      [2, c.id, 10],
    ])
    assert.equal(await place(b), 1)
    assert.equal((await a.submit({ best: 99 })).status, 403)
    await own.development.server('POST', `/v1/admin/players/${a.id}/unban`)
    assert.deepEqual(await ids(own), [b.id, c.id])
    await a.renew()
    assert.equal((await a.submit({ best: 5 })).status, 200)
    assert.deepEqual(await ids(own), [a.id, b.id, c.id])
  })

  test('[LDB-11] [LDB-17] a deleted player is removed from boards and winners; the export contained everything before', async () => {
    const { own, a, b } = await three()
    service.clock.advance(DAY_MS)
    for (const player of [a, b]) await player.renew()
    const today = (await own.list('best')).label ?? ''
    assert.notEqual(today, '')
    const [closed] = (await own.development.public('GET', '/v1/x/leaderboards/best/periods')).body.periods
    assert.deepEqual(await ids(own, `?at=${closed.label}`).then((list) => list[0]), a.id)

    const { body } = await a.call('GET', '/v1/players/me/export')
    assert.equal(body.showsOnLeaderboards, true)
    assert.deepEqual(
      body.leaderboardResults.map(({ key, label, rank, value }: Record<string, unknown>) => [
        key,
        label,
        rank,
        value,
      ]),
      [['best', closed.label, 1, 30]],
    )
    const removed = await own.development.server('POST', `/v1/admin/players/${a.id}/delete`)
    assert.equal(removed.status, 200)
    const list = await own.development.public('GET', `/v1/x/leaderboards/best?at=${closed.label}`)
    assert.equal(list.body.entries[0].playerId, b.id)
    assert.deepEqual(await ids(own, '?period=allTime').then((all) => all.includes(a.id)), false)
  })

  test('[LDB-14] [LDB-11] a developer hides an entry and shows it again; a hidden player stays hidden', async () => {
    const { own, a, b, c } = await three()
    await ids(own)
    const hidden = await own.admin('PUT', `best/entries/${a.id}`, { hidden: true })
    assert.deepEqual([hidden.status, hidden.body], [200, { playerId: a.id, hidden: true }])
    const { body } = await own.development.public('GET', '/v1/x/leaderboards/best')
    assert.deepEqual(
      placesIn(body).map(([, id]) => id),
      [b.id, c.id],
    )
    await a.submit({ best: 77 })
    assert.deepEqual(await ids(own), [b.id, c.id])
    // A ban and its end do not change it.
    await own.development.server('POST', `/v1/admin/players/${a.id}/ban`)
    await own.development.server('POST', `/v1/admin/players/${a.id}/unban`)
    await a.renew()
    await a.submit({ best: 78 })
    assert.deepEqual(await ids(own), [b.id, c.id])

    const seen = (await own.admin('GET', 'best')).body
    assert.deepEqual(
      seen.entries.map(({ rank, playerId }: Record<string, unknown>) => [rank, playerId]),
      [
        [1, b.id],
        [2, c.id],
      ],
    )
    assert.deepEqual(
      seen.notShown.map(({ rank, playerId, value, hidden }: Record<string, unknown>) => [
        rank,
        playerId,
        value,
        hidden,
      ]),
      [[null, a.id, 78, true]],
    )
    await own.admin('PUT', `best/entries/${a.id}`, { hidden: false })
    assert.deepEqual(await ids(own), [b.id, c.id])
    await a.submit({ best: 1 })
    assert.deepEqual(await ids(own), [a.id, b.id, c.id])
    assert.deepEqual((await actions(own)).toReversed(), [
      ['leaderboard.hide', a.id, { key: 'best' }],
      ['leaderboard.show', a.id, { key: 'best' }],
    ])
  })

  test('[LDB-14] entries that are not shown are in the order of the board', async () => {
    const { own, a, b, c } = await three()
    for (const { id } of [c, a, b]) await own.admin('PUT', `best/entries/${id}`, { hidden: true })
    const { entries, notShown } = (await own.admin('GET', 'best')).body
    assert.deepEqual(entries, [])
    const values = notShown.map(({ value }: { value: number }) => value)
    assert.ok(values.length === 3 && new Set(values).size === 3)
    assert.deepEqual(
      values,
      values.toSorted((one: number, other: number) => other - one),
    )
  })

  test('[LDB-11] [LDB-14] who is shown again is back with the next report, and no work on boards adds the value before', async () => {
    const { own, a, b, c } = await three()
    await own.admin('PUT', `best/entries/${a.id}`, { hidden: true })
    await a.submit({ best: 40 })
    await own.admin('PUT', `best/entries/${a.id}`, { hidden: false })
    // Reports that were late when the boards were opened are added now.
    for (let minute = 0; minute < 2; minute++) {
      service.clock.advance(60_000)
      await service.everyMinute()
      await service.background.drained()
    }
    assert.deepEqual(await ids(own, '?period=allTime'), [b.id, c.id])
    // A changed order is a new board, which existing values are added to.
    const ascending = { key: 'best', aggregation: 'max', leaderboard: { order: 'asc', periods: ['allTime'] } }
    await own.push({ ...BOARDS, stats: [ascending] })
    await ids(own, '?period=allTime')
    await service.background.drained()
    assert.deepEqual(await ids(own, '?period=allTime'), [c.id, b.id])
    await a.submit({ best: 1 })
    assert.deepEqual(await ids(own, '?period=allTime'), [c.id, b.id, a.id])
  })

  test('[LDB-14] a player who is hidden before the first report never appears', async () => {
    const { own, a, b, c } = await three()
    const d = await own.player()
    await own.admin('PUT', `best/entries/${d.id}`, { hidden: true })
    assert.deepEqual(await d.read(), {})
    await d.submit({ best: 3 })
    assert.deepEqual(await d.read(), { best: 3 })
    assert.deepEqual(await ids(own), [a.id, b.id, c.id])
    // Values of min stats also begin with the first report.
    const e = await own.player()
    await own.admin('PUT', `fastest/entries/${e.id}`, { hidden: true })
    await e.submit({ fastest: 12 })
    assert.deepEqual(await e.read(), { fastest: 12 })
  })

  test('[LDB-14] a player who is hidden and has reported nothing has no stats, also when the leaderboard is gone', async () => {
    const { own } = await three()
    const d = await own.player()
    await own.admin('PUT', `best/entries/${d.id}`, { hidden: true })
    await own.push({ features: { stats: true }, stats: [{ key: 'best', aggregation: 'max' }] })
    assert.deepEqual(await d.read(), {})
    const seen = await own.development.server('GET', `/v1/admin/players/${d.id}/stats`)
    assert.deepEqual([seen.status, seen.body], [200, { stats: [] }])
    assert.deepEqual((await d.call('GET', '/v1/players/me/export')).body.stats, [])
  })

  test('[LDB-14] a value that was removed while hidden leaves no time behind', async () => {
    const { own, a } = await three()
    await own.admin('PUT', `best/entries/${a.id}`, { hidden: true })
    await own.admin('DELETE', `best/entries/${a.id}`)
    service.clock.advance(60_000)
    const now = service.clock.now().toISOString()
    await a.submit({ best: 0 })
    await own.admin('PUT', `best/entries/${a.id}`, { hidden: false })
    await a.submit({ best: 0 })
    const { entries } = await own.list('best', '?period=allTime')
    const [last] = entries.slice(-1)
    assert.deepEqual([last?.playerId, last?.value, last?.reachedAt], [a.id, 0, now])
  })

  test('[LDB-14] the first report of a hidden player counts alone, also when the aggregation has changed', async () => {
    for (const [before, now] of [
      ['max', 'sum'],
      ['min', 'max'],
      ['max', 'min'],
    ]) {
      const { own } = await three()
      const stats = (aggregation: string | undefined) => [{ key: 'moved', aggregation, leaderboard: {} }]
      await own.push({ ...BOARDS, stats: stats(before) })
      const d = await own.player()
      await own.admin('PUT', `moved/entries/${d.id}`, { hidden: true })
      await own.push({ ...BOARDS, stats: stats(now) })
      await d.submit({ moved: 5 })
      assert.deepEqual(await d.read(), { moved: 5 }, `${before} ${now}`)
    }
  })

  test('[LDB-14] a removed entry is deleted with its values, also from winners; a new report starts from nothing', async () => {
    const { own, a, b, c } = await three()
    service.clock.advance(DAY_MS)
    for (const player of [a, b, c]) await player.renew()
    await a.submit({ best: 4 })
    const [closed] = (await own.development.public('GET', '/v1/x/leaderboards/best/periods')).body.periods
    assert.equal((await ids(own, `?at=${closed.label}`))[0], a.id)

    const removed = await own.admin('DELETE', `best/entries/${a.id}`)
    assert.deepEqual([removed.status, removed.body], [200, { deleted: true }])
    assert.deepEqual(await a.read(), {})
    assert.deepEqual(await ids(own), [])
    assert.deepEqual(await ids(own, `?at=${closed.label}`), [b.id, c.id])
    await a.submit({ best: 2 })
    assert.deepEqual(placesIn(await own.list('best', '?period=allTime')), [
      [1, b.id, 20],
      [2, c.id, 10],
      [3, a.id, 2],
    ])
    assert.deepEqual(await actions(own), [['leaderboard.remove', a.id, { key: 'best' }]])
  })

  test('[LDB-14] unknown players and boards are rejected, and change nothing', async () => {
    const other = await newBoardGame(service)
    const foreign = await other.player()
    for (const playerId of ['ply_unknown', foreign.id]) {
      for (const [method, body] of [['PUT', { hidden: true }], ['DELETE']] as const) {
        const answer = await game.admin(method, `best/entries/${playerId}`, body)
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'player_not_found'])
      }
    }
    const player = await game.player()
    for (const [method, path, body] of [
      ['GET', 'plain'],
      ['GET', 'plain/periods'],
      ['POST', 'plain/reset'],
      ['PUT', `plain/entries/${player.id}`, { hidden: true }],
      ['DELETE', `plain/entries/${player.id}`],
    ] as const) {
      const answer = await game.admin(method, path, body)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'leaderboard_not_found'])
    }
    assert.equal((await game.admin('PUT', `best/entries/${player.id}`, { hidden: 'yes' })).status, 400)
    assert.equal((await game.admin('GET', 'best?limit=1001')).status, 400)
    assert.equal((await game.admin('GET', 'best?limit=1000')).status, 200)
    const asPlayer = await player.call('POST', '/v1/admin/x/leaderboards/best/reset')
    assert.equal(asPlayer.status, 403)
    assert.deepEqual(await actions(game), [])
  })

  test('[LDB-15] a reset empties boards immediately and deletes the values; hidden players stay hidden', async () => {
    const { own, a, b, c } = await three()
    await own.admin('PUT', `best/entries/${c.id}`, { hidden: true })
    await a.submit({ total: 6 })
    await ids(own)
    service.clock.advance(10)
    const answer = await own.admin('POST', 'best/reset')
    assert.deepEqual([answer.status, answer.body], [200, {}])
    const { body } = await own.development.public('GET', '/v1/x/leaderboards/best')
    assert.deepEqual([body.entries, body.count], [[], 0])
    assert.deepEqual(await a.read(), { total: 6 })
    service.clock.advance(10)
    await b.submit({ best: 7 })
    await c.submit({ best: 8 })
    assert.deepEqual(placesIn(await own.list('best', '?period=allTime')), [[1, b.id, 7]])
    for (let minute = 0; minute < 2; minute++) {
      await service.background.drained()
      await service.everyMinute()
      service.clock.advance(60_000)
    }
    const rows = await service.db.search((q) =>
      q
        .selectFrom('stats')
        .select(['playerId', 'allTime'])
        .where('key', '=', 'best')
        .where('environmentId', '=', own.environmentId),
    )
    assert.deepEqual(
      new Map(rows.map(({ playerId, allTime }) => [playerId, allTime])),
      new Map([
        [b.id, 7],
        [c.id, 8],
      ]),
    )
    const boards = await service.db.search((q) =>
      q
        .selectFrom('leaderboards')
        .selectAll()
        .where('environmentId', '=', own.environmentId)
        .where('key', '=', 'best'),
    )
    assert.deepEqual(boards.map(({ period, work, resetAt }) => `${period} ${work} ${resetAt}`).toSorted(), [
      'allTime null null',
      'daily null null',
      'monthly null null',
      'weekly null null',
    ])
    await a.submit({ best: 1 })
    assert.deepEqual(await a.read(), { total: 6, best: 1 })
    assert.deepEqual(await ids(own), [b.id, a.id])
    assert.deepEqual((await actions(own))[0], ['leaderboard.reset', 'best', {}])
  })

  test('[LDB-12] a board that is turned on has the existing values; a board that is turned off answers 404 immediately', async () => {
    const off = {
      ...BOARDS,
      stats: BOARDS.stats.map((stat) => (stat.key === 'best' ? { key: 'best', aggregation: 'max' } : stat)),
    }
    const { own, a, b, c } = await three(off)
    const d = await own.player()
    await d.submit({ best: 15 })
    await own.development.server('POST', `/v1/admin/players/${b.id}/ban`)
    await c.call('PUT', VISIBILITY, { visible: false })
    const read = () => own.development.public('GET', '/v1/x/leaderboards/best')
    assert.equal((await read()).status, 404)
    await own.push(BOARDS)
    await read()
    await service.background.drained()
    assert.deepEqual(placesIn(await own.list('best')), [
      [1, a.id, 30],
      [2, d.id, 15],
    ])

    await own.push(off)
    assert.equal((await read()).body.error.code, 'leaderboard_not_found')
    await service.everySecond()
    await d.submit({ best: 90 })
    await own.push(BOARDS)
    await read()
    await service.background.drained()
    assert.deepEqual(placesIn(await own.list('best')), [
      [1, d.id, 90],
      [2, a.id, 30],
    ])
  })

  test('[LDB-12] another order or zone creates another board; values of a changed period are left out', async () => {
    const { own, a, b, c } = await three()
    const configWith = (leaderboard: object, more = {}) => ({
      ...BOARDS,
      stats: [{ key: 'best', aggregation: 'max', leaderboard }],
      ...more,
    })
    const periods = ['daily', 'allTime']
    const opened = async () => {
      // The boards of periods that the config no longer has are removed.
      await service.everySecond()
      for (const period of periods) await ids(own, `?period=${period}`)
      await service.background.drained()
    }
    await own.push(configWith({ periods, order: 'asc' }))
    await opened()
    assert.deepEqual(await ids(own), [c.id, b.id, a.id])
    await c.submit({ best: 25 })
    assert.deepEqual(await ids(own, '?period=allTime'), [b.id, c.id, a.id])

    await own.push(configWith({ periods }, { resetTimeZone: 'Asia/Tokyo' }))
    await opened()
    assert.deepEqual(await ids(own), [])
    assert.deepEqual(await ids(own, '?period=allTime'), [a.id, c.id, b.id])
    await b.submit({ best: 1 })
    assert.deepEqual(placesIn(await own.list('best')), [[1, b.id, 1]])
    for (let minute = 0; minute < 2; minute++) {
      await service.everyMinute()
      service.clock.advance(60_000)
    }
    const left = await service.db.search((q) =>
      q
        .selectFrom('leaderboards')
        .select('work')
        .where('environmentId', '=', own.environmentId)
        .where('work', 'is not', null),
    )
    assert.deepEqual(left, [])
  })

  const verified = (url: string, leaderboard: object, aggregation = 'max') => ({
    ...BOARDS,
    features: { stats: true, statsVerification: true },
    stats: [{ key: 'best', aggregation, leaderboard }],
    integrity: { stats: { maxSubmitsPerMinute: 600, webhook: { url, timeoutMs: 5_000 } } },
  })

  test('[LDB-13] with verifiedOnly each player has the best approved value', async (t) => {
    const receiver = await startReceiver()
    t.after(receiver.stop)
    const verifiedOnly = { verifiedOnly: true, periods: ['allTime', 'daily'] }
    for (const [aggregation, expected] of [
      ['max', 7],
      ['min', 5],
      ['sum', 12],
      ['latest', 5],
    ] as const) {
      const own = await newBoardGame(service, verified(receiver.url, verifiedOnly, aggregation))
      const [a, b] = await own.players(2)
      assert.ok(a && b)
      const report = async (approves: boolean | undefined, player: StatsPlayer, value: number) => {
        receiver.answer(approves === undefined ? answering({}, 500) : answering({ approve: approves }))
        assert.equal((await player.submit({ best: value })).status, 200)
      }
      const places = async (period = 'allTime') => placesIn(await own.list('best', `?period=${period}`))

      await report(true, a, 7)
      // Accepted by onFailure alone: the values count for the players, but not here.
      for (const value of [1, 90]) for (const player of [a, b]) await report(undefined, player, value)
      assert.deepEqual(await places(), [[1, a.id, 7]])
      await report(false, a, 99)
      await report(true, a, 5)
      for (const period of ['allTime', 'daily'])
        assert.deepEqual(await places(period), [[1, a.id, expected]], aggregation)
      // A player who was hidden keeps the approved value.
      for (const hidden of [true, false]) await own.admin('PUT', `best/entries/${a.id}`, { hidden })
      await report(undefined, a, 0)
      assert.deepEqual(await places(), [])
      await report(true, a, aggregation === 'latest' ? 5 : 0)
      assert.deepEqual(await places(), [[1, a.id, aggregation === 'min' ? 0 : expected]])
      // On another day, only values of that day.
      service.clock.advance(DAY_MS)
      for (const player of [a, b]) await player.renew()
      await report(undefined, a, 50)
      assert.deepEqual(await places('daily'), [])
      await report(true, a, 2)
      assert.deepEqual(await places('daily'), [[1, a.id, 2]], aggregation)
    }
  })

  test('[LDB-13] verifiedOnly shows no value from before it was turned on; another order keeps approved values', async (t) => {
    const receiver = await startReceiver()
    t.after(receiver.stop)
    const config = (leaderboard: object) => verified(receiver.url, leaderboard)
    const own = await newBoardGame(service, config({}))
    const [a, b] = await own.players(2)
    assert.ok(a && b)
    const places = async () => {
      await own.list('best')
      await service.background.drained()
      return placesIn(await own.list('best'))
    }
    for (const player of [a, b]) await player.submit({ best: 50 })
    assert.equal((await places()).length, 2)
    await own.push(config({ verifiedOnly: true }))
    assert.deepEqual(await places(), [])
    await a.submit({ best: 3 })
    assert.deepEqual(await places(), [[1, a.id, 3]])
    receiver.answer(answering({}, 500))
    await b.submit({ best: 60 })
    service.clock.advance(60_000)
    await own.push(config({ verifiedOnly: true, order: 'asc' }))
    assert.deepEqual(await places(), [[1, a.id, 3]])
    for (let minute = 0; minute < 2; minute++) {
      service.clock.advance(60_000)
      await service.everyMinute()
    }
    assert.deepEqual(await places(), [[1, a.id, 3]])
    await own.push(config({}))
    assert.deepEqual(await places(), [
      [1, b.id, 60],
      [2, a.id, 50],
    ])
  })

  test('[LDB-11] [LDB-09] no response contains hidden, banned, left or deleted players, or names of children', async () => {
    const own = await newBoardGame(service)
    const names = ['Hidden', 'Banned', 'Leaver', 'Deleted', 'Childlike', 'Visible', 'Watcher']
    const players = await own.players(names.length)
    for (const [at, player] of players.entries()) {
      await player.call('PATCH', '/v1/players/me', { displayName: `${names[at]}Name` })
      await player.submit({ best: 50 - at, total: 50 - at })
    }
    const [hidden, banned, leaver, deleted, child, visible, watcher] = players
    assert.ok(hidden && banned && leaver && deleted && child && visible && watcher)
    // A day is closed, and all of them are among its winners.
    const { label } = await own.list('best')
    service.clock.advance(DAY_MS)
    for (const player of players) await player.renew()
    for (const [at, player] of players.entries()) await player.submit({ best: 50 - at })

    for (const key of ['best', 'total'])
      await own.admin('PUT', `${key}/entries/${hidden.id}`, { hidden: true })
    await own.development.server('POST', `/v1/admin/players/${banned.id}/ban`)
    await leaver.call('PUT', VISIBILITY, { visible: false })
    await own.development.server('POST', `/v1/admin/players/${deleted.id}/delete`)
    await own.development.server('PUT', `/v1/admin/players/${child.id}/age`, { band: 'child' })

    const everybody = players.map(({ id }) => id).join()
    const texts: string[] = []
    for (const key of ['best', 'total'])
      for (const path of ['', '/me?around=25', `/players?ids=${everybody}`, '/periods', `?at=${label}`]) {
        if (key === 'total' && path.startsWith('?at')) continue
        service.clock.advance(1_000)
        const answer: Answer = await watcher.call('GET', `/v1/x/leaderboards/${key}${path}`)
        const text: string = JSON.stringify(answer.body)
        assert.equal(answer.status, 200, `${key}${path} ${text}`)
        texts.push(text)
      }
    const all = texts.join('\n')
    for (const [at, { id }] of [hidden, banned, leaver, deleted, child].entries()) {
      assert.ok(!all.includes(id), `the id of ${names[at]}`)
      assert.ok(!all.includes(`${names[at]}Name`), `the name of ${names[at]}`)
    }
    assert.ok(all.includes(visible.id) && all.includes('VisibleName'))
    const lists = texts.map((text) => JSON.parse(text)).filter(({ entries }) => entries?.[0]?.rank === 1)
    // The child keeps its rank, without a name.
    assert.ok(lists.length >= 2)
    for (const { entries } of lists)
      assert.deepEqual([entries[0].playerId, entries[0].displayName], [null, null])
  })
})

const lockValues = statement((q, { environmentId }: { environmentId: string }) =>
  q.updateTable('stats').set({ hidden: null }).where('environmentId', '=', environmentId),
)

suite('resets of leaderboards', {}, ({ engine, service }) => {
  const off = { ...BOARDS, stats: [{ key: 'best', aggregation: 'max' }] }

  async function newGame() {
    const own = await newBoardGame(service, off)
    for (const player of await own.players(3)) await player.submit({ best: 7 })
    await own.push(BOARDS)
    return own
  }
  /** All values are deleted, and each period has one board. */
  async function isReset({ environmentId }: BoardGame) {
    for (let minute = 0; minute < 2; minute++) {
      await service.background.drained()
      service.clock.advance(60_000)
      await service.everyMinute()
    }
    const boards = await service.db.search((q) =>
      q
        .selectFrom('leaderboards')
        .select(['period', 'work', 'resetAt'])
        .where('environmentId', '=', environmentId)
        .where('key', '=', 'best'),
    )
    assert.deepEqual(
      boards.map(({ period, work, resetAt }) => `${period} ${work} ${resetAt}`).toSorted(),
      ['allTime', 'daily', 'monthly', 'weekly'].map((period) => `${period} null null`),
    )
    const values = await service.db.search((q) =>
      q.selectFrom('stats').select('playerId').where('environmentId', '=', environmentId),
    )
    assert.deepEqual(values, [])
  }

  test('[LDB-15] a reset also deletes values of periods that have no board yet', async () => {
    const own = await newGame()
    assert.equal((await own.admin('POST', 'best/reset')).status, 200)
    await isReset(own)
  })

  test('[LDB-15] a reset while existing values are added to a board leaves nothing of them', async () => {
    const own = await newGame()
    const { environmentId } = own
    const open = (period: string) => own.development.public('GET', `/v1/x/leaderboards/best?period=${period}`)
    for (const period of ['daily', 'weekly', 'monthly']) await open(period)
    await service.background.drained()
    if (engine === 'sqlite') {
      await Promise.all([open('allTime'), own.admin('POST', 'best/reset')])
      return isReset(own)
    }
    // The values cannot be added to the last board while another transaction changes them.
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const changing = service.db.transaction(async (transaction) => {
      await transaction.run(lockValues, { environmentId })
      locked.resolve()
      await released
    })
    await locked.promise
    await open('allTime')
    const answer = own.admin('POST', 'best/reset')
    // A reset that does not wait for the step ends now.
    await Promise.race([answer, pause(500)])
    release()
    await changing
    assert.equal((await answer).status, 200)
    await isReset(own)
  })
})
