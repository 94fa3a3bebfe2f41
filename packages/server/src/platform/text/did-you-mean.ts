const EDITS_MAX = 4

/** The one of `known` that `name` was probably meant to be. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const near = known.map((other) => ({ other, edits: editsBetween(name, other) }))
  const [nearest] = near.sort((a, b) => a.edits - b.edits)
  return nearest && nearest.edits <= Math.min(EDITS_MAX, name.length / 3) ? nearest.other : undefined
}

/** Levenshtein distance: how many letters to add, remove or change. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const above = row
    row = [line]
    for (let column = 1; column <= b.length; column++) {
      const changed = (above[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1)
      row[column] = Math.min(changed, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1)
    }
  }
  return row[b.length] ?? 0
}
