import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import {
  Actor,
  BY_PLAYER,
  Cursor,
  EnvironmentName,
  Id,
  Limit,
  Nullable,
  ProjectParams,
  Timestamp,
} from './common/schemas.ts'

/** The audit log: who changed what, and when. Entries are written with the change and never edited. */

/** One change of the audit log: who changed what, and when. */
export type AuditEntry = Static<typeof AuditEntry>
/** `env` is null if the change concerns no single environment. `details` never contain secrets (AUD-02). */
export const AuditEntry = Type.Object({
  id: Id,
  at: Timestamp,
  env: Nullable(EnvironmentName),
  actor: Actor,
  action: Type.String({ description: 'such as `config.push`' }),
  target: Nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown(), BY_PLAYER),
})

/** List audit log entries, newest first. */
export const listAudit = endpoint('GET /v1/projects/:projectId/audit', {
  summary:
    'List audit log entries, newest first, without the values that keys reported; a page of a filtered list can be short or empty and still have a `nextBefore`',
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: ProjectParams,
  query: Type.Object({
    limit: Limit(),
    before: Type.Optional(Cursor),
    env: Type.Optional(Type.String({ maxLength: 64 })),
    action: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'such as `config.push`; `config` matches all config actions',
      }),
    ),
    actor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'the id or the label of an actor' }),
    ),
    target: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    reported: Type.Optional(
      Type.Boolean({
        description:
          'also the values that secret keys reported (`stats.write`): games that report each result would fill the list; by default only with `action`',
      }),
    ),
    wholeProject: Type.Optional(
      Type.Boolean({
        description: 'with `env`: also the entries of the whole project, such as members and invitations',
      }),
    ),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Type.String({ ...Timestamp, description: 'entries older than this time' })),
  }),
  agent: 'read',
  response: Type.Object({ entries: Type.Array(AuditEntry), nextBefore: Nullable(Type.String()) }),
  errors: ['environment_not_found'],
})
