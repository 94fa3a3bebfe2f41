import { ApiError } from '../../platform/api-error.ts'

/** So many look their player up at the same time: after a restart thousands come together, and the others' saves need the database, too. */
const RUNNING_MAX = 256
/** At a thousand logins a second, those at the end have waited ten seconds; clients give an attempt up then. */
const WAITING_MAX = 10_000

export type LoginLine = ReturnType<typeof createLoginLine>

/** Logins of connections beyond what the database takes wait here, the newest last. */
export function createLoginLine({ runningMax = RUNNING_MAX, waitingMax = WAITING_MAX } = {}) {
  let running = 0
  /** The oldest first; called with false if the client has left. */
  const waiting = new Map<object, (isNext: boolean) => void>()

  async function turnOf(who: object): Promise<boolean> {
    if (running < runningMax) {
      running++
      return true
    }
    if (waiting.size >= waitingMax) throw new ApiError('service_unavailable')
    return new Promise((resolve) => waiting.set(who, resolve))
  }

  function end() {
    const [next] = waiting.keys()
    // The next one takes this place, so that none that comes now can be faster.
    if (next === undefined) running--
    else leave(next, true)
  }

  function leave(who: object, isNext = false) {
    const resolve = waiting.get(who)
    waiting.delete(who)
    resolve?.(isNext)
  }

  return {
    get isFull(): boolean {
      return waiting.size >= waitingMax
    },
    get waiting(): number {
      return waiting.size
    },

    /** Runs the login when it is the turn of `who`; not if `who` leaves before. Throws `service_unavailable` if the line is full. */
    async run(who: object, login: () => Promise<void>): Promise<void> {
      if (!(await turnOf(who))) return
      try {
        await login()
      } finally {
        end()
      }
    },

    leave: (who: object) => leave(who),
  }
}
