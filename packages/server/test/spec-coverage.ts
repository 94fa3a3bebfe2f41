/** The statement ids of docs/spec-rules.md, in order. */
export const ruleIdsIn = (rules: string): string[] =>
  [...rules.matchAll(/^- ([A-Z][A-Z0-9]{2}-\d{2,3}) /gm)].map(([, id = '']) => id)

/**
 * The statement ids at the beginning of the test names of a file: `test('[GEN-08] …')`, `test('[GEN-08] [GEN-22] …')`. Any string
 * that begins this way counts, because some files name their tests in tables. Skipped tests do not count.
 */
export const provenIn = (testFile: string): string[] =>
  [
    ...testFile.matchAll(/(?<!\.(?:skip|todo)\(\s*)['"`](?<ids>(?:\[[A-Z][A-Z0-9]{2}-\d{2,3}\],? ?)+)/g),
  ].flatMap(({ groups }) => (groups?.ids ?? '').match(/[A-Z][A-Z0-9]{2}-\d{2,3}/g) ?? [])

/** Expands `GEN-01…GEN-16` to all existing ids in that range. A single id stays as it is. */
export function expand(ranges: readonly string[], ids: readonly string[]): string[] {
  return ranges.flatMap((range) => {
    const [first = '', last = first] = range.split('…')
    const isInside = (id: string) => numberOf(id) >= numberOf(first) && numberOf(id) <= numberOf(last)
    return ids.filter((id) => id.slice(0, 3) === first.slice(0, 3) && isInside(id))
  })
}

const numberOf = (id: string) => Number(id.slice(4))

export type Coverage = {
  ids: readonly string[]
  finished: readonly string[]
  /** Statements inside a finished range with a part that is not implemented yet: id → that part. */
  later: Readonly<Record<string, string>>
  proven: readonly string[]
}

export function coverageProblems({ ids, finished, later, proven }: Coverage): string[] {
  const due = expand(finished, ids).filter((id) => !(id in later))
  const unknown = (list: readonly string[]) => list.filter((id) => !ids.includes(id))
  return [
    ...due.filter((id) => !proven.includes(id)).map((id) => `${id} is finished, but no test names it`),
    ...ids
      .filter((id) => !(id in later) && !expand(finished, ids).includes(id))
      .map((id) => `${id} is in no range of "finished" in spec-coverage.test.ts`),
    ...unknown([...new Set(proven)]).map((id) => `a test names ${id}, which is not in docs/spec-rules.md`),
    ...unknown(Object.keys(later)).map((id) => `${id} is put off, but does not exist`),
    ...finished.filter((range) => expand([range], ids).length === 0).map((range) => `${range} names nothing`),
    ...(repeated(ids).length > 0 ? [`numbered twice: ${repeated(ids).join(', ')}`] : []),
  ]
}

const repeated = (list: readonly string[]) => list.filter((id, index) => list.indexOf(id) !== index)
