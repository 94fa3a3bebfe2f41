import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { MINUTE_MS } from '../../platform/clock.ts'

/** How long the snapshot of a lost or stopped owner is kept for the next one. */
export const KEPT_MS = 10 * MINUTE_MS

export type LeftSnapshot = { text: string; leftAtMs: number }
type Entry = [name: string, snapshot: LeftSnapshot]

type Log = (sentence: string) => void

const LINE_END = 10

/**
 * Reads and removes the snapshots, so that a later start does not read them again. An unreadable file does not prevent the start.
 */
export async function readSnapshots(path: string, log: Log): Promise<Entry[]> {
  try {
    const bytes = await readFile(path)
    await rm(path)
    return [...linesOf(bytes)].map(entryOf)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    log(`the snapshots in ${path} are lost: ${sentenceOf(error)}`)
    return []
  }
}

/** One line each, so that no string contains them all. Written to a draft and renamed, so that the file is complete or absent. */
export async function writeSnapshots(path: string, entries: readonly Entry[], log: Log): Promise<void> {
  if (entries.length === 0) return
  const draft = `${path}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rm(draft, { force: true })
    {
      await using file = await open(draft, 'wx', 0o600)
      await file.writeFile(textOf(entries))
      await file.sync()
    }
    await rename(draft, path)
    await using folder = await open(dirname(path))
    await folder.sync()
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    log(`the snapshots could not be written to ${path}: ${sentenceOf(error)}`)
  }
}

function* textOf(entries: readonly Entry[]) {
  for (const [name, { text, leftAtMs }] of entries) yield `${JSON.stringify([name, leftAtMs, text])}\n`
}

function* linesOf(bytes: Buffer): Iterable<string> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(LINE_END, at)
    if (end < 0) throw new Error('its end is missing')
    yield bytes.toString('utf8', at, end)
    at = end + 1
  }
}

function entryOf(line: string): Entry {
  const entry: unknown = JSON.parse(line)
  if (!Array.isArray(entry)) throw new Error('a line is not a list')
  const [name, leftAtMs, text]: unknown[] = entry
  if (typeof name !== 'string' || typeof leftAtMs !== 'number' || typeof text !== 'string') {
    throw new Error('a line is not a snapshot')
  }
  return [name, { text, leftAtMs }]
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
