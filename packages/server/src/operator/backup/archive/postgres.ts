import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'

import pg from 'pg'

import { findPrimary } from '../../../engines/database/postgres/primary.ts'
import { parsePostgresUrl } from '../../../platform/engine-urls.ts'
import { toolEnvironment } from '../../../settings.ts'
import { type DatabaseFacts, requireBackupTables } from './database-facts.ts'

const MESSAGE_CHARACTERS_MAX = 2_000
const TABLES = 'select tablename as name from pg_tables where schemaname = current_schema() order by 1'

type Facts = Omit<DatabaseFacts, 'engine' | 'file'>

/** Writes a dump (`pg_dump -Fc`), with the facts of the same moment. */
export async function dumpDatabase(given: string, path: string): Promise<Facts> {
  const url = await primaryOf(given)
  await using connected = await openClient(url)
  const { client } = connected
  const all = async (sql: string) => (await client.query<Record<string, string>>(sql)).rows
  await client.query('begin isolation level repeatable read read only')
  const [snapshot] = await all('select pg_export_snapshot() as id')
  const facts = await readFacts(all)
  await using file = await open(path, 'wx', 0o600)
  await runTool(
    'pg_dump',
    url,
    ['--format=custom', `--snapshot=${snapshot?.['id']}`, '--no-owner', '--no-privileges'],
    {
      stdout: file.fd,
    },
  )
  await file.sync()
  return facts
}

async function readFacts(all: (sql: string) => Promise<Record<string, string>[]>): Promise<Facts> {
  const names = (await all(TABLES)).map(({ name = '' }) => name)
  if (!names.includes('migrations'))
    throw new Error('The database at DATABASE_URL is empty: start the service once.')
  requireBackupTables(names)
  const tables: Record<string, number> = {}
  for (const name of names)
    tables[name] = Number((await all(`select count(*) as n from "${name}"`))[0]?.['n'])
  const [schema] = await all('select max(name) as name from migrations')
  const facts = new Map(
    (await all('select name, value from installation')).map((row) => [row['name'], row['value']]),
  )
  const blobs = await all(`select key from hosting_blobs where state = 'stored'`)
  return {
    schema: schema?.['name'] ?? '',
    oldestVersion: facts.get('oldestVersion') ?? null,
    installation: facts.get('id') ?? '',
    tables,
    blobKeys: blobs.map(({ key = '' }) => key),
  }
}

/** Restores a dump, all or nothing. Throws if the database has tables. */
export async function restoreDump(given: string, path: string): Promise<void> {
  const url = await primaryOf(given)
  await requireEmpty(url)
  await runTool('pg_restore', url, [
    '--single-transaction',
    '--exit-on-error',
    '--no-owner',
    '--no-privileges',
    path,
  ])
}

/** Throws one sentence if the database has tables. */
export async function requireEmpty(given: string): Promise<void> {
  const url = await primaryOf(given)
  await using connected = await openClient(url)
  const { rows } = await connected.client.query(TABLES)
  if (rows.length > 0)
    throw new Error(
      'The database at DATABASE_URL is not empty. Create an empty one, and set DATABASE_URL to it.',
    )
}

/** The rows of one query. */
export async function queryAll(given: string, sql: string): Promise<Record<string, unknown>[]> {
  await using connected = await openClient(await primaryOf(given))
  return (await connected.client.query<Record<string, unknown>>(sql)).rows
}

/** The number of rows of every table in a dump: reads all of it, without a server. */
export async function countDumpedRows(path: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let table: string | undefined
  await runTool('pg_restore', undefined, ['--data-only', '--file=-', path], {
    onLine(line) {
      if (table === undefined) {
        table = /^COPY (?:"?\w+"?\.)?"?(\w+)"? .*FROM stdin;$/.exec(line)?.[1]
        if (table !== undefined) counts[table] = 0
      } else if (line === '\\.') table = undefined
      else counts[table] = (counts[table] ?? 0) + 1
    },
  })
  return counts
}

/** Another database on the same server, dropped when it is disposed; undefined if the role may not create one. */
export async function createScratchDatabase(
  given: string,
  name: string,
): Promise<(AsyncDisposable & { url: string }) | undefined> {
  const url = await primaryOf(given)
  await using admin = await openClient(url)
  const may = await admin.client.query(
    'select 1 from pg_roles where rolname = current_user and (rolcreatedb or rolsuper)',
  )
  if (may.rows.length === 0) return undefined
  // Those of processes that were killed: nobody is connected to them.
  const prefix = name.replace(/[^_]*$/, '')
  const left = await admin.client.query<{ name: string }>(
    `select datname as name from pg_database d where datname like $1
      and not exists (select 1 from pg_stat_activity a where a.datname = d.datname)`,
    [`${prefix.replaceAll('_', '\\_')}%`],
  )
  for (const { name: old } of left.rows)
    await admin.client.query(`drop database if exists "${old}"`).catch(() => {})
  await admin.client.query(`create database "${name}" template template0`)
  const own = url.replace(/^(\w+:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/, `$1/${name}$2`)
  // A connection that stays open shows others that it is in use.
  const guard = await openClient(own)
  return {
    url: own,
    async [Symbol.asyncDispose]() {
      await guard[Symbol.asyncDispose]()
      await using again = await openClient(url)
      await again.client.query(`drop database if exists "${name}" with (force)`)
    },
  }
}

/** Throws one sentence if the tools of PostgreSQL are not installed. */
export async function requireTools(): Promise<void> {
  await runTool('pg_dump', undefined, ['--version'])
  await runTool('pg_restore', undefined, ['--version'])
}

/** DATABASE_URL may name several hosts: the one that accepts writes now. */
async function primaryOf(given: string): Promise<string> {
  const { urls } = parsePostgresUrl(given) ?? { urls: [given] as const }
  if (urls.length === 1) return urls[0]
  const { at, watcher } = await findPrimary(urls, 0).catch((error: unknown) => {
    throw new Error('No host in DATABASE_URL accepts writes.', { cause: error })
  })
  watcher.close()
  return urls[at] ?? urls[0]
}

async function openClient(url: string): Promise<AsyncDisposable & { client: pg.Client }> {
  const client = new pg.Client({ connectionString: url, application_name: 'svc backup' })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    throw new Error(
      `PostgreSQL cannot be reached: ${error instanceof Error ? error.message : String(error)}. Check DATABASE_URL.`,
      {
        cause: error,
      },
    )
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => {})
    },
  }
}

type Output = { stdout?: number; onLine?(line: string): void }

/** Runs a tool of PostgreSQL. The password is in its environment, because every account of the machine can read arguments. */
async function runTool(
  tool: 'pg_dump' | 'pg_restore',
  url: string | undefined,
  args: readonly string[],
  { stdout, onLine }: Output = {},
): Promise<void> {
  const { address, password } = withoutPassword(url ?? '')
  const child = spawn(tool, [...(url === undefined ? [] : [`--dbname=${address}`]), ...args], {
    stdio: ['ignore', stdout ?? (onLine ? 'pipe' : 'ignore'), 'pipe'],
    env: toolEnvironment(password === undefined ? {} : { PGPASSWORD: password }),
  })
  let failure: NodeJS.ErrnoException | undefined
  child.on('error', (error) => void (failure = error))
  let message = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (message.length < MESSAGE_CHARACTERS_MAX) message += text
  })
  if (child.stdout && onLine) createInterface({ input: child.stdout, crlfDelay: Infinity }).on('line', onLine)
  const [code] = await once(child, 'close').catch(() => [null])
  if (failure?.code === 'ENOENT')
    throw new Error(
      `${tool} is not installed. Install PostgreSQL's tools: apt-get install postgresql-client (Debian).`,
    )
  if (failure) throw failure
  if (code !== 0)
    throw new Error(
      `${tool} failed: ${message.trim().slice(0, MESSAGE_CHARACTERS_MAX) || `exit code ${code}`}`,
    )
}

function withoutPassword(url: string): { address: string; password: string | undefined } {
  const [, begin, password, end] = /^(\w+:\/\/[^:@/?]*):([^@/?]*)(@.*)$/.exec(url) ?? []
  if (begin === undefined || password === undefined || end === undefined)
    return { address: url, password: undefined }
  return { address: begin + end, password: decodeURIComponent(password) }
}
