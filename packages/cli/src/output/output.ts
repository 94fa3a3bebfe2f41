import { styleText } from 'node:util'

/** A stream that people or scripts read: standard output or standard error. */
export type Screen = {
  write(text: string): void
  isTerminal: boolean
  /** False for NO_COLOR and without a terminal. */
  hasColors: boolean
  /** Width of the terminal; undefined without a terminal. */
  columns?: number | undefined
}

export type Output = ReturnType<typeof createOutput>

type OutputOptions = {
  /** Print JSON instead of lines for people. */
  isJson: boolean
  /** Rewrites the commands that a line of ours contains, such as `svc deploy`, to what the user has to type. */
  rewriteCommands?: (line: string) => string
}
type Style = Parameters<typeof styleText>[0]

const BAR_LENGTH = 20
/** Spaces between two columns of a table. */
const COLUMN_GAP = 2

// Control sequences of terminals.
const CLEAR_LINE = '\r\x1b[K'
const CLEAR_SCREEN = '\x1b[H\x1b[2J'

/** Prints lines for people. With `isJson` it prints only results, as JSON; all other functions print nothing. */
export function createOutput(screen: Screen, { isJson, rewriteCommands = (line) => line }: OutputOptions) {
  function write(text: string) {
    if (!isJson) screen.write(text)
  }
  function writeJson(value: unknown, indent?: number) {
    if (isJson) screen.write(`${JSON.stringify(value, null, indent)}\n`)
  }
  const styled = (style: Style, text: string) =>
    screen.hasColors ? styleText(style, text, { validateStream: false }) : text

  function writeFields(fields: readonly (readonly [name: string, value: string])[]) {
    const filled = fields.filter(([, value]) => value !== '')
    const width = Math.max(...filled.map(([name]) => name.length))
    for (const [name, value] of filled) write(`  ${styled('dim', name.padEnd(width))}  ${printable(value)}\n`)
  }

  /** The rows of a table that is too wide: a block of names and values for each. */
  function writeBlocks(head: readonly string[], rows: readonly (readonly string[])[]) {
    for (const [index, row] of rows.entries()) {
      if (index > 0) write('\n')
      writeFields(row.map((cell, column) => [head[column] ?? '', cell]))
    }
  }

  return {
    isJson,
    isTerminal: screen.isTerminal && !isJson,
    styled,
    line: (text = '') => write(text === '' ? '\n' : `  ${rewriteCommands(text)}\n`),
    /** Text that is not ours, such as an email, unchanged. */
    text: (text: string) => write(`${text}\n`),
    done: (text: string) => write(`  ${styled('green', '◆')} ${rewriteCommands(text)}\n`),
    info: (text: string) => write(`  ${styled('cyan', '◇')} ${rewriteCommands(text)}\n`),
    warn: (text: string) => write(`  ${styled('yellow', '!')} ${rewriteCommands(text)}\n`),
    problem: (text: string) => write(`  ${styled('red', '✖')} ${rewriteCommands(text)}\n`),

    /** A table, or the line `ifNone` without rows. In a narrow terminal each row becomes a block of names and values. */
    table(head: readonly string[], rows: readonly (readonly string[])[], ifNone: string) {
      if (rows.length === 0) return write(`  ${rewriteCommands(ifNone)}\n`)
      const cells = rows.map((row) => row.map(printable))
      const widths = head.map((name, column) =>
        Math.max(name.length, ...cells.map((row) => widthOf(row[column] ?? ''))),
      )
      // One gap more than between the columns, for the indentation.
      const tableWidth = widths.reduce((sum, width) => sum + width + COLUMN_GAP, 0)
      if (screen.columns !== undefined && tableWidth > screen.columns) return writeBlocks(head, cells)

      const rowText = (row: readonly string[]) =>
        row
          .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
          .join(' '.repeat(COLUMN_GAP))
          .trimEnd()
      write(`  ${styled('dim', rowText(head))}\n`)
      for (const row of cells) write(`  ${rowText(row)}\n`)
    },

    /** How to get the next page of a list, if there is one. */
    nextPage: (cursor: string | null) => {
      if (cursor !== null) write(`  next page: --cursor ${cursor}\n`)
    },

    /** Names and values, one per line; empty values are omitted. */
    fields: writeFields,

    /** A progress bar in a terminal that is wide enough; elsewhere only the last state, as one line. */
    progress(label: (done: number) => string, total: number) {
      const clearLine = screen.isTerminal ? CLEAR_LINE : ''
      const bar = (done: number) => {
        const text = label(done)
        if (text.length + BAR_LENGTH + 4 > (screen.columns ?? Infinity)) return text
        const full = total === 0 ? BAR_LENGTH : Math.floor((done / total) * BAR_LENGTH)
        return `${styled('green', '━'.repeat(full))}${styled('dim', '━'.repeat(BAR_LENGTH - full))} ${text}`
      }
      return {
        show(done: number) {
          if (screen.isTerminal) write(`${clearLine}  ${bar(done)}`)
        },
        end: (done: number) => write(`${clearLine}  ${bar(done)}\n`),
        clear() {
          if (screen.isTerminal) write(clearLine)
        },
      }
    },

    /** Clears the screen and draws again. */
    redraw: (draw: () => void) => {
      if (screen.isTerminal) write(CLEAR_SCREEN)
      draw()
    },

    /** The result of a command, as indented JSON. */
    result: (value: unknown) => writeJson(value, 2),
    /** One of many results, or an error, as one line of JSON. */
    resultLine: (value: unknown) => writeJson(value),
  }
}

/** Control characters, among them those of terminal escape sequences, and characters that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Text of others as one line. It may contain terminal escape sequences, so characters that a terminal would obey are replaced. */
export const printable = (text: string): string => text.replace(/\s+/gu, ' ').replace(UNPRINTABLE, '\ufffd')

/** Like `printable`, for text of several lines: line breaks and spaces stay. */
export const printableLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(UNPRINTABLE, '\ufffd'))
    .join('\n')

/** Characters of East Asian scripts, and emoji: a terminal shows them two columns wide. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u

/** Width in columns of the terminal. */
const widthOf = (text: string): number =>
  Array.from(text).reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0)

/** `1234567` → `1.2 MB` */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** `2 files`, `1 file` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** `2026-01-31T12:00:03.123Z` → `2026-01-31 12:00 UTC` */
export const timeText = (timestamp: string | null): string =>
  timestamp === null ? '' : `${timestamp.slice(0, 16).replace('T', ' ')} UTC`
