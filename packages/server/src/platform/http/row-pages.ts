/** A cursor that sorts after every id, in every collation: that of the first page of a list that begins with the newest row. */
export const BEFORE_FIRST_PAGE = 'z'

/** The page of a list of which `limit + 1` rows were read, and the cursor of the next page: null if this is the last one. */
export function pageOf<Row extends { id: string }>(rows: readonly Row[], limit: number) {
  const shown = rows.slice(0, limit)
  return { shown, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
