import type { Compilable, Kysely } from 'kysely'

import type { Queries } from './database.ts'
import { type Statement, statement, type Values } from './statement.ts'
import type { Tables } from './tables/index.ts'

/** A list is filled up to one of these sizes by repeating its last value, so that few statements are kept prepared. */
const SIZES = [1, 10, 60, 100]
const SIZE_MAX = 100

/**
 * A statement with `in (…)` that is built once per size of the list, whose values differ. A longer list is read in several steps.
 *
 *     const named = listStatement((q, { environmentId }: { environmentId: string }, ids) =>
 *       q.selectFrom('players').select('displayName').where('environmentId', '=', environmentId).where('id', 'in', ids))
 *
 *     await named(db, { environmentId }, ids)
 */
export function listStatement<V extends Values, Row>(
  build: (queries: Kysely<Tables>, values: V, list: string[]) => Compilable<Row>,
) {
  type Listed = V & { list: string[] }
  const bySize = new Map<number, Statement<Listed, Row>>()

  function ofSize(size: number): Statement<Listed, Row> {
    const known = bySize.get(size)
    if (known) return known
    const built = statement((queries, values: Listed) =>
      build(
        queries,
        values,
        Array.from({ length: size }, (_, at) => values.list[at] as string),
      ),
    )
    bySize.set(size, built)
    return built
  }

  ofSize(SIZE_MAX)
  return async (queries: Pick<Queries, 'all'>, values: V, list: readonly string[]): Promise<Row[]> => {
    const rows: Row[] = []
    for (let from = 0; from < list.length; from += SIZE_MAX) {
      const step = list.slice(from, from + SIZE_MAX)
      const size = SIZES.find((size) => size >= step.length) ?? SIZE_MAX
      while (step.length < size) step.push(step.at(-1) ?? '')
      rows.push(...(await queries.all(ofSize(size), { ...values, list: step })))
    }
    return rows
  }
}
