import { type DeveloperMail, developerMail } from '../../platform/mail/body.ts'
import type { FundsChange } from './ledger.ts'
import { balanceOf, debtOf, isOverdue } from './postings.ts'

export type Mail = DeveloperMail<'notice'>

/** One mail when the balance falls below a fifth of the last top-up. */
const LOW_FRACTION = 5

/**
 * The mail that a change of the balance causes, or undefined. Only the change that crosses the limit causes it, so it is sent once.
 */
export function mailAbout(change: FundsChange): 'low' | 'suspended' | undefined {
  const { before, after } = change
  if (isOverdue(after)) return isOverdue(before) ? undefined : 'suspended'
  return !isLow(change, balanceOf(before)) && isLow(change, balanceOf(after)) ? 'low' : undefined
}

const isLow = ({ lastTopup }: FundsChange, balance: number) => balance * LOW_FRACTION < lastTopup

export const lowMail = (to: string, { after }: FundsChange): Mail =>
  developerMail('notice', to, {
    title: `Your prepaid balance is ${dollars(balanceOf(after))}`,
    paragraphs: [
      `Less than a fifth of your last top-up is left: ${dollars(balanceOf(after))}.`,
      'When the balance is used up, server functions and relayed voice calls of your projects pause until you top up. Players, saves, rooms, channels and hosted apps never stop.',
    ],
  })

export const suspendedMail = (to: string, { after }: FundsChange): Mail =>
  developerMail('notice', to, {
    title: 'Your prepaid balance is used up',
    paragraphs: [
      `${dollars(debtOf(after))} is not paid. Server functions and relayed voice calls of your projects are paused. Players, saves, rooms, channels and hosted apps continue.`,
      'Top up your balance, in the dashboard or with svc money top-up. Everything resumes immediately.',
    ],
  })

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`
