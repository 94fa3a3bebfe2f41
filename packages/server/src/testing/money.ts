import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Engine, type Service, startService } from './service.ts'
import { startFakeStripe } from './stripe-server.ts'

export type TestDeveloper = Awaited<ReturnType<Service['newDeveloper']>>

export const URLS = { successUrl: 'https://game.example/thanks', cancelUrl: 'https://game.example/back' }

let keys = 0
export const newKey = () => ({ 'idempotency-key': `key-${++keys}` })

/** Creates a checkout and pays it immediately on the test page. */
export async function topUp(service: Pick<Service, 'http'>, developer: TestDeveloper, amount: number) {
  const { body } = await developer.call('POST', '/v1/money/prepaid/checkout', { amount, ...URLS }, newKey())
  await pressTestPage(service, body.id, 'pay')
  return body.id as string
}

/** Clicks a button of the test page; returns the redirect URL. */
export async function pressTestPage(service: Pick<Service, 'http'>, id: string, action: 'pay' | 'cancel') {
  const { statusCode, headers } = await service.http.inject({
    method: 'POST',
    url: `/checkout/test/${id}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `action=${action}`,
  })
  return { status: statusCode, location: headers['location'] }
}

/** Confirms the address with the link of the newest mail. */
export async function confirmEmail(service: Service, developer: TestDeveloper) {
  const [mail] = await service.mailsTo(developer.email)
  const [, token] = /#token=([\w-]+)/.exec(mail?.text ?? '') ?? []
  const { status } = await service.call('POST', '/v1/developers/email/verify', { token })
  if (status !== 200) throw new Error(`the address of ${developer.email} is not confirmed`)
}

/** A service with payments through a simulated Stripe. */
export async function startServiceWithStripe(engine: Engine, settings: Record<string, string> = {}) {
  let clock: { now(): Date } = { now: () => new Date() }
  const stripe = await startFakeStripe({ nowMs: () => clock.now().getTime() })
  const endpoints = join(tmpdir(), `stripe-${randomBytes(8).toString('hex')}.json`)
  await writeFile(endpoints, JSON.stringify({ stripe: { apiBaseUrl: stripe.origin } }))
  const started = await startService(engine, {
    settings: {
      SVC_PROVIDER_ENDPOINTS: endpoints,
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      ...settings,
    },
  })
  clock = started.clock
  stripe.setWebhook({
    async deliver(body, signature) {
      const response = await started.http.inject({
        method: 'POST',
        url: '/v1/money/webhooks/stripe',
        headers: {
          'content-type': 'application/json',
          ...(signature !== undefined && { 'stripe-signature': signature }),
        },
        payload: body,
      })
      return response.statusCode
    },
  })
  return {
    ...started,
    stripe,
    async stop() {
      await started.stop()
      await stripe.stop()
      await rm(endpoints, { force: true })
    },
  }
}
