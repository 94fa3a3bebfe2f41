import type { AuditEntry } from '@svc/contract/audit'

const COLUMNS = ['at', 'env', 'actorType', 'actor', 'action', 'target', 'details']

/** Entries of the audit log as a CSV file. */
export const toCsv = (entries: readonly AuditEntry[]): string =>
  [
    COLUMNS,
    ...entries.map(({ at, env, actor, action, target, details }) => [
      at,
      env ?? '',
      actor.type,
      actor.label,
      action,
      target ?? '',
      JSON.stringify(details),
    ]),
  ]
    .map(csvLine)
    .join('')

/** One line of a CSV file (RFC 4180). */
export const csvLine = (row: readonly string[]): string => `${row.map(cell).join(',')}\r\n`

/** Spreadsheets run a cell that begins like a formula: the apostrophe makes it text. */
export const cell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
