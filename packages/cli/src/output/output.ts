import { styleText } from 'node:util'

export type Screen = {
  write(text: string): void
  isTerminal: boolean
  /** False for NO_COLOR and without a terminal. */
  hasColours: boolean
  /** Width of the terminal; undefined without a terminal. */
  columns?: number | undefined
}

export type Output = ReturnType<typeof createOutput>

type Style = Parameters<typeof styleText>[0]

const BAR_LENGTH = 20

/** Prints lines for people, or with `isJson` one JSON document instead. `typed` rewrites the commands in the lines. */
export function createOutput(
  screen: Screen,
  { isJson, typed = (text) => text }: { isJson: boolean; typed?: (text: string) => string },
) {
  const write = (text: string) => void (isJson || screen.write(text))
  const styled = (style: Style, text: string) =>
    screen.hasColours ? styleText(style, text, { validateStream: false }) : text

  function writeFields(fields: readonly (readonly [name: string, value: string])[]) {
    const filled = fields.filter(([, value]) => value !== '')
    const width = Math.max(...filled.map(([name]) => name.length))
    for (const [name, value] of filled) write(`  ${styled('dim', name.padEnd(width))}  ${shown(value)}\n`)
  }

  return {
    isJson,
    isTerminal: screen.isTerminal && !isJson,
    styled,
    line: (text = '') => write(text === '' ? '\n' : `  ${typed(text)}\n`),
    /** Text that is not ours, such as an email, unchanged. */
    text: (text: string) => write(`${text}\n`),
    done: (text: string) => write(`  ${styled('green', '◆')} ${typed(text)}\n`),
    info: (text: string) => write(`  ${styled('cyan', '◇')} ${typed(text)}\n`),
    warn: (text: string) => write(`  ${styled('yellow', '!')} ${typed(text)}\n`),
    problem: (text: string) => write(`  ${styled('red', '✖')} ${typed(text)}\n`),

    /** A table; in a narrow terminal each row becomes a block of names and values. */
    table(head: readonly string[], rows: readonly (readonly string[])[], ifNone: string) {
      if (rows.length === 0) return write(`  ${typed(ifNone)}\n`)
      const cells = rows.map((row) => row.map(shown))
      const widths = head.map((name, column) =>
        Math.max(name.length, ...cells.map((row) => widthOf(row[column] ?? ''))),
      )
      if (
        screen.columns !== undefined &&
        widths.reduce((sum, width) => sum + width + 2, 0) > screen.columns
      ) {
        for (const [index, row] of cells.entries()) {
          if (index > 0) write('\n')
          writeFields(row.map((cell, column) => [head[column] ?? '', cell]))
        }
        return
      }
      const padded = (row: readonly string[]) =>
        row
          .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
          .join('  ')
      write(`  ${styled('dim', padded(head).trimEnd())}\n`)
      for (const row of cells) write(`  ${padded(row).trimEnd()}\n`)
    },

    /** How to get the next page of a list, if there is one. */
    nextPage: (cursor: string | null) => {
      if (cursor !== null) write(`  next page: --cursor ${cursor}\n`)
    },

    /** Names and values, one per line; empty values are omitted. */
    fields: writeFields,

    /** A progress bar in a terminal that is wide enough; elsewhere only the last state, as one line. */
    progress(label: (done: number) => string, total: number) {
      const bar = (done: number) => {
        const text = label(done)
        if (text.length + BAR_LENGTH + 4 > (screen.columns ?? Infinity)) return text
        const full = total === 0 ? BAR_LENGTH : Math.floor((done / total) * BAR_LENGTH)
        return `${styled('green', '━'.repeat(full))}${styled('dim', '━'.repeat(BAR_LENGTH - full))} ${text}`
      }
      return {
        show: (done: number) => void (screen.isTerminal && write(`\r\x1b[K  ${bar(done)}`)),
        end: (done: number) => write(`${screen.isTerminal ? '\r\x1b[K' : ''}  ${bar(done)}\n`),
        clear: () => void (screen.isTerminal && write('\r\x1b[K')),
      }
    },

    /** Clears the screen and draws again. */
    redraw: (draw: () => void) => {
      if (screen.isTerminal) write('\x1b[H\x1b[2J')
      draw()
    },

    result: (value: unknown) => void (isJson && screen.write(`${JSON.stringify(value, null, 2)}\n`)),
    /** One of many results, as one line. */
    resultLine: (value: unknown) => void (isJson && screen.write(`${JSON.stringify(value)}\n`)),
  }
}

/** Replaces control characters and bidi overrides: text of players may contain terminal escape sequences. */
export const shown = (text: string): string =>
  text.replace(/\s+/gu, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')

/** The same for text of several lines. */
export const shownLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd'))
    .join('\n')

/** Width in columns; wide characters take two. */
const widthOf = (text: string): number =>
  Array.from(text).reduce(
    (width, character) =>
      width +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
        character,
      )
        ? 2
        : 1),
    0,
  )

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
