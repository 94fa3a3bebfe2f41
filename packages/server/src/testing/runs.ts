import type { TestContext } from 'node:test'

export const OTHER_TURN = 'the turn of another commit'

/** The number of runs, or a list of cases: few with `npm test`, many with `npm run test:long`. */
export const runs = <T = number>(few: T, many: T): T => (process.env['TEST_LONG'] ? many : few)

/**
 * Whether it is the turn of the nth of `parts` parts. A run of the whole suite takes one of them, another one after the next commit
 * perhaps. Runs of single files and `npm run test:long` take all.
 */
function isTurnOf(at: number, parts: number): boolean {
  const commit = process.env['TEST_COMMIT']
  if (commit === undefined || process.env['TEST_LONG']) return true
  return isTurn(commit.slice(0, 8), at, parts)
}

/** Whether a commit, as hexadecimal digits, chooses the nth of `parts` parts. */
export const isTurn = (commit: string, at: number, parts: number): boolean =>
  ((Number.parseInt(commit, 16) || 0) + at) % parts === 0

/** One of the cases, or one of `parts` parts of them. */
export const inTurn = <T>(cases: readonly T[], parts = cases.length): readonly T[] =>
  cases.filter((_, at) => isTurnOf(at, parts))

/** Skips the nth of two tests that take turns, unless it is its turn. What a rule says must also be tested by one that always runs. */
export function skipsTurn(t: TestContext, at: 0 | 1): boolean {
  const isSkipped = !isTurnOf(at, 2)
  if (isSkipped) t.skip(OTHER_TURN)
  return isSkipped
}
