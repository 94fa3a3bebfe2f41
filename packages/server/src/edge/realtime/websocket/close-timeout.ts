type Closing = { destroy(): unknown }

const POLL_INTERVAL_MS = 1_000

let recent: Closing[] = []
let earlier: Closing[] = []
let timer: NodeJS.Timeout | undefined

/** Destroys the socket after 1 to 2 s unless it has closed by then. All sockets share one timer. */
export function destroyIfNotClosed(peer: Closing): void {
  recent.push(peer)
  timer ??= setInterval(destroyOverdue, POLL_INTERVAL_MS).unref()
}

function destroyOverdue(): void {
  for (const peer of earlier) peer.destroy()
  earlier = recent
  recent = []
  if (earlier.length > 0) return
  clearInterval(timer)
  timer = undefined
}
