import type { MemberRole } from '@svc/contract/developers/members'
import type { DeveloperCalls } from '@svc/sdk/developer'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choiceOr, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { printable, timeText } from '../output/output.ts'

const ROLES = ['admin', 'developer', 'moderator', 'viewer'] as const

/** Adds `svc team …`. */
export function addTeamCommands(program: CommandGroup) {
  const team = program.group('team', 'project members and their roles', { defaultName: 'list' })
  team.command('list', 'list members, the owner first, and open invitations', showTeam)
  team.command('invite <email>', 'invite somebody by email; also prints the link', invite, {
    role: choiceOr(
      'developer',
      '--role <role>',
      'admin (also members, keys, production), developer (development; deploys and config in production), moderator (players) or viewer (read-only, without player data)',
      ROLES,
    ),
  })
  team.command('role <email> <role>', 'change a member’s role', changeRole)
  team.command('remove <email>', 'remove a member, or revoke an invitation; keys keep working', remove, {
    yes,
  })
  team.command('leave', 'leave a project that somebody else owns', leave, { yes })
  team.command('accept <link>', 'accept an invitation', accept)
}

type Team = DeveloperCalls['listMembers']['response']

async function readTeam({ calls, resolveEnvironment }: Context): Promise<Team & { projectId: string }> {
  const { projectId } = await resolveEnvironment()
  return { projectId, ...(await calls.developer('listMembers', { params: { projectId } })) }
}

async function showTeam(context: Context) {
  const { out } = context
  const { members, invitations, transfer } = await readTeam(context)
  out.table(
    ['EMAIL', 'ROLE', 'NAME', 'SINCE'],
    [
      ...members.map(({ email, role, name, since }) => [email, role, name ?? '', timeText(since)]),
      ...invitations.map(({ email, role, expiresAt }) => [
        email,
        role,
        '',
        `invited, until ${timeText(expiresAt)}`,
      ]),
    ],
    'No members.',
  )
  const next = members.find(({ developerId }) => developerId === transfer?.developerId)
  if (transfer && next)
    out.info(
      `the project is offered to ${printable(next.email)}, who can accept it in the dashboard until ${timeText(transfer.expiresAt)}`,
    )
  return { members, invitations, transfer }
}

async function invite(
  { calls, resolveEnvironment, out }: Context,
  { role }: { role: MemberRole },
  email: string,
) {
  const { projectId } = await resolveEnvironment()
  const invited = await calls.developer('inviteMember', { params: { projectId }, body: { email, role } })
  const how = invited.mailed ? 'link sent by email' : 'no email was sent, so pass the link on yourself'
  out.done(`${printable(invited.invitation.email)} invited as ${role}; ${how}. It works once, for 7 days:`)
  out.line(invited.link)
  return invited
}

const isSame = (email: string) => (one: { email: string }) => one.email.toLowerCase() === email.toLowerCase()

const notAMember = (email: string, { members }: Team) =>
  new Failure('usage', `The project has no member ${email}.`, {
    fix: `It has: ${members.map((member) => member.email).join(', ')}`,
  })

async function changeRole(context: Context, _options: object, email: string, role: string) {
  const wanted = ROLES.find((one) => one === role)
  if (wanted === undefined)
    throw new Failure('usage', `There is no role ${role}.`, { fix: `Roles are ${ROLES.join(', ')}.` })
  const team = await readTeam(context)
  const member = team.members.find(isSame(email))
  if (!member) throw notAMember(email, team)
  const changed = await context.calls.developer('changeMemberRole', {
    params: { projectId: team.projectId, developerId: member.developerId },
    body: { role: wanted },
  })
  context.out.done(`${printable(member.email)} is now ${wanted}`)
  return changed
}

async function remove(context: Context, { yes: isSure }: { yes?: boolean }, email: string) {
  const { calls, out, ask } = context
  const team = await readTeam(context)
  const { projectId } = team
  const invitation = team.invitations.find(isSame(email))
  if (invitation) {
    await calls.developer('revokeMemberInvitation', { params: { projectId, invitationId: invitation.id } })
    out.done(`invitation for ${printable(invitation.email)} revoked`)
    return { revoked: invitation.email }
  }
  const member = team.members.find(isSame(email))
  if (!member) throw notAMember(email, team)
  await ask.require(`Remove ${printable(member.email)} from the project?`, { yes: isSure })
  await calls.developer('removeMember', { params: { projectId, developerId: member.developerId } })
  out.done(`${printable(member.email)} removed`)
  out.info('keys that the member knows still work; replace them: svc keys create, then svc keys revoke <id>')
  return { removed: member.email }
}

async function leave({ calls, resolveEnvironment, out, ask }: Context, { yes: isSure }: { yes?: boolean }) {
  const { projectId } = await resolveEnvironment()
  await ask.require('Leave this project? Only an admin can invite you again.', { yes: isSure })
  const left = await calls.developer('leaveProject', { params: { projectId } })
  out.done('you left the project')
  return left
}

async function accept({ calls, out, url }: Context, _options: object, link: string) {
  const accepted = await calls.developer('acceptInvitation', { body: { token: tokenOf(link, url) } })
  const { project, role } = accepted
  out.done(`you are now ${role} of ${printable(project.name)}`)
  out.line(`Use it in a folder: svc link --project ${project.id}`)
  return accepted
}

/** Accepts the token alone, or the link that contains it. */
function tokenOf(link: string, url: string): string {
  if (!URL.canParse(link)) return link
  const { origin, pathname } = new URL(link)
  if (origin !== new URL(url).origin)
    throw new Failure('usage', `This link belongs to ${origin}, not to ${url}.`, {
      fix: `Run: svc team accept <link> --url ${origin}`,
    })
  return pathname.split('/').at(-1) ?? ''
}
