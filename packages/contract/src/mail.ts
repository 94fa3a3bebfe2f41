import { type Static, Type } from 'typebox'

import { Id, Limit, Nullable, Timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

/** An email of a development environment. */
export type Mail = Static<typeof Mail>
export const Mail = Type.Object({
  id: Id,
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  status: Type.Union(
    [Type.Literal('pending'), Type.Literal('sent'), Type.Literal('captured'), Type.Literal('failed')],
    { description: 'captured: no mail server is configured, so the email was stored here instead of sent' },
  ),
  attempts: Type.Integer({ minimum: 0, description: 'how often delivery was tried' }),
  lastError: Nullable(Type.String()),
  createdAt: Timestamp,
  sentAt: Nullable(Timestamp),
})

/** List emails of a development environment, newest first. */
export const readOutbox = endpoint('GET /v1/dev/outbox', {
  summary: 'List emails of a development environment, newest first; empty in production',
  caller: 'server',
  query: Type.Object({ limit: Limit() }),
  response: Type.Object({ mails: Type.Array(Mail) }),
  errors: ['not_found'],
})
