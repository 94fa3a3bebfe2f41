import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Context } from '../context.ts'
import { Failure, isFailure } from '../failure.ts'
import { bundle } from '../functions-bundle.ts'
import { findFunctionsFile, readFunctionsProject } from '../functions-project.ts'
import { withSourceLines, writeSourceMap } from '../functions-source-map.ts'
import { bytesText, shown, timeText } from '../output.ts'

/** What `svc functions init` creates. */
export const DEFAULT_FOLDER = 'functions'

/** The given folder. Without one, the current folder, or the folder that `svc functions init` creates. */
export function folderOf({ system }: Context, directory?: string): string {
  const current = resolve(system.folder, directory ?? '.')
  const created = resolve(current, DEFAULT_FOLDER)
  const isCreated = directory === undefined && !findFunctionsFile(current) && findFunctionsFile(created)
  return isCreated ? created : current
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

export async function buildFunctions(context: Context, directory?: string) {
  const project = await readFunctionsProject(folderOf(context, directory))
  const { folder, bindings, vars, crons, compatibilityDate, unsupported } = project
  const { map, inputs, ...modules } = await bundle(project.main, folder)
  const body = {
    ...modules,
    bindings,
    vars,
    crons,
    ...(compatibilityDate !== undefined && { compatibilityDate }),
  }
  return { folder, body, map, inputs, unsupported }
}

export async function deployBuilt({ calls, out }: Context, built: Built, message?: string) {
  const { folder, body, map, unsupported } = built
  if (unsupported.length > 0) out.warn(`not supported by svc: ${shown(unsupported.join(', '))}`)
  const bytes = body.modules.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0)
  out.info(`bundled ${bytesText(bytes)}; the service tests whether it starts`)
  await calls.admin('enableFunctions', { body: {} })
  const deployed = await calls
    .admin('deployFunctions', { body: { ...body, ...(message !== undefined && { message }) } })
    .catch((error: unknown) => Promise.reject(withSourceLines(error, map)))
  writeSourceMap(folder, map)
  for (const warning of deployed.warnings) out.warn(warning)
  out.done(`v${deployed.version} is live   ${deployed.url}`)
  return deployed
}

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
      : readFileSync(file === '-' ? 0 : resolve(system.folder, file), 'utf8').replace(/\r?\n$/, '')
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
  const { calls, out, system } = context
  const folder = directory === undefined ? migrationsFolder(context) : resolve(system.folder, directory)
  if (!existsSync(folder))
    throw new Failure('usage', `There is no folder ${folder}.`, {
      fix: `Add the folder to the command: svc functions db migrate ${binding} <folder>`,
    })
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
  if (names.length === 0) throw new Failure('usage', `${folder} has no .sql files.`)
  const migrations = names.map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
  const result = await calls.admin('migrateFunctionDatabase', { params: { binding }, body: { migrations } })
  for (const name of result.applied) out.done(`${name} is applied`)
  for (const { name, error } of result.failed) out.problem(`${name}: ${shown(error)}`)
  if (result.failed.length > 0)
    throw new Failure('refused', 'A migration failed; those before it are applied.', {
      details: { ...result },
    })
  if (result.applied.length === 0) out.info('Nothing to apply')
  return result
}

/** In the current folder, or beside the code. */
function migrationsFolder(context: Context): string {
  const current = resolve(context.system.folder, 'migrations')
  return existsSync(current) ? current : join(folderOf(context), 'migrations')
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
