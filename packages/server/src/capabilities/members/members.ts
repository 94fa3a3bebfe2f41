import { allowsRole, leastRoleOf, type Role } from '@svc/contract/common/roles'
import type { Actor } from '@svc/contract/common/schemas'
import { createAgent } from '@svc/contract/developers/agents'
import type { Member, MemberRole } from '@svc/contract/developers/members'

import { ApiError } from '../../platform/api-error.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Developer, ProjectOfCaller } from '../../platform/environment.ts'
import { viewOf } from './invitations.ts'
import { deletedMail } from './mails.ts'
import { requireAdminNow } from './may-give-roles.ts'
import type { MemberDeps } from './ports.ts'
import type { MemberRow, MemberStore, Transaction } from './store.ts'

export type Members = ReturnType<typeof createMembers>

/**
 * The developers who work on a project. Its owner is not a member: the owner has every right, cannot be removed and cannot leave, so a
 * project always has somebody who can give roles (TEA-12).
 */
export function createMembers(store: MemberStore, deps: MemberDeps) {
  const { clock, audit, accounts, projects, sendMail, recordChanged, endAgents, announce } = deps

  async function describe(developerId: string, role: string, since: string): Promise<Member[]> {
    const account = await accounts().find(developerId)
    if (!account) return []
    return [{ developerId, email: account.email, name: account.name, role: role as Role, since }]
  }

  const record = (
    transaction: Transaction,
    projectId: string,
    actor: Actor,
    action: string,
    target: string,
    details: Record<string, unknown>,
  ) => audit.record(transaction, { projectId, env: null, actor, action, target, details })

  /** The membership of somebody else; an admin who removes the own role by mistake could not give it back. */
  async function requireOther(
    transaction: Transaction,
    { id }: ProjectOfCaller,
    me: Developer,
    developerId: string,
  ): Promise<MemberRow> {
    const project = await requireAdminNow(store, deps, transaction, id, me.id)
    if (developerId === project.developerId) throw new ApiError('owner_stays')
    if (developerId === me.id) throw new ApiError('own_membership')
    const member = await store.in(transaction).find(id, developerId)
    if (!member) throw new ApiError('member_not_found')
    return member
  }

  /** The address of a member, for the audit log: its entries outlive the account. */
  const emailOf = async (transaction: Transaction, developerId: string) =>
    (await accounts(transaction).find(developerId))?.email ?? null

  async function end(
    transaction: Transaction,
    { projectId, developerId, role }: MemberRow,
    actor: Actor,
    action: 'member.remove' | 'member.leave',
  ) {
    await store.in(transaction).markRemoved(projectId, developerId, timestamp(clock))
    await store.in(transaction).dropTransferTo(projectId, developerId)
    const email = await emailOf(transaction, developerId)
    if (email !== null) await store.in(transaction).dropInvitationsBy(projectId, email)
    await record(transaction, projectId, actor, action, developerId, { email, role })
    await endAgents(transaction, projectId, developerId)
    await recordChanged(transaction, projectId, developerId)
  }

  return {
    async list(project: ProjectOfCaller) {
      const now = timestamp(clock)
      const current = await projects().current(project.id)
      if (!current) throw new ApiError('project_not_found')
      const rows = await store.list(project.id)
      const [owner, members] = await Promise.all([
        describe(current.developerId, 'owner', current.createdAt),
        Promise.all(rows.map(({ developerId, role, since }) => describe(developerId, role, since))),
      ])
      const offer = await store.transfer(project.id)
      const transfer = offer && offer.expiresAt > now ? offer : undefined
      return {
        members: [...owner, ...members.flat()],
        invitations: (await store.invitations(project.id, now)).map(viewOf),
        transfer: transfer
          ? {
              developerId: transfer.developerId,
              createdAt: transfer.createdAt,
              expiresAt: transfer.expiresAt,
            }
          : null,
      }
    },

    async changeRole(
      project: ProjectOfCaller,
      me: Developer,
      actor: Actor,
      developerId: string,
      role: MemberRole,
    ): Promise<{ member: Member }> {
      const since = await store.change(project.id, async (transaction) => {
        const before = await requireOther(transaction, project, me, developerId)
        if (before.role === role) return before.since
        await store.in(transaction).setRole(project.id, developerId, role)
        // Only an admin can become the owner, and only an admin invites.
        await store.in(transaction).dropTransferTo(project.id, developerId)
        const email = await emailOf(transaction, developerId)
        if (email !== null) await store.in(transaction).dropInvitationsBy(project.id, email)
        const details = { email, before: before.role, after: role }
        await record(transaction, project.id, actor, 'member.role', developerId, details)
        if (!mayHaveAgents(role)) await endAgents(transaction, project.id, developerId)
        await recordChanged(transaction, project.id, developerId)
        return before.since
      })
      await announce(project.id, developerId)
      const [member] = await describe(developerId, role, since)
      if (!member) throw new ApiError('member_not_found')
      return { member }
    },

    async remove(
      project: ProjectOfCaller,
      me: Developer,
      actor: Actor,
      developerId: string,
    ): Promise<{ deleted: true }> {
      await store.change(project.id, async (transaction) => {
        const member = await requireOther(transaction, project, me, developerId)
        await end(transaction, member, actor, 'member.remove')
      })
      await announce(project.id, developerId)
      return { deleted: true }
    },

    async leave(project: ProjectOfCaller, me: Developer, actor: Actor): Promise<{ left: true }> {
      await store.change(project.id, async (transaction) => {
        const member = await store.in(transaction).find(project.id, me.id)
        if (member) return end(transaction, member, actor, 'member.leave')
        const current = await projects(transaction).current(project.id)
        throw new ApiError(current?.developerId === me.id ? 'owner_stays' : 'project_not_found')
      })
      await announce(project.id, me.id)
      return { left: true }
    },

    /**
     * Part of the transaction that deletes an account, which holds the lock of its list of projects. Call the returned function after
     * the transaction.
     */
    async leaveAll(transaction: Transaction, account: { id: string; email: string }) {
      const actor: Actor = { type: 'developer', id: account.id, label: account.email }
      const left = await store.in(transaction).listOf(account.id)
      for (const projectId of left) {
        await store.lockProject(transaction, projectId)
        const member = await store.in(transaction).find(projectId, account.id)
        if (member) await end(transaction, member, actor, 'member.leave')
      }
      return async () => {
        for (const projectId of left) await announce(projectId, account.id)
      }
    },

    /** Part of the transaction that deletes a project: its members learn of it by mail (TEA-21). */
    async projectRemoved(transaction: Transaction, project: { id: string; name: string }, by: string) {
      const members = await store.in(transaction).list(project.id)
      // In one order everywhere: a mail locks its mailbox until the end of the transaction.
      for (const developerId of members.map((member) => member.developerId).toSorted()) {
        const to = await emailOf(transaction, developerId)
        if (to !== null) await sendMail(transaction, deletedMail(to, { project: project.name, by }))
      }
      await store.in(transaction).markAllRemoved(project.id, timestamp(clock))
      await store.in(transaction).dropInvitations(project.id)
      await store.in(transaction).dropTransfer(project.id)
    },

    /** How many members a project has besides its owner. */
    count: async (transaction: Transaction, projectId: string) =>
      (await store.in(transaction).list(projectId)).length,

    wasShared: store.wasShared,
    purgeExpired: (stopping?: AbortSignal) => store.purgeExpired(timestamp(clock), stopping),
  }
}

/** In development, where a role may do the most. */
function mayHaveAgents(role: MemberRole): boolean {
  const least = leastRoleOf(createAgent.role, 'development')
  return least !== undefined && allowsRole(least, role)
}
