import { HOUR_MS, type Monotonic, monotonicMs } from '../../platform/clock.ts'
import type { Metric, Sample } from '../../platform/metrics/metrics.ts'

/** Another node may have gone on with a removal that this one did not finish. */
const KNOWN_MS = 3 * HOUR_MS

/** For how long the oldest row of each table should have been gone, as this node has seen it last. */
export class Overdue implements Metric {
  readonly name = 'svc_removal_overdue_seconds'
  readonly #nowMs: Monotonic
  readonly #byTable = new Map<string, { overdueMs: number; seenAtMs: number }>()

  constructor(nowMs = monotonicMs) {
    this.#nowMs = nowMs
  }

  /** Ignores what is no number: the limit of some removals is no time. */
  note(table: string, overdueMs: number): void {
    if (!Number.isNaN(overdueMs)) this.#byTable.set(table, { overdueMs, seenAtMs: this.#nowMs() })
  }

  read = (): readonly Sample[] =>
    [...this.#byTable]
      .filter(([, { seenAtMs }]) => this.#nowMs() - seenAtMs < KNOWN_MS)
      .map(([table, { overdueMs }]) => [`{table="${table}"}`, overdueMs / 1_000])
}
