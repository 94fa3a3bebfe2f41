import { FIGURE_NAMES, type FigureName, type Figures, median } from './figures.ts'

/** A table of the report: lines that do the same, and which of them are the bare components. */
export type Entry = {
  name: string
  about: string
  /** By what the lines are compared, and with which of them. */
  compared: FigureName
  bare: readonly string[]
  lines: readonly Line[]
}

export type Line = { name: string; measure(ms: number): Promise<Figures>; goal?: Goal }

/** One of DESIGN.md, section Speed. Without `figure` it is about the ratio to the bare component. */
export type Goal = { number: number; figure?: FigureName } & ({ atLeast: number } | { atMost: number })

export type Row = {
  line: string
  medians: Figures
  ratios: Record<string, number>
  goal?: Goal & { met: boolean }
  rounds: Figures[]
}
export type Table = Pick<Entry, 'name' | 'about' | 'compared' | 'bare'> & { rows: Row[] }

type Run = { rounds: number; ms: number; progress(sentence: string): void }

/**
 * All lines of all entries, one after another, in every round: what else the machine does then falls on all of them alike.
 * The first round only warms up.
 */
export async function measure(entries: readonly Entry[], { rounds, ms, progress }: Run): Promise<Table[]> {
  const measured = new Map<Line, Figures[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, lines } of entries) {
      progress(round === 0 ? `warming up: ${name}` : `round ${round} of ${rounds}: ${name}`)
      for (const line of lines) {
        const figures = await line.measure(round === 0 ? ms / 2 : ms)
        if (round > 0) measured.set(line, [...(measured.get(line) ?? []), figures])
      }
    }
  }
  return entries.map((entry) => tableOf(entry, (line) => measured.get(line) ?? []))
}

function tableOf({ name, about, compared, bare, lines }: Entry, roundsOf: (line: Line) => Figures[]): Table {
  const bareLines = lines.filter((line) => bare.includes(line.name))

  const rows = lines.map((line) => {
    const rounds = roundsOf(line)
    const others = bareLines.filter((other) => other !== line)
    const ratios = Object.fromEntries(
      others.map((other) => [other.name, ratio(rounds, roundsOf(other), compared)]),
    )
    const medians = mediansOf(rounds)
    const goal = line.goal && { ...line.goal, met: isMet(line.goal, medians, ratios[bare[0] ?? '']) }
    return { line: line.name, medians, ratios, ...(goal && { goal }), rounds }
  })
  return { name, about, compared, bare, rows }
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
function ratio(ours: readonly Figures[], bare: readonly Figures[], name: FigureName): number {
  const bareValues = valuesOf(bare, name)
  return median(valuesOf(ours, name).map((value, round) => value / (bareValues[round] ?? Number.NaN)))
}

function isMet(goal: Goal, medians: Figures, ratioToBare: number | undefined): boolean {
  const value = (goal.figure ? medians[goal.figure] : ratioToBare) ?? Number.NaN
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
