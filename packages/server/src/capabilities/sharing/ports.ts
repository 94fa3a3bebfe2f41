import type { Readable } from 'node:stream'

import type { Config } from '@svc/contract/config-defaults'

import type { Awaitable } from '../../platform/awaitable.ts'
import type { Environment } from '../../platform/environment.ts'

/** The blob store, as far as cards need it. */
export type Blobs = {
  put(key: string, body: Buffer, expected?: { sha256?: string }): Promise<{ size: number }>
  open(key: string): Promise<{ size: number; stream: Readable } | undefined>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<string>
}

/** A file of a deployment. */
export type LiveFile = { sha256: string; size: number }

/** What is hosted of an app. */
export type HostedFiles = {
  /** The files of the live version, by path; undefined while nothing is live. */
  live(environment: Environment): Promise<ReadonlyMap<string, LiveFile> | undefined>
  /** Where the bytes of a deployed file are stored, whichever version it belongs to; undefined once it was swept. */
  find(projectId: string, sha256: string): Promise<{ key: string; size: number } | undefined>
}

export type CurrentConfig = (environmentId: string) => Awaitable<{ config: Config }>
export type Share = Config['share']
