import type { Mail } from '@svc/contract/mail'

import { ApiError } from '../../platform/api-error.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Ids } from '../../platform/random.ts'
import { createDelivery, type DeliveryNeeds } from './delivery.ts'
import type { MailRow, MailStatus, Transaction } from './store.ts'

export type NewMail = {
  environmentId: string | null
  to: string
  subject: string
  text: string
  html: string
  /** Where a mail program unsubscribes its reader by itself. */
  unsubscribeUrl?: string
}

export type OutboxNeeds = DeliveryNeeds & {
  ids: Ids
  /** The address of the developer account that owns the project. */
  ownerEmail: (projectId: string) => Promise<string | undefined>
}

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox({ ids, ownerEmail, ...needs }: OutboxNeeds) {
  const { store, transport, clock } = needs
  const { wake, ...delivery } = createDelivery(needs)

  return {
    ...delivery,

    /** Part of the caller's transaction: rolled back with it, sent only after it. */
    async send(transaction: Transaction, mail: NewMail): Promise<void> {
      const { environmentId, to, subject, text, html, unsubscribeUrl = null } = mail
      const createdAt = timestamp(clock)
      await store.add(transaction, {
        id: ids('eml'),
        environmentId,
        recipient: to,
        subject,
        textBody: text,
        htmlBody: html,
        unsubscribeUrl,
        status: 'pending',
        attempts: 0,
        nextAttemptAt: createdAt,
        lastError: null,
        createdAt,
        sentAt: null,
      })
      wake()
    },

    /** What was written to an address, without the bodies: whoever may read about a mail may not use its links. */
    async listTo(environmentId: string, email: string) {
      const rows = await store.listTo(environmentId, email)
      return rows.map(({ subject, status, createdAt, sentAt }) => ({ subject, status, createdAt, sentAt }))
    },

    /** Sent or not; one that is under way at this moment still goes out. */
    removeTo: (transaction: Transaction, environmentId: string, email: string) =>
      store.removeTo(transaction, environmentId, email),

    /** The mailbox of development: where links and codes are read that no mail server carries (AUT-23). */
    async read({ id, projectId, name }: Environment, limit = 50): Promise<{ mails: Mail[] }> {
      if (name !== 'development') throw new ApiError('not_found')
      // With a mail server the developer has a real mailbox, and a key must not open it.
      const owner = transport.name === 'captured' ? await ownerEmail(projectId) : undefined
      const rows = await store.list(id, owner ?? '', limit)
      return { mails: rows.map(asMail) }
    },
  }
}

const asMail = (row: MailRow): Mail => ({
  id: row.id,
  to: row.recipient,
  subject: row.subject,
  text: row.textBody,
  html: row.htmlBody,
  status: row.status as MailStatus,
  attempts: row.attempts,
  lastError: row.lastError,
  createdAt: row.createdAt,
  sentAt: row.sentAt,
})
