import { monitorEventLoopDelay } from 'node:perf_hooks'

/** In nanoseconds. */
type Delays = { percentile(percentile: number): number; reset(): void }

function startMonitor(): Delays {
  const monitor = monitorEventLoopDelay({ resolution: 20 })
  monitor.enable()
  return monitor
}

/** Measures the delay of the event loop, minute by minute: after a slow time the value falls again. */
export function measureEventLoop(delays: Delays = startMonitor()) {
  const percentileMs = () => delays.percentile(99) / 1e6
  let lastMinuteMs: number | undefined

  return {
    /** The 99th percentile of the last whole minute; before that, since the start. */
    p99Ms: (): number => lastMinuteMs ?? percentileMs(),
    /** Call every minute. */
    endMinute(): void {
      lastMinuteMs = percentileMs()
      delays.reset()
    },
  }
}
