import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { AccountStore, Transaction } from './store.ts'

type ProjectOwnerDeps = {
  ownerOf(projectId: string, transaction?: Transaction): Promise<string | undefined>
  /** Whether the service sends mail: only then an address can be confirmed. */
  sendsMail: boolean
}

/** The developer accounts that own projects. */
export function createProjectOwners(store: AccountStore, { ownerOf, sendsMail }: ProjectOwnerDeps) {
  return {
    async emailOf(projectId: string, transaction?: Transaction): Promise<string | undefined> {
      const accounts = transaction ? store.in(transaction) : store
      return (await accounts.find((await ownerOf(projectId, transaction)) ?? ''))?.email
    },

    /** Throws `email_not_confirmed` before something becomes public whose owner has no confirmed address. */
    async requireMayGoLive({ projectId, name }: Environment): Promise<void> {
      if (!sendsMail || name !== 'production') return
      const owner = await store.find((await ownerOf(projectId)) ?? '')
      if (!owner?.emailVerifiedAt) throw new ApiError('email_not_confirmed')
    },
  }
}
