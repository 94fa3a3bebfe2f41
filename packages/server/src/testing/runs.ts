/** The number of runs, or a list of cases: few with `npm test`, many with `npm run test:long`. */
export const runs = <T = number>(few: T, many: T): T => (process.env['TEST_LONG'] ? many : few)
