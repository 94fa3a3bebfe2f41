import assert from 'node:assert/strict'

import type { MemberRole } from '@svc/contract/developers/members'

import type { Call, Service } from './service.ts'

type Shared = { id: string; developer: { call: Call } }

/** The token in the link of an invitation. */
export const tokenOf = (link: string): string => link.slice(link.lastIndexOf('/') + 1)

/** Invites an address to the project, as its owner. */
export async function invite(project: Shared, email: string, role: MemberRole) {
  const path = `/v1/x/projects/${project.id}/members`
  const { status, body } = await project.developer.call('POST', path, { email, role })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.invitation.id as string, token: tokenOf(body.link), link: body.link as string }
}

/** A new developer who has joined the project with this role. */
export async function newMember(
  service: Pick<Service, 'newDeveloper'>,
  project: Shared,
  role: MemberRole,
  email?: string,
) {
  const developer = await service.newDeveloper(email)
  const { token } = await invite(project, developer.email, role)
  const { status, body } = await developer.call('POST', '/v1/x/invitations/accept', { token })
  assert.equal(status, 200, JSON.stringify(body))
  return developer
}
