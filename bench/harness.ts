import { METRIC_NAMES, type MetricName, type Metrics, median } from './metrics.ts'

/** A table of the report. All its lines do the same work. */
export type Entry = {
  name: string
  about: string
  /** The metric by which lines are compared, and the lines they are compared with: the bare component and the peers. */
  comparedMetric: MetricName
  baselines: readonly string[]
  lines: readonly Line[]
  /** For code that V8 compiles late. */
  warmUpMs?: number
}

export type Line = { name: string; measure(ms: number): Promise<Metrics>; goals?: readonly Goal[] }

/** A speed goal: a bound for a metric of the line, or for its ratio to another line. */
export type Goal = { number: number } & ({ metric: MetricName } | { baseline: string }) &
  ({ atLeast: number } | { atMost: number })

export type Row = {
  line: string
  medians: Metrics
  ratios: Record<string, number>
  goals: (Goal & { met: boolean })[]
  rounds: Metrics[]
}
export type Table = Pick<Entry, 'name' | 'about' | 'comparedMetric' | 'baselines'> & { rows: Row[] }

const WARM_UP_MS = 5_000

type Run = { rounds: number; ms: number; progress(sentence: string): void }

/**
 * Measures all lines of all entries one after another in every round, so that other load on the machine affects all lines
 * equally. The first round only warms up: V8 compiles in the first seconds, which costs as much CPU as the requests, and more for
 * longer code.
 */
export async function measure(entries: readonly Entry[], { rounds, ms, progress }: Run): Promise<Table[]> {
  const measured = new Map<Line, Metrics[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, lines, warmUpMs = WARM_UP_MS } of entries) {
      progress(round === 0 ? `warming up: ${name}` : `round ${round} of ${rounds}: ${name}`)
      for (const line of lines) {
        const metrics = await line.measure(round === 0 ? Math.max(2 * ms, warmUpMs) : ms)
        if (round > 0) measured.set(line, [...(measured.get(line) ?? []), metrics])
      }
    }
  }
  return entries.map((entry) => tableOf(entry, (line) => measured.get(line) ?? []))
}

function tableOf(
  { name, about, comparedMetric, baselines, lines }: Entry,
  roundsOf: (line: Line) => Metrics[],
): Table {
  const baselineLines = lines.filter((line) => baselines.includes(line.name))

  const rows = lines.map((line) => {
    const rounds = roundsOf(line)
    const others = baselineLines.filter((other) => other !== line)
    const ratios = Object.fromEntries(
      others.map((other) => [other.name, ratio(rounds, roundsOf(other), comparedMetric)]),
    )
    const medians = mediansOf(rounds)
    const goals = (line.goals ?? [])
      .filter((goal) => 'metric' in goal || goal.baseline in ratios)
      .map((goal) => ({ ...goal, met: isMet(goal, medians, ratios) }))
    return { line: line.name, medians, ratios, goals, rounds }
  })
  return { name, about, comparedMetric, baselines: baselineLines.map((line) => line.name), rows }
}

const mediansOf = (rounds: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    METRIC_NAMES.filter((name) => rounds.every((metrics) => metrics[name] !== undefined)).map((name) => [
      name,
      median(valuesOf(rounds, name)),
    ]),
  )

const valuesOf = (rounds: readonly Metrics[], name: MetricName): number[] =>
  rounds.map((metrics) => metrics[name] ?? Number.NaN)

/** Median of the ratios within each round, because both lines ran under the same conditions there. */
function ratio(ours: readonly Metrics[], others: readonly Metrics[], name: MetricName): number {
  const otherValues = valuesOf(others, name)
  return median(valuesOf(ours, name).map((value, round) => value / (otherValues[round] ?? Number.NaN)))
}

function isMet(goal: Goal, medians: Metrics, ratios: Record<string, number>): boolean {
  const value = ('metric' in goal ? medians[goal.metric] : ratios[goal.baseline]) ?? Number.NaN
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
