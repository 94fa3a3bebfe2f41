/** While no connection is open everything waits for the next try. */
const RETRIED_EVERY_MS = 200
const RETRIED_WHILE_SOME_ARE_OPEN_EVERY_MS = 5_000

type Options<Connection> = {
  /** Calls `lost` if the connection ends. */
  open(lost: () => void): Promise<Connection>
  opened(connection: Connection): void
  lost(connection: Connection): void
  /** No connection is open, and one could not be opened. */
  noneCouldBeOpened(problem: unknown): void
}

/**
 * Keeps as many connections open as are wanted. What was lost or could not be opened is opened later, one at a time until one
 * succeeds, because all nodes ask a server that is back or full at the same moment.
 */
export function createKeptOpen<Connection>(options: Options<Connection>) {
  const open = new Set<Connection>()
  let wanted = 0
  let opening = 0
  let hasFailed = false
  let retry: NodeJS.Timeout | undefined
  let isStopped = false

  function openMissing(): Promise<void>[] {
    clearTimeout(retry)
    retry = undefined
    const missing = isStopped ? 0 : wanted - open.size - opening
    return Array.from({ length: hasFailed ? Math.min(missing, 1) : missing }, openOne)
  }

  async function openOne(): Promise<void> {
    opening++
    const ended = Promise.withResolvers<void>()
    try {
      const connection = await options.open(ended.resolve)
      open.add(connection)
      void ended.promise.then(() => forget(connection))
      hasFailed = false
      options.opened(connection)
    } catch (problem) {
      hasFailed = true
      if (open.size === 0 && opening === 1) options.noneCouldBeOpened(problem)
    } finally {
      opening--
    }
    if (hasFailed) retryLater()
    else void Promise.all(openMissing())
  }

  function retryLater() {
    const afterMs = open.size === 0 ? RETRIED_EVERY_MS : RETRIED_WHILE_SOME_ARE_OPEN_EVERY_MS
    clearTimeout(retry)
    retry = setTimeout(openMissing, afterMs).unref()
  }

  /** A server that ends each new connection is not asked without a pause either. */
  function forget(connection: Connection) {
    if (!open.delete(connection)) return
    options.lost(connection)
    retryLater()
  }

  return {
    open: open as ReadonlySet<Connection>,

    get isComplete(): boolean {
      return open.size + opening >= wanted
    },

    /** Resolves when each missing connection was opened or refused. */
    async want(count: number): Promise<void> {
      wanted = count
      if (!retry) await Promise.all(openMissing())
    },

    /** The connection is used elsewhere, or cannot be used any more. */
    forget,

    /** Opens no more. */
    stop() {
      isStopped = true
      clearTimeout(retry)
    },
  }
}
