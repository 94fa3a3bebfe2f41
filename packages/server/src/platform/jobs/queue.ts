import { setTimeout as pause } from 'node:timers/promises'

import { SECOND_MS } from '../clock.ts'

/** A durable queue: items are rows of a table, and several nodes work on them. */
export type QueueDeps<Item> = {
  /** Claims the next due item, so that no other worker of any node gets it, or returns undefined. */
  take(): Promise<Item | undefined>
  /** Does the work and records the outcome. An item whose outcome is not recorded is taken again when its claim expires. */
  work(item: Item): Promise<void>
  workersMax: number
  report(error: unknown): void
}

const POLL_INTERVAL_MS = SECOND_MS
/** After `wake`: by then the transaction that added the item has usually been committed. */
const WAKE_DELAY_MS = 20
const STOP_TIMEOUT_MS = 4 * SECOND_MS

/** The workers of this node. They start when an item may be due and end when none is. */
export function createQueue<Item>({ take, work, workersMax, report }: QueueDeps<Item>) {
  const inFlight = new Set<Promise<void>>()
  let polling: NodeJS.Timeout | undefined
  let waking: NodeJS.Timeout | undefined
  let isStopping = false

  /** Starts one more worker, up to the maximum. */
  function poll() {
    if (isStopping || inFlight.size >= workersMax) return
    const worker = workUntilEmpty()
      .catch(report)
      .finally(() => inFlight.delete(worker))
    inFlight.add(worker)
  }

  async function workUntilEmpty() {
    for (let item = await take(); item !== undefined; item = await take()) {
      poll() // There may be more items, and this one may be slow.
      await work(item)
      if (isStopping) return
    }
  }

  return {
    /**
     * An item was added in a transaction that is about to end. If the poll runs before the commit it finds nothing; the next poll, a
     * second later, does.
     */
    wake() {
      if (isStopping || !polling || waking) return
      waking = setTimeout(() => {
        waking = undefined
        poll()
      }, WAKE_DELAY_MS).unref()
    },

    /** Works on all items that are due now, and resolves when each was attempted. */
    async drain(): Promise<void> {
      poll()
      while (inFlight.size > 0) await Promise.all(inFlight)
    },

    start() {
      polling = setInterval(poll, POLL_INTERVAL_MS).unref()
      poll()
    },

    /** Waits for the items in flight, at most 4 s; another node works on the rest when the claims expire. */
    async stop(): Promise<void> {
      isStopping = true
      clearInterval(polling)
      clearTimeout(waking)
      const timeout = new AbortController()
      await Promise.race([
        Promise.all(inFlight),
        pause(STOP_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {}),
      ])
      timeout.abort()
    },
  }
}
