import { FIGURE_NAMES, type FigureName, type Figures, median } from './figures.ts'

/** A table of the report: lines that do the same. */
export type Entry = {
  name: string
  about: string
  /** By what the lines are compared, and with which of them: the bare component, the peers. */
  compared: FigureName
  against: readonly string[]
  lines: readonly Line[]
}

export type Line = { name: string; measure(ms: number): Promise<Figures>; goals?: readonly Goal[] }

/** One of DESIGN.md, section Speed: about a figure of the line, or about its ratio to another line. */
export type Goal = { number: number } & ({ figure: FigureName } | { against: string }) &
  ({ atLeast: number } | { atMost: number })

export type Row = {
  line: string
  medians: Figures
  ratios: Record<string, number>
  goals: (Goal & { met: boolean })[]
  rounds: Figures[]
}
export type Table = Pick<Entry, 'name' | 'about' | 'compared' | 'against'> & { rows: Row[] }

const WARM_UP_MS = 5_000

type Run = { rounds: number; ms: number; progress(sentence: string): void }

/**
 * All lines of all entries, one after another, in every round: what else the machine does then falls on all of them alike.
 * The first round only warms up, for long enough: what Node compiles in the first seconds costs as much as their requests, and falls
 * on the longer code.
 */
export async function measure(entries: readonly Entry[], { rounds, ms, progress }: Run): Promise<Table[]> {
  const measured = new Map<Line, Figures[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, lines } of entries) {
      progress(round === 0 ? `warming up: ${name}` : `round ${round} of ${rounds}: ${name}`)
      for (const line of lines) {
        const figures = await line.measure(round === 0 ? Math.max(2 * ms, WARM_UP_MS) : ms)
        if (round > 0) measured.set(line, [...(measured.get(line) ?? []), figures])
      }
    }
  }
  return entries.map((entry) => tableOf(entry, (line) => measured.get(line) ?? []))
}

function tableOf(
  { name, about, compared, against, lines }: Entry,
  roundsOf: (line: Line) => Figures[],
): Table {
  const comparedWith = lines.filter((line) => against.includes(line.name))

  const rows = lines.map((line) => {
    const rounds = roundsOf(line)
    const others = comparedWith.filter((other) => other !== line)
    const ratios = Object.fromEntries(
      others.map((other) => [other.name, ratio(rounds, roundsOf(other), compared)]),
    )
    const medians = mediansOf(rounds)
    const goals = (line.goals ?? [])
      .filter((goal) => 'figure' in goal || goal.against in ratios)
      .map((goal) => ({ ...goal, met: isMet(goal, medians, ratios) }))
    return { line: line.name, medians, ratios, goals, rounds }
  })
  return { name, about, compared, against: comparedWith.map((line) => line.name), rows }
}

const mediansOf = (rounds: readonly Figures[]): Figures =>
  Object.fromEntries(
    FIGURE_NAMES.filter((name) => rounds.every((figures) => figures[name] !== undefined)).map((name) => [
      name,
      median(valuesOf(rounds, name)),
    ]),
  )

const valuesOf = (rounds: readonly Figures[], name: FigureName): number[] =>
  rounds.map((figures) => figures[name] ?? Number.NaN)

/** Taken within each round, where both met the same machine; then the median. */
function ratio(ours: readonly Figures[], others: readonly Figures[], name: FigureName): number {
  const otherValues = valuesOf(others, name)
  return median(valuesOf(ours, name).map((value, round) => value / (otherValues[round] ?? Number.NaN)))
}

function isMet(goal: Goal, medians: Figures, ratios: Record<string, number>): boolean {
  const value = ('figure' in goal ? medians[goal.figure] : ratios[goal.against]) ?? Number.NaN
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
