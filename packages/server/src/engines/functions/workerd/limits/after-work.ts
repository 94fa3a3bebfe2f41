import type { Work, WorkInProgress } from './work.ts'

/** Requests that are followed at the same time. More continue without a limit of their own. */
const FOLLOWED_MAX = 1_000
const POLL_MS = { first: 50, last: 2_000 }

type AfterWorkOptions = {
  work: WorkInProgress
  /** The ids of requests whose `waitUntil` has not ended. */
  poll(): Promise<readonly string[]>
  /** Ends the process: nothing else ends `waitUntil`. */
  onExceeded(): void
}

/**
 * Work that continues after the answer, or after its request was cancelled: what the code has passed to `waitUntil`. It stays in `work`,
 * with the limits of its request, until the process reports that it has ended.
 */
export function followAfterWork({ work, poll, onExceeded }: AfterWorkOptions) {
  const followed = new Map<string, { one: Work; isConfirmed: boolean }>()
  let timer: NodeJS.Timeout | undefined
  let waitMs = POLL_MS.first
  let isStopped = false

  function schedule() {
    if (isStopped || followed.size === 0) return
    clearTimeout(timer)
    timer = setTimeout(() => void check(), waitMs).unref()
    waitMs = Math.min(waitMs * 2, POLL_MS.last)
  }

  async function check() {
    const before = [...followed]
    const running = await poll().catch(() => undefined)
    for (const [id, each] of running ? before : []) {
      if (!running?.includes(id)) forget(id)
      else [each.isConfirmed, each.one.mayHaveEnded] = [true, false]
    }
    schedule()
  }

  function forget(id: string) {
    followed.delete(id)
    work.delete(id)
  }

  return {
    /** `isCertain`: the process has reported it with its answer. */
    follow(id: string, one: Work, isCertain: boolean) {
      if (isStopped) return
      const [oldest] = followed.keys()
      if (followed.size >= FOLLOWED_MAX && oldest !== undefined) forget(oldest)
      followed.set(id, { one, isConfirmed: false })
      one.isAfterAnswer = true
      one.mayHaveEnded = !isCertain
      one.answerDueAt = Infinity
      one.cancel = () => followed.get(id)?.isConfirmed && onExceeded()
      work.set(id, one)
      waitMs = POLL_MS.first
      schedule()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
      for (const id of followed.keys()) forget(id)
    },
  }
}
