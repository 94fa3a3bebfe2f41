import { currentSource } from '../platform/error-source.ts'
import type { Foundation, Mounts } from './foundation.ts'

/**
 * Errors that no code has caught: an event handler threw, or an emitter had no error listener. They are bugs, but must not end the
 * service for everybody (decision 0042): each is logged and counted, and ends the environment that it comes from.
 */
export function buildEscapedErrors({ log }: Pick<Foundation, 'log'>) {
  const counts = { environment: 0, service: 0 }

  return {
    mount({ figure }: Mounts) {
      figure({
        name: 'svc_escaped_errors_total',
        type: 'counter',
        help: 'Errors that no code has caught, by what they belong to',
        read: () => Object.entries(counts).map(([source, count]) => [`{source="${source}"}`, count] as const),
      })
    },

    /** For `uncaughtException` and `unhandledRejection` of the process. */
    report(error: unknown) {
      const source = currentSource()
      counts[source ? 'environment' : 'service']++
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
