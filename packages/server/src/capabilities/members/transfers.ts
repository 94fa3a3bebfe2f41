import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { Transfer } from '@svc/contract/developers/members'

import { ApiError } from '../../platform/api-error.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Developer, ProjectOfCaller } from '../../platform/environment.ts'
import { transferMail, transferredMail } from './mails.ts'
import type { MemberDeps } from './ports.ts'
import type { MemberStore, Transaction, TransferRow } from './store.ts'

type Proof = { password?: string; reauthToken?: string }

type TransferDeps = Omit<MemberDeps, 'projects'> & {
  projects(transaction?: Transaction): ReturnType<MemberDeps['projects']> & {
    /** The projects that the developer owns. */
    list(developerId: string): Promise<unknown[]>
    setOwner(projectId: string, developerId: string): Promise<unknown>
  }
  /** Throws unless the developer proves their identity again. */
  requireProof(developerId: string, proof: Proof, from: string): Promise<void>
  /** Charges what the account has used until now. */
  chargeUsage(developerId: string): Promise<void>
  /** Whether the account owes money. */
  isOverdue(developerId: string): Promise<boolean>
  /** Notes in the transaction that usage of the project is the new owner's, for all nodes. */
  recordOwnerChanged(transaction: Transaction, projectId: string): Promise<void>
  /** Tells all nodes after the transaction. */
  announceOwner(projectId: string): Promise<void>
}

export type Transfers = ReturnType<typeof createTransfers>

/**
 * Transfer of a project to one of its admins. Both confirm: the owner with a second proof of identity, the admin by accepting. Money
 * belongs to accounts and not to projects, so balance, invoices and debts stay where they are; only usage from then on is the new
 * owner's.
 */
export function createTransfers(store: MemberStore, deps: TransferDeps) {
  const { clock, audit, accounts, projects, sendMail, sendsMail, baseUrl, recordChanged, announce } = deps
  const { requireProof, chargeUsage, isOverdue, recordOwnerChanged, announceOwner } = deps

  const isOpen = (transfer: TransferRow | undefined) =>
    transfer !== undefined && transfer.expiresAt > timestamp(clock)

  /** The offer to this developer. */
  function requireOfferTo(developerId: string, transfer: TransferRow | undefined) {
    if (!isOpen(transfer) || transfer?.developerId !== developerId) throw new ApiError('transfer_not_found')
  }

  async function requireAdmin(transaction: Transaction, projectId: string, developerId: string) {
    const member = await store.in(transaction).find(projectId, developerId)
    if (!member) throw new ApiError('member_not_found')
    if (member.role !== 'admin') throw new ApiError('admin_required')
  }

  async function requireCurrent(projectId: string, transaction?: Transaction) {
    const project = await projects(transaction).current(projectId)
    if (!project) throw new ApiError('project_not_found')
    return project
  }

  async function requireAccount(developerId: string, transaction: Transaction) {
    const account = await accounts(transaction).find(developerId)
    if (!account) throw new ApiError('unauthorized')
    return account
  }

  async function requireMayOwnMore(transaction: Transaction, { id, emailVerifiedAt }: NewOwner) {
    // The owner of a hosted app has a confirmed address, where the service sends mail.
    if (sendsMail && emailVerifiedAt === null) throw new ApiError('confirmed_email_required')
    if ((await projects(transaction).list(id)).length >= LIMITS.projectsMax)
      throw new ApiError('too_many_projects', { limit: LIMITS.projectsMax })
  }

  const record = (
    transaction: Transaction,
    projectId: string,
    actor: Actor,
    action: string,
    target: string,
    details: Record<string, unknown> = {},
  ) => audit.record(transaction, { projectId, env: null, actor, action, target, details })

  return {
    async offer(
      project: ProjectOfCaller,
      me: Developer,
      actor: Actor,
      { developerId, ...proof }: { developerId: string } & Proof,
      from: string,
    ): Promise<{ transfer: Transfer; mailed: boolean }> {
      await requireProof(me.id, proof, from)
      if (await isOverdue(me.id)) throw new ApiError('transfer_blocked', { account: 'yours' })
      return store.change(project.id, async (transaction) => {
        const { name, developerId: ownerId } = await requireCurrent(project.id, transaction)
        // Another transfer was accepted since the caller was checked.
        if (ownerId !== me.id) throw new ApiError('role_required', { role: 'admin', requiredRole: 'owner' })
        await requireAdmin(transaction, project.id, developerId)
        const { email } = await requireAccount(developerId, transaction)
        const transfer = {
          developerId,
          createdAt: timestamp(clock),
          expiresAt: timestamp(clock, LIMITS.transferTtlMs),
        }
        await store.in(transaction).writeTransfer({ projectId: project.id, ...transfer })
        await record(transaction, project.id, actor, 'transfer.offer', developerId, { email })
        const url = `${baseUrl}/dashboard/projects/${project.id}/members`
        const mail = transferMail(email, { project: name, owner: me.email, url })
        const { sent } = await sendMail(transaction, mail)
        return { transfer, mailed: sent && sendsMail }
      })
    },

    withdraw: (project: ProjectOfCaller, me: Developer, actor: Actor): Promise<{ deleted: true }> =>
      store.change(project.id, async (transaction) => {
        const { developerId: ownerId } = await requireCurrent(project.id, transaction)
        const transfer = await store.in(transaction).transfer(project.id)
        if (ownerId !== me.id) requireOfferTo(me.id, transfer)
        if (!transfer || !isOpen(transfer)) throw new ApiError('transfer_not_found')
        await store.in(transaction).dropTransfer(project.id)
        const action = ownerId === me.id ? 'transfer.withdraw' : 'transfer.decline'
        await record(transaction, project.id, actor, action, transfer.developerId)
        return { deleted: true }
      }),

    async accept(project: ProjectOfCaller, me: Developer, actor: Actor) {
      requireOfferTo(me.id, await store.transfer(project.id))
      const { developerId: before } = await requireCurrent(project.id)
      await chargeUsage(before)
      if (await isOverdue(before)) throw new ApiError('transfer_blocked', { account: 'the owner' })
      if (await isOverdue(me.id)) throw new ApiError('transfer_blocked', { account: 'yours' })

      const name = await store.changeFor(me.id, project.id, async (transaction) => {
        const mine = store.in(transaction)
        // Read again inside the transaction: the offer may have been withdrawn, or the role changed.
        const current = await requireCurrent(project.id, transaction)
        if (current.developerId !== before) throw new ApiError('transfer_not_found')
        requireOfferTo(me.id, await mine.transfer(project.id))
        await requireAdmin(transaction, project.id, me.id)
        await requireMayOwnMore(transaction, await requireAccount(me.id, transaction))
        const owner = await requireAccount(before, transaction)

        const since = timestamp(clock)
        await projects(transaction).setOwner(project.id, me.id)
        await mine.markRemoved(project.id, me.id, since)
        await mine.write({
          projectId: project.id,
          developerId: before,
          role: 'admin',
          since,
          removedAt: null,
        })
        await mine.dropTransfer(project.id)
        const details = {
          before: { developerId: before, email: owner.email },
          after: { developerId: me.id, email: me.email },
        }
        await record(transaction, project.id, actor, 'transfer.accept', me.id, details)
        for (const developerId of [before, me.id]) await recordChanged(transaction, project.id, developerId)
        await recordOwnerChanged(transaction, project.id)
        await sendMail(transaction, transferredMail(owner.email, { project: current.name, owner: me.email }))
        return current.name
      })
      for (const developerId of [before, me.id]) await announce(project.id, developerId)
      await announceOwner(project.id)
      return { project: { id: project.id, name }, role: 'owner' as const }
    },
  }
}

type NewOwner = { id: string; emailVerifiedAt: string | null }
