import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import type { Value } from '../statement.ts'
import type { Reply } from './thread.ts'

/** The worker thread of `scans.ts`. Each scan is a transaction of its own, so it sees every acknowledged write. */
export type ScanTask = { sql: string; parameters: Value[] }

type Rows = Record<string, Value>[]

const database = new DatabaseSync(workerData as string, { readOnly: true, timeout: 250 })
database.exec('pragma cache_size = -16000; pragma case_sensitive_like = on')
/** There are few, and each is the same text at every call. */
const statements = new Map<string, StatementSync>()

function prepared(sql: string): StatementSync {
  const known = statements.get(sql)
  if (known) return known
  const statement = database.prepare(sql)
  statements.set(sql, statement)
  return statement
}

parentPort?.on('message', ({ sql, parameters }: ScanTask) => {
  let reply: Reply<Rows>
  try {
    reply = { result: prepared(sql).all(...parameters) as Rows }
  } catch (error) {
    reply = { failed: String(error) }
  }
  parentPort?.postMessage(reply)
})
