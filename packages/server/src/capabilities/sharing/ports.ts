import type { Readable } from 'node:stream'

import type { Config } from '@svc/contract/config/defaults'

import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'

/** The part of the blob store that cards need. */
export type Blobs = {
  put(key: string, body: Buffer, expected?: { sha256?: string }): Promise<{ size: number }>
  open(key: string): Promise<{ size: number; stream: Readable } | undefined>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<string>
}

/** A file of a deployment. */
export type LiveFile = { sha256: string; size: number }

/** The hosted files of an app. */
export type HostedFiles = {
  /** The files of the live version, by path; undefined while nothing is live. */
  live(environment: Environment): Promise<ReadonlyMap<string, LiveFile> | undefined>
  /** The blob of a deployed file, of any version; undefined if it was removed. */
  find(projectId: string, sha256: string): Promise<{ key: string; size: number } | undefined>
}

/** Where people find the app, and what it is called. */
export type AppAddress = {
  /** The origin of its own host; undefined while no version is live there. */
  origin: string | undefined
  /** Ends with a slash; undefined if it is not known. */
  url: string | undefined
  name: string
}
export type FindAddress = (environment: Environment) => Promise<AppAddress>

export type CurrentConfig = (environmentId: string) => Awaitable<{ config: Config }>
export type Share = Config['share']
