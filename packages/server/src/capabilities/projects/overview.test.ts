import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { newGame } from '../../testing/rooms.ts'
import { suite } from '../../testing/suite.ts'

suite('the overview of an environment', {}, ({ service }) => {
  const now = () => service.clock.now().toISOString()

  test('[DSH-02] the overview counts what needs attention, and contains the times of the first steps', async () => {
    const game = await newGame(service, [{ key: 'duel', maxPlayers: 2 }])
    const { project, side } = game
    const overview = async (path = side.path) =>
      (await project.developer.call('GET', `${path}/overview`)).body
    const start = now()
    const before = await overview()
    assert.deepEqual([before.online, before.openAppeals, before.failedMails], [0, 0, 0])
    assert.deepEqual(before.firsts, { keyUsedAt: start, playerAt: null, deploymentAt: null, roomAt: null })
    assert.equal((await overview(project.production.path)).firsts.keyUsedAt, null)

    service.clock.advance(1_000)
    const playerAt = now()
    const host = await game.player()
    service.clock.advance(1_000)
    const roomAt = now()
    await game.room([host], { mode: 'duel' })
    service.clock.advance(1_000)
    await game.player()
    await game.configure({
      features: { multiplayer: true, hosting: true },
      multiplayer: { modes: [{ key: 'duel' }] },
    })
    await side.server('POST', '/v1/deployments', {
      files: [{ path: 'index.html', sha256: 'a'.repeat(64), size: 1 }],
    })
    const banned = await newGuest(side)
    await side.server('POST', `/v1/admin/players/${banned.id}/ban`, {})
    await side.public('POST', '/v1/auth/appeal', { refreshToken: banned.refreshToken, message: 'Sorry.' })
    await service.background.drained()

    const after = await overview()
    assert.deepEqual([after.online, after.openAppeals], [2, 1])
    assert.deepEqual(
      { ...after.firsts, keyUsedAt: null },
      { keyUsedAt: null, playerAt, deploymentAt: now(), roomAt },
    )
    const apart = await overview(project.production.path)
    assert.deepEqual([apart.online, apart.openAppeals], [0, 0])
    assert.deepEqual(apart.firsts, { keyUsedAt: null, playerAt: null, deploymentAt: null, roomAt: null })
    await game.end()
  })

  test('[DSH-03] the activity counts active players, new players and bans per UTC day', async () => {
    const project = await service.newProject()
    const { development, developer } = project
    const activity = async (query = '') =>
      (await developer.call('GET', `${development.path}/activity${query}`)).body
    service.clock.advance(DAY_MS - (service.clock.now().getTime() % DAY_MS) - 1)
    const first = await newGuest(development)
    await newGuest(development)
    service.clock.advance(1)
    await newGuest(development)
    await development.server('POST', `/v1/admin/players/${first.id}/ban`, {})

    const { days } = await activity()
    assert.equal(days.length, 14)
    assert.deepEqual(days.slice(-3), [
      { date: dayBefore(2), actives: 0, newPlayers: 0, bans: 0 },
      { date: dayBefore(1), actives: 2, newPlayers: 2, bans: 0 },
      { date: dayBefore(0), actives: 1, newPlayers: 1, bans: 1 },
    ])
    assert.deepEqual((await activity('?days=1')).days, days.slice(-1))
    assert.equal((await activity('?days=60')).days.length, 60)
    for (const query of ['?days=0', '?days=61', '?days=x'])
      assert.equal((await activity(query)).error.code, 'invalid_request', query)
    const apart = await developer.call('GET', `${project.production.path}/activity?days=1`)
    assert.deepEqual(apart.body.days, [{ date: dayBefore(0), actives: 0, newPlayers: 0, bans: 0 }])
  })

  test('[DSH-03] days that are over stay as they were counted, also on an upgraded database and after a deletion', async () => {
    const project = await service.newProject()
    const { development, developer } = project
    const activity = async (days: number) =>
      (await developer.call('GET', `${development.path}/activity?days=${days}`)).body.days
    const { id } = await newGuest(development)
    await newGuest(development)
    await service.everyMinute()
    service.clock.advance(2 * DAY_MS)

    // The first read sums the rows of the version before.
    const first = await activity(3)
    assert.deepEqual(first[0], { date: dayBefore(2), actives: 2, newPlayers: 2, bans: 0 })
    assert.equal((await development.server('POST', `/v1/admin/players/${id}/delete`)).status, 200)
    assert.deepEqual(await activity(3), first)
    assert.deepEqual((await activity(60)).slice(-3), first)
    await newGuest(development)
    assert.deepEqual((await activity(1))[0], { date: dayBefore(0), actives: 1, newPlayers: 1, bans: 0 })
  })

  test('[DSH-04] the list of projects shows players, connections and the live version of each environment', async () => {
    const game = await newGame(service)
    const { developer } = game.project
    const other = await service.newProject(developer)
    await game.player()
    await newGuest(game.side)
    await newGuest(other.production)

    const { projects } = (await developer.call('GET', '/v1/projects')).body
    assert.deepEqual(
      projects.map((project: { id: string; environments: object[] }) => [project.id, project.environments]),
      [
        [
          other.id,
          [
            { ...other.environments[0], players: 0, online: 0, liveVersion: null },
            { ...other.environments[1], players: 1, online: 0, liveVersion: null },
          ],
        ],
        [
          game.project.id,
          [
            { ...game.project.environments[0], players: 2, online: 1, liveVersion: null },
            { ...game.project.environments[1], players: 0, online: 0, liveVersion: null },
          ],
        ],
      ],
    )
    await game.end()
  })

  const dayBefore = (days: number) =>
    new Date(service.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10)
})
