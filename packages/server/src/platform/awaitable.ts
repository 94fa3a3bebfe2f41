/**
 * A value or a promise of it. `await` on a ready value costs a microtask, about a dozen per request on the hot path; so callers
 * test for a promise first.
 */
export type Awaitable<T> = T | Promise<T>

/** Like `then`, but synchronous for a ready value. */
export const andThen = <T, R>(value: Awaitable<T>, step: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(step) : step(value)
