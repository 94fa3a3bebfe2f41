import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Every character of Unicode, as the `unit` of a text. Like `'binary'`, for which fast-check first makes a table of all of them: two
 * seconds and 120 MB in each process.
 */
export const anyCharacter = fc
  // Without a preference for small numbers: most texts would have control characters, which are refused.
  .noBias(fc.nat({ max: 0x10ffff - SURROGATES.count }))
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count))
