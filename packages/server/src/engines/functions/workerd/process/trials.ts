import { ApiError } from '../../../../platform/api-error.ts'
import { MINUTE_MS } from '../../../../platform/clock.ts'
import type { FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'

/** Trials of this node at the same time. An environment has at most one. */
const RUNNING_MAX = 2
const WAITING_MAX = 32
const WAITING_PER_ENVIRONMENT_MAX = 4
const WAIT_MS = 30_000
/** CPU time of all trials of a developer, or of an environment without one, per minute. Code that starts needs about 0.2 s. */
const CPU_MS_MAX = 30_000
const WINDOWS_MAX = 10_000

type Waiting = { environmentId: string; start(): void }
type Window = { endsAt: number; cpuMs: number }

/** Limits trials: each is a process that may use the CPU and the memory for five seconds, and a deployment costs nothing. */
export function createTrials() {
  const running = new Set<string>()
  const waiting = new Set<Waiting>()
  const windows = new Map<string, Window>()

  function windowOf(key: string): Window {
    const now = performance.now()
    const known = windows.get(key)
    if (known && known.endsAt > now) return known
    if (windows.size >= WINDOWS_MAX)
      for (const [other, { endsAt }] of windows) if (endsAt <= now) windows.delete(other)
    const window = { endsAt: now + MINUTE_MS, cpuMs: 0 }
    windows.set(key, window)
    return window
  }

  const isFree = (environmentId: string) => running.size < RUNNING_MAX && !running.has(environmentId)

  function startNext() {
    for (const one of waiting) {
      if (!isFree(one.environmentId)) continue
      waiting.delete(one)
      running.add(one.environmentId)
      one.start()
    }
  }

  function enter(environmentId: string): Promise<void> | undefined {
    if (isFree(environmentId)) return void running.add(environmentId)
    const own = [...waiting].filter((one) => one.environmentId === environmentId)
    if (waiting.size >= WAITING_MAX || own.length >= WAITING_PER_ENVIRONMENT_MAX)
      throw new ApiError('functions_overloaded')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(one)
        reject(new ApiError('functions_overloaded'))
      }, WAIT_MS)
      const one = {
        environmentId,
        start() {
          clearTimeout(timer)
          resolve()
        },
      }
      waiting.add(one)
    })
  }

  return {
    /** Waits for its turn. Throws `functions_overloaded` if that takes too long, `rate_limited` after too much CPU time in a minute. */
    async run<Result>(
      { environmentId, developerId }: Pick<FunctionsSpec, 'environmentId' | 'developerId'>,
      work: () => Promise<{ result: Result; cpuMs: number }>,
    ): Promise<Result> {
      const key = developerId ?? environmentId
      await enter(environmentId)
      try {
        const window = windowOf(key)
        if (window.cpuMs > CPU_MS_MAX) {
          const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1_000))
          throw new ApiError('rate_limited', { retryAfterSeconds })
        }
        const { result, cpuMs } = await work()
        windowOf(key).cpuMs += cpuMs
        return result
      } finally {
        running.delete(environmentId)
        startNext()
      }
    },
  }
}
