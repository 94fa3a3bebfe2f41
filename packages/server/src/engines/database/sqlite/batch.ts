import { setTimeout as sleep } from 'node:timers/promises'

import type { Queries, Transaction } from '../database.ts'
import type { Prepared, Values } from '../statement.ts'
import type { InTurn } from '../turns.ts'
import { withTimeout } from '../with-timeout.ts'
import { toApiError, type Connection, isBusy, planOf } from './connection.ts'

export type Work = (transaction: Transaction) => Promise<unknown>
export type SingleStatement = { how: 'first' | 'all' | 'run'; plan: Prepared; values: Values }

/** Statements of one transaction whose results do not depend on each other. */
export type Together = { statements: ((connection: Connection) => unknown)[] }

export type Job = InTurn & {
  task: SingleStatement | Together | Work
  result: unknown
  queuedAtMs: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

const BUSY_TIMEOUT_MS = 5_000
const BUSY_RETRY_MS = 20
const WORK_TIMEOUT_MS = 10_000

/**
 * Runs the jobs in one transaction and commits it. A job that throws is rolled back alone; the other jobs are returned. Statements that
 * are sent together have no savepoint, because it takes as long as two inserts (40 µs): if one fails, all is rolled back, and the
 * other jobs run again, now with savepoints, so that a batch runs twice at most.
 */
export async function commitBatch(
  connection: Connection,
  jobs: readonly Job[],
  hasSavepoints = false,
): Promise<Job[]> {
  const done: Job[] = []
  await begin(connection)
  try {
    for (const job of jobs) {
      try {
        const { task } = job
        if (typeof task === 'function') job.result = await change(connection, task)
        else if ('statements' in task)
          job.result = hasSavepoints
            ? await change(connection, async () => runAll(connection, task))
            : runAll(connection, task)
        else job.result = connection[task.how](task.plan, task.values)
        done.push(job)
      } catch (error) {
        // A full or failing disk rolls back the whole transaction.
        if (!connection.native.isTransaction) throw error
        job.reject(toApiError(error))
        if ('statements' in job.task && !hasSavepoints) {
          connection.control('rollback')
          return await commitBatch(connection, [...done, ...jobs.slice(jobs.indexOf(job) + 1)], true)
        }
      }
    }
    connection.control('commit')
    return done
  } catch (error) {
    if (connection.native.isTransaction) connection.control('rollback')
    throw error
  }
}

const runAll = (connection: Connection, { statements }: Together): unknown[] =>
  statements.map((run) => run(connection))

/** Only another process can lock the file here, such as a backup or a shell. */
async function begin(connection: Connection): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
    try {
      return connection.control('begin immediate')
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error
    }
    await sleep(BUSY_RETRY_MS)
  }
}

async function change(connection: Connection, work: Work): Promise<unknown> {
  const { transaction, end } = openTransaction(connection)
  connection.control('savepoint job')
  try {
    const result = await withTimeout(work(transaction), WORK_TIMEOUT_MS)
    connection.control('release job')
    return result
  } catch (error) {
    if (connection.native.isTransaction) connection.control('rollback to job')
    if (connection.native.isTransaction) connection.control('release job')
    throw error
  } finally {
    end()
  }
}

function openTransaction(connection: Connection): { transaction: Transaction; end: () => void } {
  let open = true
  const use = () => {
    if (!open) throw new Error('this transaction has ended')
    return connection
  }

  const transaction = {
    first: async (statement, values) => use().first(planOf(statement), values),
    all: async (statement, values) => use().all(planOf(statement), values),
    run: async (statement, values) => use().run(planOf(statement), values),
    search: async (build) => use().search(build),
    // SQLite allows only one writer at a time anyway.
    lock: async () => void use(),
  } as Transaction

  return { transaction, end: () => void (open = false) }
}

/** The statements that `work` sends before its first `await`, and the result of `work` once they have run. */
export function gatherStatements<T>(work: (queries: Queries) => Promise<T>) {
  const statements: Together['statements'] = []
  const results = Promise.withResolvers<unknown[]>()
  let isOpen = true
  async function gather(run: (connection: Connection) => unknown): Promise<unknown> {
    if (!isOpen) throw new Error('this transaction has ended: its statements are sent before one is awaited')
    const at = statements.push(run) - 1
    return (await results.promise)[at]
  }

  const result = work({
    first: (statement, values) => gather((connection) => connection.first(planOf(statement), values)),
    all: (statement, values) => gather((connection) => connection.all(planOf(statement), values)),
    run: (statement, values) => gather((connection) => connection.run(planOf(statement), values)),
    search: (build) => gather((connection) => connection.search(build)),
  } as Queries)
  isOpen = false
  return { statements, result, results }
}
