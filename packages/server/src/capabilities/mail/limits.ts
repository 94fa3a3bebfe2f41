import { createHmac } from 'node:crypto'

import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, DAY_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { SendStore, Sent, Transaction } from './send-store.ts'

export type LimitedMail = {
  /** Each kind is counted separately; news have a different limit (NWS-01). */
  kind: 'verification' | 'reset' | 'invitation' | 'notice' | 'news_confirmation' | 'news'
  /** Null for mails to developers. */
  environment: (Pick<Environment, 'id'> & Partial<Environment>) | null
  to: string
}

type LimitDeps = {
  clock: Clock
  /** Key of the hashes of addresses. */
  key: Buffer
  /** The address of the developer account that owns the project. */
  ownerEmail(projectId: string, transaction: Transaction): Promise<string | undefined>
}

export type MailLimits = ReturnType<typeof createMailLimits>

type Limit = { max: number; windowMs: number }

const PER_RECIPIENT: readonly Limit[] = [
  { max: LIMITS.mailsPerTenMinutesMax, windowMs: 10 * MINUTE_MS },
  { max: LIMITS.mailsPerDayMax, windowMs: DAY_MS },
]
const PER_MAILBOX: readonly Limit[] = [
  { max: LIMITS.mailboxMailsPerTenMinutesMax, windowMs: 10 * MINUTE_MS },
  { max: LIMITS.mailboxMailsPerDayMax, windowMs: DAY_MS },
]
const DEVELOPMENT_RECIPIENTS: Limit = { max: LIMITS.developmentRecipientsPerDayMax, windowMs: DAY_MS }

/**
 * Limits that protect mailboxes (GEN-13). There is a limit per address, kind of mail and environment; a limit per mailbox over all
 * projects, where a `+` suffix in the address does not count; and, because everybody can get development keys, a limit of addresses
 * per day for a development environment. Records are kept for a day, even if the account or project is deleted.
 */
export function createMailLimits(store: SendStore, { clock, key, ownerEmail }: LimitDeps) {
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  const mailboxHashOf = (address: string) => hashOf(`mailbox\n${mailboxOf(address)}`)
  const nowMs = () => clock.now().getTime()
  const dayAgo = () => timestamp(clock, -DAY_MS)

  const waitMs = (times: number[], limit: Limit) => waitFor(times, limit, nowMs())

  /** Without a lock, because a slow holder would block the connections of all callers. So concurrent mails may exceed the limit slightly. */
  async function developmentWaitMs(
    transaction: Transaction,
    sender: string,
    recipientHash: string,
    ownMailboxHash: string,
  ) {
    const others = await store.recipients(transaction, sender, dayAgo(), ownMailboxHash)
    if (others.some((other) => other.recipientHash === recipientHash)) return 0
    return waitMs(others.map(timeOf), DEVELOPMENT_RECIPIENTS)
  }

  return {
    /**
     * Returns how long this mail must wait, 0 if it may be sent now, and the record to write if it is sent. Takes a lock until the
     * transaction ends, so that concurrent mails are counted one after the other, on all nodes.
     */
    async check(transaction: Transaction, { kind, environment, to }: LimitedMail) {
      const sender = environment?.id ?? ''
      const [mailboxHash, recipientHash] = [mailboxHashOf(to), hashOf(`address\n${to}`)]
      const sent = { mailboxHash, recipientHash, sender, kind, sentAt: timestamp(clock) }
      if (kind === 'news') return { waitMs: 0, sent }

      await transaction.lock(`mail:${mailboxHash}`)
      const earlier = await store.sentTo(transaction, mailboxHash, dayAgo())
      const alike = earlier.filter((one) => isAlike(one, sent)).map(timeOf)
      const waits = PER_RECIPIENT.map((limit) => waitMs(alike, limit))

      const { name, projectId } = environment ?? {}
      const isDevelopment = name === 'development' && projectId !== undefined
      const owner = isDevelopment ? await ownerEmail(projectId, transaction) : undefined
      const ownMailboxHash = mailboxHashOf(owner ?? '')
      if (mailboxHash !== ownMailboxHash) {
        waits.push(...PER_MAILBOX.map((limit) => waitMs(earlier.map(timeOf), limit)))
        if (isDevelopment)
          waits.push(await developmentWaitMs(transaction, sender, recipientHash, ownMailboxHash))
      }
      return { waitMs: Math.max(...waits), sent }
    },

    note: (transaction: Transaction, id: string, sent: Sent) => store.add(transaction, { id, ...sent }),
    purgeExpired: (stopping?: AbortSignal) => store.removeUpTo(dayAgo(), stopping),
  }
}

/** `ada+game@example.com` and `ada@example.com` are the same mailbox. */
const mailboxOf = (address: string) => address.replace(/^([^+@]+)\+[^@]*@/, '$1@')

const isAlike = (one: Sent, other: Sent) =>
  one.recipientHash === other.recipientHash && one.sender === other.sender && one.kind === other.kind

const timeOf = ({ sentAt }: { sentAt: string }) => Date.parse(sentAt)

/** Waits until the oldest mail that counts is older than the window. */
function waitFor(times: number[], { max, windowMs }: Limit, nowMs: number): number {
  const decisive = times.toSorted((a, b) => b - a)[max - 1]
  return decisive === undefined ? 0 : Math.max(0, decisive + windowMs - nowMs)
}
