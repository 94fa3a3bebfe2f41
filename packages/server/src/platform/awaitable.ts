/**
 * At hand already, or on its way. To await what is at hand costs a turn of the microtask queue, and a request that waits for nothing
 * would take a dozen of them; so what is asked for by every request is looked at first.
 */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once with what is at hand. */
export const andThen = <T, R>(value: Awaitable<T>, step: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(step) : step(value)
