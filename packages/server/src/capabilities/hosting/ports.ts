import type { Readable } from 'node:stream'

import type { Audit as AuditLog } from '../../platform/ports/audit.ts'
import type { Transaction } from './store.ts'

/** The part of the blob store that hosting needs. */
export type Blobs = {
  put(key: string, body: Buffer | Readable, expected?: { sha256?: string }): Promise<{ size: number }>
  open(
    key: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; stream: Readable } | undefined>
  remove(key: string): Promise<void>
}

export type Audit = AuditLog<Transaction>
export type { Messages as Bus } from '../../platform/ports/bus.ts'

/** Messages are host labels, see `hostLabel`. */
export const TOPIC = 'hosting'
