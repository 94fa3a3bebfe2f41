import type { Clock } from '../../platform/clock.ts'
import type { Payments } from '../../platform/payments.ts'
import { openTestPayments } from './test.ts'

/** How payments are taken. */
export type PaymentSettings =
  | { provider: 'off' }
  | { provider: 'test' }
  | { provider: 'stripe'; secretKey: string; webhookSecret: string; apiBaseUrl: string | undefined }

/** Undefined when nothing is charged. The library of Stripe takes 0.4 s and 36 MB, so it is loaded only where it is configured. */
export async function openPayments(
  settings: PaymentSettings,
  { baseUrl, clock }: { baseUrl: string; clock: Clock },
): Promise<Payments | undefined> {
  if (settings.provider === 'off') return undefined
  if (settings.provider === 'test') return openTestPayments(baseUrl, clock)
  return (await import('./stripe.ts')).openStripe(settings)
}
