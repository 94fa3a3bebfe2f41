import type { DeveloperView } from '@svc/contract/developers/developers'
import type { Identity } from '@svc/contract/developers/sign-in'

import { ApiError } from '../../platform/api-error.ts'
import { type Accounts, type Proof, view } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { LinkedIdentity, SignInStore } from './sign-in-store.ts'

export type IdentityDeps = {
  accounts: Pick<Accounts, 'requireProof'>
  sessions: Pick<DeveloperSessions, 'endOthers'>
}

export type Identities = ReturnType<typeof createIdentities>

type Caller = { developerId: string; bearer: string; from: string }

/** The external sign-in methods of an account (DEV-07). */
export function createIdentities(store: SignInStore, { accounts, sessions }: IdentityDeps) {
  return {
    async list(developerId: string): Promise<{ identities: Identity[] }> {
      return { identities: (await store.identitiesOf(developerId)).map(identityView) }
    },

    async remove(
      { developerId, bearer, from }: Caller,
      provider: string,
      proof: Proof,
    ): Promise<{ developer: DeveloperView }> {
      await accounts.requireProof(developerId, proof, from)

      const { account, forget } = await store.changeAccount(developerId, async (transaction) => {
        const identities = await store.identitiesOf(developerId, transaction)
        const identity = identities.find((one) => one.provider === provider)
        if (!identity) throw new ApiError('identity_not_found')
        const account = await store.findAccount(transaction, developerId)
        if (account.passwordHash === null && identities.length === 1) throw new ApiError('last_login_method')

        // A concurrent sign-in with this identity runs either before, and its session is ended here, or after, and does not find
        // the identity.
        await store.lockIdentity(transaction, identity)
        await store.removeIdentity(transaction, developerId, provider)
        return { account, forget: await sessions.endOthers(transaction, developerId, bearer) }
      })
      await forget()
      return { developer: view(account) }
    },
  }
}

export const identityView = ({ provider, email, linkedAt }: LinkedIdentity): Identity => ({
  provider,
  email,
  linkedAt,
})
