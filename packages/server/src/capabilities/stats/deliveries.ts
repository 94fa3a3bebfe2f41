import { LIMITS } from '@svc/contract/common/limits'
import type { Delivery } from '@svc/contract/stats'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import type { Environment } from '../../platform/environment.ts'
import { Counts } from '../../platform/metrics/metrics.ts'
import type { DeliveryStore } from './deliveries-store.ts'

/** A delivery with the body of its request. */
type SentDelivery = Delivery & { request: string }

export type Deliveries = ReturnType<typeof createDeliveries>

/** The requests to a developer's server and its responses: the last 100 per environment, written in the background. */
export function createDeliveries(store: DeliveryStore, background: Background) {
  const waiting = new Map<string, SentDelivery[]>()
  let writing: Promise<void> | undefined
  const outcomes = new Counts('svc_webhook_deliveries_total', 'outcome', ['answered', 'failed'])

  async function write(): Promise<void> {
    try {
      // Deliveries that are added during a write wait for the next one, so that under load one write contains many.
      for (const [environmentId, deliveries] of waiting) {
        waiting.delete(environmentId)
        await store.add(environmentId, deliveries)
      }
    } finally {
      writing = undefined
    }
  }

  return {
    metric: outcomes,

    note(environmentId: string, delivery: SentDelivery): void {
      outcomes.add(delivery.outcome)
      const deliveries = waiting.get(environmentId) ?? []
      if (deliveries.push(delivery) > LIMITS.webhookDeliveriesMax) deliveries.shift()
      waiting.set(environmentId, deliveries)
      if (!writing) background.run(() => (writing = write()))
    },

    /** The body of an earlier delivery. */
    async requestOf(environmentId: string, id: string): Promise<string> {
      await writing?.catch(() => {})
      const request = await store.requestOf(environmentId, id)
      if (request === undefined) throw new ApiError('delivery_not_found')
      return request
    },

    async list({ id }: Environment, { limit = 50 }: { limit?: number }): Promise<{ deliveries: Delivery[] }> {
      await writing?.catch(() => {})
      return { deliveries: (await store.list(id, limit)) as Delivery[] }
    },
  }
}
