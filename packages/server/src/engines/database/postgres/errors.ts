import pg from 'pg'

import { ApiError } from '../../../platform/api-error.ts'

// https://www.postgresql.org/docs/15/errcodes-appendix.html: problems of the server or the connection, not of the statement.
const UNAVAILABLE = [
  '08', // connection lost or refused
  '53', // too many connections, disk full, out of memory
  '57', // shutting down, starting up, statement timeout
  '58', // input/output error
  '25P03', // idle in transaction for too long
  '25006', // read-only: a standby after a failover
  '55P03', // lock timeout
  'XX',
]

const codeOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** Serialisation failure or deadlock: PostgreSQL has rolled back, and the transaction may be retried. */
export const isRetryable = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** The connection was lost, so the outcome of the statement is unknown. */
export const isDisconnect = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === undefined || code.startsWith('08') || code.startsWith('57P')
}

/** The server, the database or the role has as many connections as it may have. */
export const isServerFull = (error: unknown): boolean => codeOf(error) === '53300'

/** The server rejects writes: a standby, also one that was the primary before. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/** A prepared statement that we did not prepare exists, or one that we prepared does not: another session than before. */
export const isForeignSession = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '42P05' || code === '26000'
}

/** Maps errors of `pg`: an error without SQLSTATE comes from the connection. */
export function toApiError(error: unknown): unknown {
  const code = codeOf(error)
  if (code !== undefined && !UNAVAILABLE.some((prefix) => code.startsWith(prefix))) return error
  return error instanceof ApiError ? error : new ApiError('service_unavailable', undefined, { cause: error })
}
