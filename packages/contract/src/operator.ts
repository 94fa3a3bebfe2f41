import { type Static, Type } from 'typebox'

import { Deleted, Id, IdParam, Nullable, Timestamp } from './common-schemas.ts'
import { Email } from './developers.ts'
import { endpoint } from './endpoint.ts'

/** What operators of the service see and do: developer accounts and invitations. */

/** A developer account as operators see it. */
export type DeveloperEntry = Static<typeof DeveloperEntry>
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
export const OpenInvitation = Type.Object({ email: Type.String(), expiresAt: Timestamp })

/** List developer accounts and open invitations. */
export const listDevelopers = endpoint('GET /v1/operator/developers', {
  summary: 'List all developer accounts and open invitations, oldest first',
  caller: 'operator',
  response: Type.Object({
    developers: Type.Array(DeveloperEntry),
    invitations: Type.Array(OpenInvitation),
  }),
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
    mailed: Type.Boolean({ description: 'whether the link was also sent by mail' }),
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
