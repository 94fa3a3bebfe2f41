import type { Actor } from '@svc/contract/common-schemas'
import type { Mail, MailEntry, MailStatus } from '@svc/contract/mail'

import { ApiError } from '../../platform/api-error.ts'
import type { Audit } from '../../platform/audit.ts'
import { MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { createDelivery, type DeliveryDeps } from './delivery.ts'
import type { LimitedMail, MailLimits } from './limits.ts'
import type { MailRow, Transaction } from './store.ts'

export type NewMail = LimitedMail & {
  subject: string
  text: string
  html: string
  /** Where a mail program unsubscribes its reader by itself. */
  unsubscribeUrl?: string
}

/** What became of a mail; one that is not sent is not sent later either. */
export type SendOutcome = { sent: true } | { sent: false; retryAfterSeconds: number }

export type OutboxDeps = DeliveryDeps & {
  ids: Ids
  audit: Audit<Transaction>
  random: Random
  limits: MailLimits
  /** For the operator's log: a limit kept mails from being sent. */
  reportLimit: (mail: { kind: string; environmentId: string | null }) => void
  /** The address of the developer account that owns the project. */
  ownerEmail: (projectId: string) => Promise<string | undefined>
}

export type Outbox = ReturnType<typeof createOutbox>

/** A mail that nobody may learn of from the time something takes goes out at a moment that nobody can foresee. */
const SECRET_DELAY_MS = 2_000
/** Behind every id. */
const END = 'z'
const REPORT_EVERY_MS = MINUTE_MS

export function createOutbox({ ids, random, limits, reportLimit, ownerEmail, audit, ...deps }: OutboxDeps) {
  const { store, transport, clock } = deps
  const { wake, ...delivery } = createDelivery(deps)
  let reportedAtMs = 0

  const add = (transaction: Transaction, id: string, mail: NewMail, delayMs: number) =>
    store.add(transaction, {
      id,
      environmentId: mail.environment?.id ?? null,
      recipient: mail.to,
      subject: mail.subject,
      textBody: mail.text,
      htmlBody: mail.html,
      unsubscribeUrl: mail.unsubscribeUrl ?? null,
      status: 'pending',
      attempts: 0,
      nextAttemptAt: timestamp(clock, delayMs),
      lastError: null,
      createdAt: timestamp(clock),
      sentAt: null,
    })

  /** Anybody can cause it, so the log is told once a minute at most. */
  function recordLimit({ kind, environment }: NewMail) {
    const nowMs = clock.now().getTime()
    if (nowMs < reportedAtMs + REPORT_EVERY_MS) return
    reportedAtMs = nowMs
    reportLimit({ kind, environmentId: environment?.id ?? null })
  }

  /** With a mail server the developer has a real mailbox, and neither a key nor a session must open it. */
  const ownerOf = async (projectId: string) =>
    transport.name === 'captured' ? ownerEmail(projectId) : undefined

  return {
    ...delivery,

    /** Part of the caller's transaction: rolled back with it, sent only after it. Over a limit nothing is sent (GEN-13). */
    async send(transaction: Transaction, mail: NewMail): Promise<SendOutcome> {
      const { waitMs, sent } = await limits.check(transaction, mail)
      if (waitMs > 0) {
        recordLimit(mail)
        return { sent: false, retryAfterSeconds: Math.ceil(waitMs / 1_000) }
      }
      const id = ids('eml')
      await add(transaction, id, mail, 0)
      await limits.note(transaction, id, sent)
      wake()
      return { sent: true }
    },

    /**
     * For callers that must not learn whether an account exists: sends the mail if `isWanted`, and does the same work if
     * not, or when a limit is reached. Whether it is sent.
     */
    async sendSecretly(transaction: Transaction, mail: NewMail, isWanted: boolean): Promise<boolean> {
      const { waitMs, sent } = await limits.check(transaction, mail)
      const isSent = isWanted && waitMs === 0
      const id = ids('eml')
      await add(transaction, id, mail, (random.bytes(2).readUInt16BE() / 0x1_0000) * SECRET_DELAY_MS)
      // One more write in either case.
      if (isSent) await limits.note(transaction, id, sent)
      else await store.remove(transaction, id)
      if (isWanted && !isSent) recordLimit(mail)
      return isSent
    },

    /** The mails to an address, without the bodies: their links must not be readable here. */
    async listTo(environmentId: string, email: string) {
      const rows = await store.listTo(environmentId, email)
      return rows.map(({ subject, status, createdAt, sentAt }) => ({ subject, status, createdAt, sentAt }))
    },

    countFailed: store.countFailed,
    /** Of the whole service. */
    countQueue: store.countQueue,

    /** For developers. The bodies only in development: in production their links are for the recipient alone. */
    async list(
      { id, projectId, name }: Environment,
      { status, cursor = END, limit = 50 }: { status?: MailStatus; cursor?: string; limit?: number },
    ): Promise<{ mails: MailEntry[]; nextCursor: string | null }> {
      const owner = name === 'development' ? await ownerOf(projectId) : undefined
      const rows = await store.page({
        environmentId: id,
        owner: owner ?? '',
        before: cursor,
        limit: limit + 1,
        status: status ?? null,
      })
      const shown = rows.slice(0, limit).map(asMail)
      return {
        mails: name === 'development' ? shown : shown.map((mail) => ({ ...mail, text: null, html: null })),
        nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    async removeFinished({ id, projectId, name: env }: Environment, actor: Actor) {
      return store.change(async (transaction) => {
        const deleted = await store.removeFinished(transaction, id)
        if (deleted > 0)
          await audit.record(transaction, {
            projectId,
            env,
            actor,
            action: 'mails.delete',
            target: null,
            details: { count: deleted },
          })
        return { deleted }
      })
    },

    /** Sent or not; one that is under way at this moment still goes out. */
    removeTo: (transaction: Transaction, environmentId: string, email: string) =>
      store.removeTo(transaction, environmentId, email),

    /** The mailbox of development: where links and codes are read that no mail server carries (AUT-23). */
    async read({ id, projectId, name }: Environment, limit = 50): Promise<{ mails: Mail[] }> {
      if (name !== 'development') throw new ApiError('not_found')
      const rows = await store.list(id, (await ownerOf(projectId)) ?? '', limit)
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
