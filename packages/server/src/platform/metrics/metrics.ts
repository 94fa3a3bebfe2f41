import type { Awaitable } from '../memory/awaitable.ts'
import type { MetricName } from './table.ts'

/** One line of a metric: what follows its name, such as `{mode="p2p"}`, and the value. */
export type Sample = readonly [labels: string, value: number]

/**
 * A number of the service, registered by the code that has it. `read` is called for each request of the metrics page; without
 * samples the metric is left out.
 */
export type Metric = { name: MetricName; read(): Awaitable<readonly Sample[]> }

/**
 * A metric without labels. It is left out while `read` returns undefined.
 *
 * @example metric(single('svc_rooms', () => rooms.size))
 */
export const single = (name: MetricName, read: () => Awaitable<number | undefined>): Metric => ({
  name,
  read() {
    const value = read()
    return value instanceof Promise ? value.then(samplesOf) : samplesOf(value)
  },
})

const samplesOf = (value: number | undefined): Sample[] => (value === undefined ? [] : [['', value]])

/**
 * A counter by one label. `values` are listed with 0 from the start, so that a rate exists before the first event. Others are
 * added when they are counted: their number must be bounded by the code that counts.
 *
 * @example const drawn = new Counts('svc_cards_drawn_total', 'outcome', ['drawn', 'busy']); drawn.add('drawn')
 */
export class Counts implements Metric {
  readonly name: MetricName
  readonly #label: string
  readonly #counts = new Map<string, number>()

  constructor(name: MetricName, label: string, values: readonly string[] = []) {
    this.name = name
    this.#label = label
    for (const value of values) this.#counts.set(value, 0)
  }

  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
  }

  read = (): readonly Sample[] =>
    [...this.#counts].map(([value, count]) => [`{${this.#label}="${value}"}`, count])
}

/** From a tenth of a millisecond to ten seconds: waits and syncs. */
const BOUNDS_MS = [0.1, 0.5, 1, 5, 20, 100, 500, 2_000, 10_000]

/** Durations by bucket. Recording one takes some nanoseconds and allocates nothing. Without any it is left out. */
export class Durations implements Metric {
  readonly name: MetricName
  readonly #buckets = new Float64Array(BOUNDS_MS.length + 1)
  #sumMs = 0

  constructor(name: MetricName) {
    this.name = name
  }

  add(ms: number): void {
    let bucket = 0
    while (bucket < BOUNDS_MS.length && ms > (BOUNDS_MS[bucket] as number)) bucket++
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#sumMs += ms
  }

  read = (): readonly Sample[] => histogramSamples('', BOUNDS_MS, this.#buckets, this.#sumMs)
}

/** The samples of a histogram in seconds. `counts` are not cumulative, and have one more for what is above the last bound. */
export function histogramSamples(
  labels: string,
  boundsMs: readonly number[],
  counts: ArrayLike<number>,
  sumMs: number,
): Sample[] {
  let total = 0
  const before = labels === '' ? '' : `${labels},`
  const buckets = Array.from(counts, (count, index): Sample => {
    const bound = boundsMs[index]
    total += count
    return [`_bucket{${before}le="${bound === undefined ? '+Inf' : bound / 1_000}"}`, total]
  })
  if (total === 0) return []
  const inBraces = labels === '' ? '' : `{${labels}}`
  return [...buckets, [`_sum${inBraces}`, sumMs / 1_000], [`_count${inBraces}`, total]]
}
