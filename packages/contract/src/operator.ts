import { type Static, Type } from 'typebox'

import { AuditEntry } from './audit.ts'
import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { Cursor, Deleted, Id, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'
import { Email } from './developers/developers.ts'
import { Part } from './platform.ts'

/** For operators of the service: its state, backups, developer accounts and invitations. */

/** A developer account as operators see it. */
export type DeveloperEntry = Static<typeof DeveloperEntry>
/** `name` is null if the account has none. */
export const DeveloperEntry = Type.Object({
  id: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  emailVerified: Type.Boolean(),
  isOperator: Type.Boolean(),
  createdAt: Timestamp,
})

/** An invitation that was not used yet. */
export type OpenInvitation = Static<typeof OpenInvitation>
/** Does not contain the link, which is returned only when the invitation is created. */
export const OpenInvitation = Type.Object({ email: Type.String(), expiresAt: Timestamp })

/** List developer accounts and open invitations. */
export const listDevelopers = endpoint('GET /v1/operator/developers', {
  summary: 'List developer accounts, oldest first; the first page also has the open invitations',
  caller: 'operator',
  query: Type.Object({ limit: Limit(), cursor: Type.Optional(Cursor) }),
  response: Type.Object({
    developers: Type.Array(DeveloperEntry),
    invitations: Type.Array(OpenInvitation, { description: 'empty on further pages' }),
    nextCursor: Nullable(Id),
  }),
})

/** List what operators have changed. */
export const listOperatorAudit = endpoint('GET /v1/operator/audit', {
  summary: 'List the operator log; invitations, operators and backups, newest first',
  caller: 'operator',
  query: Type.Object({ limit: Limit(), before: Type.Optional(Cursor) }),
  response: Type.Object({ entries: Type.Array(AuditEntry), nextBefore: Nullable(Type.String()) }),
})

/** Invite a developer. */
export const inviteDeveloper = endpoint('POST /v1/operator/invitations', {
  summary:
    'Create a one-time link for a new developer account; an earlier one for this address stops working',
  caller: 'operator',
  body: Type.Object({ email: Email }),
  response: Type.Object({
    invitation: OpenInvitation,
    link: Type.String({ description: 'works once, for 7 days' }),
    mailed: Type.Boolean({ description: 'whether the link was also sent by email' }),
  }),
  errors: ['sign_up_closed'],
})

/** Revoke an invitation. */
export const revokeInvitation = endpoint('DELETE /v1/operator/invitations/:email', {
  summary: 'Revoke the invitation of an address',
  caller: 'operator',
  params: Type.Object({ email: IdParam }),
  response: Deleted,
  errors: ['not_found'],
})

const Figures = {
  cpu: Type.Number({ description: 'CPU time per second; 1 is one core' }),
  memoryBytes: Type.Integer({ description: 'resident' }),
  connections: Type.Integer({ description: 'open realtime connections' }),
  requests: Type.Integer({ description: 'answered' }),
  failed: Type.Integer({ description: 'responses with a status of 500 or more' }),
  p95Ms: Nullable(
    Type.Number(),
    '95th percentile of the response time, rounded up to 1, 5, 20, 100, 500, 2,000 or 10,000; null without requests',
  ),
}

/** A node of the service; figures of the current minute so far. */
export type SystemNode = Static<typeof SystemNode>
/** `memoryBytes` is the memory of the whole process; `heapBytes` is a part of it. */
export const SystemNode = Type.Object({
  id: Type.String(),
  version: Type.String(),
  startedAt: Timestamp,
  ...Figures,
  heapBytes: Type.Integer(),
  eventLoopP99Ms: Type.Number({
    description: '99th percentile of the delay of the event loop in the last minute',
  }),
})

/** An engine of the service. */
export type SystemEngine = Static<typeof SystemEngine>
/** Send its `name` to `checkEngine` to check it now. */
export const SystemEngine = Type.Object({
  name: Type.String({ description: 'database, bus, counters, blobs or mail' }),
  kind: Type.String({ description: 'such as sqlite, postgres, redis, memory, files, s3, smtp, captured' }),
  ok: Type.Boolean({ description: 'whether it is healthy; at most a second old' }),
})

/** Get the state of the service. */
export const readSystem = endpoint('GET /v1/operator/system', {
  summary: 'Get the system state; all nodes and engines, queues and storage',
  caller: 'operator',
  query: Type.Object({
    parts: Type.Optional(Type.Boolean({ description: 'also the state of every part of this node' })),
  }),
  response: Type.Object({
    now: Timestamp,
    nodes: Type.Array(SystemNode),
    engines: Type.Array(SystemEngine),
    mail: Type.Object({ pending: Type.Integer(), failed: Type.Integer() }),
    jobs: Type.Array(
      Type.Object({
        name: Type.String(),
        slotAt: Type.String({ ...Timestamp, description: 'when it was last due' }),
        done: Type.Boolean(),
        attempts: Type.Integer(),
        lastError: Nullable(Type.String()),
      }),
      { description: 'scheduled work, by name' },
    ),
    storage: Type.Object({
      databaseBytes: Nullable(Type.Integer(), 'null with PostgreSQL'),
      freeBytes: Type.Integer({ description: 'on the disk of this node’s data folder' }),
    }),
    parts: Type.Optional(
      Type.Record(Type.String(), Part, {
        description: 'with `parts=true`: the state of every part of this node',
      }),
    ),
  }),
})

/** Get figures of all nodes per minute. */
export const readSystemSeries = endpoint('GET /v1/operator/system/series', {
  summary: 'Get system metrics; of all nodes per minute, oldest first, as far as they are in memory',
  caller: 'operator',
  query: Type.Object({
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.systemSeriesMinutesMax, default: 60 })),
  }),
  response: Type.Object({
    nodes: Type.Array(
      Type.Object({
        id: Type.String(),
        minutes: Type.Array(
          Type.Object({
            at: Type.String({ ...Timestamp, description: 'end of the minute' }),
            ...Figures,
          }),
        ),
      }),
    ),
  }),
})

/** Check one engine now. */
export const checkEngine = endpoint('POST /v1/operator/checks/:engine', {
  summary: 'Check an engine now; it performs a write, or for mail signs in to the mail server',
  caller: 'operator',
  params: Type.Object({ engine: IdParam }),
  response: Type.Object({
    engine: Type.String(),
    ok: Type.Boolean(),
    ms: Type.Integer(),
    error: Nullable(Type.String()),
  }),
  errors: ['not_found'],
})

/** A backup of the service. */
export type Backup = Static<typeof Backup>
/** `bytes` is null until it is done. `error` is null unless it has failed, or could not be verified. */
export const Backup = Type.Object({
  name: Type.String({ description: 'name of the file in backups/ of the data folder, or at SVC_BACKUP_URL' }),
  status: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  createdAt: Timestamp,
  bytes: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  verifiedAt: Nullable(Timestamp, 'when it was read again and found complete; null: it does not count'),
  where: Type.Union([Type.Literal('folder'), Type.Literal('s3')], {
    description: 'in the data folder of a node, or at SVC_BACKUP_URL',
  }),
})

/** List backups. */
export const listBackups = endpoint('GET /v1/operator/backups', {
  summary: 'List the backups of the service; newest first. Without SVC_BACKUP_URL, those on this node',
  caller: 'operator',
  response: Type.Object({
    available: Type.Boolean({ description: 'false with PostgreSQL if pg_dump is not installed' }),
    nextAt: Nullable(Timestamp, 'when the next one is due (SVC_BACKUP_HOURS); null: none by itself'),
    backups: Type.Array(Backup),
  }),
})

/** Create a backup. */
export const createBackup = endpoint('POST /v1/operator/backups', {
  summary: 'Start a backup; it is verified after it is written. Old ones are removed (SVC_BACKUP_KEEP)',
  caller: 'operator',
  response: Type.Object({ backup: Backup }),
  errors: ['backup_not_available', 'backup_running'],
})
