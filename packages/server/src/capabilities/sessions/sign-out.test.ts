import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { newGame } from '../../testing/rooms.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { suite } from '../../testing/suite.ts'

const STATS = { features: { saves: true, stats: true }, stats: [{ key: 'games' }, { key: 'wins' }] }

suite('developers see and change one player', {}, ({ service }) => {
  test('[DSH-05] the detail shows connections, active sessions, the room, and who set the ban', async () => {
    const game = await newGame(service, [{ key: 'duel', maxPlayers: 2 }])
    const { developer } = game.project
    const player = await game.player()
    const detail = async (id = player.guest.id) =>
      (await developer.call('GET', `${game.side.path}/players/${id}`)).body.player
    const room = await game.room([player], { mode: 'duel' })

    const shown = await detail()
    assert.equal(shown.connections, 1)
    assert.deepEqual(shown.room, { ...room, mode: 'duel' })
    assert.deepEqual(
      shown.sessions.map(({ lastUsedAt, createdAt }: { lastUsedAt: string; createdAt: string }) => [
        createdAt,
        lastUsedAt,
      ]),
      [[service.clock.now().toISOString(), null]],
    )
    assert.deepEqual([shown.age.ageBand, shown.sanctions], ['adult', []])

    const banned = await newGuest(game.side)
    await developer.call('POST', `${game.side.path}/players/${banned.id}/ban`, { reason: 'spam' })
    const { sanctions, sessions, connections, room: none } = await detail(banned.id)
    assert.deepEqual([sessions, connections, none], [[], 0, null])
    assert.deepEqual(sanctions[0].by, { type: 'developer', id: developer.id, label: developer.email })
    const own = (await banned.call('GET', '/v1/players/me/sanctions')).body.sanctions
    assert.equal('by' in own[0], false, 'players do not see who banned them')
    await game.end()
  })

  test('[DSH-06] a sign-out ends all sessions, closes connections and is audited', async () => {
    const game = await newGame(service)
    const player = await game.player()
    const { developer, id: projectId } = game.project
    const path = `${game.side.path}/players/${player.guest.id}/sign-out`

    assert.deepEqual((await developer.call('POST', path)).body, { revokedSessions: 1 })
    assert.equal((await player.closed).reason, 'session_revoked')
    const { refreshToken } = player.guest
    const refreshed = await game.side.public('POST', '/v1/auth/refresh', { refreshToken })
    assert.equal(refreshed.body.error.code, 'session_revoked')
    assert.deepEqual((await developer.call('POST', path)).body, { revokedSessions: 0 })

    const { entries } = (await developer.call('GET', `/v1/projects/${projectId}/audit`)).body
    assert.deepEqual(
      [entries[1].action, entries[1].target, entries[1].env, entries[1].details],
      ['player.sign_out', player.guest.id, 'development', { revokedSessions: 1 }],
    )
    const byKey = await game.side.server('POST', `/v1/admin/players/${player.guest.id}/sign-out`)
    assert.equal(byKey.status, 200)
    const elsewhere = await game.project.production.server(
      'POST',
      `/v1/admin/players/${player.guest.id}/sign-out`,
    )
    assert.equal(elsewhere.body.error.code, 'player_not_found')
    await game.end()
  })

  test('[DSH-06] a developer reads a save exactly as it was sent, and stats by period, also with the features off', async () => {
    const project = await service.newProject()
    const { development, developer } = project
    await development.server('PUT', '/v1/config', STATS)
    const player = await newStatsPlayer(development)
    await service.http.inject({
      method: 'PUT',
      url: '/v1/saves/slot1',
      headers: {
        'content-type': 'application/json',
        'x-svc-key': development.publishableKey,
        authorization: `Bearer ${player.accessToken()}`,
      },
      payload: '{"data":{"hp":1.0}}',
    })
    await player.submit({ games: 2 })
    service.clock.advance(DAY_MS)
    await player.renew()
    await player.submit({ games: 3, wins: 1 })
    await development.server('PUT', '/v1/config', { stats: STATS.stats })

    const path = `${development.path}/players/${player.id}`
    const raw = await service.http.inject({
      url: `${path}/saves/slot1`,
      headers: { authorization: `Bearer ${developer.token}` },
    })
    assert.match(raw.body, /"data":\{"hp":1\.0\}\}$/)
    assert.equal((await developer.call('GET', `${path}/saves/slot2`)).body.error.code, 'save_not_found')
    assert.equal((await developer.call('GET', `${path}/saves/bad%20key`)).status, 400)

    const stats = async () => (await developer.call('GET', `${path}/stats`)).body.stats
    const [games, wins] = await stats()
    assert.deepEqual([games.key, games.allTime, games.daily], ['games', 5, 3])
    assert.deepEqual([wins.key, wins.allTime, wins.daily, wins.weekly], ['wins', 1, 1, 1])
    service.clock.advance(20 * DAY_MS)
    assert.equal((await stats()).length, 2)
    service.clock.advance(20 * DAY_MS)
    assert.deepEqual(
      (await stats()).map(({ daily, weekly, monthly }: Record<string, number>) => [daily, weekly, monthly]),
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
      'a period without a report is 0',
    )
    const nobody = await developer.call('GET', `${development.path}/players/ply_nobody/stats`)
    assert.equal(nobody.body.error.code, 'player_not_found')
  })
})
