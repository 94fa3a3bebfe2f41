import { Failure } from './failure.ts'

/** Ctrl-C ends the work with a message about its state; a second Ctrl-C ends the program immediately. */
export async function untilInterrupted<T>(message: () => string, work: Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new Failure('stopped', message()))
  process.once('SIGINT', stop)
  try {
    return await Promise.race([work, interrupted])
  } finally {
    process.removeListener('SIGINT', stop)
  }
}
