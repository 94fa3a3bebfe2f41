import { ApiError } from '../../platform/api-error.ts'
import type { Developer } from '../../platform/environment.ts'
import type { KnownAddresses } from '../../platform/security/known-addresses.ts'
import type { Accounts, Proof } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { AccountStore, Transaction } from './store.ts'

type AccountDeletionDeps = {
  accounts: Pick<Accounts, 'requireProof'>
  sessions: Pick<DeveloperSessions, 'endOthers'>
  knownAddresses: Pick<KnownAddresses<{ developerId: string }, Transaction>, 'forget'>
  /** Also prevents the developer from creating or joining a project until the end of the transaction. */
  projectsOf(transaction: Transaction, developerId: string): Promise<{ id: string; name: string }[]>
  /** How many members a project has besides its owner. */
  countMembers(transaction: Transaction, projectId: string): Promise<number>
  /** Ends the memberships in projects of others. The returned function tells other nodes, after the transaction. */
  leaveProjects(
    transaction: Transaction,
    account: { id: string; email: string },
  ): Promise<() => Promise<void>>
  /** Charges what the account has used until now. */
  chargeUsage(developerId: string): Promise<void>
  /** Throws if the account owes money, or has prepaid credit that `forfeitBalance` does not give up. */
  closeMoney(transaction: Transaction, developerId: string, forfeitBalance: boolean): Promise<void>
  removeMails(transaction: Transaction, email: string): Promise<unknown>
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

/** Deletes a developer account. The ledger of its money and the audit logs of its former projects stay. */
export function createAccountDeletion(store: AccountStore, deps: AccountDeletionDeps) {
  const { accounts, sessions, knownAddresses, projectsOf, countMembers, leaveProjects } = deps
  const { chargeUsage, closeMoney, removeMails } = deps

  return async (
    { id }: Developer,
    { forfeitBalance = false, ...proof }: Proof & { forfeitBalance?: boolean },
    from: string,
  ): Promise<{ deleted: true }> => {
    await accounts.requireProof(id, proof, from)
    await chargeUsage(id)

    const { forget, tellNodes } = await store.changeAccount(id, async (transaction) => {
      const mine = store.in(transaction)
      const account = await mine.find(id)
      if (!account) throw new ApiError('unauthorized')
      await requireNoProjects(transaction, id)
      if (account.isOperator === 1) await requireOtherOperator(transaction)
      await closeMoney(transaction, id, forfeitBalance)

      const tellNodes = await leaveProjects(transaction, account)
      await store.removeIdentities(transaction, id)
      await knownAddresses.forget(transaction, { developerId: id })
      const forget = await sessions.endOthers(transaction, id, undefined)
      // Also the mail that the end of the credit causes.
      await removeMails(transaction, account.email)
      await mine.remove(id)
      return { forget, tellNodes }
    })
    await forget()
    await tellNodes()
    return { deleted: true }
  }

  /** A project never ends or changes hands with an account; `shared` are those that others work on (TEA-20). */
  async function requireNoProjects(transaction: Transaction, developerId: string) {
    const projects = await projectsOf(transaction, developerId)
    if (projects.length === 0) return
    const shared: { id: string; name: string; members: number }[] = []
    for (const { id, name } of projects) {
      const members = await countMembers(transaction, id)
      if (members > 0) shared.push({ id, name, members })
    }
    throw new ApiError('account_has_projects', {
      projects: projects.length,
      ...(shared.length > 0 && { shared }),
    })
  }

  /** Serializes the deletions of operators, so that one of them stays. */
  async function requireOtherOperator(transaction: Transaction) {
    await store.lockOperators(transaction)
    if ((await store.in(transaction).countOperators()) <= 1) throw new ApiError('last_operator')
  }
}
