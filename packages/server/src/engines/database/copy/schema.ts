import type { Queries } from '../database.ts'
import { execute } from '../migrate.ts'

/** The types of columns that migrations use. */
const TYPES = ['text', 'bigint', 'integer', 'double precision'] as const
export type ColumnType = (typeof TYPES)[number]
export type Column = { name: string; type: ColumnType; isIdentity: boolean }
export type Table = { name: string; columns: readonly Column[] }

type Row = { table: string; name: string; type: string; identity: string }

/** The tables of the current schema of PostgreSQL, by name. */
export async function readSchema(postgres: Queries): Promise<Table[]> {
  const rows = await execute<Row>(
    postgres,
    `select c.table_name as table, c.column_name as name, c.data_type as type, c.is_identity as identity
      from information_schema.columns c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
      where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
      order by c.table_name collate "C", c.ordinal_position`,
  )
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: requireType(column),
      isIdentity: column.identity === 'YES',
    })),
  }))
}

function requireType({ table, name, type }: Row): ColumnType {
  const known = TYPES.find((one) => one === type)
  if (known === undefined)
    throw new Error(`The column ${table}.${name} has the type ${type}, which is not copied.`)
  return known
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const columnList = ({ columns }: Table): string => columns.map(({ name }) => quoted(name)).join(', ')
