import type pg from 'pg'

import { sha256 } from '../../../platform/crypto.ts'
import type { Queries } from '../database.ts'
import { type Answer, queriesOver, type Query } from './queries.ts'

type SendOn = (connection: pg.Client, query: pg.QueryConfig) => Promise<pg.QueryResult>
type Gathered = PromiseWithResolvers<Answer> & { query: Query }

/** Sends the statements of a transaction that do not depend on each other's results, all at once. */
export const createSendTogether =
  (send: SendOn) =>
  async <T>(connection: pg.Client, work: (queries: Queries) => Promise<T>): Promise<T> => {
    const gathered: Gathered[] = []
    let isOpen = true
    const gather = async (query: Query): Promise<Answer> => {
      if (!isOpen)
        throw new Error('this transaction has ended: its statements are sent before one is awaited')
      const statement = { query, ...Promise.withResolvers<Answer>() }
      gathered.push(statement)
      return statement.promise
    }
    const done = (async () => work(queriesOver(gather)))()
    isOpen = false

    const merged = mergeInserts(gathered.map(({ query }) => query))
    const committed = merged
      ? sendMerged(send(connection, merged), gathered)
      : sendTransaction((query) => send(connection, query), gathered)
    // A failed statement rolls back the others: its error is reported, not that of the commit.
    await Promise.allSettled([done, committed])
    const result = await done
    await committed
    return result
  }

async function sendTransaction(
  send: (query: pg.QueryConfig) => Promise<pg.QueryResult>,
  gathered: Gathered[],
) {
  const begun = send({ text: 'begin' })
  for (const { query, resolve, reject } of gathered) send(query).then(resolve, reject)
  const committed = send({ text: 'commit' })
  await Promise.allSettled([begun, committed])
  await begun
  // PostgreSQL answers COMMIT with ROLLBACK if a statement failed.
  if ((await committed).command !== 'COMMIT')
    throw new Error('this transaction was rolled back because a statement failed')
}

async function sendMerged(sent: Promise<pg.QueryResult>, gathered: Gathered[]) {
  for (const [at, { resolve, reject }] of gathered.entries())
    sent.then(({ rows: [counts] }) => resolve({ rows: [], rowCount: Number(counts[at]) }), reject)
  await sent
}

const mergedQueries = new Map<string, pg.QueryConfig>()

/**
 * Inserts into different tables as one statement, which is a transaction of its own: a guest sign-in sends one statement instead of
 * four. Its row has the number of rows of each insert. Undefined if other statements are among them.
 */
function mergeInserts(queries: readonly Query[]): pg.QueryConfig | undefined {
  const tables = new Set(queries.map(({ insertsInto }) => insertsInto))
  if (queries.length < 2 || tables.size < queries.length || tables.has(undefined)) return undefined
  const names = queries.map(({ name }) => name).join()
  const known = mergedQueries.get(names) ?? merge(queries)
  mergedQueries.set(names, known)
  return { ...known, values: queries.flatMap(({ values = [] }) => values) }
}

function merge(queries: readonly Query[]): pg.QueryConfig {
  let before = 0
  const inserts = queries.map(({ text, values = [] }, at) => {
    const numbered = text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`)
    before += values.length
    return `insert${at} as (${numbered} returning 1)`
  })
  const counts = queries.map((_, at) => `(select count(*) from insert${at}) as "${at}"`)
  const text = `with ${inserts.join(', ')} select ${counts.join(', ')}`
  return { name: `svc_${sha256(text).slice(0, 24)}`, text }
}
