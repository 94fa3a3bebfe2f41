import type { Readable } from 'node:stream'

import type { Actor, EnvironmentName } from '@svc/contract/shapes'

import type { Transaction } from './store.ts'

/** The blob store, as far as hosting needs it. */
export type Blobs = {
  put(key: string, body: Buffer | Readable, expected?: { sha256?: string }): Promise<{ size: number }>
  open(
    key: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; stream: Readable } | undefined>
  remove(key: string): Promise<void>
}

/** Writes what was done, in the transaction that does it. */
export type Audit = {
  record(
    transaction: Transaction,
    entry: {
      projectId: string
      env: EnvironmentName | null
      actor: Actor
      action: string
      target: string
      details: Record<string, unknown>
    },
  ): Promise<void>
}

/** Tells every node that another version is live. */
export type Bus = {
  publish(topic: string, message: string): Promise<void>
  subscribe(topic: string, handler: (message: string) => void): unknown
  onGap(handler: () => void): unknown
}

/** Messages are host labels, see `hostLabel`. */
export const TOPIC = 'hosting'
