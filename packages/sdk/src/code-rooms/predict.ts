import { callSafely } from '../realtime/events.ts'
import type { State } from '../realtime/patches.ts'
import { become } from './merge.ts'
import type { Prediction, PredictOptions } from './types.ts'

/** An input that the room may not have handled yet. */
type Input = { seq: number; sentAt: number; apply(): void }

type Deps = {
  /** The state as the room has confirmed it. */
  confirmed: State
  selfId: string
  send(fields: { type: string; data: unknown; seq: number }): void
  isConnected(): boolean
  now(): number
  /** The predicted states have changed although nothing came from the room. */
  changed(): void
}

/**
 * The service drops inputs that come too fast, and does not say which. So an input that is not acknowledged, nor any later one, is
 * taken for refused after this time: far more than a slow network needs.
 */
const REFUSED_AFTER_MS = 5_000

/** The predictions of one room. They share the numbers of the inputs, because the room acknowledges one number per player. */
export function createPredictions({ confirmed, selfId, send, isConnected, now, changed }: Deps) {
  const states: State[] = []
  let seq = 0
  /** Oldest first. */
  let pending: Input[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Starts from the confirmed state again, with the inputs that remain. */
  function keep(isPending: (input: Input) => boolean) {
    pending = pending.filter(isPending)
    for (const state of states) become(state, confirmed)
    for (const { apply } of pending) callSafely(apply, [])
  }

  function dropRefused() {
    timer = undefined
    const isPending = ({ sentAt }: Input) => now() - sentAt < REFUSED_AFTER_MS
    const isChanged = !pending.every(isPending)
    keep(isPending)
    watch()
    if (isChanged) changed()
  }

  function watch() {
    const [oldest] = pending
    if (oldest) timer ??= setTimeout(dropRefused, oldest.sentAt + REFUSED_AFTER_MS - now())
  }

  /** A greater number than ours was sent by this player before the page was loaded again. */
  const lastOf = (handled: number | null | undefined) => (handled != null && handled <= seq ? handled : 0)

  return {
    /** The confirmed state has changed; `handled` is the last input that the room has handled, if it said so. */
    synced(handled: number | null | undefined) {
      const last = lastOf(handled)
      keep((input) => input.seq > last)
    },

    /**
     * The whole state came again. After a reconnect, inputs that were sent before are in it or lost. After a restart of the room the
     * connection has stayed: `handled` is the last input that is in the state or lost, and later ones still arrive.
     */
    restored(handled?: number) {
      const last = handled === undefined ? Infinity : lastOf(handled)
      keep((input) => input.seq > last)
    },

    stop: () => clearTimeout(timer),

    predict({ type, step }: PredictOptions<unknown, string>): Prediction {
      const state: State = {}
      become(state, confirmed)
      states.push(state)

      return {
        state,
        send(given) {
          // An input is of its moment: played after an outage, nobody would be steering.
          if (!isConnected()) return false
          // What the room gets. The caller may change the object later.
          const data = given === undefined ? null : JSON.parse(JSON.stringify(given))
          const apply = () => step(state, selfId, data)
          apply()
          send({ type, data, seq: ++seq })
          pending.push({ seq, sentAt: now(), apply })
          watch()
          return true
        },
      }
    },
  }
}
