import type { LedgerType } from '@svc/contract/money'

/** The accounts of a developer. The ledger has them as columns of `money_accounts`. */
export const FUND_NAMES = ['prepaid', 'invite', 'owed', 'owedOther'] as const

/** Accounts of a developer and of the service. */
export type AccountName = FundName | 'provider' | 'usage' | 'promotions' | 'corrections'
type FundName = (typeof FUND_NAMES)[number]

/** US cents. */
export type Posting = { account: AccountName; amount: number }

/**
 * `prepaid` and `invite` are never below 0. The debts are never above: `owed` is usage, `owedOther` is refunds, disputes and
 * corrections, which invite credit does not pay (MON-08).
 */
export type Funds = Record<FundName, number>

/** `cents` is above 0, except for an adjustment, which may be negative. */
export type Movement = { type: LedgerType | 'settlement' | 'reinstatement'; cents: number }

export const NO_FUNDS: Funds = { prepaid: 0, invite: 0, owed: 0, owedOther: 0 }

export const balanceOf = ({ prepaid, invite }: Funds): number => prepaid + invite
/** Everything that is owed, as a number above 0. */
export const debtOf = ({ owed, owedOther }: Pick<Funds, 'owed' | 'owedOther'>): number =>
  Math.abs(owed + owedOther)
export const isOverdue = (funds: Pick<Funds, 'owed' | 'owedOther'>): boolean => debtOf(funds) > 0

/** The postings of a movement; they sum to 0, and none of them is 0. */
export function postingsOf(funds: Funds, { type, cents }: Movement): Posting[] {
  const postings = { ...plannedPostings(funds, type, cents) }
  return (Object.entries(postings) as [AccountName, number][])
    .filter(([, amount]) => amount !== 0)
    .map(([account, amount]) => ({ account, amount }))
}

function plannedPostings(
  funds: Funds,
  type: Movement['type'],
  cents: number,
): Partial<Record<AccountName, number>> {
  const { prepaid, invite } = funds
  switch (type) {
    case 'topup':
    case 'reinstatement':
      return { prepaid: cents, provider: -cents }
    case 'invite':
      return { invite: cents, promotions: -cents }
    case 'settlement':
      return settlement(funds)
    case 'usage': {
      // Invite credit first (MON-08), then paid credit; what is left is owed.
      const fromInvite = Math.min(invite, cents)
      const fromPrepaid = Math.min(prepaid, cents - fromInvite)
      return {
        invite: -fromInvite,
        prepaid: -fromPrepaid,
        owed: -(cents - fromInvite - fromPrepaid),
        usage: cents,
      }
    }
    case 'refund':
      return { ...takenFrom(prepaid, cents), provider: cents }
    case 'adjustment':
      return cents > 0
        ? { prepaid: cents, corrections: -cents }
        : { ...takenFrom(prepaid, -cents), corrections: -cents }
  }
}

/** Invite credit is never taken back, because it cannot be withdrawn. */
function takenFrom(prepaid: number, cents: number) {
  const fromPrepaid = Math.min(prepaid, cents)
  return { prepaid: -fromPrepaid, owedOther: -(cents - fromPrepaid) }
}

/** The accounts after these postings. */
export function afterPostings(funds: Funds, postings: readonly Posting[]): Funds {
  const result = { ...funds }
  for (const { account, amount } of postings) if (isFund(account)) result[account] += amount
  return result
}

const isFund = (account: AccountName): account is FundName =>
  (FUND_NAMES as readonly AccountName[]).includes(account)

/** What credit can pay of the debts now: invite credit pays usage only, paid credit first what invite credit cannot pay. */
function settlement({ prepaid, invite, owed, owedOther }: Funds) {
  const usageFromInvite = Math.min(invite, -owed)
  const other = Math.min(prepaid, -owedOther)
  const usageFromPrepaid = Math.min(prepaid - other, -owed - usageFromInvite)
  return {
    invite: -usageFromInvite,
    prepaid: -(other + usageFromPrepaid),
    owed: usageFromInvite + usageFromPrepaid,
    owedOther: other,
  }
}

/** Cents of the debts that credit can settle now. */
export function settleable(funds: Funds): number {
  const { owed, owedOther } = settlement(funds)
  return owed + owedOther
}
