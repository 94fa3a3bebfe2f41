import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'

import pg from 'pg'

import { lockQuery } from '../../engines/database/postgres/queries.ts'
import { newChannelApp } from '../../testing/channels.ts'
import { until } from '../../testing/cluster.ts'
import { newGuest } from '../../testing/guests.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { startService } from '../../testing/service.ts'
import { startStallingProxy } from '../../testing/stalling-proxy.ts'

const CHANNEL = '@news'
const CEM = 'ply_cem'

/**
 * A channel whose owner node can be disconnected from Redis, with a member on the node that will take it over. `blocked` is the
 * number of database connections that wait for a lock.
 */
async function newScene(t: TestContext) {
  const wire = await startStallingProxy(Number(new URL(testRedisUrl()).port))
  const settings = { SVC_RATE_LIMITS: 'off' }
  const stays = await startService('postgres', { settings })
  const loses = await startService('postgres', {
    settings: { ...settings, REDIS_URL: wire.url },
    clusterOf: stays,
  })

  const app = await newChannelApp(stays)
  const owner = app.serverAt(loses)
  assert.equal((await owner.put(CHANNEL)).status, 200)
  await (await app.join(stays)).request({ t: 'channelJoin', channel: CHANNEL })

  const operator = new pg.Client({ connectionString: stays.postgres?.url ?? '' })
  await operator.connect()
  t.after(async () => {
    wire.resume()
    await operator.end()
    await app.closeAll()
    await loses.close()
    await stays.stop()
    await wire.stop()
  })
  const blocked = async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await operator.query(waiting)).rowCount ?? 0
  }
  const entries = async () =>
    (await operator.query('select "playerId" from channels_lists where name = $1', [CHANNEL])).rows
  const environment = app.project.environments.find(({ name }) => name === 'development')

  const takenOver = () =>
    until(
      () => app.serverAt(stays).read(CHANNEL),
      ({ status }) => status === 200,
    )
  return { app, stays, owner, wire, operator, blocked, entries, environment, takenOver }
}

describe('a channel whose owner node is disconnected while it writes to the database', () => {
  test('[CHN-15] a ban that is still written applies on the next owner node', async (t) => {
    const { app, stays, owner, wire, operator, blocked, entries, takenOver } = await newScene(t)
    const cem = await newGuest(app.side)
    await operator.query('begin')
    await operator.query('lock table channels_lists in share mode')
    const banned = owner.moderate(CHANNEL, { op: 'ban', playerId: cem.id })
    await until(blocked, (count) => count === 1)

    wire.stall()
    const taking = takenOver()
    // The next owner waits for the write of the former one. If it did not wait, it would have read by then.
    await Promise.race([taking, until(blocked, (count) => count === 2)])
    await operator.query('rollback')
    await Promise.all([banned, taking])

    // On a very slow machine the wait for the lock may have timed out: then neither has the entry.
    const isWritten = (await entries()).length === 1
    const joining = (await app.joinAs(cem, stays)).request({ t: 'channelJoin', channel: CHANNEL })
    if (isWritten) await assert.rejects(joining, /channel_banned/)
    else await joining
  })

  test('[CHN-15] a ban that is too late is not written, and its caller gets an error', async (t) => {
    const { app, stays, owner, wire, operator, blocked, entries, environment, takenOver } = await newScene(t)
    await operator.query('begin')
    await operator.query(lockQuery(`channel:${environment?.id}:${CHANNEL}`))
    const banned = owner.moderate(CHANNEL, { op: 'ban', playerId: CEM })
    await until(blocked, (count) => count === 1)

    wire.stall()
    const taking = takenOver()
    await until(blocked, (count) => count === 2)
    await operator.query('rollback')

    assert.equal((await banned).status, 503)
    await taking
    assert.deepEqual(await entries(), [])
    assert.deepEqual((await app.serverAt(stays).moderate(CHANNEL, { op: 'ban', playerId: CEM })).body, {})
    assert.deepEqual(await entries(), [{ playerId: CEM }])
  })
})
