import type { Actor } from '@svc/contract/common/schemas'
import type { Mail, MailEntry, MailStatus } from '@svc/contract/mail'

import { ApiError } from '../../platform/api-error.ts'
import { MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { BEFORE_FIRST_PAGE, pageOf } from '../../platform/http/row-pages.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { createDelivery, type DeliveryDeps } from './delivery.ts'
import type { LimitedMail, MailLimits } from './limits.ts'
import type { MailRow, Transaction } from './store.ts'

export type NewMail = LimitedMail & {
  subject: string
  text: string
  html: string
  /** The URL that a mail program calls to unsubscribe its reader. */
  unsubscribeUrl?: string
}

/** Whether a mail was accepted; if not, it is not sent later either. */
export type SendOutcome = { sent: true } | { sent: false; retryAfterSeconds: number }

type OutboxDeps = DeliveryDeps & {
  ids: Ids
  audit: Audit<Transaction>
  random: Random
  limits: MailLimits
  /** For the operator's log: mails were not sent because of a limit. */
  reportLimit: (mail: { kind: string; environmentId: string | null }) => void
  /** The address of the developer account that owns the project. */
  ownerEmail: (projectId: string) => Promise<string | undefined>
  /** Whether somebody other than the owner is or was a member of the project. */
  wasShared: (projectId: string) => Promise<boolean>
}

export type Outbox = ReturnType<typeof createOutbox>

/** Mails of `sendSecretly` are sent after a random delay, so that response times do not reveal them. */
const SECRET_DELAY_MS = 2_000
const REPORT_EVERY_MS = MINUTE_MS

/** Stores mails in the transaction that causes them, within the limits of sending, and has them delivered. */
export function createOutbox({
  ids,
  random,
  limits,
  reportLimit,
  ownerEmail,
  wasShared,
  audit,
  ...deps
}: OutboxDeps) {
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

  /** Everybody can cause it, so it is logged at most once per minute. */
  function recordLimit({ kind, environment }: NewMail) {
    const nowMs = clock.now().getTime()
    if (nowMs < reportedAtMs + REPORT_EVERY_MS) return
    reportedAtMs = nowMs
    reportLimit({ kind, environmentId: environment?.id ?? null })
  }

  /** If mails are sent, the developer reads them in a real mailbox, and neither a key nor a session may show them. */
  const areShown = (name: string) => transport.name === 'captured' && name === 'development'

  return {
    ...delivery,

    /**
     * Part of the caller's transaction: the mail is sent only after its commit. If a limit is reached, nothing is sent (GEN-13).
     */
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
     * For callers that must not learn whether an account exists: sends the mail if `isWanted`, and does the same work if not, or if
     * a limit is reached. Returns whether it is sent.
     */
    async sendSecretly(transaction: Transaction, mail: NewMail, isWanted: boolean): Promise<boolean> {
      const { waitMs, sent } = await limits.check(transaction, mail)
      const isSent = isWanted && waitMs === 0
      const id = ids('eml')
      await add(transaction, id, mail, (random.bytes(2).readUInt16BE() / 0x1_0000) * SECRET_DELAY_MS)
      // The same number of writes in both cases.
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
    /** The numbers of pending and failed mails of the whole service. */
    countQueue: store.countQueue,

    /** For developers. Bodies are shown only in development: in production only the recipient may see the links. */
    async list(
      { id, name }: Environment,
      developer: { email: string },
      {
        status,
        cursor = BEFORE_FIRST_PAGE,
        limit = 50,
      }: { status?: MailStatus; cursor?: string; limit?: number },
    ): Promise<{ mails: MailEntry[]; nextCursor: string | null }> {
      const rows = await store.page({
        environmentId: id,
        developer: areShown(name) ? developer.email : '',
        before: cursor,
        limit: limit + 1,
        status: status ?? null,
      })
      const { shown, nextCursor } = pageOf(rows, limit)
      const mails = shown.map(asMail)
      if (name === 'development') return { mails, nextCursor }
      return { mails: mails.map((mail) => ({ ...mail, text: null, html: null })), nextCursor }
    },

    /** Changes when a mail is added, sent or given up. */
    async newestMark({ id, projectId, name }: Environment): Promise<string> {
      const owner = areShown(name) ? await ownerEmail(projectId) : undefined
      return JSON.stringify(await store.newest(id, owner ?? ''))
    },

    async removeFinished(environment: Environment, actor: Actor) {
      return store.change(async (transaction) => {
        const deleted = await store.removeFinished(transaction, environment.id)
        if (deleted > 0)
          await audit.record(
            transaction,
            changeIn(environment, actor, 'mails.delete', null, { count: deleted }),
          )
        return { deleted }
      })
    },

    /** Removes sent and unsent mails to an address; a mail that is being sent at this moment is still sent. */
    removeTo: (transaction: Transaction, environmentId: string, email: string) =>
      store.removeTo(transaction, environmentId, email),

    /** The same for mails to a developer, who has no environment. */
    removeToDeveloper: (transaction: Transaction, email: string) =>
      store.removeToDeveloper(transaction, email),

    /** The mailbox of development: shows links and codes of mails that are not sent (AUT-23). */
    async read({ id, projectId, name }: Environment, limit = 50): Promise<{ mails: Mail[] }> {
      if (name !== 'development') throw new ApiError('not_found')
      // Others have the keys of a project that is or was shared, and a link in these mails gives the account of the owner (TEA-22).
      const isOwners = areShown(name) && !(await wasShared(projectId))
      const rows = await store.page({
        environmentId: id,
        developer: (isOwners ? await ownerEmail(projectId) : undefined) ?? '',
        before: BEFORE_FIRST_PAGE,
        limit,
        status: null,
      })
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
