import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'

import type { Environment } from '../environment.ts'

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

/** The entry of a change in an environment. */
export const changeIn = (
  { projectId, name: env }: Pick<Environment, 'projectId' | 'name'>,
  actor: Actor,
  action: string,
  target: string | null,
  details: Record<string, unknown> = {},
): AuditChange => ({ projectId, env, actor, action, target, details })

/** The entry of a change that concerns a whole project. */
export const changeOfProject = (
  projectId: string,
  actor: Actor,
  action: string,
  details: Record<string, unknown>,
): AuditChange => ({ projectId, env: null, actor, action, target: projectId, details })

/** Changes of operators belong to no project: they have a chain of their own. */
export const SERVICE_CHAIN = 'service'

/** The audit log, for capabilities that change something. */
export type Audit<Transaction> = {
  /** Writes the entry in the transaction of the change: both are committed or neither is. */
  record(transaction: Transaction, change: AuditChange): Promise<void>
}
