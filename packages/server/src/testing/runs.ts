/** The number of runs: few with `npm test`, many with `npm run test:long`. */
export const runs = (few: number, many: number): number => (process.env['TEST_LONG'] ? many : few)
