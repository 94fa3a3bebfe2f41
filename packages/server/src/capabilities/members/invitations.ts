import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { MemberInvitation, MemberRole } from '@svc/contract/developers/members'

import { ApiError } from '../../platform/api-error.ts'
import { HOUR_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer, ProjectOfCaller } from '../../platform/environment.ts'
import { normalisedEmail } from '../../platform/mail/address.ts'
import { type Ids, type Random, randomToken } from '../../platform/random.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { invitationMail } from './mails.ts'
import { requireAdminNow } from './may-give-roles.ts'
import type { MemberDeps } from './ports.ts'
import type { InvitationRow, MemberStore, Transaction } from './store.ts'

type InvitationDeps = MemberDeps & {
  ids: Ids
  random: Random
  counters: SlidingCounters
  /** Infinity if rate limits are off. */
  invitationsPerHourMax: number
}

export type Invitations = ReturnType<typeof createInvitations>

/**
 * Invitations to a project. A link is for one address: who finds it in another mailbox cannot use it. The service stores the hash of
 * its token.
 */
export function createInvitations(store: MemberStore, deps: InvitationDeps) {
  const { clock, ids, random, counters, audit, accounts, projects, sendMail, sendsMail, baseUrl } = deps
  const { recordChanged, announce, invitationsPerHourMax } = deps

  async function requireNoMember(transaction: Transaction, projectId: string, email: string) {
    const account = await accounts(transaction).findByEmail(email)
    if (!account) return
    const project = await projects(transaction).current(projectId)
    const member = await store.in(transaction).find(projectId, account.id)
    if (member || project?.developerId === account.id) throw new ApiError('member_exists')
  }

  async function requireFreeSeat(transaction: Transaction, projectId: string) {
    if ((await store.in(transaction).list(projectId)).length >= LIMITS.membersMax)
      throw new ApiError('too_many_members', { limit: LIMITS.membersMax })
  }

  /** Also per developer, who may have many projects: everybody can create an account and have mails sent. */
  async function limitInvitations(...subjects: string[]) {
    if (invitationsPerHourMax === Infinity) return
    for (const subject of subjects)
      requireAdmitted(await counters.admit(`member-invitations:${subject}`, HOUR_MS, invitationsPerHourMax))
  }

  function requireOpen(invitation: InvitationRow | undefined): InvitationRow {
    if (!invitation || invitation.expiresAt <= timestamp(clock))
      throw new ApiError('invalid_or_expired_token')
    return invitation
  }

  /** Who has the link may read it, also without an account. */
  async function preview(token: string) {
    const invitation = requireOpen(await store.findInvitation(sha256(token)))
    const project = await projects().current(invitation.projectId)
    if (!project) throw new ApiError('invalid_or_expired_token')
    const { email, role, invitedBy, expiresAt } = viewOf(invitation)
    return { project: { name: project.name }, role, email, invitedBy, expiresAt }
  }

  const record = (
    transaction: Transaction,
    actor: Actor,
    action: string,
    { projectId, id, email, role }: Pick<InvitationRow, 'projectId' | 'id' | 'email' | 'role'>,
  ) =>
    audit.record(transaction, { projectId, env: null, actor, action, target: id, details: { email, role } })

  return {
    async invite(
      project: ProjectOfCaller,
      me: Developer,
      actor: Actor,
      wanted: { email: string; role: MemberRole },
    ): Promise<{ invitation: MemberInvitation; link: string; mailed: boolean }> {
      await limitInvitations(project.id, me.id)
      const token = randomToken(random)
      const link = `${baseUrl}/dashboard/invitations/${token}`
      const invitation: InvitationRow = {
        id: ids('inv'),
        tokenHash: sha256(token),
        projectId: project.id,
        email: normalisedEmail(wanted.email),
        role: wanted.role,
        invitedBy: me.email,
        createdAt: timestamp(clock),
        expiresAt: timestamp(clock, LIMITS.memberInvitationTtlMs),
      }
      return store.change(project.id, async (transaction) => {
        const mine = store.in(transaction)
        const current = await requireAdminNow(store, deps, transaction, project.id, me.id)
        // An account that nobody has confirmed sends no mail to others.
        const inviter = await accounts(transaction).find(me.id)
        if (sendsMail && !inviter?.emailVerifiedAt) throw new ApiError('confirmed_email_required')
        await requireNoMember(transaction, project.id, invitation.email)
        await requireFreeSeat(transaction, project.id)
        await mine.dropInvitationTo(project.id, invitation.email)
        if ((await mine.invitations(project.id, timestamp(clock))).length >= LIMITS.memberInvitationsMax)
          throw new ApiError('too_many_invitations', { limit: LIMITS.memberInvitationsMax })

        await mine.insertInvitation(invitation)
        await record(transaction, actor, 'member.invite', invitation)
        const { email, role, invitedBy } = invitation
        const mail = invitationMail(email, { project: current.name, role, invitedBy, url: link })
        const { sent } = await sendMail(transaction, mail)
        return { invitation: viewOf(invitation), link, mailed: sent && sendsMail }
      })
    },

    revoke: (project: ProjectOfCaller, actor: Actor, id: string): Promise<{ deleted: true }> =>
      store.change(project.id, async (transaction) => {
        const taken = await store.in(transaction).takeInvitationById(project.id, id)
        if (!taken) throw new ApiError('invitation_not_found')
        await record(transaction, actor, 'member.uninvite', taken)
        return { deleted: true }
      }),

    preview,

    async find(developer: Developer, token: string) {
      const found = await preview(token)
      return { ...found, isYours: found.email === developer.email }
    },

    async accept(developer: Developer, actor: Actor, token: string) {
      const tokenHash = sha256(token)
      const { projectId } = requireOpen(await store.findInvitation(tokenHash))
      const joined = await store.changeFor(developer.id, projectId, async (transaction) => {
        const mine = store.in(transaction)
        // Taken before it is checked: if the caller is refused, the transaction is rolled back and the invitation stays.
        const invitation = requireOpen(await mine.takeInvitation(tokenHash))
        const project = await projects(transaction).current(projectId)
        if (!project) throw new ApiError('invalid_or_expired_token')
        const account = await accounts(transaction).find(developer.id)
        if (!account) throw new ApiError('unauthorized')
        const { email, role } = invitation
        if (account.email !== email) throw new ApiError('invitation_for_other_address', { email })
        if (sendsMail && account.emailVerifiedAt === null) throw new ApiError('confirmed_email_required')
        await requireNoMember(transaction, projectId, email)
        await requireFreeSeat(transaction, projectId)
        if ((await mine.listOf(developer.id)).length >= LIMITS.sharedProjectsMax)
          throw new ApiError('too_many_projects', { limit: LIMITS.sharedProjectsMax })

        const since = timestamp(clock)
        await mine.write({ projectId, developerId: developer.id, role, since, removedAt: null })
        await audit.record(transaction, {
          projectId,
          env: null,
          actor,
          action: 'member.join',
          target: developer.id,
          details: { email, role, invitedBy: invitation.invitedBy },
        })
        await recordChanged(transaction, projectId, developer.id)
        return { project: { id: projectId, name: project.name }, role: role as MemberRole }
      })
      await announce(projectId, developer.id)
      return joined
    },
  }
}

/** Without the hash of its token. */
export const viewOf = ({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
}: InvitationRow): MemberInvitation => ({
  id,
  email,
  role: role as MemberRole,
  invitedBy,
  createdAt,
  expiresAt,
})
