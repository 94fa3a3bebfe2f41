import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { EnvironmentName } from '@svc/contract/common/schemas'

import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { counted, printable } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { folderOf } from './folder.ts'
import { findFunctionsFile, type FunctionsProject, readFunctionsProject } from './project.ts'

type Migration = { name: string; sql: string }
/** Migrations of a database that an environment lacks. Those without SQL are known by name only: their files are not here. */
export type Pending = { binding: string; id: string; table?: string; names: string[]; files: Migration[] }

const TABLE = '_svc_migrations'
const SHOWN_MAX = 20

/** The .sql files of a folder, in the order of their names. */
export const migrationsIn = (folder: string): Migration[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))

/** Applies migrations and prints each. Throws if one fails. */
export async function applyMigrations(
  { calls, out }: Context,
  { binding, id, table, files }: Pick<Pending, 'binding' | 'table' | 'files'> & { id?: string },
  env?: EnvironmentName,
) {
  const body = withoutUndefined({ migrations: files, table, id })
  const result = await calls.admin('migrateFunctionDatabase', { params: { binding }, body }, env && { env })
  for (const name of result.applied) out.done(`${name} applied`)
  for (const { name, error } of result.failed) out.problem(`${name}: ${printable(error)}`)
  if (result.failed.length > 0)
    throw new Failure('refused', 'A migration failed; the ones before it were applied.', {
      details: { ...result },
    })
  return result
}

/** The migrations of a folder of functions that the environment has not applied. */
export async function pendingOf(context: Context, project: FunctionsProject, env?: EnvironmentName) {
  const pending: Pending[] = []
  for (const [binding, { folder, table }] of project.migrations) {
    const all = migrationsIn(folder)
    const applied = all.length === 0 ? [] : await appliedIn(context, binding, table, env)
    const files = all.filter(({ name }) => !applied.includes(name))
    const id = idOf(project, binding)
    if (files.length > 0)
      pending.push({
        binding,
        id,
        ...(table !== undefined && { table }),
        names: files.map(({ name }) => name),
        files,
      })
  }
  return pending
}

/** The migrations that one environment has applied and the other one has not, for the databases of its live version. */
export async function pendingBetween(
  context: Context,
  from: EnvironmentName,
  to: EnvironmentName,
): Promise<Pending[]> {
  const { deployments } = await context.calls.admin(
    'listFunctionDeployments',
    { query: { limit: 100 } },
    { env: from },
  )
  const bindings = deployments.find(({ live }) => live)?.bindings ?? []
  const folder = folderOf(context)
  const project = findFunctionsFile(folder)
    ? await readFunctionsProject(folder, join(folder, 'index.js'))
    : undefined
  const pending: Pending[] = []
  for (const { type, name: binding, id = binding.toLowerCase() } of bindings) {
    if (type !== 'db') continue
    const { folder: migrations, table } = project?.migrations.get(binding) ?? {}
    const applied = await appliedIn(context, binding, table, from)
    const known = applied.length === 0 ? [] : await appliedIn(context, binding, table, to)
    const names = applied.filter((name) => !known.includes(name))
    const files =
      migrations === undefined ? [] : migrationsIn(migrations).filter(({ name }) => names.includes(name))
    if (names.length > 0) pending.push({ binding, id, ...(table !== undefined && { table }), names, files })
  }
  return pending
}

/** The names of applied migrations; none where the database, its table or its functions do not exist yet. */
async function appliedIn(
  { calls }: Context,
  binding: string,
  table = TABLE,
  env?: EnvironmentName,
): Promise<string[]> {
  const request = { params: { binding }, body: { sql: `SELECT name FROM "${table}" ORDER BY name` } }
  try {
    const { results } = await calls.admin('queryFunctionDatabase', request, env && { env })
    return results.map(({ name }) => String(name))
  } catch (error) {
    const isNew = ['sql_error', 'binding_not_found', 'functions_disabled'].some((code) =>
      isFailure(error, code),
    )
    if (isNew) return []
    throw error
  }
}

const idOf = ({ bindings }: FunctionsProject, binding: string): string =>
  bindings.find(({ type, name }) => type === 'db' && name === binding)?.id ?? binding.toLowerCase()

/** Prints what is not applied, and how to apply it. */
export function printPending({ out }: Context, pending: readonly Pending[], env: EnvironmentName) {
  for (const { binding, names, files } of pending) {
    out.problem(
      `${env} has not applied ${counted(names.length, 'migration')} of ${binding}: code may fail with "no such table"`,
    )
    for (const name of names.slice(0, SHOWN_MAX)) out.line(`  ${printable(name)}`)
    if (names.length > SHOWN_MAX) out.line(`  and ${names.length - SHOWN_MAX} more`)
    if (files.length < names.length)
      out.line(
        `→ run the command where the files are, or: svc functions db migrate ${binding} <folder> --env ${env}`,
      )
  }
}

/**
 * Applies what is pending before a version is live: with `migrate` without a question, and otherwise if the answer is yes. In a script
 * without `--migrate` nothing is applied.
 */
export async function offerMigrations(
  context: Context,
  pending: readonly Pending[],
  env: EnvironmentName,
  { migrate = false, mayAsk = true }: { migrate?: boolean | undefined; mayAsk?: boolean },
): Promise<string[]> {
  const { ask, calls } = context
  const applicable = pending.filter(({ files }) => files.length > 0)
  if (applicable.length === 0) return []
  const isWanted =
    migrate ||
    (mayAsk &&
      ask.canAsk &&
      (await ask.confirm('Apply the migrations before the version is live?', {
        option: '--migrate',
        byDefault: true,
      })))
  if (!isWanted) return []
  await calls.admin('enableFunctions', { body: {} }, { env })
  const applied: string[] = []
  for (const one of applicable) applied.push(...(await applyMigrations(context, one, env)).applied)
  return applied
}

/** The names of what is still not applied. */
export const namesOf = (pending: readonly Pending[], applied: readonly string[]): string[] =>
  pending.flatMap(({ names }) => names).filter((name) => !applied.includes(name))
