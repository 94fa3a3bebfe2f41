import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { createQueue } from '../../platform/jobs/queue.ts'
import { untilRecorded } from '../../platform/jobs/retry.ts'
import type { MailRow, OutboxStore } from './store.ts'

/** How mail is sent; an error may have `permanent: true`. */
export type Transport = {
  name: 'smtp' | 'captured'
  send(message: {
    id: string
    to: string
    subject: string
    text: string
    html: string
    unsubscribeUrl: string | null
  }): Promise<void>
}

export type DeliveryDeps = {
  store: OutboxStore
  transport: Transport
  clock: Clock
  /** For the operator's log: never contains a recipient, a subject or a body. */
  report: (problem: { mailId?: string; attempts?: number; givenUp?: boolean; err: unknown }) => void
}

const SENDS_MAX = 4
/** Longer than the timeout of the transport, so that no other node sends a mail that is still being sent. */
const CLAIM_MS = MINUTE_MS
/** The pauses between attempts. After the last attempt, about a day after the first, the mail has failed. */
const EARLY_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS]
const RETRY_AFTER_MS = [...EARLY_MS, ...Array.from({ length: 4 }, () => 6 * HOUR_MS)]

const SENT_RETENTION_MS = 7 * DAY_MS
const OTHERS_RETENTION_MS = 30 * DAY_MS
const CAPTURED_MAX = 1_000

/** Sends the waiting mails, a few at a time, and tries failed ones again later. */
export function createDelivery({ store, transport, clock, report }: DeliveryDeps) {
  async function take(): Promise<MailRow | undefined> {
    for (const due of await store.due(timestamp(clock), 2 * SENDS_MAX)) {
      const mail = await store.claim(due, timestamp(clock, CLAIM_MS))
      if (mail) return mail
    }
    return undefined
  }

  async function deliver(mail: MailRow) {
    const { id, recipient: to, subject, textBody: text, htmlBody: html, unsubscribeUrl } = mail
    try {
      await transport.send({ id, to, subject, text, html, unsubscribeUrl })
    } catch (error) {
      return postpone(mail, error)
    }
    // The mail was sent: retry until that is recorded, or it would be sent twice.
    await untilRecorded(() =>
      transport.name === 'smtp'
        ? store.markSent(id, 'sent', timestamp(clock))
        : store.markSent(id, 'captured', null),
    )
  }

  async function postpone(mail: MailRow, error: unknown) {
    const retryAfterMs = isPermanent(error) ? undefined : RETRY_AFTER_MS[mail.attempts - 1]
    const givenUp = retryAfterMs === undefined
    report({ mailId: mail.id, attempts: mail.attempts, givenUp, err: error })
    const reason = error instanceof Error ? error.message : String(error)
    if (givenUp) await store.fail(mail, reason)
    else await store.retry(mail, reason, timestamp(clock, retryAfterMs))
  }

  const queue = createQueue<MailRow>({
    take,
    work: deliver,
    workersMax: SENDS_MAX,
    report: (err) => report({ err }),
  })

  return {
    wake: queue.wake,
    /** Sends the mails that are due now, and resolves when each was attempted. */
    deliverDue: queue.drain,
    start: queue.start,
    stop: queue.stop,

    /** Bodies may contain links, so mails are kept only as long as they are useful. */
    purgeExpired: (stopping?: AbortSignal) =>
      store.purgeExpired(
        {
          sentBefore: timestamp(clock, -SENT_RETENTION_MS),
          keptBefore: timestamp(clock, -OTHERS_RETENTION_MS),
          capturedMax: CAPTURED_MAX,
        },
        stopping,
      ),
  }
}

const isPermanent = (error: unknown) =>
  error instanceof Error && 'permanent' in error && error.permanent === true
