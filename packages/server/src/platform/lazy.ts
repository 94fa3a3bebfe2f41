import type { Awaitable } from './awaitable.ts'

/** Made at its first use, and kept, at hand as soon as it is there; what fails is tried again by whoever comes next. */
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
