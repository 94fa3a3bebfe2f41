import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { FunctionLogLine } from '@svc/contract/functions'

import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { bundle } from '../functions-bundle.ts'
import { findFunctionsFile, readFunctionsProject } from '../functions-project.ts'
import { bytesText, shown, timeText } from '../output.ts'

const POLL_MS = 1_000
const MAP_FILE = '.svc/functions.map.json'

const folderOf = ({ system }: Context, directory = '.') => resolve(system.folder, directory)

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
  return status
}

export async function deployFunctions(
  context: Context,
  { message }: { message?: string },
  directory?: string,
) {
  const { calls, out } = context
  const project = await readFunctionsProject(folderOf(context, directory))
  if (project.unsupported.length > 0)
    out.warn(`not supported by svc: ${shown(project.unsupported.join(', '))}`)
  const { map, inputs: _inputs, ...built } = await bundle(project.main, project.folder)
  await calls.admin('enableFunctions', { body: {} })
  const deployed = await calls.admin('deployFunctions', {
    body: {
      ...built,
      bindings: project.bindings,
      vars: project.vars,
      crons: project.crons,
      ...(project.compatibilityDate !== undefined && { compatibilityDate: project.compatibilityDate }),
      ...(message !== undefined && { message }),
    },
  })
  mkdirSync(join(project.folder, '.svc'), { recursive: true })
  writeFileSync(join(project.folder, MAP_FILE), map)
  for (const warning of deployed.warnings) out.warn(warning)
  out.done(`v${deployed.version} is live   ${deployed.url}`)
  return deployed
}

/** Deploys to the development environment, again whenever a file changes, and shows the log. */
export async function watchFunctions(context: Context, _options: object, directory?: string) {
  const { watch } = await import('node:fs')
  const folder = folderOf(context, directory)
  if (context.env !== 'development')
    throw new Failure('usage', 'svc functions dev deploys to development only.', { fix: 'Leave --env out.' })
  let isChanged = false
  watch(folder, { recursive: true }, (_event, name) => {
    if (!/(?:^|[/\\])(?:node_modules|\.svc|\.git)[/\\]/.test(`${name}/`)) isChanged = true
  })
  const deploy = () =>
    deployFunctions(context, {}, directory).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error
      context.out.problem(error.message)
    })
  await deploy()
  let after: string | null = null
  for (;;) {
    after = await showLines(context, folder, { after })
    await pause(POLL_MS)
    if (!isChanged) continue
    isChanged = false
    await deploy()
  }
}

type LogOptions = { follow?: boolean; level?: FunctionLogLine['level']; limit?: number }

export async function showLogs(context: Context, { follow, level, limit }: LogOptions) {
  const folder = folderOf(context)
  const query = { ...(level && { level }), ...(limit !== undefined && { limit }) }
  if (!follow) {
    const read = await context.calls.admin('readFunctionLogs', { query })
    for (const line of read.lines) context.out.text(lineText(line, mapOf(folder)))
    return read
  }
  let after: string | null = null
  for (;;) {
    after = await showLines(context, folder, { after, ...(level && { level }) })
    await pause(POLL_MS)
  }
}

async function showLines(
  { calls, out }: Context,
  folder: string,
  { after, level }: { after: string | null; level?: FunctionLogLine['level'] },
) {
  const query = { ...(after !== null && { after }), ...(level && { level }) }
  const { lines, next } = await calls.admin('readFunctionLogs', { query })
  const map = mapOf(folder)
  for (const line of lines) out.text(lineText(line, map))
  return next
}

function mapOf(folder: string): SourceMap | undefined {
  const path = join(folder, MAP_FILE)
  if (!existsSync(path)) return undefined
  return new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
}

/** Stacks name the lines of the source, as long as the version was deployed from this folder. */
export const lineText = ({ at, level, message }: FunctionLogLine, map: SourceMap | undefined): string => {
  const text = message.replace(/\b(?:index\.js):(\d+):(\d+)/g, (found, line: string, column: string) => {
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1)
    return entry && 'originalSource' in entry
      ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : found
  })
  return `${at.slice(11, 19)} ${level.padEnd(5)} ${shown(text)}`
}

export async function rollBackFunctions({ calls, out }: Context, _options: object, version?: string) {
  const { deployments } = await calls.admin('listFunctionDeployments', { query: { limit: 100 } })
  const live = deployments.find((one) => one.live)
  const before = deployments.find((one) => live && one.version < live.version)
  const fromVersion = version === undefined ? before?.version : Number(version.replace(/^v/, ''))
  if (fromVersion === undefined || !Number.isInteger(fromVersion))
    throw new Failure('usage', 'There is no older version to go back to.', {
      fix: 'See: svc functions status',
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
      ? await ask.secret(`Value of ${name}`, '--file')
      : readFileSync(resolve(system.folder, file), 'utf8').replace(/\r?\n$/, '')
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
  const answer = await calls.admin('queryFunctionDatabase', { params: { binding }, body: { sql } })
  const names = Object.keys(answer.results[0] ?? {})
  out.table(
    names,
    answer.results.map((row) => names.map((name) => cell(row[name]))),
    `${answer.meta.rowsWritten} rows written`,
  )
  return answer
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The .sql files of a folder, in the order of their names. */
export async function migrateDatabase(
  context: Context,
  _options: object,
  binding: string,
  directory = 'migrations',
) {
  const { calls, out } = context
  const folder = folderOf(context, directory)
  if (!existsSync(folder)) throw new Failure('usage', `There is no folder ${directory}.`)
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
  if (names.length === 0) throw new Failure('usage', `${directory} has no .sql files.`)
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
  directory = 'functions',
) {
  const { out } = context
  const folder = folderOf(context, directory)
  if (findFunctionsFile(folder) !== undefined)
    throw new Failure('usage', `${directory} has functions already.`, { fix: 'Choose another folder.' })
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
  out.done(`${directory} has a function`)
  if (starter === 'hono') out.line(`cd ${directory} && npm install`)
  out.line(`svc functions deploy ${directory}`)
  return { folder: directory, starter }
}
