import { LIMITS } from '@svc/contract/common/limits'
import type { Prepaid } from '@svc/contract/money'

import { ApiError } from '../../platform/api-error.ts'
import type { Invites } from './invites.ts'
import type { Transaction } from './ledger-store.ts'
import type { Ledger } from './ledger.ts'
import { balanceOf, debtOf, isOverdue } from './postings.ts'

type BalanceDeps = {
  ledger: Pick<Ledger, 'funds' | 'changeWithin'>
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

    /** Call in the transaction that deletes the account. Paid credit is lost only if the developer says so. */
    close: (transaction: Transaction, developerId: string, forfeitBalance: boolean): Promise<void> =>
      ledger.changeWithin(transaction, developerId, async (book, funds) => {
        if (isCharged && isOverdue(funds)) throw new ApiError('account_owes')
        if (funds.prepaid === 0) return
        if (!forfeitBalance) throw new ApiError('balance_remaining', { balance: funds.prepaid })
        await book({
          type: 'adjustment',
          cents: -funds.prepaid,
          reference: `forfeited:${developerId}`,
          description: 'Given up: the account was deleted',
        })
      }),
  }
}
