import { ApiError } from '../../../platform/api-error.ts'
import { Turns } from '../turns.ts'
import { createKeptOpen } from './kept-open.ts'

const WAITING_MAX = 2_000
/** Of fewer connections none is kept free. */
const ONE_KEPT_FREE_FROM = 4
/** No environment has this id. */
const ANOTHER_USE = 'another use'

type PoolOptions<Connection> = {
  size: number
  waitMaxMs: number
  /** Calls `lost` if the connection ends. */
  open(lost: () => void): Promise<Connection>
  close(connection: Connection): Promise<void>
}

type Waiting<Connection> = {
  readonly environmentId: string
  resolve(connection: Connection): void
  reject(error: unknown): void
  timeout: NodeJS.Timeout | undefined
  isOver: boolean
}

/** Connections that transactions use one after the other. */
export type Pool<Connection> = ReturnType<typeof createPool<Connection>>

/**
 * No environment gets all connections: those that use less than a quarter are served first, in turn, and one connection stays free for
 * them. A transaction waits for those connections that are open: a server that refuses more does not refuse requests.
 */
export function createPool<Connection>({ size, waitMaxMs, open, close }: PoolOptions<Connection>) {
  const waiting = new Turns<Waiting<Connection>>(WAITING_MAX)
  const idle: Connection[] = []
  const users = new Map<Connection, string>()
  /** How many connections an environment uses. */
  const inUse = new Map<string, number>()
  let wanted = 1
  let isClosing = false
  let onIdle: (() => void) | undefined

  const kept = createKeptOpen<Connection>({
    open,
    opened: (connection) => {
      idle.push(connection)
      serve()
    },
    lost: (connection) => {
      const at = idle.indexOf(connection)
      if (at >= 0) idle.splice(at, 1)
      serve()
    },
    noneCouldBeOpened: refuseAll,
  })

  const usesLessThanItsShare = (environmentId: string) =>
    (inUse.get(environmentId) ?? 0) < Math.max(1, Math.floor(kept.open.size / 4))

  /** Undefined if none waits, or none is free for those that wait. */
  function nextInTurn(): Waiting<Connection> | undefined {
    if (idle.length === 0) return undefined
    const isLastFree = idle.length === 1 && kept.open.size >= ONE_KEPT_FREE_FROM
    return waiting.take(usesLessThanItsShare) ?? (isLastFree ? undefined : waiting.take())
  }

  function serve() {
    for (let next = nextInTurn(); next; next = nextInTurn()) {
      const connection = idle.pop() as Connection
      users.set(connection, next.environmentId)
      inUse.set(next.environmentId, (inUse.get(next.environmentId) ?? 0) + 1)
      end(next)
      next.resolve(connection)
    }
    if (waiting.size === 0 && users.size === 0) onIdle?.()
  }

  function free(connection: Connection) {
    const environmentId = users.get(connection)
    if (environmentId === undefined) return
    users.delete(connection)
    const left = (inUse.get(environmentId) ?? 1) - 1
    if (left === 0) inUse.delete(environmentId)
    else inUse.set(environmentId, left)
  }

  function end(one: Waiting<Connection>) {
    one.isOver = true
    clearTimeout(one.timeout)
  }

  function refuse(one: Waiting<Connection>, cause?: unknown) {
    end(one)
    one.reject(new ApiError('service_unavailable', undefined, { cause }))
  }

  function refuseAll(cause?: unknown) {
    for (const one of waiting.takeAll()) refuse(one, cause)
  }

  async function take(environmentId: string): Promise<Connection> {
    if (isClosing) throw new ApiError('service_unavailable')
    return new Promise((resolve, reject) => {
      const asked: Waiting<Connection> = { environmentId, resolve, reject, timeout: undefined, isOver: false }
      const refused = waiting.add(asked)
      if (refused) refuse(refused)
      serve()
      if (asked.isOver) return
      asked.timeout = setTimeout(() => {
        waiting.remove(asked)
        refuse(asked)
        serve()
      }, waitMaxMs)
      if (kept.isComplete) wanted = Math.min(size, wanted + 1)
      void kept.want(wanted)
    })
  }

  return {
    get openCount(): number {
      return kept.open.size
    },
    /** Transactions that wait for a connection. */
    get waitingCount(): number {
      return waiting.size
    },

    /**
     * Opens all connections now, instead of one more each time that a transaction waits. Resolves when each was opened or refused.
     */
    openAll: (): Promise<void> => kept.want((wanted = size)),

    /** Rejects after `waitMaxMs`, and for an environment that has too many waiting. */
    take,

    /** `isLost`: it cannot be used again. */
    release(connection: Connection, isLost: boolean): void {
      free(connection)
      if (isLost) kept.forget(connection)
      if (kept.open.has(connection)) idle.push(connection)
      else void close(connection)
      serve()
    },

    /** Gives a connection away, unless it is the last one. */
    async giveAway(): Promise<Connection | undefined> {
      if (kept.open.size < 2) return undefined
      const connection = await take(ANOTHER_USE)
      free(connection)
      kept.forget(connection)
      return connection
    },

    /** Serves what waits, and then closes all. */
    async close(): Promise<void> {
      isClosing = true
      kept.stop()
      if (kept.open.size === 0) refuseAll()
      if (waiting.size > 0 || users.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      await Promise.all([...kept.open].map(close))
    },

    /** Refuses what waits. */
    drop(): void {
      isClosing = true
      kept.stop()
      refuseAll()
    },
  }
}
