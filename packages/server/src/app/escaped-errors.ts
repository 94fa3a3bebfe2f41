import { currentSource } from '../platform/error-source.ts'
import { Counts } from '../platform/metrics/metrics.ts'
import type { Foundation, Mounts } from './foundation.ts'

/**
 * Errors that no code has caught: an event handler threw, or an emitter had no error listener. They are bugs, but must not end the
 * service for everybody (decision 0042): each is logged and counted, and ends the environment that it comes from.
 */
export function buildEscapedErrors({ log }: Pick<Foundation, 'log'>) {
  const counts = new Counts('svc_escaped_errors_total', 'source', ['environment', 'service'])

  return {
    mount: ({ metric }: Mounts) => metric(counts),

    /** For `uncaughtException` and `unhandledRejection` of the process. */
    report(error: unknown) {
      const source = currentSource()
      counts.add(source ? 'environment' : 'service')
      log.error({ err: error, environmentId: source?.environmentId }, 'an error escaped')
      try {
        source?.end()
      } catch (failure) {
        log.error(
          { err: failure, environmentId: source?.environmentId },
          'the environment could not be ended',
        )
      }
    },
  }
}
