import type { State } from '../realtime/patches.ts'
import { between, copyOf, differsBy, mapMembers } from './merge.ts'
import type { SmoothOptions } from './types.ts'

/** The objects of one key as they were at a time of the service's clock. */
type Moment = { at: number; objects: State }

/** How long moments are kept, and so the longest delay. */
const KEPT_MS = 2_000
const DELAY_MS_MIN = 100
/** If a tick brings no sync, the next one comes two ticks after the last, and may be late. */
const DELAY_TICKS = 2.5
/**
 * The fastest sync shows how far our clock is ahead, because others wait somewhere on their way. If the network becomes slower, the
 * estimate follows in small steps: a larger one would be seen as a movement backwards.
 */
const FOLLOW = { part: 0.05, msMax: 2 }

/** Interpolates the objects of a state between syncs. */
export function createSmoothing(state: State, tickRate: number, now: () => number) {
  const histories = new Map<string, Moment[]>()
  const delayMsDefault = Math.max(DELAY_MS_MIN, (DELAY_TICKS * 1_000) / (tickRate || Infinity))
  /** Our clock minus the service's, with the time that a fast sync is on its way. */
  let ahead = Infinity

  const objectsAt = (key: string) =>
    mapMembers((Object.hasOwn(state, key) ? (state[key] as State | null) : null) ?? {}, copyOf)

  /** One moment long ago: the objects stand where they are. */
  function begin(key: string): Moment[] {
    const history = [{ at: 0, objects: objectsAt(key) }]
    histories.set(key, history)
    return history
  }

  /** The whole state came again. The clock may be that of another machine. */
  function restored() {
    ahead = Infinity
    for (const key of histories.keys()) begin(key)
  }

  return {
    /** The state has changed at this time of the service's clock. */
    synced(at: number, patch: State = {}) {
      const late = now() - at
      // The service's clock was set back: times of before would be in the future.
      if (late - ahead > KEPT_MS) restored()
      if (late < ahead) ahead = late
      else ahead += Math.min((late - ahead) * FOLLOW.part, FOLLOW.msMax)
      for (const [key, history] of histories) {
        if (!Object.hasOwn(patch, key)) continue
        history.push({ at, objects: objectsAt(key) })
        while ((history[1]?.at ?? at) < at - KEPT_MS) history.shift()
      }
    },

    restored,

    smooth(key: string, { delayMs = delayMsDefault, teleport = Infinity }: SmoothOptions = {}): State {
      const history = histories.get(key) ?? begin(key)
      const behind = Math.min(delayMs, KEPT_MS)
      const at = now() - ahead - behind
      const next = history.findIndex((moment) => moment.at > at)
      const to = history[next]
      const from = history[next - 1] ?? to ?? history.at(-1)
      if (!from) return {}
      // After a pause the movement began when we could first know of it, not when the objects stood still.
      const start = to ? Math.max(from.at, to.at - behind) : at
      const part = to && at > start ? (at - start) / (to.at - start) : 0

      return mapMembers(from.objects, (object, id) => {
        const target = to && Object.hasOwn(to.objects, id) ? to.objects[id] : object
        return between(object, differsBy(teleport, object, target) ? object : target, part)
      })
    },
  }
}
