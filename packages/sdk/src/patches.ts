import { thisPlatform } from './platform.ts'

/** State of a room or of a player: top-level keys are replaced, null deletes one. */
export type State = Record<string, unknown>
/** Changes to a state: a key with a value replaces it, null deletes it. */
export type Patch = Record<string, unknown>

/** Changes the state in place. */
export function apply(state: State, patch: Patch) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    // An own member whatever its name, `__proto__` too.
    else Object.defineProperty(state, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** The patch that makes `wanted` of `state`; undefined when it is that already. */
export function difference(state: State, wanted: State): Patch | undefined {
  const isSame = (key: string, value: unknown) =>
    Object.hasOwn(state, key) && JSON.stringify(state[key]) === JSON.stringify(value)
  const gone = Object.keys(state).filter((key) => !Object.hasOwn(wanted, key))
  const changed = Object.entries(wanted).filter(([key, value]) => !isSame(key, value))
  const members: [string, unknown][] = [...gone.map((key): [string, null] => [key, null]), ...changed]
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

const EVERY_MS = 50

/** Collects patches and sends them as one. */
export type PatchBuffer = { add(patch: Patch): void; flush(): void; drop(): void }

/**
 * The first change goes out at once, those of the next 50 ms together: pointers move 120 times a second, and the service
 * takes 60 frames.
 */
export function createPatchBuffer(
  send: (patch: Patch) => void,
  now: () => number = thisPlatform().now,
): PatchBuffer {
  let gathered: Patch | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = 0

  function flush() {
    const patch = gathered
    gathered = undefined
    if (patch) send(patch)
  }
  function due() {
    clearTimeout(timer)
    timer = gathered ? setTimeout(due, EVERY_MS) : undefined
    dueAt = now() + EVERY_MS
    flush()
  }
  /** In the background a browser lets timers wait for a second, or for a minute. A clock that was set back is no reason to. */
  const isLate = () => now() >= dueAt || now() < dueAt - EVERY_MS

  return {
    add(patch) {
      // What is no JSON is refused to whoever gave it, not to a timer.
      JSON.stringify(patch)
      gathered = { ...gathered, ...patch }
      if (timer === undefined || isLate()) due()
    },
    flush,
    drop() {
      gathered = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}
