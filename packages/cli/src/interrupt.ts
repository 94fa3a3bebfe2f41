import { Failure } from './failure.ts'

/** Ctrl-C ends the work with a word about where things stand; a second one ends the program at once. */
export async function untilInterrupted<T>(says: () => string, work: Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new Failure('stopped', says()))
  process.once('SIGINT', stop)
  try {
    return await Promise.race([work, interrupted])
  } finally {
    process.removeListener('SIGINT', stop)
  }
}
