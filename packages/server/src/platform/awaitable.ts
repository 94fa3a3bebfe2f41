/**
 * A value or a promise of it. HTTP requests simply `await` it: bench/compare.ts shows no difference. Actors and realtime connections
 * test for a promise, because what is ready must be handled in the same tick, in the order in which it arrived.
 */
export type Awaitable<T> = T | Promise<T>
