import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import fc from 'fast-check'

import { MINUTE_MS } from '../../platform/clock.ts'
import { rankedStat } from '../../platform/ports/ranking.ts'
import { dayAt } from '../../platform/time/periods.ts'
import { type BoardGame, newBoardGame, type Row, type StatsPlayer } from '../../testing/leaderboards.ts'
import { runs } from '../../testing/runs.ts'
import { type Answer, engines, type Service, startService } from '../../testing/service.ts'
import { createStatStore } from '../stats/store.ts'
import { createBoardStore } from './boards-store.ts'

const AGGREGATIONS = { total: 'sum', best: 'max', fastest: 'min', level: 'latest' } as const
type Key = keyof typeof AGGREGATIONS
const KEYS = Object.keys(AGGREGATIONS) as Key[]
type Period = 'allTime' | 'daily'
const ASCENDING = new Set<Key>(['fastest'])
const CONFIG = {
  features: { stats: true },
  stats: KEYS.map((key) => ({
    key,
    aggregation: AGGREGATIONS[key],
    leaderboard: { periods: ['daily', 'allTime'] },
  })),
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

const OTHERS = 6_000
const ACTIVE = 8
/** Reports since the last checkpoint: a rank below place 5,000 may differ by this much. */
const DRIFT_MAX = 60

const FOLDS = {
  sum: (stored: number, value: number) => stored + value,
  max: Math.max,
  min: Math.min,
  latest: (_: number, value: number) => value,
}

type Value = { value: number; reached: number }
type ModelRow = {
  allTime?: Value
  daily?: Value
  day: string
  zone: string
  isOn: boolean
  isHidden: boolean
}
type ModelPlayer = { isBanned: boolean; hasLeft: boolean; rows: Map<Key, ModelRow> }

/** A very simple implementation of leaderboards: all values, sorted. */
function createModel() {
  const players = new Map<string, ModelPlayer>()
  let reports = 0

  const isBetter = (key: Key, a: Value, b: Value) =>
    a.value === b.value ? a.reached - b.reached : ASCENDING.has(key) ? a.value - b.value : b.value - a.value
  const combined = (key: Key, stored: Value | undefined, value: number): Value => {
    const next = stored ? FOLDS[AGGREGATIONS[key]](stored.value, value) : value
    return stored && stored.value === next ? stored : { value: next, reached: reports }
  }
  const of = (id: string) => {
    const known = players.get(id) ?? { isBanned: false, hasLeft: false, rows: new Map() }
    players.set(id, known)
    return known
  }

  return {
    of,
    remove: (id: string) => void players.delete(id),
    report(id: string, report: Partial<Record<Key, number>>, zone: string, day: string) {
      reports++
      const player = of(id)
      for (const [key, value] of Object.entries(report) as [Key, number][]) {
        const before = player.rows.get(key)
        const isSamePeriod = before?.zone === zone && before.day === day
        const isHidden = before?.isHidden ?? false
        player.rows.set(key, {
          allTime: combined(key, before?.allTime, value),
          daily: combined(key, isSamePeriod ? before.daily : undefined, value),
          day,
          zone,
          isOn: !isHidden && !player.hasLeft,
          isHidden,
        })
      }
    },
    leave(id: string) {
      for (const row of of(id).rows.values()) row.isOn = false
    },
    hide(id: string, key: Key, isHidden: boolean) {
      const rows = of(id).rows
      const row = rows.get(key) ?? { day: '', zone: '', isOn: false, isHidden }
      rows.set(key, { ...row, isHidden, isOn: row.isOn && !isHidden })
    },
    /** Keeps only whether the player is hidden. */
    erase(id: string, key: Key) {
      const isHidden = of(id).rows.get(key)?.isHidden ?? false
      of(id).rows.set(key, { day: '', zone: '', isOn: false, isHidden })
    },
    ids: () => [...players.keys()],
    board(key: Key, period: Period, zone: string, day: string) {
      const found: { id: string; value: number; reached: number }[] = []
      for (const [id, { rows }] of players) {
        const row = rows.get(key)
        const value = row?.[period]
        if (!row?.isOn || !value || (period === 'daily' && (row.zone !== zone || row.day !== day))) continue
        found.push({ id, ...value })
      }
      return found.toSorted((a, b) => isBetter(key, a, b))
    },
  }
}

type Step =
  | { report: [who: number, Partial<Record<Key, number>>] }
  | { does: 'ban' | 'leave' | 'delete'; who: number }
  | { hides: [who: number, Key] }
  | { removes: [who: number, Key] }
  | { resets: Key }
  | { midnight: true }
  | { zone: string }

const who = fc.nat({ max: ACTIVE - 1 })
const small = fc.integer({ min: -3, max: 3 })
const total = fc.oneof(small, fc.integer({ min: -6_000, max: 6_000 }))
const reports = fc.record({ total, best: small, fastest: small, level: small }, { requiredKeys: [] })
const keys = fc.constantFrom(...KEYS)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ report: fc.tuple(who, reports) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('ban', 'leave', 'delete'), who }) },
  { weight: 2, arbitrary: fc.record({ hides: fc.tuple(who, keys) }) },
  { weight: 1, arbitrary: fc.record({ removes: fc.tuple(who, keys) }) },
  { weight: 1, arbitrary: fc.record({ resets: fc.constantFrom('best', 'fastest', 'level') }) },
  { weight: 1, arbitrary: fc.record({ midnight: fc.constant(true as const) }) },
  { weight: 1, arbitrary: fc.record({ zone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Havana') }) },
)
const scripts = fc.array(
  fc.record({ step: steps, looks: fc.tuple(who, keys, fc.constantFrom('allTime', 'daily')) }),
  {
    minLength: 6,
    maxLength: 14,
  },
)

for (const engine of engines) {
  describe(`leaderboards compared with a sorted array on ${engine}`, () => {
    const model = createModel()
    const active: StatsPlayer[] = []
    let service: Service
    let game: BoardGame
    let zone = 'UTC'

    const today = () => dayAt(zone, service.clock.now().getTime()).day
    const playerAt = (index: number) => active[index] ?? assert.fail('no such player')

    before(async () => {
      service = await startService(engine)
      game = await newBoardGame(service, CONFIG)
      active.push(...(await game.players(ACTIVE)))
      // Opens the boards for the other players.
      await playerAt(0).submit({ total: 0 })
      model.report(playerAt(0).id, { total: 0 }, zone, today())
      await addOthers()
    })
    after(() => service.stop())

    /** Written through the store: 6,000 sign-ups would take minutes. */
    async function addOthers() {
      const boards = await createBoardStore(service.db).open(game.environmentId)
      const idOf = (period: string) =>
        boards.find((board) => board.key === 'total' && board.period === period)?.id ?? assert.fail()
      const ranked = rankedStat({
        direction: 'desc',
        verifiedFrom: null,
        boards: { allTime: idOf('allTime'), daily: idOf('daily') },
        resetAt: null,
      })
      const periods = dayAt(zone, service.clock.now().getTime())
      const now = service.clock.now().toISOString()
      const store = createStatStore(service.db)
      for (let from = 0; from < OTHERS; from += 200) {
        const some = Array.from({ length: 200 }, (_, at) => from + at)
        for (const index of some) model.report(otherId(index), { total: valueOf(index) }, zone, today())
        await Promise.all(
          some.map((index) =>
            store
              .of(game.environmentId, otherId(index))
              .combine([{ key: 'total', value: valueOf(index), aggregation: 'sum' }], periods, now, {
                reachedAt: service.clock.now().getTime() * 1_024 + index + 10,
                hidden: null,
                isVerified: false,
                of: new Map([['total', ranked]]),
              }),
          ),
        )
        await service.db.transaction(async (transaction) => {
          for (const index of some)
            await transaction.search((q) =>
              q.insertInto('players').values({
                environmentId: game.environmentId,
                id: otherId(index),
                displayName: `Other ${index}`,
                searchName: `other ${index}`,
                email: null,
                emailLinkedAt: null,
                emailVerifiedAt: null,
                passwordHash: null,
                createdAt: now,
                lastSeenAt: now,
                bannedUntil: null,
                leaderboardsHidden: 0,
              }),
            )
        })
      }
    }

    async function take(step: Step) {
      // A reset and a report must not have the same millisecond.
      service.clock.advance(10)
      if ('report' in step) {
        const [index, report] = step.report
        const player = playerAt(index)
        const { status } = await player.submit(report)
        // The access token of a banned player is not renewed, so it may have expired, too.
        if (model.of(player.id).isBanned) assert.ok([401, 403].includes(status))
        else assert.equal(status, 200)
        if (status === 200) model.report(player.id, report, zone, today())
      } else if ('does' in step) await doOf(playerAt(step.who), step.does, step.who)
      else if ('hides' in step) {
        const [index, key] = step.hides
        const { id } = playerAt(index)
        const hidden = !(model.of(id).rows.get(key)?.isHidden ?? false)
        await done(game.admin('PUT', `${key}/entries/${id}`, { hidden }))
        model.hide(id, key, hidden)
      } else if ('removes' in step) {
        const [index, key] = step.removes
        await done(game.admin('DELETE', `${key}/entries/${playerAt(index).id}`))
        model.erase(playerAt(index).id, key)
      } else if ('resets' in step) {
        await done(game.admin('POST', `${step.resets}/reset`))
        for (const id of model.ids()) model.erase(id, step.resets)
      } else if ('midnight' in step) await passMidnight()
      else {
        await game.push({ ...CONFIG, resetTimeZone: step.zone })
        zone = step.zone
        for (const key of KEYS) await game.list(key)
      }
      await service.background.drained()
    }

    async function doOf({ id, call }: StatsPlayer, what: 'ban' | 'leave' | 'delete', index: number) {
      const player = model.of(id)
      if (what === 'ban') {
        const change = player.isBanned ? 'unban' : 'ban'
        await done(game.development.server('POST', `/v1/admin/players/${id}/${change}`))
        if (player.isBanned) await playerAt(index).renew()
        player.isBanned = !player.isBanned
        if (player.isBanned) model.leave(id)
      } else if (what === 'leave' && !player.isBanned) {
        player.hasLeft = !player.hasLeft
        await done(call('PUT', '/v1/x/players/me/leaderboards', { visible: !player.hasLeft }))
        if (player.hasLeft) model.leave(id)
      } else if (what === 'delete') {
        await done(game.development.server('POST', `/v1/admin/players/${id}/delete`))
        model.remove(id)
        active[index] = await game.player()
      }
    }

    async function passMidnight() {
      const day = today()
      const expected = KEYS.map((key) => [key, model.board(key, 'daily', zone, day).slice(0, 100)] as const)
      // Reads the board of this day, in case there was no report.
      for (const key of KEYS) await game.list(key)
      const { endsAtMs } = dayAt(zone, service.clock.now().getTime())
      service.clock.advance(endsAtMs - service.clock.now().getTime())
      for (const player of active) if (!model.of(player.id).isBanned) await player.renew()
      for (const key of KEYS) assert.equal((await game.list(key)).label, today())
      for (const [key, winners] of expected) {
        const { entries } = await game.list(key, `?at=${day}&limit=100`)
        assert.deepEqual(rowsOf(entries), rowsOfModel(winners), `winners of ${key}`)
      }
    }

    async function look(index: number, key: Key, period: Period) {
      const expected = model.board(key, period, zone, today())
      const { entries } = await game.list(key, `?period=${period}&limit=100`)
      assert.deepEqual(rowsOf(entries), rowsOfModel(expected.slice(0, 100)), `${key} ${period}`)

      const player = playerAt(index)
      if (model.of(player.id).isBanned) return
      const { body } = await player.call('GET', `/v1/x/leaderboards/${key}/me?period=${period}&around=3`)
      const at = expected.findIndex(({ id }) => id === player.id)
      if (at < 0) {
        assert.equal(body.entry, null)
        return
      }
      assert.equal(body.entry.value, expected[at]?.value)
      if (body.entry.exact) assert.equal(body.entry.rank, at + 1)
      else {
        assert.ok(at + 1 > 5_000 - DRIFT_MAX, `place ${at + 1} is not exact`)
        assert.ok(Math.abs(body.entry.rank - at - 1) <= DRIFT_MAX, `${body.entry.rank}, not ${at + 1}`)
      }
      const around = expected.slice(Math.max(0, at - 3), at + 4)
      assert.deepEqual(
        body.around.map(({ playerId }: Row) => playerId),
        around.map(({ id }) => id),
      )
    }

    test('[LDB-03] [LDB-04] [LDB-11] every list and rank equals that of the sorted values', async () => {
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          for (const player of active) if (!model.of(player.id).isBanned) await player.renew()
          for (const { step, looks } of script) {
            await take(step)
            const [index, key, period] = looks
            await look(index, key, period as Period)
            await look(index, 'total', 'allTime')
          }
        }),
        { numRuns: runs(4, 120), endOnFailure: true },
      )
    })

    test('[LDB-04] ranks are exact up to place 5,000, and approximate below it', async () => {
      const player = await game.player()
      const others = model.board('total', 'allTime', zone, today()).length
      assert.ok(others > 5_000)
      let reported = 0
      const seen = { exact: 0, fromCheckpoint: 0 }
      const me = () => player.call('GET', '/v1/x/leaderboards/total/me?period=allTime')
      for (const value of [OTHERS, 1_200, 1_000, 990, 500, 1, -100_000]) {
        // Starts a checkpoint that may not contain the report, and is as old as its start.
        service.clock.advance(5 * MINUTE_MS)
        await me()
        await player.submit({ total: value - reported })
        model.report(player.id, { total: value - reported }, zone, today())
        reported = value
        // A checkpoint is old after 100 times what it cost, which is much on a busy machine.
        service.clock.advance(5 * MINUTE_MS)
        // The first request starts a new checkpoint, the second one uses it.
        for (let time = 0; time < 2; time++) {
          await me()
          await service.background.drained()
          service.clock.advance(1_000)
        }
        const { entry, count } = (await me()).body
        const rank =
          model.board('total', 'allTime', zone, today()).findIndex(({ id }) => id === player.id) + 1
        assert.deepEqual([entry.rank, entry.exact], [rank, rank <= 5_000], `value ${value}`)
        assert.equal(count, others + 1)
        seen[entry.exact ? 'exact' : 'fromCheckpoint']++
        await player.renew()
      }
      assert.ok(seen.exact >= 2 && seen.fromCheckpoint >= 4, JSON.stringify(seen))
    })

    test('[LDB-20] ranks and lists that were read while the clock was ahead are not kept', async () => {
      const player = await game.player()
      await player.submit({ total: -1_000_000 })
      /** When the ranks were counted that the second request uses. */
      async function rankedAt() {
        const { body } = await player.call('GET', '/v1/x/leaderboards/total/me?period=allTime')
        assert.ok(body.entry.rank > 5_000)
        const [board] = await service.db.search((q) =>
          q
            .selectFrom('leaderboards')
            .select('checkpointAt')
            .where((e) => e.and({ environmentId: game.environmentId, key: 'total', period: 'allTime' })),
        )
        return board?.checkpointAt ?? ''
      }
      const aheadMs = 5 * 24 * 60 * MINUTE_MS
      service.clock.step(aheadMs)
      await player.renew()
      for (let time = 0; time < 2; time++) {
        await rankedAt()
        await service.background.drained()
      }
      await game.list('total', '?period=allTime&limit=1')
      const ahead = service.clock.now().toISOString()
      assert.ok((await rankedAt()) > ahead.slice(0, 10))

      service.clock.step(-aheadMs)
      assert.ok((await rankedAt()) < ahead.slice(0, 10))
      const value = 1_000_000_000
      await player.submit({ total: value })
      const [best] = (await game.list('total', '?period=allTime&limit=1')).entries
      assert.equal(best?.playerId, player.id)
      model.report(player.id, { total: value - 1_000_000 }, zone, today())
    })

    test('[LDB-15] a reset of 6,000 entries empties the board immediately', async () => {
      service.clock.advance(10)
      await game.admin('POST', 'total/reset')
      const list = await game.list('total', '?period=allTime')
      assert.deepEqual([list.entries, list.count], [[], 0])
      await service.background.drained()
    })
  })
}

/** The model changes only if the service does. */
async function done(answer: Promise<Answer>) {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
}
const otherId = (index: number) => `ply_other${String(index).padStart(6, '0')}`
/** Each value occurs a few times. */
const valueOf = (index: number) => Math.floor(((index * 7_919) % OTHERS) / 3) * 3 + 1
const rowsOf = (entries: Row[]) => entries.map(({ rank, playerId, value }) => [rank, playerId, value])
const rowsOfModel = (board: { id: string; value: number }[]) =>
  board.map(({ id, value }, at) => [at + 1, id, value])
