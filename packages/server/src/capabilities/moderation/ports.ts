import type { Audit as AuditLog } from '../../platform/audit.ts'
import type { Transaction } from './store.ts'

export type Audit = AuditLog<Transaction>

/** Live connections of a player close, on every node. It never throws: what was decided stays decided. */
export type Disconnect = (environmentId: string, playerId: string) => Promise<void>

export type PlayerExists = (
  transaction: Transaction,
  environmentId: string,
  playerId: string,
) => Promise<boolean>
