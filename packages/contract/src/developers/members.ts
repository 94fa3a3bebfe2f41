import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import { ROLES } from '../common/roles.ts'
import { Deleted, Id, IdParam, Nullable, OpaqueToken, ProjectParams, Timestamp } from '../common/schemas.ts'
import { Email } from './developers.ts'

/** Members of a project and their roles. The owner is not invited: who creates a project owns it, until a transfer. */

const PATH = '/v1/x/projects/:projectId'

/** The role of a member, or of the owner. */
export const ProjectRole = Type.Enum(ROLES, {
  description:
    'owner: also money, deletion and transfer; admin: also members, keys and all of production; developer: all of development, and in production reading, deployments and config; moderator: players, bans, appeals and the live view; viewer: reading without data of players',
})

/** A role that a member can have. */
export type MemberRole = Static<typeof MemberRole>
/** All but `owner`, which changes by a transfer only (TEA-17). */
export const MemberRole = Type.Enum(['admin', 'developer', 'moderator', 'viewer'])

/** A developer who works on a project. */
export type Member = Static<typeof Member>
/** `since` is when the member joined, or for the owner when the project was created. */
export const Member = Type.Object({
  developerId: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  role: ProjectRole,
  since: Timestamp,
})

/** An open invitation to a project. */
export type MemberInvitation = Static<typeof MemberInvitation>
/** Does not contain the link, which is returned only when the invitation is created. */
export const MemberInvitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: MemberRole,
  invitedBy: Type.String({ description: 'the email address of the member who invited' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

/** An offered transfer of a project. */
export type Transfer = Static<typeof Transfer>
/** It waits for the new owner. */
export const Transfer = Type.Object({
  developerId: Type.String({ ...Id, description: 'the proposed owner' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

/** List the members of a project. */
export const listMembers = endpoint(`GET ${PATH}/members`, {
  summary: 'List the members of a project; the owner first, with open invitations and an offered transfer',
  caller: 'developer',
  role: 'viewer',
  params: ProjectParams,
  response: Type.Object({
    members: Type.Array(Member),
    invitations: Type.Array(MemberInvitation),
    transfer: Nullable(Transfer),
  }),
})

/** Invite somebody to a project. */
export const inviteMember = endpoint(`POST ${PATH}/members`, {
  summary: `Invite someone to a project; by email and link. An earlier invitation of this address stops working. At most ${LIMITS.membersMax} members and ${LIMITS.memberInvitationsMax} open invitations`,
  caller: 'developer',
  role: 'admin',
  params: ProjectParams,
  body: Type.Object({ email: Email, role: MemberRole }),
  response: Type.Object({
    invitation: MemberInvitation,
    link: Type.String({ description: 'works once, for 7 days, for the account with this address' }),
    mailed: Type.Boolean({ description: 'whether the link was also sent by email' }),
  }),
  status: 201,
  errors: ['confirmed_email_required', 'member_exists', 'too_many_members', 'too_many_invitations'],
})

const OneMember = {
  caller: 'developer',
  role: 'admin',
  params: Type.Object({ projectId: IdParam, developerId: IdParam }),
} as const

/** Change the role of a member. */
export const changeMemberRole = endpoint(`PATCH ${PATH}/members/:developerId`, {
  ...OneMember,
  summary: 'Change a member’s role; takes effect immediately. You cannot change the owner’s role or your own',
  body: Type.Object({ role: MemberRole }),
  response: Type.Object({ member: Member }),
  errors: ['member_not_found', 'owner_stays', 'own_membership'],
})

/** Remove a member. */
export const removeMember = endpoint(`DELETE ${PATH}/members/:developerId`, {
  ...OneMember,
  summary:
    'Remove a member; their sessions, event streams and agents lose access within a second; keys stay valid',
  response: Deleted,
  errors: ['member_not_found', 'owner_stays', 'own_membership'],
})

/** Leave a project. */
export const leaveProject = endpoint(`POST ${PATH}/leave`, {
  summary: 'Leave a project that someone else owns',
  caller: 'developer',
  role: 'viewer',
  params: ProjectParams,
  response: Type.Object({ left: Type.Literal(true) }),
  errors: ['owner_stays'],
})

/** Revoke an invitation to a project. */
export const revokeMemberInvitation = endpoint(`DELETE ${PATH}/invitations/:invitationId`, {
  summary: 'Revoke an open invitation to a project',
  caller: 'developer',
  role: 'admin',
  params: Type.Object({ projectId: IdParam, invitationId: IdParam }),
  response: Deleted,
  errors: ['invitation_not_found'],
})

const Token = Type.Object({ token: OpaqueToken })

const Invited = {
  project: Type.Object({ name: Type.String() }),
  role: MemberRole,
  email: Type.String({ description: 'the email address it is for' }),
  invitedBy: Type.String({ description: 'the email address of the member who invited' }),
  expiresAt: Timestamp,
}

/** Show an invitation to somebody who has no account yet. */
export const previewInvitation = endpoint('POST /v1/x/invitations/preview', {
  summary: 'Show an invitation to a project; before you sign in or create an account',
  caller: 'none',
  signIn: true,
  body: Token,
  response: Type.Object(Invited),
  errors: ['invalid_or_expired_token'],
})

/** Show an invitation before you accept it. */
export const findInvitation = endpoint('POST /v1/x/invitations/look-up', {
  summary: 'Show an invitation to a project; before you accept it',
  caller: 'developer',
  role: 'account',
  body: Token,
  response: Type.Object({
    ...Invited,
    isYours: Type.Boolean({ description: 'whether it is for the email address of your account' }),
  }),
  errors: ['invalid_or_expired_token'],
})

/** Accept an invitation. */
export const acceptInvitation = endpoint('POST /v1/x/invitations/accept', {
  summary: 'Accept an invitation to a project; it must be for the confirmed address of your account',
  caller: 'developer',
  role: 'account',
  body: Token,
  response: Type.Object({ project: Type.Object({ id: Id, name: Type.String() }), role: MemberRole }),
  errors: [
    'invalid_or_expired_token',
    'invitation_for_other_address',
    'confirmed_email_required',
    'member_exists',
    'too_many_members',
    'too_many_projects',
  ],
})

/** Offer the ownership of a project to one of its admins. */
export const offerTransfer = endpoint(`POST ${PATH}/transfer`, {
  summary:
    'Offer ownership to an admin of the project; they have 7 days to accept. Requires your password or a reauthToken. An earlier offer is withdrawn',
  caller: 'developer',
  role: 'owner',
  params: ProjectParams,
  body: Type.Object({
    developerId: IdParam,
    password: Type.Optional(Type.String({ maxLength: 256 })),
    reauthToken: Type.Optional(Type.String({ maxLength: 128 })),
  }),
  response: Type.Object({ transfer: Transfer, mailed: Type.Boolean() }),
  status: 201,
  errors: [
    'member_not_found',
    'admin_required',
    'reauth_required',
    'invalid_credentials',
    'transfer_blocked',
  ],
})

/** Withdraw or decline an offered transfer. */
export const withdrawTransfer = endpoint(`DELETE ${PATH}/transfer`, {
  summary: 'Withdraw or decline an offered transfer; as the owner, or as the person it was offered to',
  caller: 'developer',
  role: 'admin',
  params: ProjectParams,
  response: Deleted,
  errors: ['transfer_not_found'],
})

/** Become the owner of a project. */
export const acceptTransfer = endpoint(`POST ${PATH}/transfer/accept`, {
  summary:
    'Accept an offered transfer and become the owner; the previous owner becomes an admin and keeps the balance, invoices and all usage so far',
  caller: 'developer',
  role: 'admin',
  params: ProjectParams,
  response: Type.Object({ project: Type.Object({ id: Id, name: Type.String() }), role: ProjectRole }),
  errors: ['transfer_not_found', 'confirmed_email_required', 'too_many_projects', 'transfer_blocked'],
})
