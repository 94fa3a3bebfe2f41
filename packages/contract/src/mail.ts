import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { Cursor, EnvironmentParams, Id, Limit, Nullable, Timestamp } from './common/schemas.ts'

/** The status of an email. */
export type MailStatus = Static<typeof MailStatus>
const MailStatus = Type.Union(
  [Type.Literal('pending'), Type.Literal('sent'), Type.Literal('captured'), Type.Literal('failed')],
  { description: 'captured: no mail server is configured, so the email was stored instead of sent' },
)

/** An email of a development environment. */
export type Mail = Static<typeof Mail>
/** `sentAt` is null unless the status is `sent`. `lastError` is null unless the last attempt failed. */
export const Mail = Type.Object({
  id: Id,
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  status: MailStatus,
  attempts: Type.Integer({ minimum: 0, description: 'how often delivery was tried' }),
  lastError: Nullable(Type.String()),
  createdAt: Timestamp,
  sentAt: Nullable(Timestamp),
})

/** An email as its developer sees it. */
export type MailEntry = Static<typeof MailEntry>
/** In production `text` and `html` are null. */
export const MailEntry = Type.Object({
  ...Mail.properties,
  text: Nullable(Type.String(), 'null in production: its links are for the recipient alone'),
  html: Nullable(Type.String(), 'null in production'),
})

const PATH = '/v1/projects/:projectId/environments/:env/mails'

/** List emails of an environment, newest first. */
export const listMails = endpoint(`GET ${PATH}`, {
  summary:
    'List an environment’s emails; newest first. Sent ones are kept for 7 days, others for 30. Without a mail server, development also shows the emails to you',
  caller: 'developer',
  role: { development: 'developer', production: ['developer', 'moderator'] },
  params: EnvironmentParams,
  query: Type.Object({
    status: Type.Optional(MailStatus),
    cursor: Type.Optional(Cursor),
    limit: Limit(),
  }),
  response: Type.Object({ mails: Type.Array(MailEntry), nextCursor: Nullable(Type.String()) }),
})

/** Delete the emails of an environment that are not waiting to be sent. */
export const deleteMails = endpoint(`DELETE ${PATH}`, {
  summary: 'Delete an environment’s emails; except those that are waiting to be sent',
  caller: 'developer',
  role: { development: 'developer', production: 'admin' },
  params: EnvironmentParams,
  response: Type.Object({ deleted: Type.Integer({ description: 'number of emails deleted' }) }),
})

/** List emails of a development environment, newest first. */
export const readOutbox = endpoint('GET /v1/dev/outbox', {
  summary: 'List emails of a development environment, newest first; empty in production',
  caller: 'server',
  query: Type.Object({ limit: Limit() }),
  response: Type.Object({ mails: Type.Array(Mail) }),
  errors: ['not_found'],
})
