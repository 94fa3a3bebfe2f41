import type { Audit as AuditLog } from '../../platform/ports/audit.ts'
import type { Transaction } from './store.ts'

export type Audit = AuditLog<Transaction>

/** Closes the connections of a player on every node. Never throws, because the decision is already committed. */
export type Disconnect = (environmentId: string, playerId: string) => Promise<void>

export type PlayerExists = (
  transaction: Transaction,
  environmentId: string,
  playerId: string,
) => Promise<boolean>
