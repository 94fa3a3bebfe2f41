import { setTimeout as pause } from 'node:timers/promises'

import type pg from 'pg'

import { ApiError } from '../../../platform/api-error.ts'
import { parsePostgresUrl } from '../../../platform/engine-urls.ts'
import { systemRandom } from '../../../platform/random.ts'
import type { Standby } from '../database.ts'
import { isReadOnly } from './errors.ts'
import { findPrimary, type Watcher, watchServer } from './primary.ts'
import { openServer, type Server, type ServerOptions } from './server.ts'

const CHECKED_EVERY_MS = 1_000
const SEARCHED_EVERY_MS = 200
const DROPPED_EVERY_MS = 1_000

type Options = ServerOptions & {
  url: string
  /** Gets one sentence when the primary is lost and when one is found. */
  log: (sentence: string) => void
  /** Called when another server is the primary. */
  switched: () => void
  /** Called when connections have to be opened again. */
  reconnected: () => void
}

/**
 * The connections to the server that accepts writes. With `target_session_attrs=read-write` in the URL that is the primary among its
 * hosts: it is asked every second, and when it does not answer or is a standby, all connections are ended and the new one is searched.
 */
export function createConnections({ url, log, switched, reconnected, ...options }: Options) {
  const parsed = parsePostgresUrl(url)
  if (!parsed) throw new Error('DATABASE_URL must be like postgres://user:password@host:5432/database')
  const { urls, hosts, sessions } = parsed
  let latest: Server | undefined
  const serverAt = (at: number) => (latest = openServer(urls[at] ?? urls[0], hosts[at] ?? '', options))
  const isFollowing = sessions !== undefined && sessions !== 'any'

  const closing = new AbortController()
  let current: Promise<Server> | undefined = isFollowing ? undefined : Promise.resolve(serverAt(0))
  let lastHost: string | undefined
  let timeline = 0
  let standby: Standby = 'unknown'
  let [searchedAt, droppedAt] = [-Infinity, -Infinity]
  let lastProblem: unknown
  let watching: Watcher | undefined

  /** Throws `service_unavailable` while no server accepts writes. */
  function server(): Promise<Server> {
    if (closing.signal.aborted) return Promise.reject(new ApiError('service_unavailable'))
    if (current) return current
    if (performance.now() - searchedAt < SEARCHED_EVERY_MS) return Promise.reject(unavailable(lastProblem))
    const searching = search()
    current = searching
    searching.catch((problem: unknown) => {
      if (current === searching) current = undefined
      lastProblem = problem
      searchedAt = performance.now()
    })
    return searching
  }

  async function search(): Promise<Server> {
    const found = await findPrimary(urls, timeline).catch((error: unknown) => {
      throw unavailable(problemsOf(error, hosts))
    })
    if (closing.signal.aborted) {
      found.watcher.close()
      throw new ApiError('service_unavailable')
    }
    note(found)
    const primary = serverAt(found.at)
    void watch(primary, found.watcher)
    if (lastHost !== undefined) {
      log(`PostgreSQL at ${primary.host} accepts writes`)
      if (lastHost !== primary.host) switched()
      reconnected()
    }
    lastHost = primary.host
    return primary
  }

  function note(primary: { timeline: number; hasStandby: boolean }) {
    timeline = Math.max(timeline, primary.timeline)
    const now = primary.hasStandby ? 'synchronous' : 'none'
    if (now === standby) return
    standby = now
    if (now === 'none')
      log('PostgreSQL has no synchronous standby: a failover now may lose acknowledged writes')
    else log('PostgreSQL has a synchronous standby')
  }

  /** Returns when the server is lost or this is closed. */
  async function watch(primary: Server, first: Watcher): Promise<void> {
    let watcher = first
    try {
      for (;;) {
        watching = watcher
        const isCut = await Promise.race([watcher.ended.then(() => true), waited(CHECKED_EVERY_MS)])
        if (closing.signal.aborted) return
        // One connection may be ended by an administrator.
        if (isCut) watcher = await watchServer(primary.url)
        note(await watcher.check())
      }
    } catch (problem) {
      lose(primary, problem)
    } finally {
      watcher.close()
    }
  }

  function lose(primary: Server, problem: unknown) {
    log(`PostgreSQL at ${primary.host} is no longer used: ${sentenceOf(problem)}`)
    current = undefined
    primary.drop()
    void searchUntilFound()
  }

  /** So that the first request after a failover does not wait for the search. */
  async function searchUntilFound() {
    while (!closing.signal.aborted && !(await server().catch(() => undefined)))
      // Jitter: all nodes lost the primary at the same moment.
      await waited(SEARCHED_EVERY_MS * (1 + systemRandom.bytes(1).readUInt8() / 255))
  }

  /** False after the time, or when this is closed. */
  const waited = (ms: number): Promise<false> =>
    pause(ms, false as const, { signal: closing.signal, ref: false }).catch(() => false as const)

  return {
    server,
    standby: (): Standby => standby,

    /** Transactions that wait for a connection. */
    waiting: (): number => latest?.pool.waitingCount ?? 0,

    /** The connection that watches the primary is counted nowhere else. */
    watcherCount: isFollowing ? 1 : 0,

    /** How many connections are open. */
    count: (): number => latest?.connectionCount ?? 0,

    connect: async (): Promise<pg.Client> => (await server()).connect(),

    /** A server that rejects writes was demoted, or its address belongs to another server now. */
    noteError(error: unknown): void {
      if (!isReadOnly(error) || performance.now() - droppedAt < DROPPED_EVERY_MS) return
      droppedAt = performance.now()
      // The server is asked at once instead of within a second.
      if (isFollowing) return watching?.close()
      void current?.then((server) => server.drop())
      current = Promise.resolve(serverAt(0))
      reconnected()
    },

    async close(): Promise<void> {
      closing.abort()
      await (await current?.catch(() => undefined))?.close()
    },
  }
}

const unavailable = (cause: unknown) =>
  cause instanceof ApiError ? cause : new ApiError('service_unavailable', undefined, { cause })

function problemsOf(error: unknown, hosts: readonly string[]): unknown {
  if (!(error instanceof AggregateError)) return error
  const problems = error.errors.map((problem, at) => `${hosts[at]}: ${sentenceOf(problem)}`)
  return new Error(`no server accepts writes (${problems.join('; ')})`, { cause: error })
}

/** The error of a refused connection has no message if the name has several addresses. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
