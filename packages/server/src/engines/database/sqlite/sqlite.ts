import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { epochMs } from '../../../platform/clock.ts'
import { createBackgroundTurns } from '../background-turns.ts'
import type { Database, Queries } from '../database.ts'
import { Overdue } from '../overdue.ts'
import type { Prepared } from '../statement.ts'
import { gatherStatements } from './batch.ts'
import { planOf, unavailable } from './connection.ts'
import { type FileOptions, openFile } from './file.ts'
import { createReads } from './reads.ts'
import { SMALLEST_WRITE } from './wal.ts'
import { createWrites } from './writes.ts'

export type SqliteOptions = FileOptions & { path: string }

/**
 * One file, one process. Reads have their own connection, so that they never see an open transaction; they may see a commit that is
 * not synced yet.
 */
export function openSqlite({ path, ...options }: SqliteOptions): Database {
  const lock = lockFile(path)
  const file = openOrUnlock(lock, () => openFile(path, options))
  const { read, end: endSnapshot } = createReads(file)
  const writes = createWrites(file, endSnapshot)
  const inTurn = createBackgroundTurns()
  const overdue = new Overdue()
  let closed: Promise<void> | undefined

  const queries = {
    async first(statement, values) {
      const plan = planOf(statement)
      if (plan.writes) return writes.write({ how: 'first', plan, values })
      return read((reader) => reader.first(plan, values))
    },

    async all(statement, values) {
      const plan = planOf(statement)
      if (plan.writes) return writes.write({ how: 'all', plan, values })
      return read((reader) => reader.all(plan, values))
    },

    run: async (statement, values) => writes.write({ how: 'run', plan: planOf(statement), values }),
    search: async (build) => read((reader) => reader.search(build)),
  } as Queries

  async function pipelined<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const { statements, result, results } = gatherStatements(work)
    const written = writes.write<unknown[]>({ statements })
    written.then(results.resolve, results.reject)
    results.promise.catch(() => {})
    const [answer] = await Promise.all([result, written])
    return answer
  }

  async function close() {
    await writes.close()
    endSnapshot()
    await file.close()
    lock.close()
  }

  return {
    ...queries,
    engine: 'sqlite',
    standby: () => 'unknown',
    metrics: [...file.metrics, writes.waits, overdue],
    overdue,
    async scan(statement, values) {
      const { sql, bind } = planOf(statement)
      return file.scan(sql, bind(values))
    },
    databaseNowMs: epochMs,
    transaction: (work) => writes.write(work),
    pipelined,
    inBackground: (work) => inTurn(() => writes.write(work)),
    // Transactions run one at a time, so every key is locked.
    exclusively: (_key, work) => writes.write(work),

    async ping() {
      if (writes.failure) throw unavailable(writes.failure)
      read((reader) => reader.native.exec('select count(*) from sqlite_schema'))
    },

    requireWritable: () => writes.write({ how: 'run', plan: PROBE, values: {} }),

    close: () => (closed ??= close()),
  }
}

const PROBE: Prepared = { sql: SMALLEST_WRITE, writes: true, bind: () => [] }

function openOrUnlock<T>(lock: DatabaseSync, open: () => T): T {
  try {
    return open()
  } catch (error) {
    lock.close()
    throw error
  }
}

/** The lock is held on a second, empty SQLite file: it is a lock of the operating system, which ends with the process. */
function lockFile(path: string): DatabaseSync {
  createPrivate(`${path}.lock`)
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return lock
  } catch (cause) {
    lock.close()
    throw new Error(
      `${path} is in use by another server process. Stop that one first; to run several, set DATABASE_URL to a PostgreSQL database.`,
      { cause },
    )
  }
}

/**
 * SQLite would let every account read the file, and who may read it may lock it. An existing file is not even opened: closing it would
 * end the locks that this process has on it.
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
