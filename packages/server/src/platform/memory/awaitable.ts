/**
 * A value or a promise of it. HTTP requests simply `await` it: bench/compare.ts shows no difference. Actors and realtime
 * connections test for a promise, because messages that need no wait must be handled in the same tick, in the order in which they
 * arrived.
 */
export type Awaitable<T> = T | Promise<T>
