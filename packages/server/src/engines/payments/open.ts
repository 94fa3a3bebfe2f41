import type { Clock } from '../../platform/clock.ts'
import type { Payments } from '../../platform/ports/payments.ts'
import { openTestPayments } from './test.ts'

/** The settings of payments. */
export type PaymentSettings =
  | { provider: 'off' }
  | { provider: 'test' }
  | { provider: 'stripe'; secretKey: string; webhookSecret: string; apiBaseUrl: string | undefined }

/** Undefined if nothing is charged. Loading the Stripe library takes 0.4 s and 36 MB, so it is loaded only if it is configured. */
export async function openPayments(
  settings: PaymentSettings,
  { baseUrl, clock }: { baseUrl: string; clock: Clock },
): Promise<Payments | undefined> {
  if (settings.provider === 'off') return undefined
  if (settings.provider === 'test') return openTestPayments(baseUrl, clock)
  return (await import('./stripe.ts')).openStripe(settings)
}
