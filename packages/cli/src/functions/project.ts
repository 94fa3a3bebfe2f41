import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import {
  type FunctionAssets,
  HTML_HANDLING,
  NOT_FOUND_HANDLING,
  type QueueConsumer,
  type WantedBinding,
} from '@svc/contract/function-parts'

import { Failure } from '../output/failure.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** The functions of a folder, according to its `wrangler.jsonc` or `wrangler.toml`. */
export type FunctionsProject = {
  folder: string
  /** Undefined if the project has only static files. */
  main: string | undefined
  bindings: WantedBinding[]
  vars: Record<string, unknown>
  assets: AssetsProject | undefined
  /** Runs before the code is bundled. `watched` is the folder whose changes make it run again. */
  build: { command: string; folder: string; watched: string } | undefined
  /** The migrations of each database, by the name of its binding. `table` contains the names of applied ones. */
  migrations: Map<string, { folder: string; table?: string }>
  /** Files that the code imports as they are. */
  rules: ModuleRule[]
  crons: string[]
  compatibilityDate: string | undefined
  /** Unsupported fields, by their path in the file. */
  unsupported: string[]
}
/** What the import of a file that matches gets: its text, its bytes or its WebAssembly. */
export type ModuleRule = { type: 'text' | 'data' | 'wasm'; globs: string[] }
/** A folder of static files, and when they are served. */
export type AssetsProject = { folder: string; binding: string; options: Omit<FunctionAssets, 'files'> }

const FILES = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']
const SUPPORTED = new Set([
  '$schema',
  'name',
  'main',
  'compatibility_date',
  'compatibility_flags',
  'vars',
  'triggers',
  'd1_databases',
  'kv_namespaces',
  'r2_buckets',
  'queues',
  'durable_objects',
  'assets',
  'services',
  'build',
  'rules',
  // Without effect: classes always store their data in SQLite, code can use Node's modules, and the service has its own logs.
  'node_compat',
  'migrations',
  'observability',
  'upload_source_maps',
  'workers_dev',
  'dev',
  'minify',
  'account_id',
  'send_metrics',
])

type Table = Record<string, unknown>
const list = (value: unknown): Table[] => (Array.isArray(value) ? (value as Table[]) : [])
const table = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The wrangler file of a folder; undefined if it has none. */
export const findFunctionsFile = (folder: string): string | undefined =>
  FILES.map((name) => join(folder, name)).find((path) => existsSync(path))

/** Reads the project of a folder. `entry` is a file of code that replaces `main`; with it, the folder needs no wrangler file. */
export async function readFunctionsProject(folder: string, entry?: string): Promise<FunctionsProject> {
  const path = findFunctionsFile(folder)
  if (path === undefined && entry === undefined)
    throw new Failure('usage', `${folder} has no ${FILES.slice(0, -1).join(', ')} or ${FILES.at(-1)}.`, {
      fix: 'Add your functions folder to the command, or create one: svc functions init',
    })
  const document = path === undefined ? {} : await parse(path)
  requireOwnServices(document)
  const assets = assetsOf(folder, document)
  const databases = list(document['d1_databases'])
  return {
    folder,
    main: mainOf(path ?? folder, document, entry),
    bindings: [...bindingsOf(document), ...(assets ? [{ type: 'assets', name: assets.binding }] : [])],
    vars: JSON.parse(JSON.stringify(document['vars'] ?? {})),
    assets,
    build: buildOf(folder, table(document['build'])),
    migrations: new Map(
      databases.map((one) => {
        const table = text(one['migrations_table'])
        const migrations = resolve(folder, text(one['migrations_dir']) || 'migrations')
        return [text(one['binding']), { folder: migrations, ...(table !== '' && { table }) }]
      }),
    ),
    rules: list(document['rules']).flatMap(ruleOf),
    crons: (table(document['triggers'])['crons'] as string[] | undefined) ?? [],
    compatibilityDate: text(document['compatibility_date']) || undefined,
    unsupported: unsupportedIn(document),
  }
}

function mainOf(path: string, document: Table, entry: string | undefined): string | undefined {
  const main = text(document['main'])
  if (entry !== undefined) return entry
  if (main !== '') return resolve(dirname(path), main)
  if (document['assets'] !== undefined) return undefined
  const line = path.endsWith('.toml') ? 'main = "src/index.ts"' : '"main": "src/index.ts"'
  throw new Failure('usage', `${path} names no main file.`, {
    fix: `Add the file to the command: svc functions deploy src/index.ts. Or add ${line} to ${basename(path)}.`,
  })
}

/** Only the functions of this environment can be called by a binding. */
function requireOwnServices(document: Table) {
  for (const one of list(document['services'])) {
    const service = text(one['service'])
    if (service === text(document['name'])) continue
    throw new Failure(
      'usage',
      `services: ${text(one['binding'])} calls ${service || 'no service'}, and an environment has one service: ${text(document['name']) || 'its own functions'}.`,
      { fix: 'Move its code into these functions, or call its URL with fetch.' },
    )
  }
}

function assetsOf(folder: string, document: Table): AssetsProject | undefined {
  const assets = table(document['assets'])
  const directory = text(assets['directory'])
  if (directory === '') return undefined
  const first = assets['run_worker_first']
  const one = <T extends string>(name: string, known: readonly T[]): T | undefined => {
    const value = assets[name]
    if (value === undefined) return undefined
    const found = known.find((each) => each === value)
    if (found === undefined) throw new Failure('usage', `assets.${name} must be one of ${known.join(', ')}.`)
    return found
  }
  const notFoundHandling = one('not_found_handling', NOT_FOUND_HANDLING)
  const htmlHandling = one('html_handling', HTML_HANDLING)
  return {
    folder: resolve(folder, directory),
    binding: text(assets['binding']) || 'ASSETS',
    options: {
      ...(notFoundHandling && { notFoundHandling }),
      ...(htmlHandling && { htmlHandling }),
      ...(first !== undefined && {
        runWorkerFirst: Array.isArray(first) ? first.map(String) : first === true,
      }),
    },
  }
}

function buildOf(folder: string, build: Table): FunctionsProject['build'] {
  const command = text(build['command'])
  if (command === '') return undefined
  const watched = Array.isArray(build['watch_dir']) ? build['watch_dir'][0] : build['watch_dir']
  return {
    command,
    folder: resolve(folder, text(build['cwd']) || '.'),
    watched: resolve(folder, text(watched) || 'src'),
  }
}

const RULE_TYPES = new Map<unknown, ModuleRule['type']>([
  ['Text', 'text'],
  ['Data', 'data'],
  ['CompiledWasm', 'wasm'],
])
/** All code is bundled, so these need no rule. */
const CODE_TYPES = new Set<unknown>(['ESModule', 'CommonJS'])

function ruleOf(one: Table): ModuleRule[] {
  const type = RULE_TYPES.get(one['type'])
  const globs = Array.isArray(one['globs']) ? one['globs'].map(String) : []
  return type === undefined ? [] : [{ type, globs }]
}

const FLAGS = new Set(['nodejs_compat', 'nodejs_compat_v2'])

function unsupportedIn(document: Table): string[] {
  const flags = (document['compatibility_flags'] ?? []) as unknown[]
  const objects = list(table(document['durable_objects'])['bindings'])
  const isOfOtherScript = ({ script_name: script }: Table) =>
    script !== undefined && script !== document['name']
  return [
    ...Object.keys(document).filter((name) => !SUPPORTED.has(name)),
    ...flags.filter((flag) => !FLAGS.has(String(flag))).map((flag) => `compatibility_flags ${String(flag)}`),
    ...list(document['rules'])
      .filter(({ type }) => !RULE_TYPES.has(type) && !CODE_TYPES.has(type))
      .map(({ type }) => `rules of type ${String(type)}`),
    ...objects
      .filter(isOfOtherScript)
      .map((one) => `durable_objects.bindings ${text(one['name'])}.script_name`),
    ...(document['assets'] !== undefined && text(table(document['assets'])['directory']) === ''
      ? ['assets without a directory']
      : []),
  ]
}

async function parse(path: string): Promise<Table> {
  const source = readFileSync(path, 'utf8')
  try {
    if (path.endsWith('.toml')) return (await import('smol-toml')).parse(source)
    return JSON.parse(withoutComments(source)) as Table
  } catch (error) {
    throw new Failure('usage', `${path} cannot be read: ${(error as Error).message}`)
  }
}

/** JSON with comments and commas before closing brackets; strings are not changed. */
export const withoutComments = (source: string): string =>
  source
    .replace(
      /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_all, kept: string | undefined) => kept ?? '',
    )
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_all, kept: string | undefined) => kept ?? '')

function bindingsOf(document: Table): WantedBinding[] {
  const queues = (document['queues'] ?? {}) as Table
  const consumers = new Map(list(queues['consumers']).map((one) => [text(one['queue']), consumerOf(one)]))
  const produced = list(queues['producers']).map((one): WantedBinding => {
    const queue = text(one['queue'])
    const consumer = consumers.get(queue)
    consumers.delete(queue)
    return { type: 'queue', name: text(one['binding']), queue, ...(consumer && { consumer }) }
  })
  const consumedOnly = [...consumers].map(([queue, consumer]): WantedBinding => ({
    type: 'queue',
    name: `QUEUE_${queue.toUpperCase().replaceAll('-', '_')}`,
    queue,
    consumer,
  }))
  return [
    ...list(document['d1_databases']).map((one) => stored('db', one, one['database_name'])),
    ...list(document['kv_namespaces']).map((one) => stored('kv', one, undefined)),
    ...list(document['r2_buckets']).map((one) => stored('files', one, one['bucket_name'])),
    ...produced,
    ...consumedOnly,
    ...list(table(document['durable_objects'])['bindings']).map((one): WantedBinding => ({
      type: 'durable_object',
      name: text(one['name']),
      className: text(one['class_name']),
    })),
    ...list(document['services']).map((one): WantedBinding => {
      const entrypoint = text(one['entrypoint'])
      return { type: 'service', name: text(one['binding']), ...(entrypoint !== '' && { entrypoint }) }
    }),
  ]
}

/** Ids of another platform have no meaning here, so the names are used. */
function stored(type: 'db' | 'kv' | 'files', one: Table, name: unknown): WantedBinding {
  const id = text(name)
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .slice(0, 48)
  return { type, name: text(one['binding']), ...(id !== '' && { id }) }
}

function consumerOf(one: Table): QueueConsumer {
  const number = (name: string) => (typeof one[name] === 'number' ? one[name] : undefined)
  const fields = {
    maxBatchSize: number('max_batch_size'),
    maxBatchTimeoutSeconds: number('max_batch_timeout'),
    maxRetries: number('max_retries'),
    retryDelaySeconds: number('retry_delay'),
    deadLetterQueue: text(one['dead_letter_queue']) || undefined,
  }
  return withoutUndefined(fields)
}
