import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { InvalidSignatureError, type Payments } from '../../platform/ports/payments.ts'

/**
 * No money is charged: the payment page is a page of this service, and its buttons create the events. So there is no provider to
 * poll: a checkout is open until such an event, or until it expires.
 */
export const openTestPayments = (baseUrl: string, clock: Clock): Payments => ({
  provider: 'test',
  createCheckout: async ({ id }) => ({
    providerId: id,
    url: `${baseUrl}/checkout/test/${id}`,
    expiresAt: timestamp(clock, DAY_MS),
  }),
  readCheckout: async ({ expiresAt }) => ({
    status: expiresAt <= timestamp(clock) ? 'expired' : 'open',
    amountCents: 0,
    currency: 'usd',
    paymentId: null,
  }),
  readEvent() {
    throw new InvalidSignatureError('the test provider sends no events')
  },
  findCheckout: async () => undefined,
  payments: () => undefined,
})
