/**
 * Applies a merge patch to a state, in place (RFC 7396): objects are merged, null deletes, everything else replaces. As a client does.
 */
export function mergePatch(state: Record<string, unknown>, patch: Record<string, unknown>) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    else if (!isMembers(value)) setOwn(state, key, value)
    else {
      const before = Object.hasOwn(state, key) ? state[key] : undefined
      const merged = isMembers(before) ? before : {}
      mergePatch(merged, value)
      setOwn(state, key, merged)
    }
  }
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Always an own member, also for `__proto__`. */
const setOwn = (state: object, key: string, value: unknown) =>
  Object.defineProperty(state, key, { value, writable: true, enumerable: true, configurable: true })
