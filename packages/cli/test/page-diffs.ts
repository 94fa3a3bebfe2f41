import assert from 'node:assert/strict'

import { snippetsOf } from '../../../scripts/snippets.ts'

type Hunk = { before: string[]; after: string[] }

/**
 * The diffs of a page of the guide, by file. A block that belongs to a file begins with `+++ <file>`; a line `@@` separates the changes
 * in it. Blocks without that first line are examples.
 */
export function diffsOf(markdown: string): Map<string, Hunk[]> {
  const diffs = new Map<string, Hunk[]>()
  for (const { language, text } of snippetsOf(markdown)) {
    const [, file, body] = /^\+\+\+ (\S+)\n([\s\S]*)$/.exec(text) ?? []
    if (language !== 'diff' || file === undefined || body === undefined) continue
    diffs.set(file, [...(diffs.get(file) ?? []), ...body.split(/^@@\n/m).map(hunkOf)])
  }
  return diffs
}

function hunkOf(text: string): Hunk {
  const lines = text.replace(/\n$/, '').split('\n')
  const without = (sign: string) =>
    lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1))
  return { before: without('+'), after: without('-') }
}

/** Applies the changes of a file. The lines of a change must be there exactly once; a page shows them with less indentation. */
export function apply(hunks: readonly Hunk[], file: string): string {
  const changed = hunks.reduce((lines, hunk) => {
    const places = INDENTATIONS.flatMap((indentation) => {
      const before = indented(hunk.before, indentation)
      return placesOf(before, lines).map((at) => ({ at, indentation }))
    })
    const [place] = places
    if (!place) return assert.fail(`The file does not contain:\n${hunk.before.join('\n')}`)
    assert.equal(places.length, 1, `It is not clear where this is:\n${hunk.before.join('\n')}`)
    return lines.toSpliced(place.at, hunk.before.length, ...indented(hunk.after, place.indentation))
  }, file.split('\n'))
  return changed.join('\n')
}

const INDENTATIONS = ['', ' '.repeat(2), ' '.repeat(4), ' '.repeat(6), ' '.repeat(8)]
const indented = (lines: readonly string[], indentation: string) =>
  lines.map((line) => (line === '' ? '' : indentation + line))
const placesOf = (part: readonly string[], lines: readonly string[]) =>
  lines.flatMap((_, at) => (part.every((line, index) => lines[at + index] === line) ? [at] : []))
