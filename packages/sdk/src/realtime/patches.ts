import { thisPlatform } from '../http/platform.ts'

/** The state of a room or of a player: any JSON by top-level key. */
export type State = Record<string, unknown>
/** Changes of a state: the keys in it are replaced, and null deletes a key. */
export type Patch = Record<string, unknown>

/** Changes the state in place. */
export function apply(state: State, patch: Patch) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    else setMember(state, key, value)
  }
}

/** Sets a member that is always the object's own, also for `__proto__`. */
export const setMember = (state: State, key: string, value: unknown) =>
  Object.defineProperty(state, key, { value, writable: true, enumerable: true, configurable: true })

/** The patch that turns `state` into `wanted`; undefined if they are equal. */
export function difference(state: State, wanted: State): Patch | undefined {
  const gone = Object.keys(state).filter((key) => !Object.hasOwn(wanted, key))
  const changed = Object.entries(wanted).filter(
    ([key, value]) => !Object.hasOwn(state, key) || !isSame(state[key], value),
  )
  const members: [string, unknown][] = [...gone.map((key): [string, null] => [key, null]), ...changed]
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

/** Whether two values are the same JSON. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const EVERY_MS = 50

/** Collects patches and sends them as one. */
export type PatchBuffer = { add(patch: Patch): void; flush(): void; drop(): void }

/**
 * Sends the first change immediately and those of the next 50 ms together: a pointer moves up to 120 times a second, and the
 * service accepts 60 frames.
 */
export function createPatchBuffer(
  send: (patch: Patch) => void,
  now: () => number = thisPlatform().now,
): PatchBuffer {
  let collected: Patch | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = 0

  function flush() {
    const patch = collected
    collected = undefined
    if (patch) send(patch)
  }
  function due() {
    clearTimeout(timer)
    timer = collected ? setTimeout(due, EVERY_MS) : undefined
    dueAt = now() + EVERY_MS
    flush()
  }
  /** Background tabs run timers only once a second or once a minute. A clock that was set back must not cause a delay. */
  const isLate = () => now() >= dueAt || now() < dueAt - EVERY_MS

  return {
    add(patch) {
      // Throws here for values that are not JSON, so the caller gets the error, not a timer.
      JSON.stringify(patch)
      collected = { ...collected, ...patch }
      if (timer === undefined || isLate()) due()
    },
    flush,
    drop() {
      collected = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}

const UNCONFIRMED_MAX = 64

/**
 * A patch buffer for the shared state. What is sent just before the connection is lost can be lost with it, and is sent again. `send`
 * returns false if the patch waits for the connection.
 */
export function createStateBuffer(send: (patch: Patch) => boolean) {
  /** Oldest first. */
  let unconfirmed: Patch[] = []

  function sendPatch(patch: Patch) {
    if (send(patch)) unconfirmed = [...unconfirmed.slice(1 - UNCONFIRMED_MAX), patch]
  }

  return {
    ...createPatchBuffer(sendPatch),

    /** Patches are handled in order: earlier ones were refused. */
    confirmed(patch: Patch) {
      const at = unconfirmed.findIndex((sent) => isSame(sent, patch))
      unconfirmed.splice(0, at + 1)
    },

    /** Sends what is not confirmed, except for keys that somebody has changed since. */
    sendLost(known: State, now: State) {
      const lost: Patch = Object.assign({}, ...unconfirmed.splice(0))
      for (const key in lost) if (!isSame(known[key], now[key])) delete lost[key]
      if (!isSame(lost, {})) sendPatch(lost)
    },
  }
}
