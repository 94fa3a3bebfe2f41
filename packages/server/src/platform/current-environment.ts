import { AsyncLocalStorage } from 'node:async_hooks'

const environments = new AsyncLocalStorage<string>()

/** The work of the service itself: jobs, operators, and requests that are for no environment. */
export const NO_ENVIRONMENT = ''

/**
 * Runs the work of a request for an environment. Engines then know whom it is for without an argument that every caller would have to
 * pass on. Takes half a microsecond, so what is frequent and stays in memory does without it.
 */
export const inEnvironment = <Result>(environmentId: string | undefined, work: () => Result): Result =>
  environmentId === undefined ? work() : environments.run(environmentId, work)

/** The environment whose work is running, or `NO_ENVIRONMENT`. */
export const currentEnvironmentId = (): string => environments.getStore() ?? NO_ENVIRONMENT
