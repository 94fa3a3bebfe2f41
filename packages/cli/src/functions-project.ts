import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import type { QueueConsumer, WantedBinding } from '@svc/contract/functions'

import { Failure } from './failure.ts'

/** The functions of a folder, according to its `wrangler.jsonc` or `wrangler.toml`. */
export type FunctionsProject = {
  folder: string
  main: string
  bindings: WantedBinding[]
  vars: Record<string, string>
  crons: string[]
  compatibilityDate: string | undefined
  /** Unsupported fields, by their path in the file. */
  unsupported: string[]
}

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
  // Not needed here: classes always store their data in SQLite, and the service has its own logs.
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
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const findFunctionsFile = (folder: string): string | undefined =>
  FILES.map((name) => join(folder, name)).find((path) => existsSync(path))

/** Reads the project of a folder. */
export async function readFunctionsProject(folder: string): Promise<FunctionsProject> {
  const path = findFunctionsFile(folder)
  if (path === undefined)
    throw new Failure('usage', `${folder} has no ${FILES.slice(0, -1).join(', ')} or ${FILES.at(-1)}.`, {
      fix: 'Add the folder of your functions to the command, or create one: svc functions init',
    })
  const document = await parse(path)
  const main = text(document['main'])
  if (main === '')
    throw new Failure('usage', `${path} does not say which file is the main one.`, {
      fix: 'Add "main": "src/index.ts".',
    })
  return {
    folder: dirname(path),
    main: resolve(dirname(path), main),
    bindings: bindingsOf(document),
    vars: varsOf(document['vars']),
    crons: ((document['triggers'] as Table | undefined)?.['crons'] as string[] | undefined) ?? [],
    compatibilityDate: text(document['compatibility_date']) || undefined,
    unsupported: unsupportedIn(document),
  }
}

const FLAGS = new Set(['nodejs_compat', 'nodejs_compat_v2'])

function unsupportedIn(document: Table): string[] {
  const flags = (document['compatibility_flags'] ?? []) as unknown[]
  const objects = list((document['durable_objects'] as Table | undefined)?.['bindings'])
  return [
    ...Object.keys(document).filter((name) => !SUPPORTED.has(name)),
    ...flags.filter((flag) => !FLAGS.has(String(flag))).map((flag) => `compatibility_flags ${String(flag)}`),
    ...objects
      .filter((one) => one['script_name'] !== undefined)
      .map((one) => `durable_objects.bindings ${text(one['name'])}.script_name`),
    ...Object.entries((document['vars'] ?? {}) as Table)
      .filter(([, value]) => typeof value !== 'string')
      .map(([name]) => `vars.${name}, which is not a string (the code gets it as JSON)`),
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
    ...list((document['durable_objects'] as Table | undefined)?.['bindings']).map((one): WantedBinding => ({
      type: 'durable_object',
      name: text(one['name']),
      className: text(one['class_name']),
    })),
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
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Numbers, lists and objects are converted to JSON text, as in a `.dev.vars` file. */
const varsOf = (vars: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((vars ?? {}) as Table).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
