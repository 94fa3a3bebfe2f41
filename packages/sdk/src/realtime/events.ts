/** Event name → arguments of its listeners. */
export type EventMap = Record<string, unknown[]>

/** Adds a listener; returns a function that removes it. */
export type On<Events> = <Name extends keyof Events>(
  name: Name,
  listener: (...args: Extract<Events[Name], unknown[]>) => void,
) => () => void

/** Events with typed names and arguments. */
export type Emitter<Events> = {
  /** Adds a listener; returns a function that removes it. */
  on: On<Events>
  emit<Name extends keyof Events>(name: Name, ...args: Extract<Events[Name], unknown[]>): boolean
}

type Listener = (...args: unknown[]) => void

/** Creates an emitter. An error in one listener does not stop the others. */
export function createEvents<Events>(): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<Listener>>()

  return {
    on(name, listener) {
      const registered = listeners.get(name) ?? new Set()
      listeners.set(name, registered.add(listener as Listener))
      return () => void registered.delete(listener as Listener)
    },

    /** Returns whether there was a listener. */
    emit(name, ...args) {
      const registered = [...(listeners.get(name) ?? [])]
      for (const listener of registered) callSafely(listener, args)
      return registered.length > 0
    },
  }
}

/** An error in one listener must not affect the other listeners or the connection. */
export function callSafely(listener: Listener, args: unknown[]) {
  try {
    listener(...args)
  } catch (error) {
    if (typeof reportError === 'function') reportError(error)
    else console.error(error)
  }
}
