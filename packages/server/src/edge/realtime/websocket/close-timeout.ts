import { runEach } from '../../../platform/run-each.ts'

type Closing = { destroy(): unknown }

const POLL_INTERVAL_MS = 1_000

let recent = new Set<Closing>()
let earlier = new Set<Closing>()
let timer: NodeJS.Timeout | undefined

/** Destroys the socket after 1 to 2 s unless it has closed by then. All sockets share one timer. */
export function destroyIfNotClosed(peer: Closing): void {
  recent.add(peer)
  timer ??= setInterval(destroyOverdue, POLL_INTERVAL_MS).unref()
}

/** It has closed: it must not stay in memory for two seconds, in which the garbage collector would copy it twice. */
export function hasClosed(peer: Closing): void {
  if (!recent.delete(peer)) earlier.delete(peer)
}

function destroyOverdue(): void {
  const overdue = earlier
  earlier = recent
  recent = new Set()
  if (earlier.size === 0) {
    clearInterval(timer)
    timer = undefined
  }
  runEach(overdue, (peer) => peer.destroy())
}
