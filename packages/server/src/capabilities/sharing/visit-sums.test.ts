import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { DAY_MS, dayOf, HOUR_MS, millisecondsOf } from '../../platform/clock.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { runs } from '../../testing/runs.ts'
import type { Service } from '../../testing/service.ts'
import { BROWSER, newShareApp, type ShareApp, startSharing } from '../../testing/sharing.ts'
import { suite } from '../../testing/suite.ts'
import { createVisitSumStore } from './visit-sums-store.ts'
import { createVisitSums } from './visit-sums.ts'

const TRACKING = { links: { enabled: true }, tracking: { enabled: true } }
const MANY = 2_500
type Db = Pick<Service, 'db'>
type Sums = { visits: number; newPlayers: number; plays: number }

const visitorsOf = ({ db }: Db, environmentId: string) =>
  db.search((q) => q.selectFrom('sharing_visitors').selectAll().where('environmentId', '=', environmentId))

const statsOf = async (app: ShareApp, query = '') =>
  (await app.server('GET', `/v1/admin/share/stats${query}`)).body as {
    totals: Sums
    days: (Sums & { date: string })[]
    links: (Sums & { shareId: string })[]
  }

suite('sums of visits', { start: startSharing }, ({ service }) => {
  const today = () => dayOf(millisecondsOf(service.clock))
  const addUp = (stopping?: AbortSignal) =>
    createVisitSums(createVisitSumStore(service.db), service.clock)(stopping)
  const startDay = () => service.clock.advance(DAY_MS - (millisecondsOf(service.clock) % DAY_MS))

  async function insertVisitors(shareId: string, { environmentId }: ShareApp, count: number) {
    const one = { day: today(), environmentId, shareId, kind: 'visit', addressHash: '', newPlayers: 0 }
    for (let from = 0; from < count; from += 500)
      await service.db.transaction((work) =>
        work.search((q) =>
          q
            .insertInto('sharing_visitors')
            .values(Array.from({ length: 500 }, (_, at) => ({ ...one, visitor: `visitor ${from + at}` }))),
        ),
      )
  }

  test('[SHR-16] a sum that was interrupted, and two at the same time, count each visitor once', async () => {
    startDay()
    const app = await newShareApp(service, TRACKING)
    const id = await app.newLink()
    await insertVisitors(id, app, MANY)
    const visits = async () => [(await statsOf(app)).totals.visits, (await statsOf(app)).links[0]?.visits]
    assert.deepEqual(await visits(), [MANY, MANY])
    service.clock.advance(DAY_MS + HOUR_MS)

    await assert.rejects(addUp(AbortSignal.abort()))
    const left = (await visitorsOf(service, app.environmentId)).length
    assert.ok(left > 0 && left < MANY, `${left} of ${MANY} are left`)
    assert.deepEqual(await visits(), [MANY, MANY])
    await Promise.all([addUp(), addUp()])
    assert.deepEqual(await visitorsOf(service, app.environmentId), [])
    assert.deepEqual(await visits(), [MANY, MANY])
  })

  test('[SHR-16] visitors stay until an hour after their day, and new players a day longer', async () => {
    startDay()
    const app = await newShareApp(service, TRACKING)
    const id = await app.newLink()
    await app.visit(id, { call: (await app.guest()).call })
    const kinds = async () =>
      (await visitorsOf(service, app.environmentId)).map(({ kind }) => kind).toSorted()
    service.clock.advance(DAY_MS + HOUR_MS - 1)
    await addUp()
    assert.deepEqual(await kinds(), ['new', 'visit'])
    service.clock.advance(1)
    await addUp()
    assert.deepEqual(await kinds(), ['new'])
    service.clock.advance(DAY_MS - HOUR_MS)
    await addUp()
    assert.deepEqual(await kinds(), [])
    assert.deepEqual((await statsOf(app)).totals, { visits: 1, newPlayers: 1, plays: 0 })
  })

  test('[SHR-17] the visitors of a day in progress are read once for many requests, of all links and of one', async (t) => {
    startDay()
    const app = await newShareApp(service, TRACKING)
    const id = await app.newLink()
    await insertVisitors(id, app, 40_000)
    const scans = t.mock.method(service.db, 'scan').mock
    for (const query of ['', `?shareId=${id}`]) {
      // Cached for a second or more: on a busy machine the next request may come later.
      await comesTrue('a request that reads no visitor', async () => {
        assert.equal((await statsOf(app, query)).totals.visits, 40_000)
        const before = scans.callCount()
        assert.equal((await statsOf(app, query)).totals.visits, 40_000)
        return scans.callCount() === before
      })
    }
  })

  test('[SHR-18] visitors that the version before has counted, and a sum of theirs without ours, change no number', async () => {
    startDay()
    const app = await newShareApp(service, TRACKING)
    const id = await app.newLink()
    const guests = [await app.guest(), await app.guest()]
    const visit = async (at: number) => (await app.visit(id, { call: guests[at]?.call ?? app.public })).body
    assert.deepEqual(await visit(0), { counted: true })
    await runVersionBefore(service, app.environmentId)
    assert.deepEqual(await visit(0), { counted: false })
    assert.deepEqual(await visit(1), { counted: true })
    const totals = { visits: 2, newPlayers: 2, plays: 0 }
    assert.deepEqual((await statsOf(app)).totals, totals)

    service.clock.advance(DAY_MS + HOUR_MS)
    await runVersionBefore(service, app.environmentId)
    await addUp()
    const { totals: afterwards, links } = await statsOf(app)
    assert.deepEqual([afterwards, links[0]?.visits], [totals, 2])
  })

  const PLAYERS = 3
  const visitor = fc.record({
    what: fc.constant('visit' as const),
    /** A player, or a browser without one. */
    who: fc.integer({ min: 0, max: 2 * PLAYERS - 1 }),
    link: fc.integer({ min: 0, max: 1 }),
    landed: fc.boolean(),
  })
  const pause = fc.record({ what: fc.constant('pause' as const), hours: fc.integer({ min: 1, max: 26 }) })
  const others = fc.constantFrom(
    { what: 'sum' as const },
    { what: 'read' as const },
    { what: 'before' as const },
  )
  const steps = fc.array(fc.oneof(visitor, visitor, visitor, pause, others), { maxLength: 30 })

  test('[SHR-16] [SHR-18] sums are those of a model, beside nodes of the version before and while days are added up', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        startDay()
        const app = await newShareApp(service, TRACKING)
        const links = [await app.newLink(), await app.newLink()]
        const guests = await Promise.all(Array.from({ length: PLAYERS }, () => app.guest()))
        const createdAt = millisecondsOf(service.clock)
        const model = createModel()
        for (const step of all) {
          if (step.what === 'pause') service.clock.advance(step.hours * HOUR_MS)
          if (step.what === 'before') await runVersionBefore(service, app.environmentId)
          // Until then the sums that the version before has kept lack what is not added up.
          if (step.what === 'before' || step.what === 'sum') await addUp()
          if (step.what !== 'visit') {
            await compare()
            continue
          }
          const { who, landed } = step
          const shareId = links[step.link] ?? ''
          const guest = guests[who]
          let headers: Record<string, string> = { 'user-agent': `${BROWSER} ${who}` }
          if (guest) {
            const { body } = await app.public('POST', '/v1/auth/refresh', {
              refreshToken: guest.refreshToken,
            })
            guest.refreshToken = body.refreshToken
            headers = { ...headers, authorization: `Bearer ${body.accessToken}` }
          }
          const isYoung = guest !== undefined && createdAt > millisecondsOf(service.clock) - DAY_MS
          const expected = model.visit({ day: today(), shareId, who, landed, isYoung })
          const { body } = await app.visit(shareId, { landed, headers })
          assert.deepEqual(body, { counted: expected })
        }
        await addUp()
        await compare()

        async function compare() {
          const { totals, days, links: listed } = await statsOf(app)
          assert.deepEqual(
            totals,
            model.sumOf(() => true),
          )
          for (const { date, ...sums } of days)
            assert.deepEqual(
              sums,
              model.sumOf(({ day }) => day === date),
            )
          for (const shareId of links) {
            const expected = model.sumOf((row) => row.shareId === shareId)
            assert.deepEqual((await statsOf(app, `?shareId=${shareId}`)).totals, expected)
            const { visits, newPlayers, plays } = listed.find((link) => link.shareId === shareId) ?? NONE
            assert.deepEqual({ visits, newPlayers, plays }, expected)
          }
        }
      }),
      { numRuns: runs(12, 200) },
    )
  })
})

const NONE: Sums = { visits: 0, newPlayers: 0, plays: 0 }
type Row = { day: string; shareId: string; who: number; landed: boolean; isNew: boolean }

/** Which visits count, without a database. */
function createModel() {
  const rows = new Map<string, Row>()
  const known = new Set<number>()
  return {
    visit({ isYoung, ...visit }: Omit<Row, 'isNew'> & { isYoung: boolean }): boolean {
      const key = JSON.stringify(visit)
      if (rows.has(key)) return false
      const isNew = visit.landed && isYoung && !known.has(visit.who)
      if (isNew) known.add(visit.who)
      rows.set(key, { ...visit, isNew })
      return true
    },
    sumOf(isCounted: (row: Row) => boolean): Sums {
      const counted = [...rows.values()].filter(isCounted)
      return {
        visits: counted.filter(({ landed }) => landed).length,
        newPlayers: counted.filter(({ isNew }) => isNew).length,
        plays: counted.filter(({ landed }) => !landed).length,
      }
    },
  }
}

/**
 * What a node of the version before leaves: its visitors of this day, who are in the sums of their links already, and sums of all links of
 * the days before, which lack the visitors who are not.
 */
async function runVersionBefore({ db, clock }: Pick<Service, 'db' | 'clock'>, environmentId: string) {
  const day = dayOf(millisecondsOf(clock))
  const visitors = await visitorsOf({ db }, environmentId)
  const keptAt = clock.now().toISOString()
  const lastOver = dayOf(millisecondsOf(clock) - DAY_MS - HOUR_MS)
  await db.transaction(async (work) => {
    for (const { shareId, kind, newPlayers } of visitors.filter((row) => row.day === day)) {
      if (newPlayers === null) continue
      const [visits, plays] = [Number(kind === 'visit'), Number(kind === 'play')]
      const one = { environmentId, shareId, day, visits, newPlayers, plays }
      await work.search((q) =>
        q
          .insertInto('sharing_days')
          .values(one)
          .onConflict((conflict) =>
            conflict.columns(['environmentId', 'shareId', 'day']).doUpdateSet((e) => ({
              visits: e('sharing_days.visits', '+', visits),
              newPlayers: e('sharing_days.newPlayers', '+', newPlayers),
              plays: e('sharing_days.plays', '+', plays),
            })),
          ),
      )
    }
    await work.search((q) =>
      q
        .updateTable('sharing_visitors')
        .set({ newPlayers: null, newBy: null })
        .where('environmentId', '=', environmentId)
        .where('day', '=', day),
    )
    const over = await work.search((q) =>
      q
        .selectFrom('sharing_days')
        .select((e) => [
          'day',
          e.fn.countAll<number>().as('links'),
          e.fn.sum<number>('visits').as('visits'),
          e.fn.sum<number>('newPlayers').as('newPlayers'),
          e.fn.sum<number>('plays').as('plays'),
        ])
        .where('environmentId', '=', environmentId)
        .where('day', '<=', lastOver)
        .groupBy('day'),
    )
    for (const sum of [{ day: lastOver, links: 0, ...NONE }, ...over].toReversed())
      await work.search((q) =>
        q
          .insertInto('sharing_sums')
          .values({ environmentId, keptAt, ...sum })
          .onConflict((conflict) => conflict.columns(['environmentId', 'day']).doNothing()),
      )
  })
}
