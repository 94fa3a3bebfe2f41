import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'

import { cjkFont } from '../../testing/card-pictures.ts'
import { type Coverage, coverageOf, covers, FONT_BYTES_MAX, fontProblem } from './font-coverage.ts'
import { subsetRanges } from './inter.ts'

type Table = [tag: string, data: Buffer]

/** A font file with only the tables that the reader of characters needs. */
function fontWith(tables: Table[], magic = 0x00010000): Buffer {
  const directory = Buffer.alloc(12 + tables.length * 16)
  directory.writeUInt32BE(magic)
  directory.writeUInt16BE(tables.length, 4)
  let offset = directory.length
  tables.forEach(([tag, data], index) => {
    const record = 12 + index * 16
    directory.write(tag, record, 'latin1')
    directory.writeUInt32BE(offset, record + 8)
    directory.writeUInt32BE(data.length, record + 12)
    offset += data.length
  })
  return Buffer.concat([directory, ...tables.map(([, data]) => data)])
}

function cmapWith(subtable: Buffer, [platform, encoding] = [3, 1]): Table {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(1, 2)
  header.writeUInt16BE(platform ?? 0, 4)
  header.writeUInt16BE(encoding ?? 0, 6)
  header.writeUInt32BE(12, 8)
  return ['cmap', Buffer.concat([header, subtable])]
}

function format4(segments: { first: number; last: number; delta?: number; glyphs?: number[] }[]): Buffer {
  const uint16 = (values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])))
  const bytes = segments.length * 2
  const lists: number[] = []
  const offsets = segments.map(({ glyphs }, index) => {
    if (!glyphs) return 0
    const offset = bytes - index * 2 + lists.length * 2
    lists.push(...glyphs)
    return offset
  })
  return Buffer.concat([
    uint16([4, 0, 0, bytes, 0, 0, 0]),
    uint16(segments.map(({ last }) => last)),
    uint16([0]),
    uint16(segments.map(({ first }) => first)),
    uint16(segments.map(({ delta = 0 }) => delta & 0xffff)),
    uint16(offsets),
    uint16(lists),
  ])
}

function format12(groups: [first: number, last: number, glyph: number][], count = groups.length): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt16BE(12)
  header.writeUInt32BE(count, 12)
  const body = Buffer.alloc(groups.length * 12)
  groups.flat().forEach((value, index) => body.writeUInt32BE(value, index * 4))
  return Buffer.concat([header, body])
}

describe('characters of a font', () => {
  test('[SHR-09] a cmap of format 4 is read with numbers to add and lists of glyphs', () => {
    const subtable = format4([
      { first: 0x41, last: 0x43, delta: -0x40 },
      { first: 0x61, last: 0x64, glyphs: [5, 0, 6, 7] },
      { first: 0xffff, last: 0xffff, delta: 1 },
    ])
    assert.deepEqual(coverageOf(fontWith([cmapWith(subtable)])), [
      [0x41, 0x43],
      [0x61, 0x61],
      [0x63, 0x64],
    ])
  })

  test('[SHR-09] a cmap of format 12 is read, without the missing glyph', () => {
    const subtable = format12([
      [0x1f600, 0x1f610, 9],
      [0x20, 0x30, 0],
      [0x41, 0x41, 0],
    ])
    const coverage = coverageOf(fontWith([cmapWith(subtable, [0, 4])])) ?? []
    assert.deepEqual(coverage, [
      [0x21, 0x30],
      [0x1f600, 0x1f610],
    ])
    const has = (codePoint: number) => covers(coverage, codePoint)
    assert.deepEqual([0x20, 0x21, 0x30, 0x31, 0x1f5ff, 0x1f600, 0x1f610, 0x1f611].map(has), [
      false,
      true,
      true,
      false,
      false,
      true,
      true,
      false,
    ])
  })

  test('[SHR-09] a font with endless, overlapping or impossible ranges is read quickly', () => {
    const repeated = Array.from({ length: 8_192 }, () => ({ first: 0, last: 0xfffe, delta: 1 }))
    assert.deepEqual(coverageOf(fontWith([cmapWith(format4(repeated))])), [[0, 0xfffe]])
    const tooMany = format12([[0x41, 0x42, 1]], 0xffffffff)
    assert.equal(coverageOf(fontWith([cmapWith(tooMany)])), undefined)
    const outside = format12([
      [0x41, 0xffffffff, 1],
      [0x50, 0x40, 1],
    ])
    assert.equal(coverageOf(fontWith([cmapWith(outside)])), undefined)
  })

  test('[SHR-09] a font that cannot be used has a reason', () => {
    assert.equal(fontProblem(cjkFont), undefined)
    assert.equal(fontProblem(fontWith([cmapWith(format12([[0x41, 0x41, 1]]))], 0x4f54544f)), undefined)
    assert.match(fontProblem(Buffer.alloc(0)) ?? '', /neither/)
    assert.match(fontProblem(Buffer.from('wOF2 and so on, a web font')) ?? '', /neither/)
    assert.match(fontProblem(fontWith([['head', Buffer.alloc(54)]])) ?? '', /no readable table/)
    assert.match(
      fontProblem(fontWith([cmapWith(format12([[0x41, 0x41, 1]]), [1, 0])])) ?? '',
      /no readable table/,
    )
    for (let length = 0; length < cjkFont.length; length += 7) fontProblem(cjkFont.subarray(0, length))
  })

  test('[SHR-09] a font of 10 MB is accepted, one byte more is not', () => {
    const largest = Buffer.alloc(FONT_BYTES_MAX)
    cjkFont.copy(largest)
    assert.equal(fontProblem(largest), undefined)
    assert.match(fontProblem(Buffer.concat([largest, Buffer.alloc(1)])) ?? '', /larger than 10 MB/)
  })

  test('[SHR-09] the list of built-in characters matches the files', () => {
    for (const subset of ['latin', 'latin-ext', 'vietnamese'] as const) {
      for (const weight of [400, 700]) {
        const file = readFileSync(new URL(`./fonts/inter-${subset}-${weight}-normal.woff2`, import.meta.url))
        const coverage = coverageOf(fontWith([['cmap', cmapOfWoff2(file)]])) ?? []
        const missing = codePoints(subsetRanges(subset)).filter((codePoint) => !covers(coverage, codePoint))
        assert.deepEqual(missing, [], `${subset} ${weight}`)
      }
    }
  })
})

const codePoints = (coverage: Coverage) =>
  coverage.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))

const CMAP_FLAG = 0
const GLYF_FLAG = 10
const LOCA_FLAG = 11
const OTHER_TAG_FLAG = 63

/** The table `cmap` of a WOFF2 file: the tables follow each other in one stream of Brotli. */
function cmapOfWoff2(file: Buffer): Buffer {
  let at = 48
  const variableLength = () => {
    let value = 0
    for (;;) {
      const byte = file.readUInt8(at++)
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
  }
  const tables = Array.from({ length: file.readUInt16BE(12) }, () => {
    const flags = file.readUInt8(at++)
    const flag = flags & 63
    if (flag === OTHER_TAG_FLAG) at += 4
    const length = variableLength()
    const isTransformed = flag === GLYF_FLAG || flag === LOCA_FLAG ? flags >> 6 !== 3 : flags >> 6 !== 0
    return { flag, length: isTransformed ? variableLength() : length }
  })
  const data = brotliDecompressSync(file.subarray(at, at + file.readUInt32BE(20)))
  const index = tables.findIndex(({ flag }) => flag === CMAP_FLAG)
  const offset = tables.slice(0, index).reduce((sum, { length }) => sum + length, 0)
  return data.subarray(offset, offset + (tables[index]?.length ?? 0))
}
