import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { asGuest } from '../../testing/guests.ts'
import { connect } from '../../testing/sockets.ts'
import { suite } from '../../testing/suite.ts'

suite('the playground', { features: { multiplayer: true } }, ({ service, project }) => {
  const create = (count: unknown, side = project.development, more: object = {}) =>
    project.developer.call('POST', `${side.path}/playground/players`, { count, ...more })

  test('[DSH-15] it creates guests that can play with the key, in development only', async () => {
    const { body } = await create(4)
    assert.equal(body.sessions.length, 4)
    assert.match(body.key, /^pk_dev_/)
    const names = body.sessions.map(({ player }: { player: { displayName: string } }) => player.displayName)
    assert.deepEqual(names, ['Player 1', 'Player 2', 'Player 3', 'Player 4'])
    const app = service.withKey(body.key)
    const socket = await connect(service, { publishableKey: body.key }, asGuest(app, body.sessions[0]))
    await socket.close()

    const { body: third } = await create(1, project.development, { firstNumber: 3 })
    assert.equal(third.sessions[0].player.displayName, 'Player 3')
    for (const count of [0, 5, 1.5, '2', null]) assert.equal((await create(count)).status, 400)
    const production = await create(1, project.production)
    assert.equal(production.body.error.code, 'not_found')
    assert.equal((await create(1)).body.key, body.key, 'the same key every time')
  })

  test('[DSH-15] its players are deleted after 24 hours, others are not', async () => {
    const { body } = await create(2)
    const { body: other } = await project.development.public('POST', '/v1/auth/guest', {})
    const [first, second] = body.sessions.map(({ player }: { player: { id: string } }) => player.id)
    const exists = async (id: string) =>
      (await project.developer.call('GET', `${project.development.path}/players/${id}`)).status === 200
    const rows = () =>
      service.db.search((q) =>
        q.selectFrom('playground_players').select('playerId').where('playerId', 'in', [first, second]),
      )
    service.clock.advance(DAY_MS - 1)
    await service.everyHour()
    assert.deepEqual([await exists(first), await exists(second)], [true, true])
    await project.developer.call('POST', `${project.development.path}/players/${second}/delete`)
    assert.equal((await rows()).length, 1, 'a deletion removes the row')

    service.clock.advance(1)
    await service.everyHour()
    assert.deepEqual([await exists(first), await exists(other.player.id)], [false, true])
    assert.deepEqual(await rows(), [])
  })

  test('[DSH-15] an environment has at most 30 calls an hour', async () => {
    const other = await service.newProject(project.developer)
    const statuses = []
    for (let call = 0; call < 31; call++) statuses.push((await create(1, other.development)).status)
    assert.deepEqual([...new Set(statuses.slice(0, 30)), statuses[30]], [200, 429])
  })
})
