import type * as contract from '@svc/contract/stats'

import { isSvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { randomText } from '../http/platform.ts'
import { loadFile } from '../on-demand.ts'
import type { Lock } from '../session/lock.ts'
import type { Config, Definitions } from './config.ts'
import type { KeptReports } from './kept-reports.ts'
import type * as ReportTools from './report-tools.ts'

/** The result of `svc.stats.submit`. */
export type Submitted = {
  /** The new values by stat and period, such as `stats.points.daily`. */
  stats: Record<string, contract.PeriodValues>
  /** Values that were not counted, with the reason. */
  rejected: contract.Rejected[]
  /** What the values unlocked. Empty in this version. */
  unlocked: unknown[]
  /** The service did not answer: the report is kept on this device and sent when it does, at the latest in the next visit. It counts once. */
  isKept?: true
}
/** Numbers that your game reports for the player, per day, week, month and all time. The config defines them. */
export type Stats = ReturnType<typeof createStats>

/** Nobody waits for this work, so it may fail. */
const withTools = (work: (tools: typeof ReportTools) => unknown) =>
  loadFile(() => import('./report-tools.ts'))
    .then(work)
    .catch(() => {})

/** Numbers that your game reports for the player. */
export function createStats(call: Call, config: Config, kept: KeptReports, lock: Lock) {
  /** Reports of this visit and of earlier ones that the service may have counted. */
  let unanswered = kept.list()
  deliver()

  /** The service knows its last 16 reports: these must be sent before many others are. */
  function deliver() {
    const reports = unanswered
    unanswered = []
    if (!reports[0]) return
    void withTools(async ({ deliverReports }) => {
      unanswered.push(...(await deliverReports(call, kept, reports, lock)))
    })
  }

  const get = async (): Promise<Record<string, number>> =>
    (await call<typeof contract.readStats>('GET /v1/stats', {})).stats

  return {
    /**
     * Reports values of the player. Those outside the limits in the config are in `rejected`; the rest count. A key that the config
     * does not define, or a value that is not a number, is a mistake in the code: the console warns about it once.
     *
     * Each report counts once. If the service does not answer for about 10 seconds, the result has `isKept`: do not report the values
     * again, the SDK sends them when the service answers, at the latest in the next visit. It keeps up to 16 reports; with more, `submit` rejects with `network_error`.
     *
     * @throws `too_many_stats` The report has more than 64 keys.
     * @example
     * const { rejected } = await svc.stats.submit({ points: 120 })
     * console.log(rejected) // → []
     */
    submit: async (stats: Record<string, number>): Promise<Submitted> => {
      const key = randomText()
      const isKept = kept.add({ key, stats })
      const submitted: Submitted = await call<typeof contract.submitStats>(
        'POST /v1/stats',
        { body: { stats } },
        { idempotencyKey: key },
      ).catch((error: unknown): Submitted => {
        if (
          isKept &&
          isSvcError(error, 'network_error', 'unexpected_answer', 'service_unavailable', 'request_timeout')
        )
          return { stats: {}, rejected: [], unlocked: [], isKept }
        kept.remove(key)
        throw error
      })
      const { rejected } = submitted
      if (submitted.isKept) unanswered.push({ key, stats })
      else {
        kept.remove(key)
        deliver()
      }
      if (rejected[0]) await withTools(({ warnOfMistakes }) => warnOfMistakes(rejected))
      return submitted
    },

    /**
     * Reads the player's all-time values.
     *
     * @example
     * const { points = 0 } = await svc.stats.get()
     * console.log(points) // → 120
     */
    get,

    /**
     * Lists the stats that the config defines.
     *
     * @example
     * const [first] = await svc.stats.definitions()
     * console.log(first?.key, first?.aggregation) // → points max
     */
    definitions: async (): Promise<Definitions['stats']> => (await config.get()).stats,

    /** @deprecated Use `get`. */
    read: get,
  }
}
