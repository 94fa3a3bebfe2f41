const ROWS_MIN = 10_000

/**
 * How long the result of a scan is cached: a hundred times as long as the scan takes, so that repeated reads use at most 1 % of a core. It
 * is computed from the number of rows and not measured, so that it does not depend on other load. The result of few rows is not cached.
 */
export const scanTtlMs = (rows: number, microsPerRow: number): number =>
  rows < ROWS_MIN ? 0 : (rows * microsPerRow) / 10
