import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'

import type { Context } from '../context.ts'
import { Failure, isFailure } from '../failure.ts'
import { readAssets } from '../functions-assets.ts'
import { runBuild } from '../functions-build.ts'
import { bundle, filesOnly } from '../functions-bundle.ts'
import { findFunctionsFile, readFunctionsProject } from '../functions-project.ts'
import { uploadedSourceMap, withSourceLines, writeSourceMap } from '../functions-source-map.ts'
import { bytesText, counted, shown, timeText } from '../output.ts'

/** What `svc functions init` creates. */
export const DEFAULT_FOLDER = 'functions'

/** The given folder. Without one, the current folder, or the folder that `svc functions init` creates. */
export function folderOf({ system }: Context, directory?: string): string {
  const current = resolve(system.folder, directory ?? '.')
  const created = resolve(current, DEFAULT_FOLDER)
  const isCreated = directory === undefined && !findFunctionsFile(current) && findFunctionsFile(created)
  return isCreated ? created : current
}

/** The argument may also be the file of code; then the folder is the nearest one above it with a wrangler file, or the current one. */
export function projectOf(context: Context, argument?: string): { folder: string; entry?: string } {
  const current = context.system.folder
  const entry = argument === undefined ? undefined : resolve(current, argument)
  if (entry === undefined || !existsSync(entry) || !statSync(entry).isFile())
    return { folder: folderOf(context, argument) }
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (findFunctionsFile(folder)) return { folder, entry }
    if (folder === current || folder === dirname(folder)) return { folder: current, entry }
  }
}

export async function showFunctions({ calls, out, env }: Context) {
  const status = await calls.admin('readFunctions', {})
  const state = status.suspended ? 'suspended' : status.enabled ? 'enabled' : 'disabled'
  out.fields([
    ['functions', `${state} in ${env}`],
    ['version', status.version === null ? 'nothing deployed' : `v${status.version}`],
    ['url', status.url ?? ''],
    ['limits', `${status.limits.cpuMs} ms CPU, ${status.limits.subRequests} sub-requests`],
    ['crons', status.crons.map(({ cron, nextAt }) => `${cron} (next ${timeText(nextAt)})`).join(', ')],
    [
      'resources',
      status.resources.map(({ type, id, bytes }) => `${type} ${id} ${bytesText(bytes)}`).join(', '),
    ],
    ['secrets', status.secrets.join(', ')],
  ])
  if (status.version === null) out.line('→ Deploy your code: svc functions deploy')
  return status
}

export async function deployFunctions(
  context: Context,
  { message }: { message?: string },
  directory?: string,
) {
  return deployBuilt(context, await buildFunctions(context, directory), message)
}

/** The body of a deployment, and what only this machine needs. */
export type Built = Awaited<ReturnType<typeof buildFunctions>>

export async function buildFunctions(context: Context, argument?: string) {
  const { folder, entry } = projectOf(context, argument)
  const project = await readFunctionsProject(folder, entry)
  const { bindings, vars, crons, compatibilityDate, build } = project
  if (build) await runBuild(context, build)
  const assets = project.assets && (await readAssets(project.assets))
  const { map, inputs, ...modules } =
    project.main === undefined
      ? filesOnly(project.assets?.binding ?? '')
      : await bundle(project.main, folder, project.rules)
  const body = {
    ...modules,
    ...uploadedSourceMap(map),
    bindings,
    vars,
    ...(assets && { assets }),
    crons,
    ...(compatibilityDate !== undefined && { compatibilityDate }),
  }
  return { folder, body, map, inputs, unsupported: project.unsupported, build }
}

export async function deployBuilt({ calls, out }: Context, built: Built, message?: string) {
  const { folder, body, map, unsupported } = built
  if (unsupported.length > 0) out.warn(`not supported by svc: ${shown(unsupported.join(', '))}`)
  const files = body.assets?.files ?? []
  const withFiles =
    files.length > 0 ? ` and ${counted(files.length, 'file')} (${bytesText(bytesOf(files))})` : ''
  out.info(`bundled ${bytesText(bytesOf(body.modules))}${withFiles}; the service tests whether it starts`)
  await calls.admin('enableFunctions', { body: {} })
  const deployed = await calls
    .admin('deployFunctions', { body: { ...body, ...(message !== undefined && { message }) } })
    .catch((error: unknown) => Promise.reject(withSourceLines(error, map)))
  writeSourceMap(folder, map)
  for (const warning of deployed.warnings) out.warn(warning)
  out.done(`v${deployed.version} is live   ${deployed.url}`)
  return deployed
}

const bytesOf = (files: readonly { content: string }[]) =>
  files.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0)

export async function rollBackFunctions({ calls, out }: Context, _options: object, version?: string) {
  const { deployments } = await calls.admin('listFunctionDeployments', { query: { limit: 100 } })
  const live = deployments.find((one) => one.live)
  const before = deployments.find((one) => live && one.version < live.version)
  const fromVersion = version === undefined ? before?.version : Number(version.replace(/^v/, ''))
  if (fromVersion === undefined) throw new Failure('usage', 'There is no older version to go back to.')
  if (!deployments.some((one) => one.version === fromVersion))
    throw new Failure('usage', `There is no version ${shown(version ?? '')}.`, {
      fix: `Kept are: ${deployments.map((one) => `v${one.version}`).join(', ') || 'none'}`,
    })
  const deployed = await calls.admin('deployFunctions', { body: { fromVersion } })
  out.done(`v${fromVersion} is live again as v${deployed.version}   ${deployed.url}`)
  return deployed
}

export async function showSecrets({ calls, out }: Context) {
  const { secrets } = await calls.admin('listFunctionSecrets', {})
  out.table(
    ['NAME', 'SET'],
    secrets.map(({ name, updatedAt }) => [name, timeText(updatedAt)]),
    'No secrets. Set one: svc functions secrets set NAME',
  )
  return { secrets }
}

export async function setSecret(
  { calls, out, ask, system }: Context,
  { file }: { file?: string },
  name: string,
) {
  const value =
    file === undefined
      ? await ask.secret(`Value of ${name}`, '--file <path>, or --file - for standard input')
      : (file === '-' ? await buffer(system.input) : readFileSync(resolve(system.folder, file)))
          .toString()
          .replace(/\r?\n$/, '')
  const secret = await calls.admin('writeFunctionSecret', { params: { name }, body: { value } })
  out.done(`${name} is set`)
  return secret
}

export async function deleteSecret({ calls, out }: Context, _options: object, name: string) {
  const deleted = await calls.admin('deleteFunctionSecret', { params: { name } })
  out.done(`${name} is deleted`)
  return deleted
}

export async function queryDatabase({ calls, out }: Context, _options: object, binding: string, sql: string) {
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
  return new Failure(exit, shown(String(details?.['reason'])), { code, ...(details && { details }) })
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The .sql files of a folder, in the order of their names. */
export async function migrateDatabase(
  context: Context,
  _options: object,
  binding: string,
  directory?: string,
) {
  const { calls, out } = context
  const { folder, table } = await migrationsOf(context, binding, directory)
  if (!existsSync(folder))
    throw new Failure('usage', `There is no folder ${folder}.`, {
      fix: `Add the folder to the command: svc functions db migrate ${binding} <folder>`,
    })
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
  if (names.length === 0) throw new Failure('usage', `${folder} has no .sql files.`)
  const migrations = names.map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
  const body = { migrations, ...(table !== undefined && { table }) }
  const result = await calls.admin('migrateFunctionDatabase', { params: { binding }, body })
  for (const name of result.applied) out.done(`${name} is applied`)
  for (const { name, error } of result.failed) out.problem(`${name}: ${shown(error)}`)
  if (result.failed.length > 0)
    throw new Failure('refused', 'A migration failed; those before it are applied.', {
      details: { ...result },
    })
  if (result.applied.length === 0) out.info('Nothing to apply')
  return result
}

/** The given folder. Of a folder of functions, or without one: what its wrangler file says, or `migrations`. */
async function migrationsOf(context: Context, binding: string, directory?: string) {
  const given = folderOf(context, directory)
  const isGiven = directory !== undefined && !findFunctionsFile(given)
  const functions = isGiven ? folderOf(context) : given
  const project = findFunctionsFile(functions)
    ? await readFunctionsProject(functions, join(functions, 'index.js'))
    : undefined
  const { folder, table } = project?.migrations.get(binding) ?? { folder: join(functions, 'migrations') }
  const current = resolve(context.system.folder, 'migrations')
  const isElsewhere = directory === undefined && !existsSync(folder) && existsSync(current)
  return { folder: isGiven ? given : isElsewhere ? current : folder, table }
}

const CONFIG = `{
  // https://developers.cloudflare.com/workers/wrangler/configuration, as far as svc supports it
  "main": "src/index.ts",
  "compatibility_date": "2026-11-04"
}
`
const STARTERS = {
  bare: `export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json({ hello: request.headers.get('svc-player-id') ?? 'guest' })
  },
}
`,
  hono: `import { Hono } from 'hono'

type Env = { SVC: { fetch: typeof fetch } }

const app = new Hono<{ Bindings: Env }>()

app.get('/', (c) => c.json({ hello: c.req.header('svc-player-id') ?? 'guest' }))

export default app
`,
}
export const STARTER_NAMES = Object.keys(STARTERS)

export async function initFunctions(
  context: Context,
  { starter }: { starter: keyof typeof STARTERS },
  directory = DEFAULT_FOLDER,
) {
  const { out } = context
  const folder = folderOf(context, directory)
  if (findFunctionsFile(folder) !== undefined)
    throw new Failure('usage', `${directory} already has functions.`, { fix: 'Choose another folder.' })
  mkdirSync(join(folder, 'src'), { recursive: true })
  const packageJson = {
    private: true,
    type: 'module',
    ...(starter === 'hono' && { dependencies: { hono: '^4.0.0' } }),
  }
  const files = {
    'wrangler.jsonc': CONFIG,
    'src/index.ts': STARTERS[starter],
    'package.json': `${JSON.stringify(packageJson, null, 2)}\n`,
    '.gitignore': 'node_modules\n.svc\n',
  }
  for (const [name, content] of Object.entries(files))
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), content)
  const named = directory === DEFAULT_FOLDER ? '' : ` ${directory}`
  out.done(`created ${directory} with a function (starter: ${starter})`)
  out.line()
  if (starter === 'hono') out.line(`Next: npm install --prefix ${directory} && svc functions dev${named}`)
  else out.line(`Next: svc functions dev${named}`)
  return { folder: directory, starter }
}
