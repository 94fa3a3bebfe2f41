/** How often something is tried: few times by `npm test`, many times by `npm run test:long`. */
export const runs = (few: number, many: number): number => (process.env['TEST_LONG'] ? many : few)
