import type * as contract from '@svc/contract/stats'

import type { SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import type { Lock } from '../session/lock.ts'
import type { KeptReport, KeptReports } from './kept-reports.ts'

/** The report may be accepted later. */
const LATER = new Set<string>([
  'network_error',
  'unexpected_answer',
  'service_unavailable',
  'request_timeout',
  'rate_limited',
  'signed_out',
])

/** Sends what was not answered, one report after the other; of several tabs that start, one does it. Returns those that must wait longer. */
export const deliverReports = (
  call: Call,
  kept: KeptReports,
  earlier: readonly KeptReport[],
  lock: Lock,
): Promise<readonly KeptReport[]> =>
  lock(async () => {
    for (const [at, { key, stats }] of earlier.entries()) {
      if (!kept.list().some((report) => report.key === key)) continue
      try {
        await call<typeof contract.submitStats>(
          'POST /v1/stats',
          { body: { stats } },
          { idempotencyKey: key },
        )
      } catch (error) {
        if (LATER.has((error as SvcError).code)) return earlier.slice(at)
      }
      kept.remove(key)
    }
    return []
  })

const WARNED_MAX = 20
const warned = new Set<string>()

/** A key that the config does not define, or a value that is not a number, is a mistake in the code. */
export function warnOfMistakes(rejected: contract.Rejected[]) {
  for (const { key, reason } of rejected) {
    if (!/^(unknown_stat|invalid_value)$/.test(reason) || warned.has(key) || warned.size >= WARNED_MAX)
      continue
    warned.add(key)
    console.warn(`svc.stats.submit: "${key}" was rejected: ${reason}. See stats in svc.config.json.`)
  }
}
