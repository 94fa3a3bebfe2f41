import type { Awaitable } from './awaitable.ts'

/** Creates a value at its first use and keeps it; a failed creation is retried by the next caller. */
export function lazy<T extends NonNullable<unknown>>(make: () => Promise<T>): () => Awaitable<T>
export function lazy<T extends NonNullable<unknown>>(make: () => T): () => T
export function lazy<T extends NonNullable<unknown>>(make: () => Awaitable<T>): () => Awaitable<T> {
  let made: Awaitable<T> | undefined
  return () => {
    if (made !== undefined) return made
    const value = (made = make())
    if (value instanceof Promise)
      value.then(
        (known) => (made = known),
        () => (made = undefined),
      )
    return value
  }
}
