import type { System } from '../system.ts'
import { Failure } from './failure.ts'

/** Ctrl-C ends the work with a message about its state; a second Ctrl-C ends the program immediately. */
export async function untilInterrupted<T>(
  { signals }: System,
  message: () => string,
  work: Promise<T>,
): Promise<T> {
  let stop = () => {}
  const interrupted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Failure('stopped', message()))
  })
  signals.once('SIGINT', stop)
  try {
    return await Promise.race([work, interrupted])
  } finally {
    signals.off('SIGINT', stop)
  }
}
