import type { Stored } from './store.ts'

/**
 * A generation is an unbroken chain of copies of the log, and snapshots of the database in it. Names say all that is needed to find
 * those for a moment:
 *
 *     <generation>/<number>-<run>-<time>.wal       a segment of the log; the database can be restored to its end
 *     <generation>/<number>-<run>-<time>.frames    a segment that ends within a transaction
 *     <generation>/<number>-<run>-<time>.sqlite    a snapshot, compressed, which the segments from the beginning of this run complete;
 *                                                  it counts from the end of segment <number>, and only with
 *     <generation>/<number>-<run>-<time>.json      its size and hash
 *
 * `number` counts the segments of the generation from 1, `run` the restarts of the log.
 */
export type Item = {
  generation: string
  number: number
  run: number
  /** All commits in it happened until then. */
  at: string
  kind: 'wal' | 'frames' | 'sqlite' | 'json'
}

/** In the folder of backups. */
export const WAL_FOLDER = 'wal'

const NAME =
  /^(?<generation>[^/]+)\/(?<number>\d{9})-(?<run>\d{7})-(?<at>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)\.(?<kind>wal|frames|sqlite|json)$/

export const nameOf = ({ generation, number, run, at, kind }: Item): string =>
  `${generation}/${String(number).padStart(9, '0')}-${String(run).padStart(7, '0')}-${forFile(at)}.${kind}`

export const generationAt = (at: string): string => forFile(at)

/** Undefined for files of others. */
export function itemOf({ name }: Pick<Stored, 'name'>): Item | undefined {
  const parts = NAME.exec(name)?.groups
  if (!parts) return undefined
  const { generation = '', number, run, at = '', kind } = parts
  return {
    generation,
    number: Number(number),
    run: Number(run),
    at: fromFile(at),
    kind: kind as Item['kind'],
  }
}

const forFile = (at: string) => at.replaceAll(':', '-')
const fromFile = (at: string) => at.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')
