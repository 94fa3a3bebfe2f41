import { setTimeout as pause } from 'node:timers/promises'

import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { MailRow, OutboxStore } from './store.ts'

/** Where mail leaves the service; a failure may say that it is `permanent`. */
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

export type DeliveryNeeds = {
  store: OutboxStore
  transport: Transport
  clock: Clock
  /** For the operator's log: never a recipient, a subject or a body. */
  report: (problem: { mailId?: string; attempts?: number; givenUp?: boolean; err: unknown }) => void
}

const SENDS_MAX = 4
/** Longer than the transport lets any send take, so that no other node sends what is still being sent. */
const CLAIM_MS = MINUTE_MS
/** The pauses between tries; after the last one, about a day after the first, the mail has failed. */
const EARLY_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS]
const RETRY_AFTER_MS = [...EARLY_MS, ...Array.from({ length: 4 }, () => 6 * HOUR_MS)]
const LOOK_EVERY_MS = SECOND_MS
const LOOK_AFTER_SEND_MS = 20
const TIDY_EVERY_MS = 10 * MINUTE_MS
const STOP_WITHIN_MS = 10 * SECOND_MS
const SETTLE_TRIES = 20

const SENT_KEPT_MS = 7 * DAY_MS
const OTHERS_KEPT_MS = 30 * DAY_MS
const CAPTURED_MAX = 1_000

export function createDelivery({ store, transport, clock, report }: DeliveryNeeds) {
  const underWay = new Set<Promise<void>>()
  let timers: NodeJS.Timeout[] = []
  let soon: NodeJS.Timeout | undefined
  let tidying = Promise.resolve()
  let stopping = false

  /** One more sender, unless there are enough. It works until nothing is due. */
  function look() {
    if (stopping || underWay.size >= SENDS_MAX) return
    const sender = sendDue()
      .catch((error: unknown) => report({ err: error }))
      .finally(() => underWay.delete(sender))
    underWay.add(sender)
  }

  async function sendDue() {
    for (let mail = await take(); mail; mail = await take()) {
      look() // There may be more, and this one may be slow.
      await deliver(mail)
      if (stopping) return
    }
  }

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
    await settle(id)
  }

  /** The mail is out, so not to write it down would send it twice: a database that restarts is waited for. */
  async function settle(id: string) {
    for (let left = SETTLE_TRIES; ; left--) {
      try {
        if (transport.name === 'smtp') await store.settle(id, 'sent', timestamp(clock))
        else await store.settle(id, 'captured', null)
        return
      } catch (error) {
        if (left === 0) throw error
        await pause(SECOND_MS)
      }
    }
  }

  async function postpone(mail: MailRow, error: unknown) {
    const retryAfterMs = isPermanent(error) ? undefined : RETRY_AFTER_MS[mail.attempts - 1]
    const givenUp = retryAfterMs === undefined
    report({ mailId: mail.id, attempts: mail.attempts, givenUp, err: error })
    const reason = error instanceof Error ? error.message : String(error)
    if (givenUp) await store.fail(mail, reason)
    else await store.retry(mail, reason, timestamp(clock, retryAfterMs))
  }

  const tidy = () =>
    store.tidy(timestamp(clock, -SENT_KEPT_MS), timestamp(clock, -OTHERS_KEPT_MS), CAPTURED_MAX)

  return {
    /**
     * A mail was written in a transaction that is about to end. A look that comes before its end sees nothing;
     * the next one, a second later, does.
     */
    wake: () => {
      if (stopping || timers.length === 0 || soon) return
      soon = setTimeout(() => {
        soon = undefined
        look()
      }, LOOK_AFTER_SEND_MS).unref()
    },

    /** Sends what is due now and comes back when all of it was tried. */
    async deliverDue(): Promise<void> {
      look()
      while (underWay.size > 0) await Promise.all(underWay)
    },

    /** Bodies may hold links, so nothing is kept longer than it is of use. */
    tidy,

    start() {
      const tidyUp = () => void (tidying = tidy().catch((error: unknown) => report({ err: error })))
      timers = [setInterval(look, LOOK_EVERY_MS).unref(), setInterval(tidyUp, TIDY_EVERY_MS).unref()]
      look()
      tidyUp()
    },

    /** Waits for what is under way, but not for ever: what is cut off is sent by the next node after its claim. */
    async stop(): Promise<void> {
      stopping = true
      for (const timer of timers) clearInterval(timer)
      clearTimeout(soon)
      const tooLong = new AbortController()
      await Promise.race([
        Promise.all([...underWay, tidying]),
        pause(STOP_WITHIN_MS, undefined, { signal: tooLong.signal }).catch(() => {}),
      ])
      tooLong.abort()
    },
  }
}

const isPermanent = (error: unknown) =>
  error instanceof Error && 'permanent' in error && error.permanent === true
