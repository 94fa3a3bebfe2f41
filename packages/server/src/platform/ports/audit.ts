import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'

/**
 * One entry of the audit log of a project. It is kept after the player is deleted, so it may contain nothing about a player except
 * the id.
 */
export type AuditChange = {
  /** Or `SERVICE_CHAIN`. */
  projectId: string
  /** Null if the change concerns the whole project. */
  env: EnvironmentName | null
  actor: Actor
  /** `<subject>.<verb>`, as in `config.push`. */
  action: string
  target: string | null
  details: Record<string, unknown>
}

/** Changes of operators belong to no project: they have a chain of their own. */
export const SERVICE_CHAIN = 'service'

/** The audit log, for capabilities that change something. */
export type Audit<Transaction> = {
  /** Writes the entry in the transaction of the change: both are committed or neither is. */
  record(transaction: Transaction, change: AuditChange): Promise<void>
}
