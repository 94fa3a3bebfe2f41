/** Indexes of the audit log without the values that keys report: with games that report each result, nearly all entries are such values. */
const SHOWN = `action <> 'stats.write' or substr(actor, 1, 13) <> '{"type":"key"'`

export const statements = [
  `create index audit_entries_shown on audit_entries ("projectId", sequence) where ${SHOWN}`,
  `create index audit_entries_shown_of on audit_entries ("projectId", env, sequence) where ${SHOWN}`,
] as const
