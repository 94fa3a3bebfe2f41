import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import type { Reply } from './thread.ts'
import { isDiskFull, restartWal } from './wal.ts'

/**
 * The worker thread that moves pages from the write-ahead log into the database file: syncing would block the main thread.
 *
 * The first write after a WAL reset syncs the header, which would block the main thread. `readLock` keeps a read transaction open
 * so that SQLite cannot reset the WAL; it is released only in `truncate`, while the main thread waits and this worker does that
 * first write.
 */
const path = workerData as string
let connections: { database: DatabaseSync; readLock: DatabaseSync } | undefined

const tasks = {
  /** Copies the log into the database file; writers continue. */
  copy() {
    const { database, readLock } = open()
    acquireReadLock(readLock)
    database.exec('pragma wal_checkpoint(passive)')
    return true
  },

  /**
   * Copies the rest and truncates the log while the writers wait. Returns false if another process still reads the log, or the disk
   * is full.
   */
  truncate() {
    const { database, readLock } = open()
    releaseReadLock(readLock)
    try {
      return restartWal(database)
    } catch (error) {
      // Nothing was lost: what could not be copied is still in the log.
      if (isDiskFull(error)) return false
      throw error
    } finally {
      acquireReadLock(readLock)
    }
  },

  release() {
    connections?.readLock.close()
    connections?.database.close()
    connections = undefined
    return true
  },
}

export type CheckpointTask = keyof typeof tasks

function open() {
  if (connections) return connections
  const database = new DatabaseSync(path, { timeout: 250 })
  database.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')
  connections = { database, readLock: new DatabaseSync(path, { readOnly: true, timeout: 250 }) }
  return connections
}

function acquireReadLock(readLock: DatabaseSync) {
  releaseReadLock(readLock)
  readLock.exec('begin; select count(*) from sqlite_schema')
}

function releaseReadLock(readLock: DatabaseSync) {
  if (readLock.isTransaction) readLock.exec('rollback')
}

parentPort?.on('message', (task: CheckpointTask) => {
  let reply: Reply<boolean>
  try {
    reply = { result: tasks[task]() }
  } catch (error) {
    reply = { failed: String(error) }
  }
  parentPort?.postMessage(reply)
})
