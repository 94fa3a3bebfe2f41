/** Finds `src/index.ts:3:5` for a line and a column of the code; undefined for code that has no source. */
export type FindSource = (line: number, column: number) => string | undefined

type Segment = { column: number; source: number; line: number; sourceColumn: number }

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Reads a source map of version 3. A map that is none finds nothing. */
export function readSourceMap(text: string): FindSource {
  const map = parse(text)
  // Lines are decoded when they are asked for; but each continues the numbers of the one before.
  const lines: Segment[][] = []
  const before = { source: 0, line: 0, sourceColumn: 0 }
  const encoded = map.mappings.split(';')
  const lineAt = (line: number): Segment[] | undefined => {
    while (lines.length < Math.min(line, encoded.length))
      lines.push(decode(encoded[lines.length] ?? '', before))
    return lines[line - 1]
  }
  return (line, column) => {
    const found = lineAt(line)?.findLast((segment) => segment.column < column)
    if (!found) return undefined
    const source = map.sources[found.source]
    return typeof source === 'string' ? `${source}:${found.line + 1}:${found.sourceColumn + 1}` : undefined
  }
}

function parse(text: string): { mappings: string; sources: unknown[] } {
  try {
    const { mappings, sources } = JSON.parse(text) as { mappings?: unknown; sources?: unknown }
    if (typeof mappings === 'string' && Array.isArray(sources)) return { mappings, sources }
  } catch {
    // The service stores any text as a source map.
  }
  return { mappings: '', sources: [] }
}

function decode(line: string, before: Omit<Segment, 'column'>): Segment[] {
  const segments: Segment[] = []
  let column = 0
  for (const text of line.split(',')) {
    const [columns = 0, source, sourceLine = 0, sourceColumn = 0] = numbersOf(text)
    column += columns
    if (source === undefined) continue
    before.source += source
    before.line += sourceLine
    before.sourceColumn += sourceColumn
    segments.push({ column, ...before })
  }
  return segments
}

/** Base64 VLQ: five bits per digit, the sixth says that more follow; the lowest bit of a number is its sign. */
function numbersOf(text: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const digit of text) {
    const bits = DIGITS.indexOf(digit)
    value += (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}
