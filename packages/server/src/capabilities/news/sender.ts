import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Addresses } from './addresses.ts'
import { type Mail, type News, newsMail } from './mails.ts'
import type { NewsStore, Subscription, Transaction } from './store.ts'

type SenderDeps = {
  clock: Clock
  addresses: Addresses
  service: string
  baseUrl: string
  mayGetNews(environmentId: string, playerId: string): Promise<boolean>
  sendMail(transaction: Transaction, mail: Mail): Promise<unknown>
}

/** The numbers of addresses so far. `had`: they got this issue before. `full`: they got two mails this month. */
export type Progress = { sent: number; had: number; full: number; notAllowed: number }
type Outcome = keyof Progress

export type SendOptions = { dryRun?: boolean; onProgress?: (progress: Progress) => void }
export type Sender = ReturnType<typeof createSender>

const PER_MONTH_MAX = 2
const PAGE = 100
const RETENTION_MS = 62 * DAY_MS

/**
 * Sends news to every confirmed address once. The mail and the monthly count are one transaction: a repeated run, concurrent runs
 * on two nodes, or a run after a crash send no duplicate and no third mail (NWS-01).
 */
export function createSender(store: NewsStore, deps: SenderDeps) {
  const { clock, addresses, service, baseUrl, mayGetNews, sendMail } = deps
  const thisMonth = () => timestamp(clock).slice(0, 7)

  async function firstAllowed(addressHash: string): Promise<Subscription | undefined> {
    for (const subscription of await store.confirmedOf(addressHash)) {
      if (await mayGetNews(subscription.environmentId, subscription.playerId)) return subscription
    }
    return undefined
  }

  async function sendTo(
    addressHash: string,
    news: News,
    issue: string,
    month: string,
    dryRun: boolean,
  ): Promise<Outcome> {
    if (await store.hasGot(addressHash, issue)) return 'had'
    if ((await store.countOf(addressHash, month)) >= PER_MONTH_MAX) return 'full'
    const subscription = await firstAllowed(addressHash)
    if (!subscription) return 'notAllowed'
    if (dryRun) return 'sent'

    return store.change(addressHash, async (transaction) => {
      const { environmentId, playerId, email, language } = subscription
      if (!(await store.isConfirmed(transaction, environmentId, playerId))) return 'notAllowed'
      const sentThisMonth = await store.countIn(transaction, addressHash, month)
      if (sentThisMonth >= PER_MONTH_MAX) return 'full'
      const mail = { addressHash, month, place: sentThisMonth + 1, issue, sentAt: timestamp(clock) }
      if (!(await store.recordMail(transaction, mail))) return 'had'

      const unsubscribeToken = addresses.unsubscribeToken(addressHash)
      const mailContext = {
        environment: { id: environmentId },
        to: email,
        language,
        service,
        baseUrl,
        unsubscribeToken,
      }
      await sendMail(transaction, newsMail(mailContext, news))
      return 'sent'
    })
  }

  return {
    /** The same subject and paragraphs are the same issue: another run continues where the last one ended. */
    async sendNews(
      news: News,
      { dryRun = false, onProgress = () => {} }: SendOptions = {},
    ): Promise<Progress> {
      const issue = sha256(JSON.stringify([news.subject, news.paragraphs]))
      const progress: Progress = { sent: 0, had: 0, full: 0, notAllowed: 0 }

      for (let after = ''; ;) {
        const page = await store.addresses(after, PAGE)
        const month = thisMonth()
        const outcomes = await Promise.all(
          page.map((addressHash) => sendTo(addressHash, news, issue, month, dryRun)),
        )
        for (const outcome of outcomes) progress[outcome] += 1
        onProgress({ ...progress })
        if (page.length < PAGE) return progress
        after = page.at(-1) ?? ''
      }
    },

    purgeExpired: (stopping?: AbortSignal) =>
      store.deleteMonthsBefore(timestamp(clock, -RETENTION_MS).slice(0, 7), stopping),
  }
}
