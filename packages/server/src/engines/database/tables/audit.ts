/** The audit log: a hash chain per project. */
export type AuditTables = {
  /** The audit log: a hash chain per project. */
  audit_entries: {
    projectId: string
    sequence: number
    id: string
    at: string
    env: string | null
    actor: string
    action: string
    target: string | null
    details: string
    hash: string
  }
  /** The newest entry of each chain. */
  audit_heads: { projectId: string; sequence: number; hash: string }
}
