/** Limit of `share.images.font`. */
export const FONT_BYTES_MAX = 10 * 1024 * 1024

/** Ranges of code points that a font has, both ends included. Sorted by their start. */
export type Coverage = readonly (readonly [first: number, last: number])[]

const TTF = 0x00010000
const TTF_APPLE = tag('true')
const OTF = tag('OTTO')
const TABLES_MAX = 128
const SUBTABLES_MAX = 64
const SEGMENTS_MAX = 8_192
const GROUPS_MAX = 65_536
const LAST_CODE_POINT = 0x10ffff

/** The problem of a font, if any: only its size, its table directory and its `cmap` are read. */
export function fontProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length > FONT_BYTES_MAX) return 'is larger than 10 MB'
  if (!isTtfOrOtf(bytes)) return 'is neither a TTF nor an OTF font'
  if (!coverageOf(bytes)) return 'has no readable table of characters'
  return undefined
}

function isTtfOrOtf(bytes: Uint8Array) {
  const magic = bytes.length < 12 ? 0 : viewOf(bytes).getUint32(0)
  return magic === TTF || magic === TTF_APPLE || magic === OTF
}

/** The characters of a TTF or OTF by its `cmap` (formats 4 and 12); undefined if it has none that can be read. */
export function coverageOf(bytes: Uint8Array): Coverage | undefined {
  if (!isTtfOrOtf(bytes)) return undefined
  try {
    const cmap = tableOf(viewOf(bytes), tag('cmap'))
    const ranges = cmap && bestSubtable(cmap)
    return ranges && ranges.length > 0 ? ranges.toSorted(([one], [other]) => one - other) : undefined
  } catch (error) {
    // An offset outside of the file.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether a font has the character. */
export function covers(coverage: Coverage, codePoint: number): boolean {
  let [low, high] = [0, coverage.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = coverage[middle] ?? [0, 0]
    if (codePoint < first) high = middle - 1
    else if (codePoint > last) low = middle + 1
    else return true
  }
  return false
}

function tableOf(font: DataView, name: number): DataView | undefined {
  const count = Math.min(font.getUint16(4), TABLES_MAX)
  for (let index = 0; index < count; index++) {
    const record = 12 + index * 16
    if (font.getUint32(record) !== name) continue
    return part(font, font.getUint32(record + 8), font.getUint32(record + 12))
  }
  return undefined
}

/** Format 12 covers all of Unicode, format 4 its first 65,536 characters. */
function bestSubtable(cmap: DataView) {
  const count = Math.min(cmap.getUint16(2), SUBTABLES_MAX)
  const subtables = Array.from({ length: count }, (_, index) => subtableAt(cmap, 4 + index * 8))
  const ofFormat = (format: number) => subtables.find((subtable) => subtable?.getUint16(0) === format)
  const [format12, format4] = [ofFormat(12), ofFormat(4)]
  if (format12) return groupsOf(format12)
  return format4 && segmentsOf(format4)
}

/** Only encodings of Unicode: platform 0, or 3 with encoding 1 or 10. */
function subtableAt(cmap: DataView, record: number) {
  const [platform, encoding] = [cmap.getUint16(record), cmap.getUint16(record + 2)]
  const isUnicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10))
  return isUnicode ? part(cmap, cmap.getUint32(record + 4)) : undefined
}

/** Format 12: groups of first character, last character and first glyph. Glyph 0 is the missing glyph. */
function groupsOf(subtable: DataView) {
  const count = Math.min(subtable.getUint32(12), GROUPS_MAX)
  const ranges: [number, number][] = []
  for (let index = 0; index < count; index++) {
    const at = 16 + index * 12
    const [first, last, glyph] = [
      subtable.getUint32(at),
      subtable.getUint32(at + 4),
      subtable.getUint32(at + 8),
    ]
    if (first > last || last > LAST_CODE_POINT) continue
    const from = glyph === 0 ? first + 1 : first
    if (from <= last) ranges.push([from, last])
  }
  return ranges
}

/** Format 4: segments, whose glyphs are computed with an offset or listed. */
function segmentsOf(subtable: DataView) {
  const bytes = subtable.getUint16(6) & ~1
  const count = Math.min(bytes / 2, SEGMENTS_MAX)
  const ranges: [number, number][] = []
  let next = 0
  for (let index = 0; index < count; index++) {
    const at = 14 + index * 2
    const last = subtable.getUint16(at)
    const first = subtable.getUint16(at + bytes + 2)
    const delta = subtable.getUint16(at + 2 * bytes + 2)
    const listAt = at + 3 * bytes + 2
    const listOffset = subtable.getUint16(listAt)
    // Segments are sorted. Only a damaged font repeats characters; reading them again would take long.
    if (first < next || first > last || first === 0xffff) continue
    next = last + 1
    const glyphOf = (code: number) => {
      if (listOffset === 0) return (code + delta) & 0xffff
      const glyph = subtable.getUint16(listAt + listOffset + 2 * (code - first))
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff
    }
    addWithGlyphs(ranges, first, last, glyphOf)
  }
  return ranges
}

/** Adds the parts of a segment that have a glyph. */
function addWithGlyphs(
  ranges: [number, number][],
  first: number,
  last: number,
  glyphOf: (code: number) => number,
) {
  for (let code = first; code <= last; code++) {
    if (glyphOf(code) === 0) continue
    const previous = ranges.at(-1)
    if (previous?.[1] === code - 1) previous[1] = code
    else ranges.push([code, code])
  }
}

function part(view: DataView, offset: number, length = view.byteLength - offset) {
  return new DataView(view.buffer, view.byteOffset + offset, Math.min(length, view.byteLength - offset))
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function tag(name: string) {
  return Buffer.from(name, 'latin1').readUInt32BE()
}
