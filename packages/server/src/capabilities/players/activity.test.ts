import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { createBackground } from '../../platform/background.ts'
import { createStoppedClock, DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { asGuest, newGuest } from '../../testing/guests.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { newShareApp } from '../../testing/sharing.ts'
import { createActivityStore } from './activity-store.ts'
import { createActivity } from './activity.ts'

/** More than a database can write at the same time. */
const PLAYERS = 6_000

type Project = Awaited<ReturnType<Service['newProject']>>

const overviewOf = async (project: Project, call = project.developer.call) =>
  (await call('GET', `${project.development.path}/overview`)).body
const lastSeen = async (project: Project, playerId: string): Promise<string> =>
  (await project.development.server('GET', `/v1/admin/players/${playerId}`)).body.player.lastSeenAt

for (const engine of engines) {
  test(`many active players in one minute are all accepted, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const background = createBackground((error) => assert.fail(String(error)), systemRandom)
    const activity = createActivity(createActivityStore(db), { clock: createStoppedClock(), background })
    for (let player = 0; player < PLAYERS; player++) activity.note('env_1', `plr_${player}`)
    await activity.write()
    await background.drained()
  })

  test(`[DEV-14] a player counts on the day of the activity, also if it is written later, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const project = await service.newProject()
    service.clock.advance(DAY_MS - SECOND_MS)
    const early = await newGuest(project.development)
    service.clock.advance(SECOND_MS)
    await newGuest(project.development)
    const { refreshToken } = early
    await project.development.public('POST', '/v1/auth/refresh', { refreshToken })
    await service.everyMinute()

    const { dailyActives } = await overviewOf(project)

    assert.deepEqual(dailyActives.slice(-2), [
      { date: '2026-01-01', count: 1 },
      { date: '2026-01-02', count: 2 },
    ])
  })

  test(`[OPS-80] numbers of days that were read while the clock was ahead are right later, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const app = await newShareApp(service)
    const link = await app.newLink()
    const play = async () => {
      const guest = await app.guest()
      assert.equal((await app.visit(link, { call: guest.call })).body.counted, true)
    }
    const read = async () => {
      const { dailyActives, players } = await overviewOf(app)
      const { days, totals } = (await app.server('GET', '/v1/admin/share/stats')).body
      return { active: dailyActives, total: players.total, visits: days, all: totals.visits }
    }
    /** Three times, because a job that ran in the future is first discarded. */
    const work = async () => {
      await service.everyMinute()
      for (let time = 0; time < 3; time++) await service.jobs.runDue()
    }
    await play()
    await service.everyMinute()
    service.clock.step(2 * DAY_MS)
    await read()
    service.clock.step(-2 * DAY_MS)
    await play()
    await work()
    service.clock.advance(DAY_MS)
    await play()
    await work()
    service.clock.advance(3 * DAY_MS)
    await work()
    const { active, total, visits, all } = await read()
    const first = ({ date }: { date: string }) => date === '2026-01-01' || date === '2026-01-02'
    assert.deepEqual(
      active.filter(first).map(({ count }: { count: number }) => count),
      // Each link has a player of its own.
      [3, 1],
    )
    assert.deepEqual(
      visits.filter(first).map((day: { visits: number }) => day.visits),
      [2, 1],
    )
    assert.deepEqual([total, all], [4, 3])
  })

  test(`[DEV-14] the overview includes a player who has just signed in, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const project = await service.newProject()
    await newGuest(project.development)

    const { dailyActives, players } = await overviewOf(project)

    assert.deepEqual([dailyActives.at(-1).count, players.total], [1, 1])
  })

  test(`[DEV-15] lastSeenAt is a time with a precision of five minutes, and never before createdAt, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const project = await service.newProject()
    service.clock.advance(15 * 3_600_000 + 1_234)
    const moment = () => service.clock.now().toISOString()
    const createdAt = moment()
    let guest = await newGuest(project.development)
    const returnLater = async () => {
      const { refreshToken } = guest
      const { body } = await project.development.public('POST', '/v1/auth/refresh', { refreshToken })
      guest = asGuest(project.development.public, body)
    }
    assert.equal(await lastSeen(project, guest.id), createdAt)

    service.clock.advance(5 * MINUTE_MS - 1)
    await returnLater()
    assert.equal(await lastSeen(project, guest.id), createdAt)

    service.clock.advance(1)
    await returnLater()
    assert.equal(await lastSeen(project, guest.id), moment())

    const listed = await project.development.server('GET', '/v1/admin/players')
    assert.equal(listed.body.players[0].lastSeenAt, moment())
  })
}

test('[DEV-14] another node shows the activity of this one within seconds', async (t) => {
  const { other, project } = await startTwoNodes(t)
  await newGuest(project.development)

  const overviewThere = () => overviewOf(project, other.withToken(project.developer.token))
  // The first node gets no request: it writes automatically.
  for (const until = performance.now() + 20_000; (await overviewThere()).dailyActives.at(-1).count === 0;) {
    assert.ok(performance.now() < until, 'never shown')
    await turn()
  }
})

test('[DEV-15] a time that is written late does not replace a later one of another node', async (t) => {
  const { service, other, project } = await startTwoNodes(t)
  const guest = await newGuest(project.development)
  service.clock.advance(10 * MINUTE_MS)
  const there = other.withKey(project.development.publishableKey)
  const { refreshToken } = guest
  assert.equal((await there('POST', '/v1/auth/refresh', { refreshToken })).status, 200)
  const seenAt = service.clock.now().toISOString()
  await other.everyMinute()

  await service.everyMinute()

  assert.equal(await lastSeen(project, guest.id), seenAt)
})

async function startTwoNodes(t: TestContext) {
  const settings = { SVC_RATE_LIMITS: 'off' }
  const service = await startService('postgres', { settings })
  const other = await startService('postgres', { settings, clusterOf: service })
  t.after(async () => {
    await other.stop()
    await service.stop()
  })
  return { service, other, project: await service.newProject() }
}
