import * as contract from '@svc/contract/developers/members'

import type { Route } from '../../edge/http/routes.ts'
import type { Invitations } from './invitations.ts'
import type { Members } from './members.ts'
import type { Transfers } from './transfers.ts'

type MemberParts = { members: Members; invitations: Invitations; transfers: Transfers }

export function membersRoutes(route: Route, { members, invitations, transfers }: MemberParts) {
  route(contract.listMembers, ({ project }) => members.list(project))
  route(contract.changeMemberRole, ({ project, developer, actor, params, body }) =>
    members.changeRole(project, developer, actor, params.developerId, body.role),
  )
  route(contract.removeMember, ({ project, developer, actor, params }) =>
    members.remove(project, developer, actor, params.developerId),
  )
  route(contract.leaveProject, ({ project, developer, actor }) => members.leave(project, developer, actor))

  route(contract.inviteMember, ({ project, developer, actor, body }) =>
    invitations.invite(project, developer, actor, body),
  )
  route(contract.revokeMemberInvitation, ({ project, actor, params }) =>
    invitations.revoke(project, actor, params.invitationId),
  )
  route(contract.previewInvitation, ({ body }) => invitations.preview(body.token))
  route(contract.findInvitation, ({ developer, body }) => invitations.find(developer, body.token))
  route(contract.acceptInvitation, ({ developer, actor, body }) =>
    invitations.accept(developer, actor, body.token),
  )

  route(contract.offerTransfer, ({ project, developer, actor, body, client }) =>
    transfers.offer(project, developer, actor, body, client.address),
  )
  route(contract.withdrawTransfer, ({ project, developer, actor }) =>
    transfers.withdraw(project, developer, actor),
  )
  route(contract.acceptTransfer, ({ project, developer, actor }) =>
    transfers.accept(project, developer, actor),
  )
}
