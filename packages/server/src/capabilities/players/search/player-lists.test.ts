import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { newGame, until } from '../../../testing/rooms.ts'
import type { TestEnvironment } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'

type Query = Record<string, string | number | boolean>

suite('orders of players, and who is online', {}, ({ service }) => {
  const named = async (side: TestEnvironment, displayName: string) =>
    String((await side.public('POST', '/v1/auth/guest', { displayName })).body.player.id)

  const find = async (side: TestEnvironment, query: Query) => {
    const asked = new URLSearchParams(query as Record<string, string>)
    return (await side.server('GET', `/v1/admin/players?${asked.toString()}`)).body
  }
  /** The names of all pages. */
  async function everybody(side: TestEnvironment, query: Query): Promise<string[]> {
    const names: string[] = []
    let cursor: string | null = ''
    do {
      const body = await find(side, { ...query, ...(cursor && { cursor }) })
      for (const { displayName } of body.players) names.push(displayName)
      cursor = body.nextCursor
    } while (cursor !== null)
    return names
  }
  const seen = (id: string, at: string) =>
    service.db.transaction((transaction) =>
      transaction.search(() => ({
        compile: () => CompiledQuery.raw(`update players set "lastSeenAt" = '${at}' where id = '${id}'`),
      })),
    )

  test('[DEV-15] players are sorted by name or by their last activity, and every page size delivers everybody', async () => {
    const { development } = await service.newProject()
    const times = {
      Bob: '2026-01-03',
      ann: '2026-01-05',
      Cid: '2026-01-05',
      Dora: '2026-01-01',
      eve: '2026-01-01',
      '~': '2026-01-04',
    }
    for (const [name, at] of Object.entries(times))
      await seen(await named(development, name), `${at}T00:00:00.000Z`)

    for (const limit of [1, 2, 3, 200]) {
      assert.deepEqual(await everybody(development, { sort: 'name', limit }), [
        'ann',
        'Bob',
        'Cid',
        'Dora',
        'eve',
        '~',
      ])
      assert.deepEqual(await everybody(development, { sort: 'lastSeen', limit }), [
        'Cid',
        'ann',
        '~',
        'Bob',
        'eve',
        'Dora',
      ])
      assert.deepEqual(
        await everybody(development, { sort: 'newest', limit }),
        Object.keys(times).toReversed(),
      )
    }
    assert.deepEqual(await everybody(development, { q: 'b', sort: 'lastSeen' }), ['Bob'])

    const { nextCursor } = await find(development, { sort: 'name', limit: 1 })
    for (const query of [{ sort: 'lastSeen', cursor: nextCursor }, { sort: 'oldest' }]) {
      const { error } = await find(development, query)
      assert.deepEqual([query, error?.code], [query, 'invalid_request'])
    }
  })

  test('[DSH-05] a list can be limited to players with a connection, in every order and with other filters', async () => {
    const game = await newGame(service)
    const { side } = game
    const [first, second] = await game.players(2)
    assert.ok(first && second)
    for (const [{ guest }, displayName] of [
      [first, 'Zoe'],
      [second, 'Max'],
    ] as const)
      assert.equal((await guest.call('PATCH', '/v1/players/me', { displayName })).status, 200)
    await seen(first.guest.id, '2026-02-02T00:00:00.000Z')
    await named(side, 'Away')

    const inOrder = first.guest.id < second.guest.id ? ['Max', 'Zoe'] : ['Zoe', 'Max']
    for (const limit of [1, 50]) {
      assert.deepEqual(await everybody(side, { online: true, limit }), inOrder)
      assert.deepEqual(await everybody(side, { online: true, sort: 'name', limit }), ['Max', 'Zoe'])
      assert.deepEqual(await everybody(side, { online: true, sort: 'lastSeen', limit }), ['Zoe', 'Max'])
      assert.deepEqual(await everybody(side, { online: false, limit }), ['Away'])
      assert.deepEqual(await everybody(side, { online: false, sort: 'name', limit }), ['Away'])
    }
    assert.deepEqual(await everybody(side, { online: true, guest: false }), [])
    assert.deepEqual(await everybody(side, { online: true, q: 'm' }), ['Max'])
    assert.deepEqual(await everybody(side, { online: true, q: 'a' }), [])
    assert.deepEqual(await everybody(game.project.production, { online: true }), [])
    assert.equal((await find(side, { online: 'maybe' })).error.code, 'invalid_request')
    await game.end()
    await until(async () => (await everybody(side, { online: true })).length === 0)
  })

  test('[DSH-85] with play=true a list also says who is online, in which room, and their value of the first stat', async () => {
    const game = await newGame(service, [{ key: 'duel', minPlayers: 2, maxPlayers: 2 }])
    const { side } = game
    await game.configure({
      features: { multiplayer: true, stats: true },
      stats: [{ key: 'points', aggregation: 'max', leaderboard: { periods: ['allTime'] } }, { key: 'wins' }],
      multiplayer: { modes: [{ key: 'duel', minPlayers: 2, maxPlayers: 2 }] },
    })
    const [host, waiting] = await game.players(2)
    assert.ok(host && waiting)
    const away = await named(side, 'Away')
    const { id: roomId } = await game.room([host], { mode: 'duel' })
    for (const [{ guest }, stats] of [
      [host, { points: 7, wins: 1 }],
      [waiting, { wins: 3 }],
    ] as const)
      assert.equal((await guest.call('POST', '/v1/stats', { stats })).status, 200)
    const played = async () => {
      const { players } = await find(side, { play: true })
      return Object.fromEntries(players.map(({ id, play }: { id: string; play: object }) => [id, play]))
    }

    assert.deepEqual(await played(), {
      [host.guest.id]: {
        online: true,
        room: { id: roomId, mode: 'duel' },
        stat: { key: 'points', value: 7 },
      },
      [waiting.guest.id]: { online: true, room: null, stat: { key: 'points', value: null } },
      [away]: { online: false, room: null, stat: { key: 'points', value: null } },
    })
    assert.equal((await find(side, {})).players[0].play, undefined, 'only if asked for')

    service.clock.advance(1)
    assert.equal((await side.server('POST', '/v1/admin/x/leaderboards/points/reset', {})).status, 200)
    assert.equal(
      (await played())[host.guest.id].stat.value,
      null,
      'a value from before a reset does not count',
    )
    await game.configure({ features: { multiplayer: true } })
    assert.equal((await played())[away].stat, null, 'without stats in the config')
    await game.end()
  })
})
