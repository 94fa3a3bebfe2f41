import { LIMITS } from '@svc/contract/limits'
import type { Prepaid } from '@svc/contract/money'

import { ApiError } from '../../platform/api-error.ts'
import type { Invites } from './invites.ts'
import type { Ledger } from './ledger.ts'
import { balanceOf, debtOf, isOverdue } from './postings.ts'

export type BalanceDeps = {
  ledger: Pick<Ledger, 'funds'>
  invites: Pick<Invites, 'redemption'>
  isCharged: boolean
}

export type Balance = ReturnType<typeof createBalance>

/** The balance and the debt of a developer. */
export function createBalance({ ledger, invites, isCharged }: BalanceDeps) {
  return {
    async read(developerId: string): Promise<Prepaid> {
      const funds = await ledger.funds(developerId)
      const redemption = await invites.redemption(developerId)
      return {
        balance: balanceOf(funds),
        owed: debtOf(funds),
        invite: redemption
          ? {
              granted: LIMITS.inviteCreditCents,
              remaining: funds.invite,
              pending: redemption.status === 'pending',
            }
          : null,
      }
    },

    /** Throws `prepaid_required` if there is no credit or something is owed (FUN-03). */
    async requirePrepaid(developerId: string): Promise<void> {
      if (!isCharged) return
      const funds = await ledger.funds(developerId)
      if (balanceOf(funds) <= 0 || isOverdue(funds)) throw new ApiError('prepaid_required')
    },
  }
}
