import pg from 'pg'

import { answerWithin } from '../../../platform/time/answer-within.ts'

const SEARCH_TIMEOUT_MS = 3_000
const ANSWER_TIMEOUT_MS = 3_000

/**
 * Read-only sessions include all sessions of a standby. The timeline grows with each promotion. Only administrators may read which
 * standbys there are, but everybody whether commits wait for one.
 */
const ROLE_SQL = `select current_setting('transaction_read_only') as "readOnly",
  current_setting('synchronous_standby_names') <> '' as "hasStandby",
  case when pg_is_in_recovery() then null else pg_walfile_name(pg_current_wal_insert_lsn()) end as file`
const TIMELINE_DIGITS = 8

/** `hasStandby`: commits wait for a standby. */
type Primary = { timeline: number; hasStandby: boolean }

/** A connection that shows whether its server is still the primary. */
export type Watcher = {
  /** Throws if the server does not answer, or no longer accepts writes. */
  check(): Promise<Primary>
  ended: Promise<void>
  close(): void
}

/** Throws if the server cannot be reached or does not accept writes. */
export async function watchServer(url: string): Promise<Watcher> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: SEARCH_TIMEOUT_MS,
    application_name: 'svc-watch',
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  client.on('error', () => {})
  const close = () => void client.connection.stream.destroy()

  async function check(): Promise<Primary> {
    const { rows } = await answerWithin(ANSWER_TIMEOUT_MS, client.query(ROLE_SQL))
    const [{ readOnly, file, hasStandby }] = rows
    if (readOnly !== 'off') throw new Error(file === null ? 'it is a standby' : 'it is read-only')
    return { timeline: Number.parseInt(file.slice(0, TIMELINE_DIGITS), 16), hasStandby }
  }

  try {
    await client.connect()
    await check()
    return { check, ended, close }
  } catch (error) {
    close()
    throw error
  }
}

type Found = Primary & { at: number; watcher: Watcher }

/**
 * Asks all servers at the same time, because a frozen one answers never, and returns the first that accepts writes. A server on an
 * earlier timeline than `timelineMin` is a former primary that does not yet know that another one was promoted.
 */
export async function findPrimary(urls: readonly string[], timelineMin: number): Promise<Found> {
  let isOver = false
  const tries = urls.map(async (url, at): Promise<Found> => {
    const watcher = await watchServer(url)
    try {
      const primary = await watcher.check()
      if (primary.timeline < timelineMin) throw new Error('it is a former primary')
      if (isOver) throw new Error('another one was faster')
      isOver = true
      return { at, ...primary, watcher }
    } catch (error) {
      watcher.close()
      throw error
    }
  })
  return Promise.any(tries)
}
