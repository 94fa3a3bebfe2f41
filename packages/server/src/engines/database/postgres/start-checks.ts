import type { ApiError } from '../../../platform/api-error.ts'
import { parsePostgresUrl } from '../../../platform/engine-urls.ts'
import { isForeignSession, isServerFull } from './errors.ts'
import type { Answer } from './statement-query.ts'

const VERSION_MIN = 15

/** Throws an error that names the server if it cannot be used. */
export async function requireVersion(url: string, show: () => Promise<Answer>): Promise<void> {
  const answer = await show().catch((error: ApiError) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new Error(`PostgreSQL at ${hostOf(url)} cannot be used: ${reason}. Check DATABASE_URL.`, {
      cause: error,
    })
  })
  const version = Math.floor(Number(answer.rows[0].server_version_num) / 10_000)
  if (version >= VERSION_MIN) return
  throw new Error(`PostgreSQL at ${hostOf(url)} is version ${version}. Use version ${VERSION_MIN} or newer.`)
}

export const SESSION_DEFAULTS_SQL = `select current_user as role,
  current_setting('synchronous_commit') as "synchronousCommit", current_setting('default_transaction_isolation') as isolation`

/** What is set per session otherwise. */
export async function requireSessionDefaults(show: () => Promise<Answer>): Promise<void> {
  const [{ role, synchronousCommit, isolation }] = (await show()).rows
  const wrong = [
    !['on', 'remote_apply'].includes(synchronousCommit) && `alter role "${role}" set synchronous_commit = on`,
    isolation !== 'read committed' &&
      `alter role "${role}" set default_transaction_isolation = 'read committed'`,
  ].filter((fix) => fix !== false)
  if (wrong.length === 0) return
  throw new Error(
    `SVC_POSTGRES_PREPARE=off: the service cannot set its sessions. Run in PostgreSQL: ${wrong.join('; ')}.`,
  )
}

/** Without the password. */
const hostOf = (url: string): string => parsePostgresUrl(url)?.hosts.join(', ') ?? 'DATABASE_URL'

const TRANSACTION_MODE =
  'DATABASE_URL leads to a pooler in transaction mode. Use its session mode, or set SVC_POSTGRES_PREPARE=off.'

const FULL =
  'PostgreSQL has too few connections left for this node: raise its max_connections, or end other programs that use it.'

/** The error of a start as the operator needs it. */
export function explained(error: unknown): unknown {
  if (isForeignSession(error)) return new Error(TRANSACTION_MODE, { cause: error })
  for (let cause = error; cause instanceof Error; { cause } = cause)
    if (isServerFull(cause)) return new Error(FULL, { cause: error })
  return error
}

/** How many connections this user may have to this database. Some are kept for administrators. */
export const CONNECTIONS_SQL = `select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
  ) as allowed`
