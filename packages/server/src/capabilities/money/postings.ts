import type { LedgerType } from '@svc/contract/money'

/** Accounts of a developer (`prepaid`, `invite`, `owed`) and of the service. */
export type AccountName = 'prepaid' | 'invite' | 'owed' | 'provider' | 'usage' | 'promotions' | 'corrections'

/** US cents. */
export type Posting = { account: AccountName; amount: number }

/** The accounts of a developer: `prepaid` and `invite` are never below 0, `owed` is never above. */
export type Funds = { prepaid: number; invite: number; owed: number }

/** `cents` is above 0, except for an adjustment, which may be negative. */
export type Movement = { type: LedgerType | 'settlement'; cents: number }

export const NO_FUNDS: Funds = { prepaid: 0, invite: 0, owed: 0 }

export const balanceOf = ({ prepaid, invite }: Funds): number => prepaid + invite
export const isOverdue = ({ owed }: Pick<Funds, 'owed'>): boolean => owed < 0

/** The postings of a movement; they sum to 0, and none of them is 0. */
export function postingsOf(funds: Funds, { type, cents }: Movement): Posting[] {
  const postings = { ...plannedPostings(funds, type, cents) }
  return (Object.entries(postings) as [AccountName, number][])
    .filter(([, amount]) => amount !== 0)
    .map(([account, amount]) => ({ account, amount }))
}

function plannedPostings(
  { prepaid, invite }: Funds,
  type: Movement['type'],
  cents: number,
): Partial<Record<AccountName, number>> {
  switch (type) {
    case 'topup':
      return { prepaid: cents, provider: -cents }
    case 'invite':
      return { invite: cents, promotions: -cents }
    case 'settlement':
      return { prepaid: -cents, owed: cents }
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
  return { prepaid: -fromPrepaid, owed: -(cents - fromPrepaid) }
}

/** The accounts after these postings. */
export function afterPostings(funds: Funds, postings: readonly Posting[]): Funds {
  const result = { ...funds }
  for (const { account, amount } of postings)
    if (account === 'prepaid' || account === 'invite' || account === 'owed') result[account] += amount
  return result
}

/** Cents of the debt that paid credit can settle now. */
export const settleable = ({ prepaid, owed }: Funds): number => Math.min(prepaid, -owed)
