import type { Clock } from '../../platform/clock.ts'
import type { Audit } from '../../platform/ports/audit.ts'
import type { Mail } from './mails.ts'
import type { Transaction } from './store.ts'

type Account = { id: string; email: string; name: string | null; emailVerifiedAt: string | null }
type CurrentProject = { id: string; name: string; developerId: string; createdAt: string }

/** What the rules of members need of other capabilities. */
export type MemberDeps = {
  clock: Clock
  audit: Audit<Transaction>
  /** Developer accounts, in a transaction if there is one. */
  accounts(transaction?: Transaction): {
    find(developerId: string): Promise<Account | undefined>
    findByEmail(email: string): Promise<Account | undefined>
  }
  /** Projects that are not deleted, in a transaction if there is one. */
  projects(transaction?: Transaction): { current(projectId: string): Promise<CurrentProject | undefined> }
  sendMail(transaction: Transaction, mail: Mail): Promise<{ sent: boolean }>
  /** Whether mail reaches the recipient: only then an address can be confirmed. */
  sendsMail: boolean
  baseUrl: string
  /** Notes in the transaction that the role of a developer has changed or ended, for all nodes. */
  recordChanged(transaction: Transaction, projectId: string, developerId: string): Promise<void>
  /** Ends the agents that act for the developer in this project: they would come back with a later membership. */
  endAgents(transaction: Transaction, projectId: string, developerId: string): Promise<void>
  /** Tells all nodes after the transaction. */
  announce(projectId: string, developerId: string): Promise<void>
}
