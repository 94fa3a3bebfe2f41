import { isBeingLeft } from '../http/platform.ts'

type Turn<T> = {
  player: object | undefined
  /** What is done when it begins. */
  work: () => Promise<T>
  begin: () => Promise<T>
  done?: Promise<T>
}

/**
 * What is done with each save, one after the other. Of the writes that wait only the newest is sent, and when the player leaves the page
 * they wait no longer.
 */
export function createSaveQueue<T>() {
  const last = new Map<string, Promise<unknown>>()
  /** Writes that have not begun, and after which nothing waits. */
  const waiting = new Map<string, Turn<T>>()

  return {
    /** `player`, the same object for the same player: newer work may replace this one until it begins. */
    inTurn<R extends T>(key: string, work: () => Promise<R>, player?: object): Promise<R> {
      const before = waiting.get(key)
      if (player && before?.player === player) {
        before.work = work
        return before.done as Promise<R>
      }
      let begun: Promise<T> | undefined
      const begin = () => {
        if (waiting.get(key) === turn) waiting.delete(key)
        return (begun ??= turn.work())
      }
      const turn: Turn<T> = { player, work, begin }
      waiting.delete(key)
      if (player) waiting.set(key, turn)
      turn.done = last.get(key)?.then(begin) ?? begin()
      last.set(
        key,
        turn.done.catch(() => {}),
      )
      if (player && isBeingLeft()) begin().catch(() => {})
      return turn.done as Promise<R>
    },

    /** Begins all that waits. Errors go to the callers of `inTurn`. */
    beginAll() {
      for (const { begin } of waiting.values()) begin().catch(() => {})
    },
  }
}
