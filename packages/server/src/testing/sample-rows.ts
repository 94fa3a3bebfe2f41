import { DatabaseSync } from 'node:sqlite'

/** Rows per table. */
export const SAMPLE_ROWS = 5

/** Values that engines, drivers and text formats often change. */
const TEXTS = [
  '',
  'U+FFFF \uffff, U+10FFFF \u{10ffff}',
  '😀 👩‍👩‍👧 e\u0301',
  `'"\\n{}\t\r\n,\u0001\u007f\u2028`,
  ' null ',
]
const BIG_INTEGERS = [1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 12n, 2n ** 31n]
const INTEGERS = [1n, 2_147_483_647n, 3n, 12n, 2n]
const DOUBLES = [0, -0.1, 1.7976931348623157e308, 5e-324, Infinity]

type Column = { name: string; type: string; notnull: number; pk: number }

/** Adds rows with unusual values to every table of this SQLite file, except those that the migrations have filled. */
export function insertSampleRows(path: string): void {
  using database = new DatabaseSync(path)
  const tables = database
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by name`,
    )
    .all()
  for (const { name } of tables) {
    const columns = database.prepare(`select * from pragma_table_info(?)`).all(String(name)) as Column[]
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const insert = database.prepare(
      `insert into "${String(name)}" (${names}) values (${columns.map(() => '?').join(', ')})`,
    )
    for (let row = 0; row < SAMPLE_ROWS; row++)
      insert.run(...columns.map((column) => sampleValue(column, row)))
  }
}

function sampleValue({ name, type, notnull, pk }: Column, row: number): string | bigint | number | null {
  // The third row has null in every column that allows it.
  if (row === 2 && notnull === 0 && pk === 0) return null
  if (name === 'id' && type !== 'TEXT' && type !== 'text') return BigInt(row + 1)
  // These two are never positive: what developers owe.
  if (name === 'owed' || name === 'owedOther') return -(BIG_INTEGERS[row] ?? 0n)
  switch (type.toLowerCase()) {
    case 'text':
      return TEXTS[row] ?? ''
    case 'bigint':
      return BIG_INTEGERS[row] ?? 0n
    case 'integer':
      return INTEGERS[row] ?? 0n
    case 'double precision':
      return DOUBLES[row] ?? 0
    default:
      throw new Error(`no sample value for a column of the type ${type}`)
  }
}
