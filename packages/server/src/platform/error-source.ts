import { AsyncLocalStorage } from 'node:async_hooks'

/** Work that belongs to one environment: developer code runs in it, or decides what it does. */
export type ErrorSource = {
  environmentId: string
  /** Ends the process of the environment; the next request starts another. */
  end(): void
}

const sources = new AsyncLocalStorage<ErrorSource>()

/** Whatever this work opens (servers, sockets, processes, timers) belongs to the source, also in later events. */
export const inNameOf = <Result>(source: ErrorSource, work: () => Result): Result => sources.run(source, work)

/** The source of the event that is being handled, also while its error is reported. Undefined: it belongs to no environment. */
export const currentSource = (): ErrorSource | undefined => sources.getStore()
