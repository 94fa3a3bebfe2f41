import { hash } from 'node:crypto'

import type { Queries } from '../database.ts'
import { execute } from '../migrate.ts'
import { type Column, type ColumnType, quoted, type Table } from './schema.ts'

/** A value as SQLite returns it, with every integer as a bigint. */
export type Cell = string | number | bigint | null

/** The number of rows, and the sum of the first 64 bits of each row's SHA-256: the order of the rows does not matter. */
export type Digest = { rows: number; sum: bigint }

export const emptyDigest = (): Digest => ({ rows: 0, sum: 0n })

export const isSameDigest = (a: Digest, b: Digest): boolean => a.rows === b.rows && a.sum === b.sum

/** Adds a row to the digest. The text of a row must be the same as in `rowSql`. */
export function addRow(digest: Digest, columns: readonly Column[], cells: readonly Cell[]): void {
  let text = ''
  for (const [position, { type }] of columns.entries()) text += textOf(type, cells[position] ?? null)
  digest.rows++
  digest.sum += hash('sha256', text, 'buffer').readBigInt64BE()
}

const NULL = 'n'
const double = Buffer.alloc(8)

function textOf(type: ColumnType, cell: Cell): string {
  if (cell === null) return NULL
  if (type === 'text') return `t${Buffer.byteLength(String(cell))}:${cell}`
  if (type !== 'double precision') return `i${cell}`
  double.writeDoubleBE(Number(cell))
  return `f${double.toString('hex')}`
}

const SQL: Record<ColumnType, (column: string) => string> = {
  text: (column) => `'t' || octet_length(${column}) || ':' || ${column}`,
  bigint: (column) => `'i' || ${column}`,
  integer: (column) => `'i' || ${column}`,
  'double precision': (column) => `'f' || encode(float8send(${column}), 'hex')`,
}

const rowSql = ({ columns }: Table): string =>
  columns.map(({ name, type }) => `coalesce(${SQL[type](quoted(name))}, '${NULL}')`).join(' || ')

/** The digest of a table in PostgreSQL, computed there. */
export async function digestInPostgres(postgres: Queries, table: Table): Promise<Digest> {
  const first64 = `('x' || encode(substr(sha256(convert_to(${rowSql(table)}, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint`
  const [row] = await execute<{ rows: number; sum: string }>(
    postgres,
    `select count(*) as rows, coalesce(sum(${first64}), 0)::text as sum from ${quoted(table.name)}`,
  )
  if (!row) throw new Error(`PostgreSQL returned nothing about ${table.name}.`)
  return { rows: row.rows, sum: BigInt(row.sum) }
}
