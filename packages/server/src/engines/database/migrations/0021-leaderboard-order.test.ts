import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { createStoppedClock } from '../../../platform/clock.ts'
import { newPostgresDatabase } from '../../../testing/databases.ts'
import { openDatabase } from '../open.ts'
import { migrations } from './index.ts'

const board = (id: number, label: string, closedAt: string | null) =>
  `(${id}, 'env_1', 'best', 'daily', '${label}', 'desc', 'x', '2026-01-01T00:00:00.000Z', ${closedAt === null ? 'null' : `'${closedAt}'`}, '[[5,1]]')`

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`[LDB-03] [LDB-12] boards of an earlier version keep their entries; closed ones count as turned off, on ${engine}`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-migration-'))
    t.after(() => rmSync(dataDir, { recursive: true }))
    const postgres = engine === 'postgres' ? await newPostgresDatabase({ migrated: false }) : undefined
    if (postgres) t.after(postgres.remove)
    const open = (known: typeof migrations) =>
      openDatabase({
        url: postgres?.url,
        dataDir,
        clock: createStoppedClock(),
        log: () => {},
        migrations: known,
      })
    const earlier = await open(migrations.filter(({ name }) => name < '0021'))
    const insert = (text: string) =>
      earlier.transaction((transaction) =>
        transaction.search(() => ({ compile: () => CompiledQuery.raw(text) })),
      )
    await insert(`insert into stats_boards
      (id, "environmentId", key, period, label, direction, signature, "createdAt", "closedAt", checkpoint) values
      ${board(1, '2026-01-01', '2026-01-02T00:00:00.000Z')}, ${board(2, '2026-01-02', null)}`)
    const player = (id: string) =>
      `('env_1', '${id}', 'best', 'max', 5, 5, 5, 5, 'UTC', '2026-01-02', '', '', '2026-01-02T01:00:00.000Z', 2, 5, -7)`
    await insert(`insert into stats
      ("environmentId", "playerId", key, aggregation, "allTime", daily, weekly, monthly, zone, day, week, month, "updatedAt",
       "dailyBoard", "dailyRanked", "dailyTie") values ${['ply_2', 'ply_1', 'ply_3'].map(player).join()}`)
    await earlier.close()

    const now = await open(migrations)
    t.after(() => now.close())

    assert.deepEqual(
      await now.search((q) =>
        q
          .selectFrom('stats_boards')
          .select(['id', 'closedAt', 'retiredAt', 'verifiedFrom', 'checkpoint'])
          .orderBy('id'),
      ),
      [
        {
          id: 1,
          closedAt: '2026-01-02T00:00:00.000Z',
          retiredAt: '2026-01-02T00:00:00.000Z',
          verifiedFrom: null,
          checkpoint: null,
        },
        { id: 2, closedAt: null, retiredAt: null, verifiedFrom: null, checkpoint: null },
      ],
    )
    const entries = await now.search((q) =>
      q
        .selectFrom('stats')
        .select('playerId')
        .where('dailyBoard', '=', 2)
        .orderBy('dailyRanked', 'desc')
        .orderBy('dailyTie', 'desc')
        .orderBy('playerId', 'desc'),
    )
    assert.deepEqual(
      entries.map(({ playerId }) => playerId),
      ['ply_3', 'ply_2', 'ply_1'],
    )
  })
}
