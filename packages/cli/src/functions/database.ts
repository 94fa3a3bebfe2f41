import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { printable } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { folderOf } from './folder.ts'
import { applyMigrations, migrationsIn } from './migrations.ts'
import { findFunctionsFile, readFunctionsProject } from './project.ts'

/** Adds `svc functions db …`. */
export function addDatabaseCommands(functions: CommandGroup) {
  const databases = functions.group('db', 'your code’s databases')
  databases.command('query <binding> <sql>', 'run SQL in a database', queryDatabase)
  databases.command(
    'migrate <binding> [folder]',
    'apply new .sql files from the folder, or from migrations_dir in the wrangler file (migrations by default)',
    migrateDatabase,
  )
}

async function queryDatabase({ calls, out }: Context, _options: object, binding: string, sql: string) {
  const answer = await calls
    .admin('queryFunctionDatabase', { params: { binding }, body: { sql } })
    .catch((error: unknown) => Promise.reject(withReason(error)))
  const names = Object.keys(answer.results[0] ?? {})
  out.table(
    names,
    answer.results.map((row) => names.map((name) => cell(row[name]))),
    `${answer.meta.rowsWritten} rows written`,
  )
  return answer
}

/** The message of the service says that SQLite refused it; the details say why. */
function withReason(error: unknown): unknown {
  if (!isFailure(error, 'sql_error')) return error
  const { exit, code, details } = error
  return new Failure(exit, printable(String(details?.['reason'])), { code, ...(details && { details }) })
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The .sql files of a folder, in the order of their names. */
async function migrateDatabase(context: Context, _options: object, binding: string, directory?: string) {
  const { out } = context
  const { folder, table } = await migrationsOf(context, binding, directory)
  if (!existsSync(folder))
    throw new Failure('usage', `There is no folder ${folder}.`, {
      fix: `Add the folder to the command: svc functions db migrate ${binding} <folder>`,
    })
  const files = migrationsIn(folder)
  if (files.length === 0) throw new Failure('usage', `${folder} has no .sql files.`)
  const result = await applyMigrations(context, withoutUndefined({ binding, table, files }))
  if (result.applied.length === 0) out.info('Nothing to apply')
  return result
}

/** The given folder. If it is a folder of functions, or none is given: the one that its wrangler file names, or `migrations`. */
async function migrationsOf(context: Context, binding: string, directory?: string) {
  const given = folderOf(context, directory)
  const isGiven = directory !== undefined && !findFunctionsFile(given)
  const functions = isGiven ? folderOf(context) : given
  const project = findFunctionsFile(functions)
    ? await readFunctionsProject(functions, join(functions, 'index.js'))
    : undefined
  const { folder, table } = project?.migrations.get(binding) ?? { folder: join(functions, 'migrations') }
  const current = resolve(context.system.folder, 'migrations')
  const isInCurrent = directory === undefined && !existsSync(folder) && existsSync(current)
  return { folder: isGiven ? given : isInCurrent ? current : folder, table }
}
