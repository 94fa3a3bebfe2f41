import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'
import pg from 'pg'

import { rankedStat } from '../../platform/ports/ranking.ts'
import { newBoardGame } from '../../testing/leaderboards.ts'
import { sentBy } from '../../testing/sent-statements.ts'
import { suite } from '../../testing/suite.ts'
import { joinAge } from '../moderation/index.ts'
import { joinPlayer } from '../players/index.ts'
import { createStatStore } from '../stats/store.ts'
import { createEntryStore, type JoinProfile } from './entries-store.ts'

const ENTRIES = 3_000
const BOARD = 900_001
/** So many that reading all of them costs more than reading those of a page. */
const PLAYERS = 30_000

const joinProfile: JoinProfile = (rows) => joinAge(joinPlayer(rows))

suite('queries of leaderboards', {}, ({ service, engine }) => {
  const raw = <R>(sql: string, values: unknown[] = []) =>
    service.db.transaction((transaction) =>
      transaction.search<R>(() => ({ compile: () => CompiledQuery.raw(sql, values) as CompiledQuery<R> })),
    )

  /** As PostgreSQL does by itself after that many writes. */
  async function vacuum() {
    if (engine === 'sqlite') return raw('analyze')
    const client = new pg.Client({ connectionString: service.postgres?.url ?? '' })
    await client.connect()
    await client.query('vacuum analyze stats, players, moderation_ages')
    return client.end()
  }

  test('[LDB-18] every read of a board uses its index, without a sort and without parallel workers', async () => {
    await newBoardGame(service)
    const one = (values: string) =>
      `insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month, "allTime", daily, weekly, monthly, "updatedAt", "dailyBoard", "dailyRanked", "dailyTie") values ${values}`
    for (let from = 0; from < ENTRIES; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => {
        const index = from + at
        const value = (index * 7_919) % 1_000
        return `('env_plan', 'ply_${String(index).padStart(6, '0')}', 'best', 'max', 'UTC', '', '', '', ${value}, ${value}, ${value}, ${value}, '', ${BOARD}, ${value}, ${-index})`
      })
      await raw(one(rows.join()))
    }
    const numbers = `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${PLAYERS})`
    const idOf = engine === 'sqlite' ? `printf('ply_%06d', n)` : `'ply_' || to_char(n, 'FM000000')`
    await raw(
      `insert into players ("environmentId", id, "displayName", "searchName", "createdAt", "lastSeenAt") ${numbers} select 'env_plan', ${idOf}, 'Player', 'player', '', '' from numbers`,
    )
    await raw(
      `insert into moderation_ages ("environmentId", "playerId", declared, "updatedAt") ${numbers} select 'env_plan', ${idOf}, 'adult', '' from numbers`,
    )
    await vacuum()

    for (const direction of ['desc', 'asc'] as const) {
      const board = { id: BOARD, environmentId: 'env_plan', period: 'daily' as const, direction }
      const mine = { value: 500, tie: -100, playerId: 'ply_000100' }
      const sent = await sentBy(service.db, async (db) => {
        const entries = createEntryStore(db, joinProfile)
        await entries.top(board, 100)
        await entries.after(board, mine, 26)
        await entries.before(board, mine, 25)
        await entries.countBetter(board, mine, 6_000)
        await entries.countWorse(board, mine, 1_000)
        await entries.countBetween(
          board,
          { value: direction === 'desc' ? 700 : 300, tie: -5, playerId: '' },
          mine,
        )
        await entries.step(board, undefined, 999)
        await entries.step(board, mine, 999)
        await entries.count(board, 5_001)
      })
      assert.equal(sent.length, 9)
      for (const { sql, values } of sent) {
        const explain = engine === 'sqlite' ? 'explain query plan ' : 'explain '
        const plan = (await raw<Record<string, string>>(`${explain}${sql}`, values))
          .map((row) => row['detail'] ?? row['QUERY PLAN'])
          .join('\n')
        assert.match(
          plan,
          /COVERING INDEX stats_daily|Index Only Scan (Backward )?using stats_daily/,
          `${sql}\n${plan}`,
        )
        assert.doesNotMatch(
          plan,
          /\bSCAN stats\b|TEMP B-TREE|Seq Scan|Sort|Gather|Workers/,
          `${sql}\n${plan}`,
        )
      }
    }
  })

  test('[LDB-18] a report without a leaderboard runs the statement without boards', async () => {
    const periods = { zone: 'UTC', day: '2026-01-01', week: '2026-W01', month: '2026-01' }
    const accepted = [
      { key: 'a', value: 1, aggregation: 'sum' as const },
      { key: 'b', value: 2, aggregation: 'max' as const },
    ]
    const now = '2026-01-01T00:00:00.000Z'
    const plain = await sentBy(service.db, (db) =>
      createStatStore(db).of('env_plain', 'ply_plain').combine(accepted, periods, now),
    )
    assert.equal(plain.length, 1)
    assert.doesNotMatch(plain[0]?.sql ?? '', /Board|Ranked|Tie|hidden|resetAt/)

    const ranked = await sentBy(service.db, (db) =>
      createStatStore(db)
        .of('env_plain', 'ply_plain')
        .combine(accepted, periods, now, {
          reachedAt: 5,
          hidden: null,
          isVerified: false,
          of: new Map([
            [
              'a',
              rankedStat({ direction: 'desc', verifiedFrom: null, boards: { weekly: 9 }, resetAt: null }),
            ],
          ]),
        }),
    )
    assert.match(ranked[0]?.sql ?? '', /weeklyBoard.*weeklyTie/s)
    assert.doesNotMatch(ranked[0]?.sql ?? '', /dailyBoard|monthlyBoard|allTimeBoard/)
  })

  if (engine === 'postgres')
    test('[LDB-18] PostgreSQL updates values that are on no board without touching an index', async () => {
      const periods = { zone: 'UTC', day: '2026-01-01', week: '2026-W01', month: '2026-01' }
      const accepted = [
        { key: 'a', value: 1, aggregation: 'sum' as const },
        { key: 'b', value: 2, aggregation: 'last' as const },
      ]
      const updates = await service.db.transaction(async (transaction) => {
        const stats = createStatStore(service.db).in(transaction).of('env_hot', 'ply_hot')
        for (const now of ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'])
          await stats.combine(accepted, periods, now)
        return transaction.search(() => ({
          compile: () =>
            CompiledQuery.raw(
              `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relname = 'stats'`,
            ) as CompiledQuery<{ all: number; hot: number }>,
        }))
      })
      assert.deepEqual(updates, [{ all: 2, hot: 2 }])
    })
})
