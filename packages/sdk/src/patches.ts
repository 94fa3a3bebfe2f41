/** State of a room or of a player: top-level keys are replaced, null deletes one. */
export type State = Record<string, unknown>
export type Patch = Record<string, unknown>

export function apply(state: State, patch: Patch) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    // An own member whatever its name, `__proto__` too.
    else Object.defineProperty(state, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** The patch that makes `wanted` of `state`; undefined when it is that already. */
export function difference(state: State, wanted: State): Patch | undefined {
  const patch: Patch = {}
  for (const key of Object.keys(state)) if (!(key in wanted)) patch[key] = null
  for (const [key, value] of Object.entries(wanted))
    if (JSON.stringify(state[key]) !== JSON.stringify(value)) patch[key] = value
  return Object.keys(patch).length > 0 ? patch : undefined
}

const EVERY_MS = 50

export type PatchBuffer = { add(patch: Patch): void; flush(): void; drop(): void }

/**
 * The first change goes out at once, those of the next 50 ms together: pointers move 120 times a second, and the service
 * takes 60 frames.
 */
export function createPatchBuffer(send: (patch: Patch) => void): PatchBuffer {
  let gathered: Patch | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush() {
    const patch = gathered
    gathered = undefined
    if (patch) send(patch)
  }
  function due() {
    timer = gathered ? setTimeout(due, EVERY_MS) : undefined
    flush()
  }

  return {
    add(patch) {
      gathered = { ...gathered, ...patch }
      if (timer === undefined) due()
    },
    flush,
    drop() {
      gathered = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}
