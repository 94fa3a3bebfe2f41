import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import { isDiskFull, restartWal } from './sqlite-wal.ts'

/**
 * The worker thread that moves pages from the write-ahead log into the database file: it syncs, so it may not be the main thread.
 *
 * The first write into an emptied log syncs its header. Lest that write be one of the main thread, `readLock` holds a read mark, under
 * which SQLite never empties the log, and it is let go only in `truncate`, where the main thread waits and the first write is ours.
 */
const path = workerData as string
let connections: { database: DatabaseSync; readLock: DatabaseSync } | undefined

const tasks = {
  /** Copies what there is; writers go on. */
  copy() {
    const { database, readLock } = open()
    acquireReadLock(readLock)
    database.exec('pragma wal_checkpoint(passive)')
    return true
  },

  /** Copies the rest and empties the log; writers wait. False when another process still reads the log, or the disk is full. */
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
export type CheckpointReply = { done: boolean } | { failed: string }

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
  let reply: CheckpointReply
  try {
    reply = { done: tasks[task]() }
  } catch (error) {
    reply = { failed: String(error) }
  }
  parentPort?.postMessage(reply)
})
