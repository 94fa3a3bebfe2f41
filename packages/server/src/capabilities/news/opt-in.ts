import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import { escapeHtml } from '../../platform/http/pages.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import type { Addresses } from './addresses.ts'
import { confirmationMail, type Mail } from './mails.ts'
import { messagesFor } from './messages.ts'
import type { NewsStore, Transaction } from './store.ts'

type OptInDeps = {
  clock: Clock
  random: Random
  addresses: Addresses
  /** The name of the operator. */
  service: string
  baseUrl: string
  /** `svcNews.optIn` of the config, which is never on for kids. */
  isOffered(environmentId: string): Promise<boolean>
  bandOf(environment: { id: string }, playerId: string): Promise<'child' | 'teen' | 'adult'>
  mails: {
    /** If a limit is reached, nothing is sent. */
    send(transaction: Transaction, mail: Mail): Promise<{ sent: boolean }>
    removeTo(transaction: Transaction, environmentId: string, email: string): Promise<unknown>
  }
}

export type NewsRequest = { environment: Environment; playerId: string; email: string; language: string }
export type OptIn = ReturnType<typeof createOptIn>

const CONFIRMATION_TTL_MS = 30 * DAY_MS

/** The news box. A checked box has no effect until the link in the confirmation mail is clicked (NWS-01 … NWS-03). */
export function createOptIn(store: NewsStore, deps: OptInDeps) {
  const { clock, random, addresses, service, baseUrl, isOffered, bandOf, mails } = deps

  /** Checked when a player subscribes, and again before news are sent. */
  const mayGetNews = async (environmentId: string, playerId: string) =>
    (await isOffered(environmentId)) && (await bandOf({ id: environmentId }, playerId)) !== 'child'

  return {
    mayGetNews,

    async box({ id }: Environment, { language = 'en' }: { language?: string }) {
      if (!(await isOffered(id))) return { show: false, label: '', html: '' }
      const messages = messagesFor(language)
      const label = messages.label(service)
      return { show: true, label, html: boxHtml(messages.code, label) }
    },

    /** The box was checked at sign-up. Call in the transaction of the sign-up, and only for players who may get news. */
    async requestNews(transaction: Transaction, { environment, playerId, email, language }: NewsRequest) {
      const known = await store.findIn(transaction, environment.id, playerId)
      if (known?.status === 'confirmed' && known.email === email) return

      const token = randomToken(random)
      const addressHash = addresses.hashOf(email)
      const unsubscribeToken = addresses.unsubscribeToken(addressHash)
      const mailContext = { environment, to: email, language, service, baseUrl, unsubscribeToken }
      const { sent } = await mails.send(transaction, confirmationMail(mailContext, token))
      if (!sent) return
      await store.write(transaction, {
        environmentId: environment.id,
        playerId,
        email,
        addressHash,
        language,
        status: 'pending',
        tokenHash: sha256(token),
        createdAt: timestamp(clock),
        confirmedAt: null,
      })
    },

    /** A second click changes nothing, and a click after unsubscribing does not subscribe again. */
    async confirm({ token }: { token: string }): Promise<{ subscribed: true }> {
      const askedAfter = timestamp(clock, -CONFIRMATION_TTL_MS)
      const isConfirmed = await store.confirm(sha256(token), timestamp(clock), askedAfter)
      if (!isConfirmed) throw new ApiError('invalid_or_expired_token')
      return { subscribed: true }
    },

    /** Unsubscribes the address from the news of all apps. */
    async unsubscribe({ token }: { token: string }): Promise<{ subscribed: false }> {
      const addressHash = addresses.readUnsubscribeToken(token)
      if (addressHash === undefined) throw new ApiError('invalid_or_expired_token')
      await store.change(addressHash, (transaction) => store.unsubscribe(transaction, addressHash))
      return { subscribed: false }
    },

    async exportForPlayer(environmentId: string, playerId: string) {
      const subscription = await store.find(environmentId, playerId)
      if (!subscription) return { news: null }
      const { email, language, status, createdAt, confirmedAt } = subscription
      return { news: { email, language, status, createdAt, confirmedAt } }
    },
    async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string) {
      const subscription = await store.findIn(transaction, environmentId, playerId)
      if (!subscription) return
      await mails.removeTo(transaction, environmentId, subscription.email)
      await store.remove(transaction, environmentId, playerId)
    },
  }
}

/** The checkbox is inside its label: screen readers read both, and a click on the label checks the box. */
const boxHtml = (language: string, label: string) =>
  `<label class="svc-news" lang="${language}"><input type="checkbox" name="newsOptIn" value="true"> <span>${escapeHtml(label)}</span></label>`
