/** Event name → what its listeners are called with. */
export type EventMap = Record<string, unknown[]>

/** Adds a listener; returns a function that removes it. */
export type On<Events> = <Name extends keyof Events>(
  name: Name,
  listener: (...args: Extract<Events[Name], unknown[]>) => void,
) => () => void

/** Events with typed names and arguments. */
export type Emitter<Events> = {
  /** Returns what stops it. */
  on: On<Events>
  emit<Name extends keyof Events>(name: Name, ...args: Extract<Events[Name], unknown[]>): boolean
}

type Listener = (...args: unknown[]) => void

/** Creates an emitter. An error in one listener does not stop the others. */
export function createEvents<Events>(): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<Listener>>()

  return {
    on(name, listener) {
      const those = listeners.get(name) ?? new Set()
      listeners.set(name, those.add(listener as Listener))
      return () => void those.delete(listener as Listener)
    },

    /** Whether anybody listened. */
    emit(name, ...args) {
      const those = [...(listeners.get(name) ?? [])]
      for (const listener of those) callSafely(listener, args)
      return those.length > 0
    },
  }
}

/** A mistake in one listener must not keep the others, or the connection, from going on. */
function callSafely(listener: Listener, args: unknown[]) {
  try {
    listener(...args)
  } catch (error) {
    if (typeof reportError === 'function') reportError(error)
    else console.error(error)
  }
}
