import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'

import { comesTrue } from '../../testing/in-time.ts'
import { BOARDS, type BoardGame, newBoardGame, placesIn } from '../../testing/leaderboards.ts'
import { suite } from '../../testing/suite.ts'

const DAY_MS = 86_400_000

suite('leaderboards', {}, ({ service }) => {
  let game: BoardGame
  before(async () => void (game = await newBoardGame(service)))

  const refusal = async (path: string, caller = game.development.public) => {
    const { status, body } = await caller('GET', path)
    return [status, body.error.code, body.error.details?.errors?.[0]?.path]
  }

  test('[LDB-02] [LDB-03] the best value is first; of equal values, the one that was reached first', async () => {
    const [a, b, c, d] = await game.players(4)
    assert.ok(a && b && c && d)
    await a.submit({ total: 5 })
    await b.submit({ total: 7 })
    await c.submit({ total: 5 })
    await d.submit({ total: 3 })
    assert.deepEqual(placesIn(await game.list('total')), [
      [1, b.id, 7],
      [2, a.id, 5],
      [3, c.id, 5],
      [4, d.id, 3],
    ])
    // An equal value keeps its time, a new value gets a new time.
    await a.submit({ total: 0 })
    await d.submit({ total: 2 })
    const list = await game.list('total')
    assert.deepEqual(
      placesIn(list).map(([, playerId]) => playerId),
      [b.id, a.id, c.id, d.id],
    )
    const { entries, ...rest } = list
    assert.deepEqual(rest, {
      key: 'total',
      period: 'allTime',
      label: null,
      order: 'desc',
      startsAt: null,
      endsAt: null,
      count: 4,
      nextCursor: null,
    })
    assert.match(entries[0]?.displayName ?? '', /^Guest-/)
  })

  test('[LDB-03] max, min and latest: the order of each, and values that do not improve keep rank and time', async () => {
    const own = await newBoardGame(service)
    const [a, b] = await own.players(2)
    assert.ok(a && b)
    await a.submit({ best: 10, fastest: 60, level: 3 })
    await b.submit({ best: 10, fastest: 50, level: 2 })
    await a.submit({ best: 4, fastest: 70, level: 1 })
    assert.deepEqual(placesIn(await own.list('best')), [
      [1, a.id, 10],
      [2, b.id, 10],
    ])
    assert.deepEqual(placesIn(await own.list('fastest')), [
      [1, b.id, 50],
      [2, a.id, 60],
    ])
    assert.deepEqual(placesIn(await own.list('level')), [
      [1, a.id, 1],
      [2, b.id, 2],
    ])
  })

  test('[LDB-02] pages follow each other without gap or repetition; limit 1 to 100', async () => {
    const own = await newBoardGame(service)
    const players = await own.players(7)
    for (const [at, player] of players.entries()) await player.submit({ total: at % 3, level: at % 3 })
    for (const [key, order] of [
      ['total', [2, 5, 1, 4, 0, 3, 6]],
      ['level', [0, 3, 6, 1, 4, 2, 5]],
    ] as const) {
      const seen: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await own.list(key, `?limit=3${cursor && `&cursor=${cursor}`}`)
        seen.push(...placesIn(page).map(([rank, id]) => [rank, id]))
        cursor = page.nextCursor
      }
      assert.deepEqual(
        seen,
        order.map((index, at) => [at + 1, players[index]?.id]),
      )
    }
    assert.equal((await own.list('total', '?limit=100')).entries.length, 7)
    for (const limit of ['0', '101', 'x'])
      assert.deepEqual((await refusal(`/v1/x/leaderboards/total?limit=${limit}`)).slice(0, 2), [
        400,
        'invalid_request',
      ])
  })

  test('[LDB-02] unknown stats, periods, cursors and labels are rejected with their path', async () => {
    const { public: caller } = game.development
    for (const key of ['unknown', 'plain', 'constructor', '__proto__'])
      assert.deepEqual((await refusal(`/v1/x/leaderboards/${key}`)).slice(0, 2), [
        404,
        'leaderboard_not_found',
      ])
    const mistyped = await caller('GET', '/v1/x/leaderboards/star')
    assert.match(
      mistyped.body.error.message,
      /^There is no leaderboard with this key\. This environment has: .*\btotal\b.*\.$/,
    )
    const bad: [path: string, where: string][] = [
      ['total?period=daily', '$.period'],
      ['total?period=hourly', '$.period'],
      ['total?at=2026-01-01', '$.period'],
      ['best?at=2026-01-01', '$.at'],
      ['best?at=2026-99-99', '$.at'],
      ['best?at=yesterday', '$.at'],
      ['best?period=weekly&at=2026-01-01', '$.at'],
      ['total?cursor=', '$.cursor'],
      ['total?cursor=AAAA', '$.cursor'],
      [`total?cursor=${Buffer.from('[1,2,3]').toString('base64url')}`, '$.cursor'],
      [`total?cursor=${Buffer.from('[999999,2,3,4]').toString('base64url')}`, '$.cursor'],
      [`total?cursor=${'A'.repeat(101)}`, '$.cursor'],
    ]
    for (const [path, where] of bad)
      assert.deepEqual(await refusal(`/v1/x/leaderboards/${path}`), [400, 'invalid_request', where], path)
    const other = await service.newProject()
    const { status, body } = await other.development.public('GET', '/v1/x/leaderboards/total')
    assert.deepEqual([status, body.error.code], [403, 'feature_disabled'])
    assert.equal((await caller('GET', '/v1/x/leaderboards/total')).status, 200)
  })

  test('[LDB-02] [LDB-16] a list has an ETag, and is cached for a second', async () => {
    const own = await newBoardGame(service)
    const [a, b] = await own.players(2)
    assert.ok(a && b)
    await a.submit({ total: 1 })
    await own.list('total')
    const read = (headers = {}) =>
      own.development.public('GET', '/v1/x/leaderboards/total', undefined, headers)
    const first = await read()
    assert.match(first.headers['etag'] ?? '', /^"[\w-]+"$/)
    assert.equal((await read({ 'if-none-match': first.headers['etag'] })).status, 304)
    // A message between nodes that arrives late, such as that of the new board, drops lists.
    await comesTrue('a report is not in the list of the same second', async () => {
      const { body } = await read()
      await b.submit({ total: 2 })
      return isDeepStrictEqual((await read()).body, body)
    })
    service.clock.advance(1_000)
    const second = await read({ 'if-none-match': first.headers['etag'] })
    assert.deepEqual([second.status, second.body.entries.length], [200, 2])
  })

  test('[LDB-05] a player reads its own rank and the entries around it; a player without a value has no rank', async () => {
    const own = await newBoardGame(service)
    const players = await own.players(7)
    for (const [at, player] of players.entries()) await player.submit({ total: 100 - at })
    const [first, , , middle, , , last] = players
    assert.ok(first && middle && last)
    const read = async (player: typeof first, query: string) => {
      const { status, body } = await player.call('GET', `/v1/x/leaderboards/total/me${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    service.clock.advance(1_000)
    const { entry, count, around } = await read(middle, '?around=2')
    assert.deepEqual([entry.rank, entry.exact, entry.value, count], [4, true, 97, 7])
    assert.deepEqual(
      around.map(({ rank, playerId }: { rank: number; playerId: string }) => [rank, playerId]),
      players.slice(1, 6).map(({ id }, at) => [at + 2, id]),
    )
    assert.deepEqual(
      (await read(first, '?around=25')).around.map(({ rank }: { rank: number }) => rank),
      [1, 2, 3, 4, 5, 6, 7],
    )
    assert.equal((await read(last, '?around=1')).around.length, 2)
    assert.deepEqual((await read(last, '')).around, [])
    const stranger = await own.player()
    assert.deepEqual(await read(stranger, '?around=5'), { entry: null, count: 7, around: [] })
    for (const around of ['-1', '26', '1.5'])
      assert.equal((await refusal(`/v1/x/leaderboards/total/me?around=${around}`, last.call))[0], 400)
    assert.equal((await own.development.public('GET', '/v1/x/leaderboards/total/me')).status, 401)
  })

  test('[LDB-06] 1 to 100 chosen players are listed in their order, without a rank', async () => {
    const own = await newBoardGame(service)
    const [a, b, c, child] = await own.players(4)
    assert.ok(a && b && c && child)
    for (const [at, player] of [a, b, c, child].entries()) await player.submit({ total: at })
    await own.development.server('PUT', `/v1/admin/players/${child.id}/age`, { band: 'child' })
    const read = (ids: string) => a.call('GET', `/v1/x/leaderboards/total/players?ids=${ids}`)
    const { body } = await read([a.id, c.id, child.id, 'ply_unknown', 'nonsense', a.id].join())
    assert.deepEqual(
      body.entries.map(({ place, playerId, value }: Record<string, unknown>) => [place, playerId, value]),
      [
        [1, c.id, 2],
        [2, a.id, 0],
      ],
    )
    assert.deepEqual(Object.keys(body.entries[0]).toSorted(), [
      'displayName',
      'place',
      'playerId',
      'reachedAt',
      'value',
    ])
    const ids = Array.from({ length: 101 }, (_, at) => `ply_${at}`)
    assert.equal((await read(ids.slice(0, 100).join())).status, 200)
    for (const list of [ids.join(), '', ',,'])
      assert.deepEqual(await refusal(`/v1/x/leaderboards/total/players?ids=${list}`, a.call), [
        400,
        'invalid_request',
        '$.ids',
      ])
  })

  test('[LDB-09] names are current; names of children are null for all other players', async () => {
    const own = await newBoardGame(service)
    const [a, child] = await own.players(2)
    assert.ok(a && child)
    await a.submit({ total: 1 })
    await child.submit({ total: 2 })
    await a.call('PATCH', '/v1/players/me', { displayName: 'Ada' })
    await own.development.server('PUT', `/v1/admin/players/${child.id}/age`, { band: 'child' })
    const { entries } = await own.list('total')
    assert.deepEqual(
      entries.map(({ rank, playerId, displayName, value }) => [rank, playerId, displayName, value]),
      [
        [1, null, null, 2],
        [2, a.id, 'Ada', 1],
      ],
    )
    const around = async (player: typeof a) =>
      (await player.call('GET', '/v1/x/leaderboards/total/me?around=5')).body.around
    assert.equal((await around(a))[0].playerId, null)
    assert.equal((await around(child))[0].playerId, child.id)

    await own.push({ ...BOARDS, audience: 'kids' })
    for (const entry of (await own.list('total')).entries)
      assert.deepEqual([entry.playerId, entry.displayName], [null, null])
    // Only `a` has declared its age.
    await a.call('PUT', '/v1/social/age', { band: 'adult' })
    const c = await own.player()
    await c.submit({ total: 3 })
    await own.push({ ...BOARDS, audience: 'mixed' })
    assert.deepEqual(
      (await own.list('total')).entries.map(({ playerId }) => playerId),
      [null, null, a.id],
    )
  })

  test('[LDB-01] [STA-17] the definitions contain the leaderboards', async () => {
    const { body } = await game.development.public('GET', '/v1/gamedata/definitions')
    const found = Object.fromEntries(
      body.stats.map(({ key, leaderboard }: { key: string; leaderboard: unknown }) => [key, leaderboard]),
    )
    assert.deepEqual(found, {
      total: { periods: ['allTime'], order: 'desc', verifiedOnly: false },
      best: { periods: ['daily', 'weekly', 'monthly', 'allTime'], order: 'desc', verifiedOnly: false },
      fastest: { periods: ['daily'], order: 'asc', verifiedOnly: false },
      level: { periods: ['allTime'], order: 'asc', verifiedOnly: false },
      plain: null,
    })
  })

  test('[LDB-02] the default period is the first of the config; each has its own values', async () => {
    const own = await newBoardGame(service)
    const [a, b] = await own.players(2)
    assert.ok(a && b)
    await a.submit({ best: 9 })
    service.clock.advance(DAY_MS)
    await a.renew()
    await b.renew()
    await b.submit({ best: 4 })
    assert.deepEqual(placesIn(await own.list('best')), [[1, b.id, 4]])
    assert.deepEqual(placesIn(await own.list('best', '?period=allTime')), [
      [1, a.id, 9],
      [2, b.id, 4],
    ])
    const { body } = await own.development.server('GET', '/v1/admin/x/leaderboards')
    const best = body.leaderboards.find(({ key }: { key: string }) => key === 'best')
    assert.deepEqual(
      best.periods.map(({ period, count }: { period: string; count: number }) => [period, count]),
      [
        ['daily', 1],
        ['weekly', 2],
        ['monthly', 2],
        ['allTime', 2],
      ],
    )
  })
})
