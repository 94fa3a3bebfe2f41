import type { Readable } from 'node:stream'

import type { Audit as AnyAudit } from '../../platform/ports/audit.ts'
import type { Transaction } from './store.ts'

export type Audit = AnyAudit<Transaction>

export type Blobs = {
  put(key: string, body: Buffer): Promise<unknown>
  /** `range`: first and last byte. */
  open(
    key: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; stream: Readable } | undefined>
  remove(key: string): Promise<void>
  /** The error for a blob that must be there and is not. */
  missing(what: string): Error
}

/** Sealed texts, by name. */
export type Secrets = {
  read(id: string, transaction?: Transaction): Promise<string | undefined>
  write(transaction: Transaction, id: string, plaintext: string): Promise<void>
  remove(transaction: Transaction, id: string): Promise<void>
}

/** What functions need of money. */
export type Money = {
  /** Throws `prepaid_required` if the owner of the project has no credit. */
  requireCredit(projectId: string): Promise<void>
  noteUsage(environmentId: string, component: UsageComponent, quantity: number): void
}

export type UsageComponent =
  | 'functions.requests'
  | 'functions.cpuMs'
  | 'functions.rowsRead'
  | 'functions.rowsWritten'
  | 'functions.egressBytes'
  | 'functions.storageByteHours'

/** Topic of the bus: the state of an environment's functions has changed; the message is its id. */
export const TOPIC = 'functions'
/** A node is about to stop; the message is its id. */
export const STOPPING_TOPIC = 'functions.stopping'

export const secretId = (environmentId: string, name: string) => `functions:${environmentId}:${name}`
