import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { asGuest, type Guest, newGuest } from '../../../testing/guests.ts'
import { CONFIG, startServiceForPlayers } from '../../../testing/player-sign-in.ts'
import { suite } from '../../../testing/suite.ts'

const OWN = '/v1/players/me/x-profile'
type Development = Awaited<ReturnType<typeof startServiceForPlayers>>['app']['development']

suite('X profiles', { start: startServiceForPlayers }, ({ service }) => {
  let side: Development
  before(() => void (side = service.app.development))

  const push = async (more: object) =>
    assert.equal((await side.server('PUT', '/v1/config', { ...CONFIG, ...more })).status, 200)
  async function linked(person: string): Promise<Guest> {
    const guest = await newGuest(side)
    const { status, body } = await service.signInWith('x', person, { call: guest.call })
    assert.equal(status, 200, JSON.stringify(body))
    return asGuest(side.public, body)
  }
  const listOf = async (...ids: string[]) => {
    const { status, body } = await side.public('GET', `/v1/players/x-profiles?ids=${ids.join()}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.profiles
  }

  test('[SHR-12] a player reads handle, name and picture of X; other players do not see them by default', async () => {
    const player = await linked('ada')
    const { status, body } = await player.call('GET', OWN)
    assert.equal(status, 200)
    const { avatarUrl, ...rest } = body
    assert.deepEqual(rest, { username: 'ada', name: 'Ada', visible: false })
    assert.ok(avatarUrl === null || avatarUrl.startsWith('http'))
    assert.deepEqual(await listOf(player.id), {})
  })

  test('[SHR-12] without a linked X account there is no profile, and it cannot be shown', async () => {
    const guest = await newGuest(side)
    for (const { status, body } of [
      await guest.call('GET', OWN),
      await guest.call('PUT', OWN, { visible: true }),
    ])
      assert.deepEqual([status, body.error.code], [404, 'x_profile_not_found'])
    for (const body of [{}, { visible: 'yes' }, { visible: null }])
      assert.equal((await guest.call('PUT', OWN, body)).status, 400)
  })

  test('[SHR-13] a player who shows the profile is listed, until it is hidden', async () => {
    const [player, hidden] = [await linked('bob'), await linked('cleo')]
    const shown = await player.call('PUT', OWN, { visible: true })
    assert.deepEqual([shown.status, shown.body.visible], [200, true])
    assert.equal((await player.call('GET', OWN)).body.visible, true)
    const { visible: _, ...profile } = shown.body
    const foreign = 'ply_01kgb7zk00e0aaan5t1ckwz9sr'
    assert.deepEqual(await listOf(player.id, hidden.id, foreign, 'nonsense', player.id), {
      [player.id]: profile,
    })

    assert.equal((await player.call('PUT', OWN, { visible: false })).body.visible, false)
    assert.deepEqual(await listOf(player.id), {})
  })

  test('[SHR-13] 1 to 100 different ids are accepted; none or one more is rejected', async () => {
    const ids = Array.from({ length: 101 }, (_, at) => `ply_${at}`)
    assert.deepEqual(await listOf(...ids.slice(0, 100), 'ply_0'), {})
    for (const query of [`?ids=${ids.join()}`, '?ids=', '?ids=,,', '']) {
      const { status, body } = await side.public('GET', `/v1/players/x-profiles${query}`)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], query)
    }
  })

  test('[SHR-13] unlinking X removes the profile and the choice immediately', async () => {
    const player = await linked('dan')
    await service.signInWith('google', 'dan', { call: player.call })
    await player.call('PUT', OWN, { visible: true })
    assert.deepEqual(Object.keys(await listOf(player.id)), [player.id])

    const { refreshToken } = player
    const unlinked = await player.call('DELETE', '/v1/players/me/identities/x', { refreshToken })
    assert.equal(unlinked.status, 200, JSON.stringify(unlinked.body))
    assert.deepEqual(await listOf(player.id), {})
    assert.equal((await player.call('GET', OWN)).body.error.code, 'x_profile_not_found')
    await service.signInWith('x', 'dan', { call: player.call })
    assert.equal((await player.call('GET', OWN)).body.visible, false)
    assert.deepEqual(await listOf(player.id), {})
  })

  test('[SHR-12] [SHR-13] a child gets 403 age_restricted and is never listed, also if it became one later', async () => {
    const player = await linked('eve')
    await player.call('PUT', OWN, { visible: true })
    await side.server('PUT', `/v1/admin/players/${player.id}/age`, { band: 'child' })
    assert.deepEqual(await listOf(player.id), {})
    for (const { status, body } of [
      await player.call('GET', OWN),
      await player.call('PUT', OWN, { visible: true }),
    ])
      assert.deepEqual([status, body.error.code], [403, 'age_restricted'])

    const adult = await linked('finn')
    await adult.call('PUT', OWN, { visible: true })
    await push({ audience: 'kids' })
    assert.deepEqual(await listOf(adult.id), {})
    await push({})
    assert.deepEqual(Object.keys(await listOf(adult.id)), [adult.id])
  })

  test('[SHR-13] a profile of another environment is not listed', async () => {
    const player = await linked('gina')
    await player.call('PUT', OWN, { visible: true })
    const { production } = service.app
    const { body } = await production.public('GET', `/v1/players/x-profiles?ids=${player.id}`)
    assert.deepEqual(body, { profiles: {} })
  })

  test('[SHR-12] [OWN-02] [OWN-03] a deleted player leaves no profile; the export contains it with the choice', async () => {
    const player = await linked('hal')
    const exported = async () => (await player.call('GET', '/v1/players/me/export')).body.xProfile
    const own = async () => (await player.call('GET', OWN)).body
    assert.deepEqual([await exported(), (await exported()).visible], [await own(), false])
    await player.call('PUT', OWN, { visible: true })
    assert.deepEqual([await exported(), (await exported()).visible], [await own(), true])
    await player.call('DELETE', '/v1/players/me', { refreshToken: player.refreshToken })
    assert.deepEqual(await listOf(player.id), {})
    const rows = await service.db.search((q) =>
      q.selectFrom('players_x_profiles').selectAll().where('playerId', '=', player.id),
    )
    assert.deepEqual(rows, [])
  })
})
