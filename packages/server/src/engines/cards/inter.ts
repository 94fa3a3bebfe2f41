import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { OWN_FILES } from '../../platform/own-files.ts'
import { type Coverage, covers } from './font-coverage.ts'

/** The family name of the built-in font. */
export const INTER = 'Inter'
const WEIGHTS = [400, 700] as const

/** The characters in the files of the subsets of Inter: first and last code points in hexadecimal. */
const SUBSETS = {
  latin:
    '20-7e a0-ac ae-ff 131 152-153 2bb-2bc 2c6 2da 2dc 300-301 303-304 308-309 323 2002 2009 2013-2014 2018-201a 201c-201e 2022 2026 2032-2033 2039-203a 2044 20ac 2122 2191 2193 2212',
  'latin-ext':
    '100-130 132-148 14a-151 154-1c3 1c5-254 256-27b 27e-284 286-290 292-2a4 2a6-2ba 2bd-2c5 2c7-2cc 2ce-2d7 2dd-2ff 1d00 1d0d 1d1b 1d43 1d47-1d49 1d4d 1d4f-1d50 1d52 1d56-1d58 1d5b 1d62-1d65 1d9c 1da0 1dbb 1dbf 1e00-1e9b 1e9d-1e9f 1ef2-1eff 2020 20a0-20ab 20ad-20af 20b1-20b5 20b8-20ba 20bc-20bf 2113 2c7c 2c7f a7ff',
  vietnamese: '1ea0-1ef1',
} as const
export type Subset = keyof typeof SUBSETS
const subsets = Object.keys(SUBSETS) as Subset[]

/** The characters that one subset draws. No character belongs to two of them. */
export const subsetRanges = (subset: Subset): [number, number][] =>
  SUBSETS[subset].split(' ').map((range) => {
    const [first = '', last = first] = range.split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
  })

/** All characters of the built-in font. */
export const interCoverage: Coverage = subsets.flatMap(subsetRanges).toSorted(([one], [other]) => one - other)

/** The subsets that a text needs. Reading all of them takes as long as drawing a card. */
export function subsetsFor(text: string): Subset[] {
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return subsets.filter((subset) => {
    const ranges = subsetRanges(subset)
    // The renderer itself writes an ellipsis.
    return subset === 'latin' || codePoints.some((codePoint) => covers(ranges, codePoint))
  })
}

/** The files of a subset of the built-in font, as the renderer registers them. */
export const interFonts = (subset: Subset) =>
  WEIGHTS.map((weight) => ({
    name: INTER,
    weight,
    unicodeRange: subsetRanges(subset),
    data: readFileSync(join(OWN_FILES.fonts, `inter-${subset}-${weight}-normal.woff2`)),
  }))
