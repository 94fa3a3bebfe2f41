import type { DatabaseSync } from 'node:sqlite'

import type { Queries } from '../database.ts'
import { execute } from '../migrate.ts'
import type { Cell } from './digest.ts'
import { columnList, quoted, type Table } from './schema.ts'

const BATCH_ROWS = 1_000
/** A batch of long rows is shorter. */
const BATCH_CHARACTERS = 4_000_000

/** The rows of a SQLite table, in batches. Throws if a cell contains binary data, which no column of ours does. */
export function* readBatches(sqlite: DatabaseSync, table: Table): Generator<Cell[][]> {
  const statement = sqlite.prepare(`select ${columnList(table)} from ${quoted(table.name)}`)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  let batch: Cell[][] = []
  let characters = 0
  for (const row of statement.iterate()) {
    const cells = row as unknown as (Cell | Uint8Array)[]
    for (const [position, cell] of cells.entries()) {
      if (cell instanceof Uint8Array)
        throw new Error(
          `The column ${table.name}.${table.columns[position]?.name} contains binary data, which is not copied.`,
        )
      if (typeof cell === 'string') characters += cell.length
    }
    batch.push(cells as Cell[])
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/**
 * Inserts a batch by one statement with one parameter. Numbers are sent as text, because JSON and JavaScript have no exact 64-bit
 * integers, and JSON no infinity; PostgreSQL parses them into the type of the column.
 */
export async function insertBatch(postgres: Queries, table: Table, batch: readonly Cell[][]): Promise<void> {
  const names = table.columns.map(({ name }) => name)
  const objects = batch.map((cells) =>
    Object.fromEntries(names.map((name, position) => [name, toJson(cells[position] ?? null)])),
  )
  await execute(
    postgres,
    `insert into ${quoted(table.name)} (${columnList(table)}) overriding system value
      select ${columnList(table)} from json_populate_recordset(null::${quoted(table.name)}, $1)`,
    [JSON.stringify(objects)],
  )
}

const toJson = (cell: Cell): string | null => (cell === null ? null : String(cell))

/** Copied ids are used; the next ones continue after the highest that SQLite ever gave. */
export async function continueIdentities(
  sqlite: DatabaseSync,
  postgres: Queries,
  table: Table,
): Promise<void> {
  for (const { name } of table.columns.filter(({ isIdentity }) => isIdentity)) {
    const given = sqlite.prepare('select seq from sqlite_sequence where name = ?').get(table.name)?.['seq']
    if (given === undefined || given === null) continue
    await execute(postgres, 'select setval(pg_get_serial_sequence($1, $2), $3)', [
      quoted(table.name),
      name,
      String(given),
    ])
  }
}
