import { monotonicMs } from '../../platform/clock.ts'
import type { Database } from './database.ts'
import { type Removal, STEP_ROWS } from './removal.ts'
import type { Value } from './statement.ts'

type Key = Record<string, Value>
type StepValues = { owner: Value; limit: Value; from: Value[] }

/** A longer step is followed by a smaller one. Half of the 50 ms that a step may take, because it is known only afterwards. */
const SHRINKS_ABOVE_MS = 25
/** The next size takes five times as long. */
const GROWS_BELOW_MS = SHRINKS_ABOVE_MS / 5
const FIRST_SIZE = 1

/**
 * Removes the rows that are older than the limit, and returns how many. Each step is a transaction of at most 2,000 rows and about 50 ms, so
 * that writes of players go between; what is removed stays removed if the service stops. The next run finds the rest.
 */
export async function removeOld(
  db: Database,
  removal: Removal,
  limit: Value,
  stopping?: AbortSignal,
): Promise<number> {
  let removed = 0
  for await (const owner of ownersOf(db, removal, stopping))
    removed += await removeOf(db, removal, { owner, limit }, stopping)
  db.overdue.note(removal.table, 0)
  return removed
}

/** The next one is looked up by the index: a list of all environments of a large table would read the table. */
async function* ownersOf(
  db: Database,
  { nextOwner }: Removal,
  stopping?: AbortSignal,
): AsyncGenerator<string | null> {
  if (!nextOwner) return yield null
  for (let last = await db.first(nextOwner, { after: '' }); last;) {
    stopping?.throwIfAborted()
    yield last.owner
    last = await db.first(nextOwner, { after: last.owner })
  }
}

async function removeOf(
  db: Database,
  { table, order, unitMs, oldest, steps }: Removal,
  old: { owner: Value; limit: Value },
  stopping?: AbortSignal,
): Promise<number> {
  const first = await db.first(oldest, old)
  let from = first && order.map((column) => first[column] ?? null)
  let size = FIRST_SIZE
  let removed = 0
  while (from) {
    stopping?.throwIfAborted()
    db.overdue.note(table, timeOf(old.limit, unitMs) - timeOf(from[0], unitMs))
    const step = steps[db.engine][size]
    if (!step) break
    const { rows, tookMs } = await runStep(db, step, { ...old, from })
    removed += rows.length
    from = rows.length === STEP_ROWS[size] ? lastOf(rows, order) : undefined
    if (tookMs > SHRINKS_ABOVE_MS) size = Math.max(size - 1, 0)
    else if (tookMs < GROWS_BELOW_MS) size = Math.min(size + 1, STEP_ROWS.length - 1)
  }
  return removed
}

/** Only the statement counts: a slow disk, or writes that are waiting, are no reason for smaller steps. */
function runStep(db: Database, step: Removal['steps']['sqlite'][number], values: StepValues) {
  return db.inBackground(async (transaction) => {
    const beganAtMs = monotonicMs()
    const rows = await transaction.all(step, values)
    return { rows, tookMs: monotonicMs() - beganAtMs }
  })
}

/** The row that is last in the order of the index: engines return the removed rows in any. */
function lastOf(rows: readonly Key[], order: readonly string[]): Value[] | undefined {
  const keys = rows.map((row) => order.map((column) => row[column] ?? ''))
  return keys.reduce((last, key) => (isAfter(key, last) ? key : last))
}

function isAfter(key: readonly Value[], other: readonly Value[]): boolean {
  const at = key.findIndex((value, index) => value !== other[index])
  return at >= 0 && (key[at] as Value & string) > (other[at] as Value & string)
}

/** NaN for what is no time. */
const timeOf = (value: Value | undefined, unitMs: number): number =>
  typeof value === 'number' ? value * unitMs : Date.parse(value ?? '')
