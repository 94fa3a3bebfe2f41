/**
 * Starts all requests that were read in one tick of the event loop at its end, one right after the other, like the service does
 * (`edge/http`). Without it a ratio to a bare server would mostly measure the batching.
 */
export function batchPerTick(): (start: () => void) => void {
  let waiting: (() => void)[] = []

  function endTick() {
    const started = waiting
    waiting = []
    for (const start of started) start()
  }

  return (start) => {
    if (waiting.length === 0) setImmediate(endTick)
    waiting.push(start)
  }
}
